//! A recorded session with its sub-agents, for the documents of other tools.

use crate::contracts::workers_below;
use crate::events::{device_of, each_line};
use crate::export::{redact_event, redact_text};
use crate::resolve::resolve;
use std::collections::BTreeSet;
use taffrail_api::EventLine;
use taffrail_context::{Error, Settings, Target};
use taffrail_exports::atif::{Trajectory, trajectory};
pub use taffrail_exports::otlp::Content;
use taffrail_exports::otlp::{Traces, traces};
use taffrail_exports::{Amount, ModelAnswer, Recorded};
use taffrail_model::answer::Answer;
use taffrail_model::{AgentId, DeviceId, Event, EventId, Kind, SessionId, Signal};
use taffrail_store::{EventRow, IndexReader, SessionRow};

/// What becomes of secrets in an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrets {
    /// They are written as recorded.
    Shown,
    /// Known kinds of them are replaced.
    Redacted,
}

/// A session as an ATIF trajectory; `None` if the session says nothing.
///
/// # Errors
/// When the session or the index cannot be read.
pub fn export_atif(
    settings: &Settings,
    target: &Target,
    secrets: Secrets,
) -> Result<Option<Trajectory>, Error> {
    Ok(recorded(settings, target, secrets)?.as_ref().and_then(trajectory))
}

/// A session as spans for a collector. They leave this machine, so secrets are always redacted.
///
/// # Errors
/// When the session or the index cannot be read.
pub fn export_otlp(
    settings: &Settings,
    target: &Target,
    content: Content,
) -> Result<Traces, Error> {
    let session = recorded(settings, target, Secrets::Redacted)?;
    let version = env!("CARGO_PKG_VERSION");
    Ok(session.map(|it| traces(&it, content, version)).unwrap_or_default())
}

fn recorded(
    settings: &Settings,
    target: &Target,
    secrets: Secrets,
) -> Result<Option<Recorded>, Error> {
    let row = resolve(settings, target)?;
    let Some(reader) = IndexReader::open(&settings.data)? else { return Ok(None) };
    let recorder = Recorder::new((settings, &reader))?;
    let below = workers_below(&reader, row.id)?;
    let mut below = below.into_iter().map(Some).collect::<Vec<_>>();
    let mut session = recorder.session(row, &mut below)?;
    if secrets == Secrets::Redacted {
        redact(&mut session);
    }
    Ok(Some(session))
}

/// Reads sessions back as recorded.
pub(crate) struct Recorder<'a> {
    settings: &'a Settings,
    reader: &'a IndexReader,
    device: DeviceId,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new((settings, reader): (&'a Settings, &'a IndexReader)) -> Result<Self, Error> {
        Ok(Self { settings, reader, device: device_of(settings)? })
    }

    /// What it reads from.
    pub(crate) fn parts(&self) -> (&'a Settings, &'a IndexReader) {
        (self.settings, self.reader)
    }

    /// A session with those of the sub-agents that it started.
    pub(crate) fn session(
        &self,
        row: SessionRow,
        below: &mut [Option<SessionRow>],
    ) -> Result<Recorded, Error> {
        let mut workers = Vec::new();
        while let Some(worker) = take_worker(row.id, below) {
            workers.push(self.session(worker, below)?);
        }
        workers.sort_by_key(|it| it.events.first().map(|event| event.created_at));
        let answers = self.answers(row.row)?;
        let rows = self.reader.events(row.row)?;
        let questions = questions_in(&rows);
        let events = self.events(&row, rows);
        Ok(Recorded { questions, ..self.recorded(row, (events, answers, workers))? })
    }

    /// The model answers that a session owns, in order of time.
    pub(crate) fn answers(&self, row: i64) -> Result<Vec<ModelAnswer>, Error> {
        Ok(self.reader.answers(row)?.into_iter().map(answer).collect())
    }

    /// A session of which these events, answers and sub-agents are known.
    pub(crate) fn recorded(
        &self,
        row: SessionRow,
        (events, answers, workers): (Vec<Event>, Vec<ModelAnswer>, Vec<Recorded>),
    ) -> Result<Recorded, Error> {
        Ok(Recorded {
            id: row.id,
            agent: AgentId::new(row.agent),
            agent_version: self.reader.agent_version(row.row)?,
            runtime_id: row.runtime_id,
            title: row.title,
            project_path: row.project_path,
            git_branch: row.git_branch,
            model: row.model,
            events,
            questions: BTreeSet::new(),
            answers,
            workers,
        })
    }

    fn events(&self, row: &SessionRow, rows: Vec<EventRow>) -> Vec<Event> {
        let mut out = Vec::with_capacity(rows.len());
        each_line((self.settings, self.reader, &self.device), row, rows, &mut |line| {
            match line {
                EventLine::Event(event) => out.push(*event),
                EventLine::Removed(_) => {}
            }
            true
        });
        out
    }
}

/// The calls that put a question to a person.
pub(crate) fn questions_in(rows: &[EventRow]) -> BTreeSet<EventId> {
    let asks = |it: &&EventRow| matches!(it.signal, Some(Signal::Asked { .. }));
    let calls = rows.iter().filter(|it| it.kind == Kind::ToolCall && !it.removed);
    calls.filter(asks).map(|it| it.id).collect()
}

/// Takes the next session that this one started.
pub(crate) fn take_worker(
    parent: SessionId,
    below: &mut [Option<SessionRow>],
) -> Option<SessionRow> {
    let is_next = |it: &&mut Option<SessionRow>| {
        it.as_ref().is_some_and(|worker| worker.parent == Some(parent))
    };
    below.iter_mut().find(is_next)?.take()
}

fn answer(row: Answer) -> ModelAnswer {
    let amount = if row.is_estimated { Amount::Listed } else { Amount::Reported };
    let cost = row.cost_microdollars.map(amount);
    ModelAnswer { at: row.at, model: row.model, tokens: row.tokens, cost }
}

fn redact(session: &mut Recorded) {
    let written = [
        &mut session.title,
        &mut session.project_path,
        &mut session.git_branch,
        &mut session.model,
        &mut session.agent_version,
    ];
    written.into_iter().flatten().for_each(redact_text);
    session.answers.iter_mut().filter_map(|it| it.model.as_mut()).for_each(redact_text);
    session.events.iter_mut().for_each(redact_event);
    session.workers.iter_mut().for_each(redact);
}
