//! Records what an agent behind a pipe reports, and asks the broker about its requests.

use super::desk::{PipedRequest, ask_for_pipe, settle_for_pipe};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::mpsc::Receiver;
use std::thread::Builder;
use std::time::Duration;
use taffrail_adapters::{Adapter, Request};
use taffrail_api::{PipeSettledBody, PipeSettler};
use taffrail_capture::{start_of, store_of};
use taffrail_context::Settings;
use taffrail_model::approval::Decision;
use taffrail_model::journal::scope_in;
use taffrail_model::{AgentId, Process, RuntimeIdentity};
use taffrail_query::events::device_of;
use taffrail_run::acp::{Answers, Fact, Permission, Reports, SettledBy, mark_of};
use taffrail_run::agent_in;

/// The name of an agent that Taffrail does not know. Its requests belong to no session in the list.
const UNKNOWN: &str = "acp";
/// How long a daemon is looked for that is to know of the end of a request.
const TELLING: Duration = Duration::from_secs(60);
/// The same when the agent ended and the pipe ends with it.
const LAST: Duration = Duration::from_millis(500);

/// An agent behind a pipe, and its surroundings.
#[derive(Debug)]
pub struct PipedAgent<'a> {
    /// The agent, if the user named it.
    pub agent: Option<&'a str>,
    /// Its command.
    pub words: &'a [OsString],
    /// Its process.
    pub process: Option<Process>,
    /// Our folder for state.
    pub state: &'a Path,
    /// Generates a random string.
    pub nonce: fn() -> String,
    /// The environment, by name.
    pub variable: fn(&str) -> Option<String>,
}

/// Records what one agent reports.
pub struct PipeObserver<'a> {
    settings: &'a Settings,
    piped: PipedAgent<'a>,
    adapter: Option<&'static dyn Adapter>,
    reports: Option<Reports<'a>>,
    answers: Answers,
    /// Our own process.
    process: Option<Process>,
    nonce: String,
    /// The scope of the agent's ids, once it is known.
    scope: Option<String>,
    /// Requests that the broker knows.
    asked: BTreeMap<u64, String>,
}

impl<'a> PipeObserver<'a> {
    /// Records what this agent reports, and answers its requests through `answers`.
    #[must_use]
    pub fn new(settings: &'a Settings, piped: PipedAgent<'a>, answers: Answers) -> Self {
        let adapter = agent_in(piped.agent, piped.words);
        let runs = adapter.zip(piped.process);
        let pid = std::process::id();
        Self {
            settings,
            adapter,
            reports: runs.map(|runs| Reports::new(settings, runs, piped.nonce)),
            answers,
            process: start_of(pid).map(|start| Process { pid, start }),
            nonce: (piped.nonce)(),
            piped,
            scope: None,
            asked: BTreeMap::new(),
        }
    }

    /// Records facts until the agent ended.
    pub fn observe(mut self, facts: Receiver<Fact>) {
        for fact in facts {
            if fact == Fact::Ended {
                break;
            }
            self.record(&fact);
            match fact {
                Fact::Asked(it) => self.ask(*it),
                Fact::Settled { key, decision, by, .. } => self.settled(key, decision, by),
                _ => {}
            }
        }
        self.end();
    }

    /// Writes a fact into the journal. Where the scope of the agent's ids is not known, its session
    /// is not known either, and nothing is written.
    fn record(&mut self, fact: &Fact) {
        let scope = self.scope();
        let (Some(reports), Some(scope)) = (&mut self.reports, scope) else { return };
        if let Err(error) = reports.write(fact, &scope) {
            tracing::warn!(%error, "cannot note what an agent reports");
        }
    }

    fn scope(&mut self) -> Option<String> {
        if self.scope.is_none() {
            self.scope = scope_of(self.settings, self.adapter?, self.piped.variable);
        }
        self.scope.clone()
    }

    /// Asks the broker on a thread of its own, which ends with the request.
    fn ask(&mut self, it: Permission) {
        let Some(process) = self.process else { return };
        if it.folder.as_ref().is_some_and(|it| self.settings.left_out().holds(it)) {
            return;
        }
        let (key, nonce) = (it.key, format!("{}-{}", self.nonce, it.key));
        let request = self.request(it, nonce.clone(), process);
        self.asked.insert(key, nonce);
        let (state, answers) = (self.piped.state.to_owned(), self.answers.clone());
        let thread = Builder::new().name("request".to_owned());
        let started = thread.spawn(move || {
            let answer = ask_for_pipe(&state, request, || answers.is_open(key));
            if let Some(answer) = answer {
                answers.answer(key, answer.decision);
            }
        });
        if let Err(error) = started {
            tracing::warn!(%error, "a request is left to its editor");
        }
    }

    fn request(&mut self, it: Permission, nonce: String, process: Process) -> PipedRequest {
        let agent = self.adapter.map_or(UNKNOWN, |it| it.descriptor().id);
        let scope = self.scope().unwrap_or_default();
        let request = Request {
            who: RuntimeIdentity::new(AgentId::new(agent), &scope, &it.session),
            command: it.command().map(str::to_owned),
            says: it.says().to_owned(),
            mark: mark_of(&it),
            tool: it.kind,
            project: it.folder,
            files: it.files,
            input: it.input,
        };
        PipedRequest {
            request,
            nonce,
            asked_at: (self.settings.now)(),
            process,
            call: it.call,
            is_answerable: it.is_answerable,
            is_unattended: (self.piped.variable)("CI")
                .is_some_and(|it| !matches!(it.as_str(), "" | "0" | "false")),
        }
    }

    /// Tells the broker that its answer is not needed, or did not reach the agent.
    fn settled(&mut self, key: u64, decision: Option<Decision>, by: SettledBy) {
        let Some(nonce) = self.asked.remove(&key) else { return };
        let by = match by {
            // The broker knows its own answer.
            SettledBy::Taffrail => return,
            SettledBy::Editor => PipeSettler::Editor,
            SettledBy::Agent => PipeSettler::Agent,
        };
        let (state, body) = (self.piped.state.to_owned(), PipeSettledBody { nonce, by, decision });
        let thread = Builder::new().name("settled".to_owned());
        let started = thread.spawn(move || settle_for_pipe(&state, &body, TELLING));
        if let Err(error) = started {
            tracing::warn!(%error, "the daemon does not learn that a request is over");
        }
    }

    fn end(self) {
        if let Some(reports) = &self.reports {
            reports.end();
        }
        for nonce in self.asked.into_values() {
            let body = PipeSettledBody { nonce, by: PipeSettler::Gone, decision: None };
            settle_for_pipe(self.piped.state, &body, LAST);
        }
    }
}

/// The scope in which an agent's session ids are unique; `None` if it is not known.
fn scope_of(
    settings: &Settings,
    adapter: &'static dyn Adapter,
    variable: fn(&str) -> Option<String>,
) -> Option<String> {
    if !adapter.descriptor().scoped_ids {
        return Some(String::new());
    }
    let path = store_of(adapter, &settings.user_home, variable)?;
    let device = device_of(settings).ok().filter(|it| !it.as_str().is_empty())?;
    Some(scope_in(device.as_str(), &path))
}
