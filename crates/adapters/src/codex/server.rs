//! The server that Codex's own screens share: `codex app-server`, on a socket below the home.
//!
//! Whoever says hello is told how every thread stands. Requests are only told to who has joined the
//! thread, so a thread is joined while it waits for a person, and left when it goes on.

use super::{control, identity};
use crate::journal::{Heard, labelled};
use crate::lenient::{self, Text, filled, made_of_objects, whole};
use crate::records::{LONGEST_ID, time_ms};
use crate::talking::Passing;
use crate::{Answer, ServerAsks, ServerPlan, ServerSays, Talk};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;
use taffrail_model::approval::Decision;
use taffrail_model::{Confidence, Facts, Kind, Process, Signal, hash};

/// So many threads are asked about when the talk begins.
const MOST_THREADS: usize = 1_000;

/// Notices by the word, which nothing here follows from, are not sent to us.
pub(super) static SERVER: ServerPlan = ServerPlan {
    socket: "app-server-control/app-server-control.sock",
    hello: &[
        r#"{"id":"hello","method":"initialize","params":{"clientInfo":{"name":"taffrail","title":"Taffrail","version":"1"},"capabilities":{"optOutNotificationMethods":["item/started","item/completed","item/agentMessage/delta","item/reasoning/textDelta","item/reasoning/summaryTextDelta","item/commandExecution/outputDelta","thread/tokenUsage/updated","account/rateLimits/updated","turn/diff/updated","turn/plan/updated"]}}}"#,
        r#"{"method":"initialized"}"#,
        r#"{"id":"list","method":"thread/loaded/list","params":{}}"#,
    ],
    hear,
    answer,
};

/// How a thread stands, as the journal keeps it.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Stands<'a> {
    #[serde(borrow, deserialize_with = "filled", skip_serializing_if = "Option::is_none")]
    thread_id: Text<'a>,
    #[serde(borrow, deserialize_with = "filled", skip_serializing_if = "Option::is_none")]
    status: Text<'a>,
    #[serde(borrow, deserialize_with = "filled", skip_serializing_if = "Option::is_none")]
    waiting_on: Text<'a>,
    /// What a person is asked to allow, and the mark of its input.
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

made_of_objects! { Stands<'de> }

/// A message, with all that anything follows from. One of another shape says nothing here.
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

/// What a message of the server means.
fn hear(talk: &mut Talk, message: &str) -> Vec<ServerSays> {
    let Ok(message) = serde_json::from_str::<Message>(message) else { return Vec::new() };
    let Message { id, method, params, result, emitted_at_ms } = message;
    match (method.as_deref(), id.as_str()) {
        (Some("thread/started"), _) => begun(talk, &params.thread),
        (Some("thread/closed"), _) => talk.forget(&params.thread_id),
        (Some("thread/status/changed"), _) => {
            let (thread, status) = (params.thread_id, params.status);
            let thread = Thread { id: thread, status, ..Thread::default() };
            return changed(talk, &thread, emitted_at_ms);
        }
        (Some("item/commandExecution/requestApproval"), _) => {
            let input = command(&params);
            return asks(talk, &id, &params, ("Bash", input));
        }
        (Some("item/fileChange/requestApproval"), _) => {
            // The request does not say which files.
            let input = json!({ "call": params.item_id, "description": params.reason });
            return asks(talk, &id, &params, ("apply_patch", input));
        }
        (None, Some("list")) => return look_at(&result.data),
        (None, Some("read")) => {
            begun(talk, &result.thread);
            return if result.thread.ephemeral {
                Vec::new()
            } else {
                stands(talk, &result.thread, None)
            };
        }
        (_, _) => {}
    }
    Vec::new()
}

/// A thread of Codex's own, such as the one that finds a title, passes.
fn begun(talk: &mut Talk, thread: &Thread) {
    let passing = if thread.ephemeral { Passing::Yes } else { Passing::No };
    talk.know(&thread.id, passing);
}

fn look_at(threads: &[String]) -> Vec<ServerSays> {
    let asked = |id: &String| say("read", "thread/read", &json!({ "threadId": id }));
    threads.iter().take(MOST_THREADS).map(asked).collect()
}

/// A thread stands otherwise than before. One that began before the talk is asked about first: a
/// change does not say whether the thread is Codex's own.
fn changed(talk: &mut Talk, thread: &Thread, at: Option<u64>) -> Vec<ServerSays> {
    match talk.known(&thread.id) {
        Some(Passing::Yes) => Vec::new(),
        None if thread.id.len() <= LONGEST_ID => look_at(std::slice::from_ref(&thread.id)),
        _ => stands(talk, thread, at),
    }
}

fn stands(talk: &mut Talk, thread: &Thread, at: Option<u64>) -> Vec<ServerSays> {
    let id = thread.id.as_str();
    if id.is_empty() || id.len() > LONGEST_ID {
        return Vec::new();
    }
    if thread.status.r#type == "notLoaded" {
        talk.forget(id);
        return Vec::new();
    }
    let waiting_on = thread.status.active_flags.first();
    let stands = Stands {
        thread_id: Some(id.into()),
        status: Some(thread.status.r#type.as_str().into()),
        waiting_on: waiting_on.map(|it| it.as_str().into()),
        cwd: thread.cwd.as_deref().map(Into::into),
        emitted_at_ms: at,
        ..Stands::default()
    };
    let told = stands.told_by(talk.process).map(ServerSays::Stands);
    told.into_iter().chain(joined(talk, id, waiting_on.is_some())).collect()
}

/// Joins a thread that waits for a person, and leaves one that goes on.
fn joined(talk: &mut Talk, thread: &str, waits: bool) -> Option<ServerSays> {
    if waits {
        let params = json!({ "threadId": thread, "excludeTurns": true });
        return talk.attend(thread).then(|| say("join", "thread/resume", &params));
    }
    let left = talk.leave(thread);
    left.then(|| say("leave", "thread/unsubscribe", &json!({ "threadId": thread })))
}

/// The input of a shell command, as the hook tells it.
fn command(params: &Params) -> Value {
    let command = plain(params.command.as_deref().unwrap_or_default());
    match &params.reason {
        Some(reason) => json!({ "command": command, "description": reason }),
        None => json!({ "command": command }),
    }
}

/// The request, read as the hook's would be: both say the same of it.
fn asks(talk: &Talk, id: &Value, params: &Params, (tool, input): (&str, Value)) -> Vec<ServerSays> {
    let as_hook = json!({
        "hook_event_name": "PermissionRequest", "session_id": params.thread_id,
        "tool_name": tool, "tool_input": input, "cwd": params.cwd,
    });
    let Some(request) = (control::DESK.request)(&as_hook.to_string()) else { return Vec::new() };
    let stands = Stands {
        thread_id: Some(params.thread_id.as_str().into()),
        status: Some("active".into()),
        waiting_on: Some(ON_APPROVAL.into()),
        asks: Some(request.says.as_str().into()),
        mark: Some(request.mark.as_str().into()),
        emitted_at_ms: params.started_at_ms,
        ..Stands::default()
    };
    let Some(stands) = stands.told_by(talk.process) else { return Vec::new() };
    let approval = params.approval_id.as_deref().unwrap_or_default();
    let words = [&*params.thread_id, &params.turn_id, &params.item_id, approval];
    let at = params.started_at_ms.and_then(|it| i64::try_from(it).ok()).and_then(time_ms);
    vec![ServerSays::Asks(Box::new(ServerAsks {
        key: id.to_string(),
        nonce: hash::to_hex(&hash::digest("server-request", &words.map(str::as_bytes))),
        at,
        request,
        stands,
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

fn answer(key: &str, answer: &Answer) -> String {
    let decision = if answer.decision == Decision::Allow { "accept" } else { "decline" };
    format!(r#"{{"id":{key},"result":{{"decision":"{decision}"}}}}"#)
}

fn say(id: &str, method: &str, params: &Value) -> ServerSays {
    ServerSays::Reply(json!({ "id": id, "method": method, "params": params }).to_string())
}

impl Stands<'_> {
    fn told_by(mut self, process: Option<Process>) -> Option<String> {
        self.pid = process.map(|it| it.pid.into());
        self.proc_start = process.map(|it| it.start);
        serde_json::to_string(&self).ok()
    }

    fn process(&self) -> Option<Process> {
        Some(Process { pid: u32::try_from(self.pid?).ok()?, start: self.proc_start? })
    }
}

/// Hears how a thread stands, as the journal keeps it.
pub(super) fn hear_entry(heard: &mut Heard<'_, '_>) {
    let stands: Option<Stands<'_>> = lenient::value_in(heard.entry.payload.get());
    let Some(stands) = stands.filter(|it| it.thread_id.is_some()) else {
        return heard.unknown("registry/unreadable");
    };
    let who = identity(stands.thread_id.as_deref().unwrap_or_default());
    let changed = stands.emitted_at_ms.and_then(|ms| i64::try_from(ms).ok()).and_then(time_ms);
    let mut draft = heard.draft(0, Kind::Heartbeat);
    draft.signal = Some(signal(&stands, heard));
    draft.at = changed.or(draft.at);
    draft.confidence = Confidence::High;
    let text = [&stands.asks, &stands.waiting_on, &stands.status].into_iter().flatten().next();
    draft.text = text.map(|it| Cow::Owned(it.to_string()));
    let words = [("status", &stands.status), ("waiting_on", &stands.waiting_on)];
    let words = words.into_iter().filter_map(|(name, it)| Some((name, it.as_deref()?.into())));
    draft.detail =
        labelled("registry", words.chain(stands.pid.map(|it| ("pid", it.into()))).collect());
    let project_path = stands.cwd.as_deref().map(str::to_owned);
    heard.learn(&who, Facts { project_path, process: stands.process(), ..Facts::default() });
    heard.tell(&who, draft);
}

fn signal(stands: &Stands<'_>, heard: &mut Heard<'_, '_>) -> Signal {
    let input = stands.mark.as_deref().unwrap_or_default().to_owned();
    match (stands.status.as_deref(), stands.waiting_on.as_deref()) {
        (Some("active"), Some(ON_APPROVAL)) => Signal::AskedApproval { input },
        (Some("active"), Some(ON_ANSWER)) => Signal::Asked { call: String::new() },
        (Some("active"), None) => Signal::Busy,
        (Some("idle"), _) => Signal::Quiet,
        (Some("systemError"), _) => Signal::Failed,
        (status, waits) => {
            let other = waits.or(status).unwrap_or_default();
            heard.unknown(&format!("registry/{other}"));
            Signal::Alive
        }
    }
}

#[cfg(test)]
#[path = "server_tests.rs"]
mod tests;
