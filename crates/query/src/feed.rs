//! Recent events across all sessions.

use crate::events::{device_of, each_line};
use taffrail_api::{EventLine, FeedReply, SCHEMA_VERSION};
use taffrail_context::{Error, Settings};
use taffrail_model::{Event, Kind};
use taffrail_store::{EventRow, Filter, IndexReader, SessionRow};

/// How many of the latest sessions are read.
const SESSIONS: usize = 100;
/// How many extra events are read of each: most events are not part of the feed.
const MORE: usize = 200;

/// The latest feed events of all sessions, at most `limit`, the latest last.
///
/// # Errors
/// When the index cannot be read.
pub fn feed(settings: &Settings, limit: usize) -> Result<FeedReply, Error> {
    let schema_version = SCHEMA_VERSION;
    let Some(reader) = IndexReader::open(&settings.data)? else {
        return Ok(FeedReply { schema_version, events: Vec::new() });
    };
    let all = Filter { workers: true, with_transcript: true, ..Filter::default() };
    let latest = Filter { limit: Some(SESSIONS), ..all };
    let sessions = reader.sessions(&latest)?;
    let device = device_of(settings)?;
    let mut events: Vec<Event> = Vec::new();
    for (session, rows) in newest(&reader, &sessions, limit)? {
        each_line((settings, &reader, &device), session, rows, &mut |line| {
            if let EventLine::Event(event) = line {
                events.push(*event);
            }
            true
        });
    }
    events.sort_by_key(|it| (it.created_at, it.session_id, it.sequence));
    Ok(FeedReply { schema_version, events })
}

/// The newest rows of several sessions, by session.
fn newest<'a>(
    reader: &IndexReader,
    sessions: &'a [SessionRow],
    limit: usize,
) -> Result<Vec<(&'a SessionRow, Vec<EventRow>)>, Error> {
    let mut all = Vec::new();
    for (number, session) in sessions.iter().enumerate() {
        let rows = reader.last_events(session.row, limit.saturating_add(MORE))?;
        // Copied events belong to the original session.
        let rows = rows.into_iter().filter(|it| happens(&it.kind) && it.inherited_from.is_none());
        all.extend(rows.map(|it| (number, it)));
    }
    all.sort_by_key(|(number, it)| (it.at, *number, it.sequence));
    let over = all.len().saturating_sub(limit);
    let mut out: Vec<_> = sessions.iter().map(|it| (it, Vec::new())).collect();
    for (number, row) in all.into_iter().skip(over) {
        if let Some((_, rows)) = out.get_mut(number) {
            rows.push(row);
        }
    }
    Ok(out)
}

/// Whether a kind of event belongs in the feed; messages in between do not.
fn happens(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::UserPrompt
            | Kind::ToolCall
            | Kind::ApprovalRequested
            | Kind::ApprovalResolved
            | Kind::AgentStopped
            | Kind::Error
            | Kind::SessionStarted
            | Kind::SessionExited
    )
}
