//! Writes what an agent reports into the journal, so that the status of its session is live.

use super::fact::{Fact, Permission};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io;
use taffrail_adapters::Adapter;
use taffrail_context::{Settings, write_entry, write_gone};
use taffrail_model::approval::input_mark;
use taffrail_model::hash;
use taffrail_model::journal::{Gone, Loss, PipeEvent, PipeReport, Piped};
use taffrail_model::{Origin, Process};

/// The longest command that is recorded, in characters.
const COMMAND: usize = 4096;

/// Writes the reports of one agent.
pub struct Reports<'a> {
    settings: &'a Settings,
    adapter: &'static dyn Adapter,
    process: Process,
    nonce: fn() -> String,
    /// The sessions that were reported, which end with the agent.
    sessions: BTreeSet<(String, String)>,
    /// The sessions of projects that the user excluded.
    left_out: BTreeSet<String>,
    /// The input of each open request.
    inputs: Vec<(u64, String)>,
}

impl<'a> Reports<'a> {
    /// Reports of this agent, which runs as this process. `nonce` generates a random string.
    pub fn new(
        settings: &'a Settings,
        (adapter, process): (&'static dyn Adapter, Process),
        nonce: fn() -> String,
    ) -> Self {
        let (sessions, left_out, inputs) = Default::default();
        Self { settings, adapter, process, nonce, sessions, left_out, inputs }
    }

    /// Writes a fact. `scope` is that of the session's id.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn write(&mut self, fact: &Fact, scope: &str) -> io::Result<()> {
        if let Fact::Opened { session, folder: Some(folder) } = fact
            && self.settings.left_out().holds(folder)
        {
            self.left_out.insert(session.clone());
        }
        let Some(report) = self.report(fact, scope) else { return Ok(()) };
        if self.left_out.contains(&report.session) {
            return Ok(());
        }
        self.sessions.insert((report.session.clone(), report.scope.clone()));
        let payload = serde_json::to_string(&Piped { acp: report })?;
        let mark = hash::digest("acp", &[(self.nonce)().as_bytes()]);
        let agent = (self.adapter.descriptor().id, Origin::Registry);
        write_entry(self.settings, agent, mark, &payload)
    }

    /// Writes that the agent ended.
    pub fn end(&self) {
        for (session, scope) in &self.sessions {
            let (session, scope) = (session.clone(), scope.clone());
            let gone = Gone { gone: Loss::Died, session, scope, process: self.process };
            if let Err(error) = write_gone(self.settings, self.adapter.descriptor().id, &gone) {
                tracing::warn!(%error, "cannot note the end of an agent");
            }
        }
    }

    fn report(&mut self, fact: &Fact, scope: &str) -> Option<PipeReport> {
        let make = |session: &str, event| PipeReport {
            session: session.to_owned(),
            scope: scope.to_owned(),
            process: self.process,
            folder: None,
            event,
            says: String::new(),
            status: String::new(),
            input: String::new(),
        };
        Some(match fact {
            Fact::Opened { session, folder } => {
                PipeReport { folder: folder.clone(), ..make(session, PipeEvent::Opened) }
            }
            Fact::Prompted { session } => make(session, PipeEvent::Prompted),
            Fact::TurnOver { session, reason } => {
                PipeReport { status: reason.clone(), ..make(session, PipeEvent::TurnOver) }
            }
            Fact::Tool { session, title, status } => PipeReport {
                says: title.clone(),
                status: status.clone(),
                ..make(session, PipeEvent::Tool)
            },
            Fact::Plan { session, step, progress } => PipeReport {
                says: step.clone(),
                status: progress.clone(),
                ..make(session, PipeEvent::Plan)
            },
            Fact::Asked(it) => {
                let report = PipeReport {
                    says: it.says().chars().take(COMMAND).collect(),
                    input: mark_of(it),
                    ..make(&it.session, PipeEvent::Asked)
                };
                self.inputs.push((it.key, report.input.clone()));
                report
            }
            Fact::Settled { key, session, .. } => {
                let at = self.inputs.iter().position(|(known, _)| known == key)?;
                let report = make(session, PipeEvent::Settled);
                PipeReport { input: self.inputs.swap_remove(at).1, ..report }
            }
            Fact::Ended => return None,
        })
    }
}

/// The hash of a request's input, as the request itself and its reports carry it.
#[must_use]
pub fn mark_of(it: &Permission) -> String {
    let input = it.input.clone().unwrap_or_else(|| Value::String(it.title.clone()));
    input_mark(&it.kind, input)
}
