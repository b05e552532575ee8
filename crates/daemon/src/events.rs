//! Events whole: what the index knows, with the text read back and verified.

use crate::bodies::{reference, sources};
use crate::listing::session;
use crate::relay::{Devices, kept_text};
use crate::{DaemonError, Settings, Target, resolve};
use serde_json::{Map, Value};
use taffrail_adapters::by_id;
use taffrail_api::{EventLine, EventsRequest, Removed, Session};
use taffrail_capture::{Body, Sources};
use taffrail_model::relay::is_locator;
use taffrail_model::turn::{self, Turn, TurnInput};
use taffrail_model::{AgentId, DeviceId, Event, Kind, Provenance};
use taffrail_store::{Changes, EventRow, IndexReader, Ledger, SessionRow};

/// The one session that is meant, as a list would show it.
///
/// # Errors
/// When it cannot be found.
pub fn session_of(settings: &Settings, target: &Target) -> Result<Session, DaemonError> {
    Ok(session(&settings.devices, resolve(settings, target)?))
}

/// Gives the events of a session one after another until `give` says no.
///
/// # Errors
/// When the session or the index cannot be read. A text that cannot be read back is no error: the
/// excerpt stands in, marked stale.
pub fn events(
    settings: &Settings,
    target: &Target,
    request: &EventsRequest,
    give: &mut dyn FnMut(EventLine) -> bool,
) -> Result<(), DaemonError> {
    let session = resolve(settings, target)?;
    let Some(reader) = IndexReader::open(&settings.data)? else { return Ok(()) };
    let rows = wanted(&reader, &session, request)?;
    let device = device_of(settings)?;
    tell((settings, &reader, &device), &session, rows, give);
    Ok(())
}

/// This device as the ledger names it.
pub(crate) fn device_of(settings: &Settings) -> Result<DeviceId, DaemonError> {
    Ok(match Ledger::open_read_only(&settings.data)? {
        Some(ledger) => ledger.device()?,
        None => DeviceId::new(""),
    })
}

/// Gives rows as whole events; `false` when no more is wanted.
pub(crate) fn tell(
    (settings, reader, device): (&Settings, &IndexReader, &DeviceId),
    session: &SessionRow,
    rows: Vec<EventRow>,
    give: &mut dyn FnMut(EventLine) -> bool,
) -> bool {
    let mut teller = Teller::new(settings, session, (reader.generation(), device));
    rows.into_iter().all(|row| give(teller.line(row)))
}

/// The turns of a session.
///
/// # Errors
/// As `events`.
pub fn turns(settings: &Settings, target: &Target) -> Result<Vec<Turn>, DaemonError> {
    let session = resolve(settings, target)?;
    let Some(reader) = IndexReader::open(&settings.data)? else { return Ok(Vec::new()) };
    let device = device_of(settings)?;
    let mut teller = Teller::new(settings, &session, (reader.generation(), &device));
    let rows = reader.events(session.row)?;
    let texts: Vec<_> = rows.iter().map(|row| teller.text(row)).collect();
    let inputs = rows.iter().zip(&texts).map(|(row, text)| TurnInput {
        kind: &row.kind,
        at: row.at,
        turn: row.turn,
        marks: row.marks,
        text,
        label: row.label.as_deref(),
    });
    Ok(turn::turns(inputs, None))
}

fn wanted(
    reader: &IndexReader,
    session: &SessionRow,
    request: &EventsRequest,
) -> Result<Vec<EventRow>, DaemonError> {
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

struct Teller<'a> {
    session: &'a SessionRow,
    generation: &'a str,
    device: &'a DeviceId,
    /// The session is a document that was given to us.
    is_given: bool,
    devices: &'a Devices,
    sources: Sources<'a>,
}

impl<'a> Teller<'a> {
    fn new(
        settings: &'a Settings,
        session: &'a SessionRow,
        (generation, device): (&'a str, &'a DeviceId),
    ) -> Self {
        let is_given = by_id(&session.agent).is_some_and(|it| it.given().is_some());
        let devices = &settings.devices;
        Self { session, generation, device, is_given, devices, sources: sources(settings) }
    }

    /// The text of what a person or the agent said; of tools the excerpt is enough.
    fn text(&mut self, row: &EventRow) -> String {
        match row.kind {
            Kind::UserPrompt | Kind::AssistantMessage => self.body(row).text.unwrap_or_default(),
            _ => row.excerpt.clone(),
        }
    }

    fn line(&mut self, row: EventRow) -> EventLine {
        if row.removed {
            return EventLine::Removed(Removed {
                kind: Kind::EventRemoved,
                id: row.id,
                session_id: self.session.id,
                sequence: row.sequence,
                generation: self.generation.to_owned(),
            });
        }
        let Body { mut text, mut data, .. } = self.body(&row);
        if is_locator(&row.locator) && data.contains_key("kept") {
            text = Some(kept_text(self.devices, &row.locator));
        }
        if let Some(owner) = row.inherited_from {
            data.insert("inherited_from".to_owned(), owner.to_string().into());
        }
        if self.is_given {
            // It is another's word: nobody saw it happen.
            data.insert("untrusted".to_owned(), true.into());
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
            generation: self.generation.to_owned(),
            revision: row.revision,
            turn_id: row.turn,
            parent_id: row.parent,
            text,
            data,
            confidence: row.confidence,
            provenance,
        }
    }

    fn body(&mut self, row: &EventRow) -> Body {
        match self.sources.body(&reference(&self.session.agent, row)) {
            Ok(body) => body,
            Err(error) => stale(row, &error.to_string()),
        }
    }
}

/// What is left when the source no longer says it: the excerpt, marked as such.
fn stale(row: &EventRow, why: &str) -> Body {
    let mut data = Map::new();
    data.insert("stale".to_owned(), true.into());
    data.insert("stale_reason".to_owned(), why.into());
    if let Some(label) = &row.label {
        data.insert("label".to_owned(), label.clone().into());
    }
    let text = (!row.excerpt.is_empty()).then(|| row.excerpt.clone());
    Body { text, data, searched: String::new() }
}
