//! What a hook carries of the conversation itself: a start, a prompt, a call, its result, an answer.
//!
//! The hook's own event is evidence for the status and stays as it is. Beside it, these events hold
//! the words, for sessions whose agent keeps no transcript. The store drops them as soon as a
//! transcript of the session says the same.

use crate::hook_payload::Payload;
use crate::journal::EntrySink;
use serde_json::Value;
use std::borrow::Cow;
use taffrail_model::{Detail, Draft, EventId, Kind, RecordKey, RuntimeIdentity, SessionId};

/// The number of a carried event among the events of its record; 0 is the hook's own event.
const CARRIED: u32 = 1;
/// The number of a result below the id of its call.
const RESULT: u32 = 2;
/// Sources of a start that open the session; the others continue it.
const OPENINGS: &[&str] = &["startup", "resume", "clear"];

/// Emits what the hook carries of the conversation.
pub fn emit(payload: &Payload<'_>, sink: &mut EntrySink<'_, '_>, who: &RuntimeIdentity) {
    let session = who.session();
    let draft = match payload.hook_event_name.as_deref() {
        Some("SessionStart") => started(payload, sink),
        Some("UserPromptSubmit") => prompt(payload, sink, session),
        Some("PreToolUse") => call(payload, sink, session),
        Some("PostToolUse" | "PostToolUseFailure") => result(payload, sink, session),
        Some("Stop") => answer(payload, sink, session),
        _ => None,
    };
    if let Some(draft) = draft {
        sink.emit(who, draft);
    }
}

fn started<'p>(payload: &'p Payload<'_>, sink: &EntrySink<'p, '_>) -> Option<Draft<'p>> {
    let source = payload.source.as_deref().unwrap_or("startup");
    OPENINGS.contains(&source).then(|| {
        let mut draft = sink.draft(CARRIED, Kind::SessionStarted);
        let entrypoint = Some(Cow::Borrowed(source));
        draft.detail = Detail::Started { version: None, entrypoint, cwd: payload.cwd() };
        draft
    })
}

fn prompt<'p>(
    payload: &'p Payload<'_>,
    sink: &EntrySink<'p, '_>,
    session: SessionId,
) -> Option<Draft<'p>> {
    let text = payload.prompt.as_deref().filter(|it| !it.trim().is_empty())?;
    let mut draft = sink.draft(CARRIED, Kind::UserPrompt);
    let by_entry = || EventId::of(session, &draft.key, draft.part);
    let opened = || taffrail_model::TurnId::opened_by(by_entry());
    draft.turn = Some(payload.turn(session).unwrap_or_else(opened));
    draft.opens_turn = true;
    draft.text = Some(Cow::Borrowed(text));
    draft.detail = Detail::Prompt { asked_by: None };
    Some(draft)
}

fn call<'p>(
    payload: &'p Payload<'_>,
    sink: &EntrySink<'p, '_>,
    session: SessionId,
) -> Option<Draft<'p>> {
    let (id, tool) = (payload.call_id()?, payload.tool_name.as_deref()?);
    let mut draft = sink.draft(CARRIED, Kind::ToolCall);
    draft.key = call_key(id);
    draft.turn = payload.turn(session);
    draft.text = payload.gist();
    draft.detail = Detail::ToolCall {
        call_id: Cow::Borrowed(id),
        tool: Cow::Borrowed(tool),
        input: payload.tool_input,
        input_text: None,
    };
    Some(draft)
}

fn result<'p>(
    payload: &'p Payload<'_>,
    sink: &EntrySink<'p, '_>,
    session: SessionId,
) -> Option<Draft<'p>> {
    let id = payload.call_id()?;
    let failed = payload.hook_event_name.as_deref() == Some("PostToolUseFailure");
    let response = payload.tool_response.and_then(|it| serde_json::from_str(it.get()).ok());
    let response: Value = response.unwrap_or_default();
    let mut draft = sink.draft(RESULT, Kind::ToolResult);
    draft.key = call_key(id);
    draft.turn = payload.turn(session);
    draft.parent = Some(EventId::of(session, &draft.key, CARRIED));
    draft.text = output(&response).map(Cow::Owned).or_else(|| payload.failure());
    draft.detail = Detail::ToolResult {
        call_id: Cow::Borrowed(id),
        failed: failed.then_some(true).or_else(|| response.get("is_error")?.as_bool()),
        denied: false,
        exit_code: ["exit_code", "exitCode"].iter().find_map(|it| response.get(it)?.as_i64()),
        duration_ms: None,
    };
    Some(draft)
}

fn answer<'p>(
    payload: &'p Payload<'_>,
    sink: &EntrySink<'p, '_>,
    session: SessionId,
) -> Option<Draft<'p>> {
    let text = payload.last_assistant_message.as_deref()?;
    let mut draft = sink.draft(CARRIED, Kind::AssistantMessage);
    draft.turn = payload.turn(session);
    draft.ends_turn = payload.running_tasks() == 0;
    draft.text = Some(Cow::Borrowed(text));
    draft.detail = Detail::Message { model: None, stop_reason: None, answer: None };
    Some(draft)
}

/// The agent's own id of a call, apart from the ids of its transcript.
fn call_key(id: &str) -> RecordKey<'static> {
    RecordKey::Provider(Cow::Owned(format!("hook:{id}")))
}

/// The text of a tool's response: its output and its errors, or the response as written.
fn output(response: &Value) -> Option<String> {
    let field = |name: &str| response.get(name).and_then(Value::as_str).unwrap_or_default();
    let parts = ["stdout", "output", "content", "text", "llmContent", "stderr"].map(field);
    let parts: Vec<&str> = parts.into_iter().filter(|it| !it.trim().is_empty()).collect();
    match response {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        _ if !parts.is_empty() => Some(parts.join("\n")),
        Value::Object(fields) if fields.contains_key("stdout") => None,
        other => Some(other.to_string()),
    }
}
