//! Complete events: rows of the index, with the text read back and verified.

use crate::answer_ends::answers_of;
use crate::explain::status_of;
use crate::resolve::resolve;
use crate::status::prompt_ready;
use crate::turn_lookup::{call_of, turn_of};
use serde_json::{Map, Value};
use std::collections::HashMap;
use taffrail_adapters::by_id;
use taffrail_api::{EventLine, EventsRequest, Removed};
use taffrail_capture::{Body, Sources};
use taffrail_context::{Devices, kept_text};
use taffrail_context::{Error, Settings, Target};
use taffrail_ingest::{reference, sources};
use taffrail_model::answer::AnswerUsage;
use taffrail_model::replication::is_locator;
use taffrail_model::turn::{self, Turn, TurnInput};
use taffrail_model::{AgentId, DeviceId, Event, EventId, Kind, Provenance};
use taffrail_store::{Changes, EventRow, IndexReader, Ledger, SessionRow};

/// Passes the events of a session to `give`, one after another, until it returns `false`.
///
/// # Errors
/// When the session or the index cannot be read. A text that cannot be read back is not an error:
/// the excerpt replaces it, marked stale.
pub fn events(
    settings: &Settings,
    target: &Target,
    request: &EventsRequest,
    give: &mut dyn FnMut(EventLine) -> bool,
) -> Result<(), Error> {
    let session = resolve(settings, target)?;
    let Some(reader) = IndexReader::open(&settings.data)? else { return Ok(()) };
    let rows = wanted(&reader, &session, request)?;
    let device = device_of(settings)?;
    each_line((settings, &reader, &device), &session, rows, give);
    Ok(())
}

/// The id of this device in the ledger.
pub fn device_of(settings: &Settings) -> Result<DeviceId, Error> {
    Ok(match Ledger::open_read_only(&settings.data)? {
        Some(ledger) => ledger.device()?,
        None => DeviceId::new(""),
    })
}

/// Passes rows as complete events to `give`; `false` when it wants no more.
pub fn each_line(
    (settings, reader, device): (&Settings, &IndexReader, &DeviceId),
    session: &SessionRow,
    rows: Vec<EventRow>,
    give: &mut dyn FnMut(EventLine) -> bool,
) -> bool {
    let answers = answers_of(reader, session.row, &rows);
    let builder =
        LineBuilder { answers, ..LineBuilder::new(&settings.devices, session, (reader, device)) };
    let mut sources = sources(settings);
    rows.into_iter().all(|row| {
        let body = builder.body(&mut sources, &row);
        give(builder.line(row, body))
    })
}

/// How much of the texts a list of turns has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Texts {
    /// Prompts and answers as the agent wrote them, read from its files.
    Whole,
    /// The beginnings of the prompts and no answers, from the index alone.
    Beginnings,
}

/// The turns of a session.
///
/// # Errors
/// As `events`.
pub fn turns(settings: &Settings, target: &Target, texts: Texts) -> Result<Vec<Turn>, Error> {
    let session = resolve(settings, target)?;
    let Some(reader) = IndexReader::open(&settings.data)? else { return Ok(Vec::new()) };
    let device = device_of(settings)?;
    let builder = LineBuilder::new(&settings.devices, &session, (&reader, &device));
    let mut sources = sources(settings);
    let rows = reader.events(session.row)?;
    let text = |row: &EventRow| match (texts, &row.kind) {
        (Texts::Whole, _) => builder.text(&mut sources, row),
        (Texts::Beginnings, Kind::AssistantMessage) => String::new(),
        (Texts::Beginnings, _) => row.excerpt.clone(),
    };
    let texts: Vec<_> = rows.iter().map(text).collect();
    let inputs = rows.iter().zip(&texts).map(|(row, text)| TurnInput {
        kind: &row.kind,
        at: row.at,
        turn: row.turn,
        marks: row.marks,
        text,
        label: row.label.as_deref(),
        signal: row.signal.as_ref(),
    });
    let card = status_of(settings, &session, &|_| None)?;
    let mut turns = turn::turns(inputs, prompt_ready(&card, settings));
    for answer in reader.answers(session.row)? {
        let spent = (answer.tokens, answer.cost_microdollars);
        if let Some(at) = answer.at {
            turn::charge(&mut turns, at, spent);
        }
    }
    Ok(turns)
}

fn wanted(
    reader: &IndexReader,
    session: &SessionRow,
    request: &EventsRequest,
) -> Result<Vec<EventRow>, Error> {
    let limit = request.limit.unwrap_or(usize::MAX);
    if request.from_end {
        return Ok(reader.last_events(session.row, limit)?);
    }
    let mut rows = match (&request.after, request.limit) {
        (None, _) => reader.events(session.row)?,
        (Some(cursor), _) => match reader.changes(session, Some(cursor))? {
            Changes::Since(rows) | Changes::Snapshot(rows) => rows,
        },
    };
    rows.truncate(limit);
    Ok(rows)
}

/// Builds complete events from rows and their bodies.
pub(crate) struct LineBuilder<'a> {
    session: &'a SessionRow,
    reader: &'a IndexReader,
    device: &'a DeviceId,
    /// The session is an imported document.
    is_given: bool,
    devices: &'a Devices,
    /// What the answers used that events end. Lines of live changes have none: the answer may go on.
    answers: HashMap<EventId, AnswerUsage>,
}

impl<'a> LineBuilder<'a> {
    pub(crate) fn new(
        devices: &'a Devices,
        session: &'a SessionRow,
        (reader, device): (&'a IndexReader, &'a DeviceId),
    ) -> Self {
        let is_given = by_id(&session.agent).is_some_and(|it| it.importer().is_some());
        Self { session, reader, device, is_given, devices, answers: HashMap::new() }
    }

    /// The full text of a person or an agent; the excerpt suffices for tools.
    fn text(&self, sources: &mut Sources<'_>, row: &EventRow) -> String {
        match row.kind {
            Kind::UserPrompt | Kind::AssistantMessage => {
                self.body(sources, row).text.unwrap_or_default()
            }
            _ => row.excerpt.clone(),
        }
    }

    pub(crate) fn line(&self, row: EventRow, body: Body) -> EventLine {
        if row.removed {
            return EventLine::Removed(Removed {
                kind: Kind::EventRemoved,
                id: row.id,
                session_id: self.session.id,
                sequence: row.sequence,
                generation: self.reader.generation().to_owned(),
            });
        }
        let Body { mut text, mut data, .. } = body;
        if is_locator(&row.locator) && data.contains_key("kept") {
            text = Some(kept_text(self.devices, &row.locator));
        }
        if let Some(owner) = row.inherited_from {
            data.insert("inherited_from".to_owned(), owner.to_string().into());
        }
        if self.is_given {
            // It is another device's word, which nothing here confirms.
            data.insert("untrusted".to_owned(), true.into());
        }
        let mut row = row;
        row.turn = turn_of(self.reader, self.session.row, &row);
        if let Some((call, id)) = call_of(self.reader, self.session.row, &row) {
            row.parent = row.parent.or(Some(call));
            data.entry("call_id").or_insert_with(|| id.into());
        }
        EventLine::Event(Box::new(self.event(row, text, data)))
    }

    fn event(&self, row: EventRow, text: Option<String>, data: Map<String, Value>) -> Event {
        let provenance = Provenance {
            source_kind: format!("runtime_{}", row.origin.as_str()),
            backend: AgentId::new(self.session.agent.clone()),
            runtime_session_id: self.session.runtime_id.clone(),
            runtime_source_uri: row.locator,
            source_cursor: row.cursor,
            source_event_id: row.source_event_id,
            observed_by_peer_id: self.device.clone(),
            observed_at: row.observed_at,
        };
        Event {
            id: row.id,
            session_id: self.session.id,
            provider: AgentId::new(self.session.agent.clone()),
            provider_session_id: self.session.runtime_id.clone(),
            source: row.origin,
            kind: row.kind,
            created_at: row.at,
            observed_at: row.observed_at,
            sequence: row.sequence,
            generation: self.reader.generation().to_owned(),
            revision: row.revision,
            turn_id: row.turn,
            parent_id: row.parent,
            answer: self.answers.get(&row.id).copied(),
            text,
            data,
            confidence: row.confidence,
            provenance,
        }
    }

    pub(crate) fn body(&self, sources: &mut Sources<'_>, row: &EventRow) -> Body {
        let read = sources.body(&reference(&self.session.agent, row));
        read.unwrap_or_else(|error| stale(row, &error.to_string()))
    }
}

/// The body of an event that its source no longer holds: the excerpt, marked stale.
pub(crate) fn stale(row: &EventRow, why: &str) -> Body {
    let mut data = Map::new();
    data.insert("stale".to_owned(), true.into());
    data.insert("stale_reason".to_owned(), why.into());
    if let Some(label) = &row.label {
        data.insert("label".to_owned(), label.clone().into());
    }
    let text = (!row.excerpt.is_empty()).then(|| row.excerpt.clone());
    Body { text, data, searched: String::new() }
}
