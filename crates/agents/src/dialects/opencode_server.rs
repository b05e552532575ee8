//! The HTTP server of OpenCode and its forks: events about every project in one stream, and a route that
//! answers permission requests.
//!
//! The agent writes the server's address nowhere. A screen has a server that listens only if it was started with
//! `--port`.

use serde_json::{Value, json};
use std::time::Duration;
use taffrail_kit::agent_server::report::{BUSY, IDLE, changed, settled};
use taffrail_kit::agent_server::{ReportedRequest, is_path_part, query_value};
use taffrail_kit::json::text;
use taffrail_kit::{
    Answer, Feed, HttpAddress, Outgoing, ServerMessage, ServerPlan, ServerState, Transport,
};
use taffrail_model::approval::Decision;

const PERMISSIONS: &str = "/permission";
const STATUSES: &str = "/session/status";
/// Three of the server's heartbeats.
const SILENCE: Duration = Duration::from_secs(30);

/// The plan of the agent with this id.
pub(crate) const fn plan(read: fn(&mut ServerState, &str) -> Vec<ServerMessage>) -> ServerPlan {
    let feed = Feed::Events { path: "/global/event", silence: SILENCE };
    let address = HttpAddress::Process;
    ServerPlan { transport: Transport::Http { address, feed }, hello, read, answer }
}

/// What is open already, in the folder that the server was started in. The requests come first: a session
/// that is busy and has no known request would be taken for one whose request was answered.
fn hello() -> Vec<Outgoing> {
    [PERMISSIONS, STATUSES].map(|it| Outgoing::Get { path: it.to_owned() }).into()
}

/// Reads one event, or the reply to a query of `hello`.
pub(crate) fn read(
    agent: &'static str,
    state: &mut ServerState,
    message: &str,
) -> Vec<ServerMessage> {
    let Ok(message) = serde_json::from_str::<Value>(message) else { return Vec::new() };
    let body = message.get("body").unwrap_or(&Value::Null);
    match text(&message, "/path") {
        Some(PERMISSIONS) => {
            let all = body.as_array().into_iter().flatten();
            all.filter_map(|it| asked(agent, state, (it, None))).collect()
        }
        Some(STATUSES) => {
            let all = body.as_object().into_iter().flatten();
            all.filter_map(|(id, it)| status(state, (id, "hello"), (it, None))).collect()
        }
        Some(_) => Vec::new(),
        None => event(agent, state, &message),
    }
}

/// The stream wraps each event with the folder of its project.
fn event(agent: &'static str, state: &mut ServerState, message: &Value) -> Vec<ServerMessage> {
    let folder = text(message, "/directory").filter(|it| it.starts_with('/'));
    let event = message.get("payload").unwrap_or(message);
    let about = event.get("properties").unwrap_or(&Value::Null);
    let id = text(event, "/id").unwrap_or_default();
    let session = text(about, "/sessionID").unwrap_or_default();
    match text(event, "/type") {
        Some("permission.asked") => asked(agent, state, (about, folder)).into_iter().collect(),
        Some("permission.replied") => {
            let request = text(about, "/requestID").unwrap_or_default();
            settled(state, (agent, session, request), (decision(about), id))
        }
        Some("session.status") => {
            let is = about.get("status").unwrap_or(&Value::Null);
            status(state, (session, id), (is, folder)).into_iter().collect()
        }
        Some("session.idle") => changed(state, (session, IDLE), (id, folder)).into_iter().collect(),
        Some(_) | None => Vec::new(),
    }
}

fn status(
    state: &mut ServerState,
    (session, event): (&str, &str),
    (is, folder): (&Value, Option<&str>),
) -> Option<ServerMessage> {
    let status = match text(is, "/type")? {
        "busy" | "retry" => BUSY,
        "idle" => IDLE,
        _ => return None,
    };
    changed(state, (session, status), (event, folder))
}

/// A request; its key is the path that answers it, which depends on the project's folder.
fn asked(
    agent: &'static str,
    state: &mut ServerState,
    (about, folder): (&Value, Option<&str>),
) -> Option<ServerMessage> {
    let id = text(about, "/id").filter(|it| is_path_part(it))?;
    let query = folder.map(|it| format!("?directory={}", query_value(it))).unwrap_or_default();
    let patterns = about.get("patterns").and_then(Value::as_array).into_iter().flatten();
    let patterns = patterns.filter_map(Value::as_str).collect::<Vec<_>>().join(" ");
    let asked = ReportedRequest {
        agent,
        session: text(about, "/sessionID")?,
        id,
        key: format!("{PERMISSIONS}/{id}/reply{query}"),
        call: text(about, "/tool/callID"),
        tool: text(about, "/permission")?,
        input: about.get("metadata").cloned().unwrap_or_default(),
        command: text(about, "/metadata/command").map(str::to_owned),
        text: Some(&patterns),
        cwd: folder,
        at_ms: None,
    };
    asked.into_message(state)
}

fn decision(about: &Value) -> Decision {
    match text(about, "/reply") {
        Some("once" | "always") => Decision::Allow,
        Some("reject") => Decision::Deny,
        other => Decision::Unknown(other.unwrap_or_default().to_owned()),
    }
}

/// Allows this one request only: `always` would be a rule that only the agent knows.
fn answer(key: &str, answer: &Answer) -> Outgoing {
    let body = match (&answer.decision, &answer.reason) {
        (Decision::Allow, _) => json!({ "reply": "once" }),
        (_, Some(reason)) => json!({ "reply": "reject", "message": reason }),
        (_, None) => json!({ "reply": "reject" }),
    };
    Outgoing::Post { path: key.to_owned(), body: body.to_string() }
}

#[cfg(test)]
mod tests;
