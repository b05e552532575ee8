//! The hub, the process that runs Cline's sessions: a WebSocket on loopback that sends every client the events of
//! all sessions, and the open requests when a client subscribes.

use super::messages::gist;
use serde_json::{Value, json};
use taffrail_kit::agent_server::ReportedRequest;
use taffrail_kit::agent_server::report::{BUSY, IDLE, changed, settled};
use taffrail_kit::json::{flag, list, text};
use taffrail_kit::{Answer, Outgoing, ServerMessage, ServerPlan, ServerState, Transport};
use taffrail_model::approval::Decision;

const AGENT: &str = "cline";
/// Our name among the hub's clients.
const CLIENT: &str = "taffrail";
/// Names the reply with all sessions.
const LIST: &str = "taffrail-list";

pub(super) static SERVER: ServerPlan = ServerPlan {
    transport: Transport::WebSocket {
        file: "locks/hub/production.json",
        url: "/url",
        token: "/authToken",
        pid: "/pid",
        protocol: "cline-hub-auth.",
    },
    hello,
    read,
    answer,
};

fn hello() -> Vec<Outgoing> {
    let register = json!({
        "clientId": CLIENT, "clientType": CLIENT, "displayName": "Taffrail", "transport": "native",
        "capabilities": [{ "name": "approval.respond" }], "protocolVersion": "v1",
    });
    let subscribe = json!({ "kind": "stream.subscribe", "clientId": CLIENT }).to_string();
    vec![
        command("client.register", "taffrail-hello", None, &register),
        Outgoing::Frame(subscribe),
        command("session.list", LIST, None, &json!({})),
    ]
}

fn command(name: &str, request: &str, session: Option<&str>, payload: &Value) -> Outgoing {
    let envelope = match session {
        Some(session) => json!({ "version": "v1", "command": name, "requestId": request,
            "clientId": CLIENT, "sessionId": session, "payload": payload }),
        None => json!({ "version": "v1", "command": name, "requestId": request,
            "clientId": CLIENT, "payload": payload }),
    };
    Outgoing::Frame(json!({ "kind": "command", "envelope": envelope }).to_string())
}

fn read(state: &mut ServerState, message: &str) -> Vec<ServerMessage> {
    let Ok(message) = serde_json::from_str::<Value>(message) else { return Vec::new() };
    let envelope = message.get("envelope").unwrap_or(&Value::Null);
    match text(&message, "/kind") {
        Some("event") => event(state, envelope),
        Some("reply") if text(envelope, "/requestId") == Some(LIST) => {
            // The list has sessions that ended long ago, too.
            let all = list(envelope, "/payload/sessions").iter();
            let running = all.filter(|it| text(it, "/status") == Some("running"));
            running.filter_map(|it| status(state, LIST, it)).collect()
        }
        Some(_) | None => Vec::new(),
    }
}

fn event(state: &mut ServerState, envelope: &Value) -> Vec<ServerMessage> {
    let id = text(envelope, "/eventId").unwrap_or_default();
    let session = text(envelope, "/sessionId").unwrap_or_default();
    let payload = envelope.get("payload").unwrap_or(&Value::Null);
    match text(envelope, "/event") {
        Some("approval.requested") => asked(state, (session, envelope)).into_iter().collect(),
        Some("approval.resolved") => {
            let request = text(payload, "/approvalId").unwrap_or_default();
            let decision =
                if flag(payload, "/approved") { Decision::Allow } else { Decision::Deny };
            settled(state, (AGENT, session, request), (decision, id))
        }
        // The event has the session in one of two shapes.
        Some("session.updated") => {
            let it = payload.get("session").or_else(|| payload.get("snapshot"));
            it.and_then(|it| status(state, id, it)).into_iter().collect()
        }
        Some(_) | None => Vec::new(),
    }
}

/// A session that waits for an approval is `pending`, which the request itself says with more detail.
fn status(state: &mut ServerState, event: &str, session: &Value) -> Option<ServerMessage> {
    let status = match text(session, "/status")? {
        "running" => BUSY,
        "idle" | "completed" | "aborted" | "cancelled" | "failed" => IDLE,
        _ => return None,
    };
    let folder = text(session, "/cwd").or(text(session, "/workspace/cwd"));
    changed(state, (text(session, "/sessionId")?, status), (event, folder))
}

fn asked(state: &mut ServerState, (session, envelope): (&str, &Value)) -> Option<ServerMessage> {
    let payload = envelope.get("payload")?;
    let id = text(payload, "/approvalId")?;
    let input = text(payload, "/inputJson").and_then(|it| serde_json::from_str(it).ok());
    let input: Value = input.unwrap_or_default();
    let gist = gist(&input);
    let asked = ReportedRequest {
        agent: AGENT,
        session,
        id,
        key: json!([session, id]).to_string(),
        call: text(payload, "/toolCallId"),
        tool: text(payload, "/toolName")?,
        command: commands(&input),
        text: gist.as_deref(),
        input: input.clone(),
        cwd: None,
        at_ms: envelope.get("timestamp").and_then(Value::as_u64),
    };
    asked.into_message(state)
}

/// The shell commands of a call, one a line; `None` if they are not plain text.
fn commands(input: &Value) -> Option<String> {
    let all: Option<Vec<&str>> = list(input, "/commands").iter().map(Value::as_str).collect();
    all.filter(|it| !it.is_empty()).map(|it| it.join("\n"))
}

fn answer(key: &str, answer: &Answer) -> Outgoing {
    let [session, id]: [String; 2] = serde_json::from_str(key).unwrap_or_default();
    let approved = answer.decision == Decision::Allow;
    let payload = match &answer.reason {
        Some(reason) => json!({ "approvalId": id, "approved": approved, "reason": reason }),
        None => json!({ "approvalId": id, "approved": approved }),
    };
    command("approval.respond", &format!("taffrail-{id}"), Some(&session), &payload)
}

#[cfg(test)]
mod tests;
