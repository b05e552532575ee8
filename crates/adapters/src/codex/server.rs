//! The server that Codex's own screens share: `codex app-server`, on a socket below the home.
//!
//! The server sends the status of every thread to each client. Requests go only to clients that joined the
//! thread, so we join a thread while it waits for the user, and leave it when it continues.

use super::{approvals, identity};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;
use taffrail_kit::agent_server::{ThreadKind, request_nonce};
use taffrail_kit::journal::{EntrySink, labelled};
use taffrail_kit::lenient::{self, Text, filled, made_of_objects, whole};
use taffrail_kit::records::{LONGEST_ID, time_ms};
use taffrail_kit::{
    Answer, Outgoing, ServerMessage, ServerPlan, ServerRequest, ServerState, Transport,
};
use taffrail_model::approval::Decision;
use taffrail_model::{Confidence, Facts, Kind, Process, Signal};

/// The most threads that we query when the connection begins.
const MOST_THREADS: usize = 1_000;

pub(super) static SERVER: ServerPlan = ServerPlan {
    transport: Transport::Socket { path: "app-server-control/app-server-control.sock" },
    hello: || HELLO.iter().map(|it| Outgoing::Frame((*it).to_owned())).collect(),
    read: read_message,
    answer,
};

/// Opts out of notifications for every token, which we do not use.
const HELLO: &[&str] = &[
    r#"{"id":"hello","method":"initialize","params":{"clientInfo":{"name":"taffrail","title":"Taffrail","version":"1"},"capabilities":{"optOutNotificationMethods":["item/started","item/completed","item/agentMessage/delta","item/reasoning/textDelta","item/reasoning/summaryTextDelta","item/commandExecution/outputDelta","thread/tokenUsage/updated","account/rateLimits/updated","turn/diff/updated","turn/plan/updated"]}}}"#,
    r#"{"method":"initialized"}"#,
    r#"{"id":"list","method":"thread/loaded/list","params":{}}"#,
];

/// The status of a thread, as the journal keeps it.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ThreadStatus<'a> {
    #[serde(borrow, deserialize_with = "filled", skip_serializing_if = "Option::is_none")]
    thread_id: Text<'a>,
    #[serde(borrow, deserialize_with = "filled", skip_serializing_if = "Option::is_none")]
    status: Text<'a>,
    #[serde(borrow, deserialize_with = "filled", skip_serializing_if = "Option::is_none")]
    waiting_on: Text<'a>,
    /// The approval request in one line, and the digest of its input.
    #[serde(borrow, deserialize_with = "filled", skip_serializing_if = "Option::is_none")]
    asks: Text<'a>,
    #[serde(borrow, deserialize_with = "filled", skip_serializing_if = "Option::is_none")]
    mark: Text<'a>,
    #[serde(borrow, deserialize_with = "filled", skip_serializing_if = "Option::is_none")]
    cwd: Text<'a>,
    #[serde(deserialize_with = "whole", skip_serializing_if = "Option::is_none")]
    emitted_at_ms: Option<u64>,
    #[serde(deserialize_with = "whole", skip_serializing_if = "Option::is_none")]
    pid: Option<u64>,
    #[serde(deserialize_with = "whole", skip_serializing_if = "Option::is_none")]
    proc_start: Option<u64>,
}

made_of_objects! { ThreadStatus<'de> }

/// The fields of a message that we use. A message of another shape is ignored.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Message {
    id: Value,
    method: Option<String>,
    params: Params,
    result: Outcome,
    emitted_at_ms: Option<u64>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Params {
    thread_id: String,
    turn_id: String,
    item_id: String,
    approval_id: Option<String>,
    status: Standing,
    thread: Thread,
    command: Option<String>,
    reason: Option<String>,
    cwd: Option<String>,
    started_at_ms: Option<u64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Outcome {
    data: Vec<String>,
    thread: Thread,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Thread {
    id: String,
    ephemeral: bool,
    cwd: Option<String>,
    status: Standing,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Standing {
    r#type: String,
    active_flags: Vec<String>,
}

/// Reads one message of the server.
fn read_message(state: &mut ServerState, message: &str) -> Vec<ServerMessage> {
    let Ok(message) = serde_json::from_str::<Message>(message) else { return Vec::new() };
    let Message { id, method, params, result, emitted_at_ms } = message;
    match (method.as_deref(), id.as_str()) {
        (Some("thread/started"), _) => note_kind(state, &params.thread),
        (Some("thread/closed"), _) => state.forget(&params.thread_id),
        (Some("thread/status/changed"), _) => {
            let (thread, status) = (params.thread_id, params.status);
            let thread = Thread { id: thread, status, ..Thread::default() };
            return changed(state, &thread, emitted_at_ms);
        }
        (Some("item/commandExecution/requestApproval"), _) => {
            let input = command(&params);
            return approval_request(state, &id, &params, ("Bash", input));
        }
        (Some("item/fileChange/requestApproval"), _) => {
            // The request does not name the files.
            let input = json!({ "call": params.item_id, "description": params.reason });
            return approval_request(state, &id, &params, ("apply_patch", input));
        }
        (None, Some("list")) => return read_threads(&result.data),
        (None, Some("read")) => {
            note_kind(state, &result.thread);
            return if result.thread.ephemeral {
                Vec::new()
            } else {
                report_status(state, &result.thread, None)
            };
        }
        (_, _) => {}
    }
    Vec::new()
}

/// Remembers whether a thread is a session or internal, such as the one that finds a title.
fn note_kind(state: &mut ServerState, thread: &Thread) {
    let kind = if thread.ephemeral { ThreadKind::Internal } else { ThreadKind::Session };
    state.remember_kind(&thread.id, kind);
}

fn read_threads(threads: &[String]) -> Vec<ServerMessage> {
    let query = |id: &String| request("read", "thread/read", &json!({ "threadId": id }));
    threads.iter().take(MOST_THREADS).map(query).collect()
}

/// Reports a change of status. For a thread that began before the connection we read the thread first: a
/// change does not include whether the thread is internal.
fn changed(state: &mut ServerState, thread: &Thread, at: Option<u64>) -> Vec<ServerMessage> {
    match state.kind_of(&thread.id) {
        Some(ThreadKind::Internal) => Vec::new(),
        None if thread.id.len() <= LONGEST_ID => read_threads(std::slice::from_ref(&thread.id)),
        _ => report_status(state, thread, at),
    }
}

fn report_status(state: &mut ServerState, thread: &Thread, at: Option<u64>) -> Vec<ServerMessage> {
    let id = thread.id.as_str();
    if id.is_empty() || id.len() > LONGEST_ID {
        return Vec::new();
    }
    if thread.status.r#type == "notLoaded" {
        state.forget(id);
        return Vec::new();
    }
    let waiting_on = thread.status.active_flags.first();
    let thread_status = ThreadStatus {
        thread_id: Some(id.into()),
        status: Some(thread.status.r#type.as_str().into()),
        waiting_on: waiting_on.map(|it| it.as_str().into()),
        cwd: thread.cwd.as_deref().map(Into::into),
        emitted_at_ms: at,
        ..ThreadStatus::default()
    };
    let status = thread_status.into_payload(state.process).map(ServerMessage::Status);
    status.into_iter().chain(subscription(state, id, waiting_on.is_some())).collect()
}

/// Joins a thread that waits for the user, and leaves one that continues.
fn subscription(state: &mut ServerState, thread: &str, waits: bool) -> Option<ServerMessage> {
    if waits {
        let params = json!({ "threadId": thread, "excludeTurns": true });
        return state.subscribe(thread).then(|| request("join", "thread/resume", &params));
    }
    let left = state.unsubscribe(thread);
    left.then(|| request("leave", "thread/unsubscribe", &json!({ "threadId": thread })))
}

/// The input of a shell command, as the hook has it.
fn command(params: &Params) -> Value {
    let command = plain(params.command.as_deref().unwrap_or_default());
    match &params.reason {
        Some(reason) => json!({ "command": command, "description": reason }),
        None => json!({ "command": command }),
    }
}

/// The request, read through the hook's parser so that both give the same request.
fn approval_request(
    state: &ServerState,
    id: &Value,
    params: &Params,
    (tool, input): (&str, Value),
) -> Vec<ServerMessage> {
    let as_hook = json!({
        "hook_event_name": "PermissionRequest", "session_id": params.thread_id,
        "tool_name": tool, "tool_input": input, "cwd": params.cwd,
    });
    let Some(request) = (approvals::PLAN.request)(&as_hook.to_string()) else { return Vec::new() };
    let thread_status = ThreadStatus {
        thread_id: Some(params.thread_id.as_str().into()),
        status: Some("active".into()),
        waiting_on: Some(ON_APPROVAL.into()),
        asks: Some(request.says.as_str().into()),
        mark: Some(request.mark.as_str().into()),
        emitted_at_ms: params.started_at_ms,
        ..ThreadStatus::default()
    };
    let Some(thread_status) = thread_status.into_payload(state.process) else { return Vec::new() };
    let approval = params.approval_id.as_deref().unwrap_or_default();
    let words = [&*params.thread_id, &params.turn_id, &params.item_id, approval];
    let at = params.started_at_ms.and_then(|it| i64::try_from(it).ok()).and_then(time_ms);
    vec![ServerMessage::Request(Box::new(ServerRequest {
        key: id.to_string(),
        nonce: request_nonce(&words),
        at,
        // The call of a request is found by its input, as that of its hook is.
        call: None,
        request,
        status: thread_status,
    }))]
}

/// Codex runs a command through the user's shell, and names both. A command that is quoted in any
/// way but the plainest is left as it is.
fn plain(command: &str) -> &str {
    inside(command).unwrap_or(command)
}

fn inside(command: &str) -> Option<&str> {
    let (shell, script) = command.split_once(" -lc ").or_else(|| command.split_once(" -c "))?;
    let is_shell = SHELLS.contains(&shell.rsplit('/').next()?);
    let literal = || script.strip_prefix('\'')?.strip_suffix('\'');
    let is_word = |it: &u8| it.is_ascii_alphanumeric() || b"_-./:,+@%".contains(it);
    let bare = script.bytes().all(|it| is_word(&it)).then_some(script);
    let script = literal().filter(|it| !it.contains('\'')).or(bare)?;
    (is_shell && !script.is_empty()).then_some(script)
}

const SHELLS: [&str; 3] = ["bash", "zsh", "sh"];
const ON_APPROVAL: &str = "waitingOnApproval";
const ON_ANSWER: &str = "waitingOnUserInput";

fn answer(key: &str, answer: &Answer) -> Outgoing {
    let decision = if answer.decision == Decision::Allow { "accept" } else { "decline" };
    Outgoing::Frame(format!(r#"{{"id":{key},"result":{{"decision":"{decision}"}}}}"#))
}

fn request(id: &str, method: &str, params: &Value) -> ServerMessage {
    let text = json!({ "id": id, "method": method, "params": params }).to_string();
    ServerMessage::Reply(Outgoing::Frame(text))
}

impl ThreadStatus<'_> {
    fn into_payload(mut self, process: Option<Process>) -> Option<String> {
        self.pid = process.map(|it| it.pid.into());
        self.proc_start = process.map(|it| it.start);
        serde_json::to_string(&self).ok()
    }

    fn process(&self) -> Option<Process> {
        Some(Process { pid: u32::try_from(self.pid?).ok()?, start: self.proc_start? })
    }
}

/// Reads the status of a thread from the journal.
pub(super) fn read_entry(sink: &mut EntrySink<'_, '_>) {
    let thread_status: Option<ThreadStatus<'_>> = lenient::value_in(sink.entry.payload.get());
    let Some(thread_status) = thread_status.filter(|it| it.thread_id.is_some()) else {
        return sink.unknown("registry/unreadable");
    };
    let who = identity(thread_status.thread_id.as_deref().unwrap_or_default());
    let changed =
        thread_status.emitted_at_ms.and_then(|ms| i64::try_from(ms).ok()).and_then(time_ms);
    let mut draft = sink.draft(0, Kind::Heartbeat);
    draft.signal = Some(signal(&thread_status, sink));
    draft.at = changed.or(draft.at);
    draft.confidence = Confidence::High;
    let text = [&thread_status.asks, &thread_status.waiting_on, &thread_status.status]
        .into_iter()
        .flatten()
        .next();
    draft.text = text.map(|it| Cow::Owned(it.to_string()));
    let words = [("status", &thread_status.status), ("waiting_on", &thread_status.waiting_on)];
    let words = words.into_iter().filter_map(|(name, it)| Some((name, it.as_deref()?.into())));
    draft.detail =
        labelled("registry", words.chain(thread_status.pid.map(|it| ("pid", it.into()))).collect());
    let project_path = thread_status.cwd.as_deref().map(str::to_owned);
    sink.add_facts(
        &who,
        Facts { project_path, process: thread_status.process(), ..Facts::default() },
    );
    sink.emit(&who, draft);
}

fn signal(thread_status: &ThreadStatus<'_>, sink: &mut EntrySink<'_, '_>) -> Signal {
    let input = thread_status.mark.as_deref().unwrap_or_default().to_owned();
    match (thread_status.status.as_deref(), thread_status.waiting_on.as_deref()) {
        (Some("active"), Some(ON_APPROVAL)) => Signal::AskedApproval { input },
        (Some("active"), Some(ON_ANSWER)) => {
            Signal::Asked { call: String::new(), options: Vec::new() }
        }
        (Some("active"), None) => Signal::Busy,
        (Some("idle"), _) => Signal::Quiet,
        (Some("systemError"), _) => Signal::Failed,
        (status, waits) => {
            let other = waits.or(status).unwrap_or_default();
            sink.unknown(&format!("registry/{other}"));
            Signal::Alive
        }
    }
}

#[cfg(test)]
#[path = "server_tests.rs"]
mod tests;
