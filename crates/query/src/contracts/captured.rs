//! A captured session with its sub-agents, complete.

use super::disk::disk;
use super::transfer::{carried, origin};
use crate::board::recent_statuses;
use crate::events::{device_of, each_line};
use crate::status::{EVIDENCE, StatusLookup, live_status, prompt_ready};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use taffrail_api::EventLine;
use taffrail_capture::{checkout, command_line, commit_at};
use taffrail_context::LiveStatus;
use taffrail_context::{Error, Settings};
use taffrail_contracts::captured::{AgentSession, Captured, Disk, Here, Remarks};
use taffrail_model::evidence::Life;
use taffrail_model::observed::Marks;
use taffrail_model::turn::{PromptReady, Turn, TurnInput, turns};
use taffrail_model::{AgentId, Event, SessionId, Signal, Timestamp};
use taffrail_store::{EventRow, IndexReader, Ledger, SessionRow};
use taffrail_team::own_name;

/// The most sub-agents included, counting all levels.
const WORKERS: usize = 1000;

/// Fills in everything that the contracts require of a session.
pub fn captured(
    settings: &Settings,
    row: SessionRow,
    known: StatusLookup<'_>,
) -> Result<Captured, Error> {
    let Some(reader) = IndexReader::open(&settings.data)? else {
        return Err(taffrail_context::TargetError::NotFound(row.id.to_string()).into());
    };
    // Without a daemon, the statuses of recent sessions are computed now.
    let looked =
        if settings.kept_up { HashMap::new() } else { recent_statuses(settings, &reader)? };
    let known = |id: SessionId| known(id).or_else(|| looked.get(&id).cloned());
    let capturer = Capturer { settings, reader: &reader, known: &known, now: (settings.now)() };
    let id = row.id;
    let mut workers = Vec::new();
    for worker in workers_below(&reader, id)? {
        workers.push(capturer.seen(worker)?);
    }
    let carried = carried(settings, &reader, &row)?;
    let (device, former_project) = origin(settings, &row)?;
    let is_here = device.is_none();
    let main = capturer.seen(row)?;
    let mut here = here(settings, &main, capturer.now, is_here);
    here.device = device.unwrap_or(here.device);
    here.former_project = former_project;
    let remarks = remarks(settings, id)?;
    let disk_of = |it: &Captured| if is_here { disk(it) } else { Disk::default() };
    let disk = Disk::default();
    let captured = Captured { main, workers, target: None, here, remarks, carried, disk };
    Ok(Captured { disk: disk_of(&captured), ..captured })
}

/// The latest events of a session with all that is known of it, without its sub-agents.
///
/// # Errors
/// When the session or the index cannot be read.
pub(crate) fn latest_part(
    settings: &Settings,
    row: SessionRow,
    count: usize,
) -> Result<AgentSession, Error> {
    let Some(reader) = IndexReader::open(&settings.data)? else {
        return Err(taffrail_context::TargetError::NotFound(row.id.to_string()).into());
    };
    let rows = reader.last_events(row.row, count)?;
    let capturer = Capturer { settings, reader: &reader, known: &|_| None, now: (settings.now)() };
    capturer.seen_of(row, rows)
}

/// All sub-agents below a session, at any level.
pub fn workers_below(reader: &IndexReader, id: SessionId) -> Result<Vec<SessionRow>, Error> {
    let (mut out, mut met, mut next) = (Vec::new(), HashSet::from([id]), vec![id]);
    while let Some(parent) = next.pop() {
        for worker in reader.workers_of(parent)? {
            if out.len() < WORKERS && met.insert(worker.id) {
                next.push(worker.id);
                out.push(worker);
            }
        }
    }
    Ok(out)
}

struct Capturer<'a> {
    settings: &'a Settings,
    reader: &'a IndexReader,
    known: StatusLookup<'a>,
    now: Timestamp,
}

impl Capturer<'_> {
    fn seen(&self, row: SessionRow) -> Result<AgentSession, Error> {
        let rows = self.reader.events(row.row)?;
        self.seen_of(row, rows)
    }

    fn seen_of(&self, row: SessionRow, rows: Vec<EventRow>) -> Result<AgentSession, Error> {
        let card = (self.known)(row.id).unwrap_or_else(|| self.status_from(&row, &rows));
        let notes: Vec<_> = rows.iter().map(Remembered::of).collect();
        let mut events = Vec::with_capacity(rows.len());
        let device = device_of(self.settings)?;
        each_line((self.settings, self.reader, &device), &row, rows, &mut |line| {
            events.push(line);
            true
        });
        let events: Vec<_> = events.into_iter().zip(notes).filter_map(live).collect();
        let turns = turns_of(&events, prompt_ready(&card, self.settings));
        let (reading, process) = (&card.reading, card.process.filter(|_| card.life == Life::Alive));
        let command = process.as_ref().map(|it| command_line(it.pid).join(" "));
        let context = self.reader.last_usage(row.row)?.map(|(_, tokens)| tokens);
        Ok(AgentSession {
            id: row.id,
            agent: AgentId::new(row.agent),
            runtime_id: row.runtime_id,
            parent: row.parent,
            listed_as: row.title.clone(),
            title: row.title.filter(|_| !row.title_derived),
            project_path: row.project_path,
            git_branch: row.git_branch,
            model: row.model,
            started_at: row.started_at,
            last_event_at: row.last_event_at,
            status: reading.status,
            waiting_for: reading.waiting_for.clone(),
            lifecycle: row.lifecycle,
            process,
            executor: card.executor.clone(),
            tokens: row.tokens,
            context,
            command: command.filter(|it| !it.is_empty()),
            source_uri: row.source_uri,
            turns,
            events: events.into_iter().map(|(event, _)| event).collect(),
        })
    }

    /// The status from the latest evidence.
    fn status_from(&self, row: &SessionRow, rows: &[EventRow]) -> Arc<LiveStatus> {
        let latest = rows.iter().skip(rows.len().saturating_sub(EVIDENCE));
        let evidence = latest.filter_map(EventRow::evidence).collect();
        let thresholds = self.settings.status.thresholds;
        Arc::new(live_status(evidence, row.process, &[], (self.now, thresholds)))
    }
}

/// Fields of a row that its event lacks.
struct Remembered {
    marks: Marks,
    label: Option<String>,
    signal: Option<Signal>,
}

impl Remembered {
    fn of(row: &EventRow) -> Self {
        Self { marks: row.marks, label: row.label.clone(), signal: row.signal.clone() }
    }
}

/// Keeps live events only.
fn live((line, note): (EventLine, Remembered)) -> Option<(Event, Remembered)> {
    match line {
        EventLine::Event(event) => Some((*event, note)),
        EventLine::Removed(_) => None,
    }
}

fn turns_of(events: &[(Event, Remembered)], ready: Option<PromptReady>) -> Vec<Turn> {
    let inputs = events.iter().map(|(event, note)| TurnInput {
        kind: &event.kind,
        at: event.created_at,
        turn: event.turn_id,
        marks: note.marks,
        text: event.text.as_deref().unwrap_or_default(),
        label: note.label.as_deref(),
        signal: note.signal.as_ref(),
    });
    turns(inputs, ready)
}

fn here(settings: &Settings, main: &AgentSession, now: Timestamp, is_here: bool) -> Here {
    let folder = main.project_path.as_deref().map(Path::new);
    let folder = folder.filter(|it| it.is_absolute() && is_here);
    Here {
        now,
        device: own_name(settings).unwrap_or_else(|| settings.host.clone()),
        repo_root: folder.and_then(checkout).map(|it| it.root.to_string_lossy().into_owned()),
        git_commit: folder.zip(main.moved()).and_then(|(it, at)| commit_at(it, at.as_second())),
        former_project: None,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

fn remarks(settings: &Settings, id: SessionId) -> Result<Remarks, Error> {
    let Some(ledger) = Ledger::open_read_only(&settings.data)? else {
        return Ok(Remarks::default());
    };
    let notes: Vec<_> = ledger.notes(id)?.into_iter().map(|it| it.text).collect();
    let notes = Some(notes.join("\n")).filter(|it| !it.is_empty());
    Ok(Remarks { tags: ledger.tags(id)?, notes })
}
