//! The session that asks, so that an agent does not find its own question.

use crate::query::about;
use taffrail_api::client::{Client, path};
use taffrail_api::{EventLine, Session, SessionList, StreamReply};
use taffrail_model::{Kind, SessionId};

/// How many of the latest sessions may hold the call.
const SESSIONS: &str = "20";
/// How many of their latest events may be the call.
const EVENTS: &str = "60";

/// The session that holds a tool call, and the session it works for; nothing if none is found.
///
/// The session that asks is among the latest, and the call is among its last events. `last` is the
/// one that asked before, which asks again most of the time.
pub(crate) fn askers(client: &Client, call: &str, last: Option<SessionId>) -> Vec<SessionId> {
    let listed = path("/api/sessions", &[("all", "true"), ("limit", SESSIONS)]);
    // Without a list the session that asks stays in the results.
    let Ok(list) = client.get::<SessionList>(&listed) else { return Vec::new() };
    let mut sessions = list.sessions;
    sessions.sort_by_key(|it| Some(it.id) != last);
    let asks = sessions.iter().find(|it| holds(client, it, call));
    asks.map(|it| std::iter::once(it.id).chain(it.parent_id).collect()).unwrap_or_default()
}

fn holds(client: &Client, session: &Session, call: &str) -> bool {
    let asked = path(&about(session.id, "stream"), &[("limit", EVENTS)]);
    let reply = client.get::<StreamReply>(&asked);
    reply.is_ok_and(|it| it.events.iter().any(|event| is_call(event, call)))
}

fn is_call(line: &EventLine, call: &str) -> bool {
    let EventLine::Event(event) = line else { return false };
    let id = event.data.get("call_id").and_then(|it| it.as_str());
    matches!(event.kind, Kind::ToolCall | Kind::ToolResult) && id == Some(call)
}
