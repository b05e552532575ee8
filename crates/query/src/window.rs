//! A part of a session's transcript around a place, with small events.

use crate::events::{LineBuilder, device_of};
use crate::resolve::resolve;
use crate::window_event::{fitted, small};
use taffrail_api::{EventLine, SCHEMA_VERSION, Window, WindowEvent};
use taffrail_capture::Sources;
use taffrail_context::{Error, Settings, Target};
use taffrail_ingest::sources;
use taffrail_model::text::TOOL_TEXT_BYTES;
use taffrail_model::{Event, EventId, Timestamp};
use taffrail_store::{EventRow, IndexReader, Outline, SessionRow};

/// The part of a window that is before its anchor: one of so many.
const ABOVE: u64 = 4;
/// The longest output that a page shows when it is asked for all of it, in bytes.
const FULL_OUTPUT: usize = 8 * 1024 * 1024;

/// The place that a window shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seek {
    /// Around the prompt of a turn, from 1.
    Turn(u32),
    /// Around an event.
    Event(EventId),
    /// Around the first event at or after an instant, else the last one.
    Time(Timestamp),
    /// Right before a place.
    Before(u64),
    /// Right after a place.
    After(u64),
    /// The end.
    End,
}

/// The events of a session around a place, at most `limit`.
///
/// # Errors
/// When the session lacks the turn or the event, or the index cannot be read.
pub fn window(
    settings: &Settings,
    target: &Target,
    (seek, limit): (Seek, usize),
) -> Result<Window, Error> {
    let session = resolve(settings, target)?;
    let Some(reader) = IndexReader::open(&settings.data)? else { return Ok(nothing(&session)) };
    reader.hold()?;
    let outline = reader.outline(session.row)?;
    let part = part_of(&reader, &session, (&outline, seek, limit as u64))?;
    let count = usize::try_from(part.count).unwrap_or(limit);
    let rows = reader.events_from(&outline, part.from, count)?;
    let mut events = numbered((settings, &reader), &session, (&outline, part.from, rows))?;
    fitted(&mut events);
    let at = part.anchor.and_then(|place| events.iter().find(|it| it.sequence == place));
    Ok(Window {
        total: outline.total(),
        turns: outline.turns(),
        anchor: at.map(|it| it.id),
        events,
        ..nothing(&session)
    })
}

/// How much of the output of a tool an event has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// Its beginning, as everywhere.
    Beginning,
    /// All of it that a page can show.
    Full,
}

impl Output {
    fn bytes(self) -> usize {
        match self {
            Self::Beginning => TOOL_TEXT_BYTES,
            Self::Full => FULL_OUTPUT,
        }
    }
}

/// One event with everything that is known of it.
///
/// # Errors
/// When the session has no such event, or the index cannot be read.
pub fn whole_event(
    settings: &Settings,
    target: &Target,
    (id, output): (&str, Output),
) -> Result<Event, Error> {
    let none = || Error::NoEvent(id.to_owned());
    let session = resolve(settings, target)?;
    let reader = IndexReader::open(&settings.data)?.ok_or_else(none)?;
    let row = row_of(&reader, &session, id)?;
    let mut sources = sources(settings).with_output(output.bytes());
    let from = (settings, &reader, &mut sources);
    complete_from(from, &session, vec![row])?.pop().ok_or_else(none)
}

/// The row of an event that still exists.
pub(crate) fn row_of(
    reader: &IndexReader,
    session: &SessionRow,
    id: &str,
) -> Result<EventRow, Error> {
    let none = || Error::NoEvent(id.to_owned());
    let known = EventId::parse(id).ok_or_else(none)?;
    reader.event_by_id(session.row, known)?.filter(|it| !it.removed).ok_or_else(none)
}

/// Rows as complete events, without the usage of answers.
pub(crate) fn complete(
    (settings, reader): (&Settings, &IndexReader),
    session: &SessionRow,
    rows: Vec<EventRow>,
) -> Result<Vec<Event>, Error> {
    complete_from((settings, reader, &mut sources(settings)), session, rows)
}

fn complete_from(
    (settings, reader, sources): (&Settings, &IndexReader, &mut Sources<'_>),
    session: &SessionRow,
    rows: Vec<EventRow>,
) -> Result<Vec<Event>, Error> {
    let device = device_of(settings)?;
    let builder = LineBuilder::new(&settings.devices, session, (reader, &device));
    let lines = rows.into_iter().map(|row| {
        let body = builder.body(sources, &row);
        builder.line(row, body)
    });
    let events = lines.filter_map(|line| match line {
        EventLine::Event(event) => Some(*event),
        EventLine::Removed(_) => None,
    });
    Ok(events.collect())
}

/// Which places a window has.
struct Part {
    from: u64,
    count: u64,
    anchor: Option<u64>,
}

fn part_of(
    reader: &IndexReader,
    session: &SessionRow,
    (outline, seek, room): (&Outline, Seek, u64),
) -> Result<Part, Error> {
    let total = outline.total();
    let before = |place: u64| {
        let place = place.clamp(1, total + 1);
        let from = place.saturating_sub(room).max(1);
        Part { from, count: place - from, anchor: None }
    };
    let anchor = match seek {
        Seek::Before(place) => return Ok(before(place)),
        Seek::End => return Ok(before(total + 1)),
        Seek::After(place) => {
            return Ok(Part { from: place.saturating_add(1), count: room, anchor: None });
        }
        Seek::Turn(turn) => {
            let none = || Error::NoTurn(turn, outline.turns());
            let prompt = outline.prompt_of(turn).ok_or_else(none)?;
            reader.place_of(outline, prompt)?.0
        }
        Seek::Event(id) => {
            let row = reader.event_by_id(session.row, id)?.filter(|it| !it.removed);
            let row = row.ok_or_else(|| Error::NoEvent(id.to_string()))?;
            reader.place_of(outline, (id, row.at))?.0
        }
        Seek::Time(time) => outline.first_at(time).min(total).max(1),
    };
    Ok(Part { from: around(anchor, room, total), count: room, anchor: Some(anchor) })
}

/// The first place of a window around a place.
fn around(place: u64, room: u64, total: u64) -> u64 {
    let first = place.saturating_sub(room / ABOVE);
    first.min((total + 1).saturating_sub(room)).max(1)
}

fn numbered(
    (settings, reader): (&Settings, &IndexReader),
    session: &SessionRow,
    (outline, from, rows): (&Outline, u64, Vec<EventRow>),
) -> Result<Vec<WindowEvent>, Error> {
    let mut out = Vec::with_capacity(rows.len());
    let mut turn = match rows.first() {
        Some(first) => reader.place_of(outline, (first.id, first.at))?.1,
        None => None,
    };
    let events = complete((settings, reader), session, rows)?;
    for (sequence, event) in (from..).zip(events) {
        if let Some(opened) = outline.turn_of(event.id, turn) {
            turn = Some(opened);
        }
        out.push(small(event, (sequence, turn)));
    }
    Ok(out)
}

fn nothing(session: &SessionRow) -> Window {
    Window {
        schema_version: SCHEMA_VERSION,
        session_id: session.id,
        total: 0,
        turns: 0,
        anchor: None,
        events: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::around;

    #[test]
    fn a_window_stays_inside_and_around_its_anchor() {
        let check = |place, room, total, expected| {
            assert_eq!(around(place, room, total), expected, "{place} {room} {total}");
        };
        check(1, 50, 1000, 1);
        check(500, 200, 1000, 450);
        check(1000, 200, 1000, 801);
        check(3, 200, 5, 1);
        check(1, 1, 1, 1);
        check(7, 1, 9, 7);
        check(1, 200, 0, 1);
    }
}
