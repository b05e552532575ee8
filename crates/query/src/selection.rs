//! Selects sessions by their current activity.

use crate::filter::filter;
use crate::session_row::session as listed;
use crate::status::apply_status;
use std::cmp::Reverse;
use std::collections::HashSet;
use taffrail_api::{ListRequest, Session};
use taffrail_context::LiveStatuses;
use taffrail_context::agent_id;
use taffrail_context::{Error, Settings};
use taffrail_model::Kind;
use taffrail_model::observed::Marks;
use taffrail_model::status::Status;
use taffrail_store::{EventRow, IndexReader};

/// How many of the latest events are read.
const LOOK: usize = 50;

/// Whether a request filters by current activity.
pub fn is_narrowed(request: &ListRequest) -> bool {
    request.waiting || request.failing || request.doing.is_some()
}

/// Whether a request filters by final summaries.
pub fn asks_what_about(request: &ListRequest) -> bool {
    request.topic.is_some() || request.category.is_some()
}

/// The sessions with the requested activity, the latest first. Only recent sessions have an
/// activity.
pub fn select(
    settings: &Settings,
    cards: &LiveStatuses,
    request: &ListRequest,
) -> Result<Vec<Session>, Error> {
    let agent = request.agent.as_deref().map(agent_id).transpose()?;
    let Some(reader) = IndexReader::open(&settings.data)? else { return Ok(Vec::new()) };
    let about = about(settings, &reader, request)?;
    let mut out = Vec::new();
    for (row, session) in recent_sessions(settings, cards, &reader)? {
        let is_about = about.as_ref().is_none_or(|it| it.contains(&row));
        if !is_about {
            continue;
        }
        if is_named(request, agent.as_deref(), &session) && is_at(request, &reader, row, &session)?
        {
            out.push(session);
        }
    }
    out.truncate(request.limit.unwrap_or(usize::MAX));
    Ok(out)
}

/// The rows that match the device, project, tag or final summary of a request; `None` if it has
/// none of these.
fn about(
    settings: &Settings,
    reader: &IndexReader,
    request: &ListRequest,
) -> Result<Option<HashSet<i64>>, Error> {
    let names = [&request.device, &request.project, &request.tag];
    let asks = asks_what_about(request) || names.into_iter().any(Option::is_some);
    asks.then(|| Ok(reader.rows_of(&filter(settings, request)?)?)).transpose()
}

/// All recent sessions with their rows and statuses, the latest first.
pub fn recent_sessions(
    settings: &Settings,
    cards: &LiveStatuses,
    reader: &IndexReader,
) -> Result<Vec<(i64, Session)>, Error> {
    let now = (settings.now)();
    let mut out = Vec::new();
    for (id, card) in cards {
        if let Some(row) = reader.session_by_id(*id)? {
            let number = row.row;
            let mut session = listed(&settings.devices, row);
            apply_status(&mut session, card, now);
            out.push((number, session));
        }
    }
    out.sort_by_key(|(_, it)| (Reverse(it.last_event_at), it.id));
    Ok(out)
}

fn is_named(request: &ListRequest, agent: Option<&str>, session: &Session) -> bool {
    (request.all || session.parent_id.is_none())
        && agent.is_none_or(|it| it == session.agent)
        && request.since.is_none_or(|it| session.last_event_at >= Some(it))
}

fn is_at(
    request: &ListRequest,
    reader: &IndexReader,
    row: i64,
    session: &Session,
) -> Result<bool, Error> {
    if request.waiting && !is_waiting(session.status) {
        return Ok(false);
    }
    if !request.failing && request.doing.is_none() {
        return Ok(true);
    }
    Ok(fits(request, session.status, &reader.last_events(row, LOOK)?))
}

fn is_waiting(status: Status) -> bool {
    matches!(status, Status::Waiting | Status::WaitingApproval)
}

fn fits(request: &ListRequest, status: Status, rows: &[EventRow]) -> bool {
    let failing = !request.failing || is_failing(rows);
    let doing = request.doing.as_deref().is_none_or(|word| is_doing(status, rows, word));
    failing && doing
}

/// Whether the latest result is a failure.
fn is_failing(rows: &[EventRow]) -> bool {
    let results = rows.iter().rev();
    let mut results = results.filter(|it| matches!(it.kind, Kind::ToolResult | Kind::Error));
    results.next().is_some_and(|it| it.kind == Kind::Error || it.marks.has(Marks::FAILED))
}

/// Whether the session is working, and its latest call contains this word.
fn is_doing(status: Status, rows: &[EventRow], word: &str) -> bool {
    if !matches!(status, Status::Running | Status::WaitingApproval) {
        return false;
    }
    let call = rows.iter().rev().find(|it| it.kind == Kind::ToolCall);
    let word = word.to_lowercase();
    call.is_some_and(|it| {
        let label = it.label.as_deref().unwrap_or_default().to_lowercase();
        it.excerpt.to_lowercase().contains(&word) || label.contains(&word)
    })
}
