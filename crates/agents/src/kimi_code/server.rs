//! The server of `kimi web`: it lists sessions and their open approvals, and takes answers. A session on a terminal of
//! its own runs in another process, which has no server.

use serde_json::{Value, json};
use std::time::Duration;
use taffrail_kit::agent_server::report::{BUSY, IDLE, changed, gone};
use taffrail_kit::agent_server::{ReportedRequest, is_path_part};
use taffrail_kit::json::{flag, list, text, time};
use taffrail_kit::{
    Answer, Feed, HttpAddress, Outgoing, ServerMessage, ServerPlan, ServerState, Transport,
};
use taffrail_model::Timestamp;
use taffrail_model::approval::Decision;

const AGENT: &str = "kimi-code";
const SESSIONS: &str = "/api/v1/sessions?page_size=50";
/// The path of a session's approvals, around its id.
const APPROVALS: (&str, &str) = ("/api/v1/sessions/", "/approvals?status=pending");
/// How soon a request is noticed.
const POLL: Duration = Duration::from_secs(1);

pub(super) static SERVER: ServerPlan = ServerPlan {
    transport: Transport::Http {
        address: HttpAddress::Files {
            folder: "server/instances",
            host: "/host",
            port: "/port",
            pid: "/pid",
            token: "server.token",
        },
        feed: Feed::Poll(POLL),
    },
    hello: || vec![Outgoing::Get { path: SESSIONS.to_owned() }],
    read,
    answer,
};

fn read(state: &mut ServerState, message: &str) -> Vec<ServerMessage> {
    let Ok(message) = serde_json::from_str::<Value>(message) else { return Vec::new() };
    let items = list(&message, "/body/data/items");
    match text(&message, "/path") {
        Some(SESSIONS) => items.iter().flat_map(|it| session(state, it)).collect(),
        Some(path) => match session_in(path).map(str::to_owned) {
            Some(id) => approvals(state, &id, items),
            None => Vec::new(),
        },
        None => Vec::new(),
    }
}

fn session_in(path: &str) -> Option<&str> {
    path.strip_prefix(APPROVALS.0)?.strip_suffix(APPROVALS.1)
}

/// Fetches approvals only of a session that waits for one: for any other session, the query would
/// load it. A session that this server does not run looks like an idle one, and is not reported.
fn session(state: &mut ServerState, about: &Value) -> Vec<ServerMessage> {
    let Some(id) = text(about, "/id").filter(|it| is_path_part(it)) else { return Vec::new() };
    let folder = text(about, "/metadata/cwd");
    let event = text(about, "/updated_at").unwrap_or_default();
    match (text(about, "/pending_interaction"), flag(about, "/busy")) {
        (Some("approval"), _) => {
            let path = format!("{}{id}{}", APPROVALS.0, APPROVALS.1);
            vec![ServerMessage::Reply(Outgoing::Get { path })]
        }
        // The log on disk has the question.
        (Some("question"), _) => Vec::new(),
        (_, true) => approvals(state, id, &[])
            .into_iter()
            .chain(changed(state, (id, BUSY), (event, folder)))
            .collect(),
        (_, false) if state.knows(id) => {
            changed(state, (id, IDLE), (event, folder)).into_iter().collect()
        }
        (_, false) => Vec::new(),
    }
}

/// The open requests of a session; those that are not listed any more were answered.
fn approvals(state: &mut ServerState, session: &str, items: &[Value]) -> Vec<ServerMessage> {
    let is_listed =
        |id: &String| items.iter().any(|it| text(it, "/approval_id") == Some(id.as_str()));
    let left = state.requests_of(session).into_iter().filter(|it| !is_listed(it));
    let left: Vec<_> = left.collect();
    let mut said: Vec<_> = left.iter().filter_map(|id| gone(state, id)).collect();
    said.extend(items.iter().filter_map(|it| asked(state, session, it)));
    said
}

fn asked(state: &mut ServerState, session: &str, about: &Value) -> Option<ServerMessage> {
    let id = text(about, "/approval_id").filter(|it| is_path_part(it))?;
    let display = about.get("tool_input_display").unwrap_or(&Value::Null);
    let command = text(display, "/command").filter(|_| text(display, "/kind") == Some("command"));
    let input = match command {
        Some(command) => json!({ "command": command }),
        None => display.clone(),
    };
    let at = time(about, "/created_at").map(Timestamp::as_millisecond);
    let asked = ReportedRequest {
        agent: AGENT,
        session,
        id,
        key: format!("{}{session}/approvals/{id}", APPROVALS.0),
        call: text(about, "/tool_call_id"),
        tool: text(about, "/tool_name")?,
        input,
        command: command.map(str::to_owned),
        text: text(about, "/action"),
        cwd: text(display, "/cwd"),
        at_ms: at.and_then(|it| u64::try_from(it).ok()),
    };
    asked.into_message(state)
}

/// Allows this one request only: a scope would be a rule that only the agent knows.
fn answer(key: &str, answer: &Answer) -> Outgoing {
    let body = match (&answer.decision, &answer.reason) {
        (Decision::Allow, _) => json!({ "decision": "approved" }),
        (_, Some(reason)) => json!({ "decision": "rejected", "feedback": reason }),
        (_, None) => json!({ "decision": "rejected" }),
    };
    Outgoing::Post { path: key.to_owned(), body: body.to_string() }
}

#[cfg(test)]
mod tests;
