//! What passes between an editor and its agent, as a function of the bytes so far.
//!
//! Every byte passes unchanged, with two exceptions: an answer from Taffrail is written between two
//! complete lines, with a notification to the editor that its answer is not needed any more; and the
//! answer that the editor then still gives is left out. The first answer wins.

use super::fact::{Fact, Permission, SettledBy};
use super::line::{LineBuffer, Step, parts};
use super::message::{
    CancelParams, Message, PermissionOption, PermissionParams, PromptResult, RequestId,
    SessionParams, ToolCall, UpdateParams, answer_line, cancel_line, decided, message, option_for,
    read,
};
use super::updates::Updates;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, VecDeque};
use taffrail_model::approval::Decision;

/// How many requests, calls and folders are remembered at once.
const MOST: usize = 256;

/// The state of one pipe.
#[derive(Debug, Default)]
pub(super) struct Relay {
    agent: LineBuffer,
    editor: LineBuffer,
    /// The editor's line in progress is not passed on before it is complete.
    is_withheld: bool,
    /// Requests for permission that nobody answered.
    open: BTreeMap<u64, OpenRequest>,
    next: u64,
    /// Requests that were answered here and that the editor still answers, too.
    late: Vec<RequestId>,
    /// What the editor asked the agent.
    calls: BTreeMap<RequestId, EditorCall>,
    folders: BTreeMap<String, String>,
    updates: Updates,
    answers: VecDeque<(u64, Decision)>,
    for_editor: Vec<u8>,
    /// Nothing reaches the agent any more.
    is_closed: bool,
}

#[derive(Debug)]
struct OpenRequest {
    id: RequestId,
    session: String,
    options: Vec<PermissionOption>,
}

/// A request of the editor whose answer matters.
#[derive(Debug)]
enum EditorCall {
    NewSession { folder: Option<String> },
    Prompt { session: String },
}

/// Whether a line of the editor goes on to the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Passes,
    IsLate,
}

impl Relay {
    /// Takes bytes of the agent, which all pass.
    pub(super) fn agent_wrote(&mut self, bytes: &[u8]) -> Vec<Fact> {
        let mut facts = Vec::new();
        for part in parts(bytes) {
            if let Step::Line(line) = self.agent.take(part) {
                self.agent_line(&line, &mut facts);
            }
        }
        facts
    }

    /// Takes bytes of the editor, and returns those that pass.
    pub(super) fn editor_wrote(&mut self, bytes: &[u8]) -> (Vec<u8>, Vec<Fact>) {
        let (mut out, mut facts) = (Vec::with_capacity(bytes.len()), Vec::new());
        for part in parts(bytes) {
            if self.editor.is_between_lines() {
                self.is_withheld = !self.late.is_empty();
            }
            match self.editor.take(part) {
                Step::Line(line) => {
                    let fate = self.editor_line(&line, &mut facts);
                    match (self.is_withheld, fate) {
                        (true, Fate::Passes) => out.extend(line),
                        (true, Fate::IsLate) => {}
                        (false, _) => out.extend_from_slice(part),
                    }
                }
                Step::TooLong(line) if std::mem::take(&mut self.is_withheld) => out.extend(line),
                Step::Open if self.is_withheld => {}
                Step::Open | Step::TooLong(_) | Step::LongEnd => out.extend_from_slice(part),
            }
        }
        (out, facts)
    }

    /// The bytes that were withheld when the editor closed its side.
    pub(super) fn editor_ended(&mut self) -> Vec<u8> {
        let (rest, mut facts) = (self.editor.rest(), Vec::new());
        match self.is_withheld && self.editor_line(&rest, &mut facts) == Fate::Passes {
            true => rest,
            false => Vec::new(),
        }
    }

    /// The agent's input is closed, so no open request can be answered any more.
    pub(super) fn close(&mut self) -> Vec<Fact> {
        self.is_closed = true;
        let open: Vec<u64> = self.open.keys().copied().collect();
        open.into_iter().filter_map(|key| self.settle(key, None, SettledBy::Agent)).collect()
    }

    /// Notes an answer from Taffrail to a request.
    pub(super) fn answer(&mut self, key: u64, decision: Decision) {
        self.answers.push_back((key, decision));
    }

    /// Whether nobody answered a request so far.
    pub(super) fn is_open(&self, key: u64) -> bool {
        self.open.contains_key(&key)
    }

    /// The answers to write to the agent now. None while a line of the editor is in progress: that
    /// line may be the editor's own answer.
    pub(super) fn for_agent(&mut self) -> (Vec<u8>, Vec<Fact>) {
        let (mut out, mut facts) = (Vec::new(), Vec::new());
        while self.editor.is_between_lines()
            && let Some((key, decision)) = self.answers.pop_front()
        {
            let Some(request) = self.open.get(&key) else { continue };
            let Some(option) = option_for(&decision, &request.options) else { continue };
            out.extend(answer_line(&request.id, option));
            self.for_editor.extend(cancel_line(&request.id));
            self.late.push(request.id.clone());
            facts.extend(self.settle(key, Some(decision), SettledBy::Taffrail));
        }
        (out, facts)
    }

    /// The notifications to write to the editor now: none while a line of the agent is in progress.
    pub(super) fn for_editor(&mut self) -> Vec<u8> {
        match self.agent.is_between_lines() {
            true => std::mem::take(&mut self.for_editor),
            false => Vec::new(),
        }
    }

    fn agent_line(&mut self, line: &[u8], facts: &mut Vec<Fact>) {
        match message(line) {
            Some(Message::Request(id, method, params))
                if method == "session/request_permission" =>
            {
                self.asked(id, params, facts);
            }
            Some(Message::Notification(method, params)) => match &*method {
                "session/update" => facts.extend(self.updated(params)),
                "$/cancel_request" => facts.extend(self.withdrawn(params)),
                _ => {}
            },
            Some(Message::Answer(id, answer)) => facts.extend(self.agent_answered(&id, answer)),
            Some(Message::Request(..)) | None => {}
        }
    }

    fn asked(&mut self, id: RequestId, params: Option<&RawValue>, facts: &mut Vec<Fact>) {
        // An answer to this id could be for either request, so both are left to the editor.
        if let Some(key) = self.key_of(&id) {
            facts.extend(self.settle(key, None, SettledBy::Agent));
            return;
        }
        let Some(asked) = read::<PermissionParams>(params) else { return };
        if self.is_closed || self.open.len() >= MOST {
            return;
        }
        let PermissionParams { session_id: session, tool_call, options } = asked;
        let key = self.next;
        self.next += 1;
        let offers = |decision| option_for(&decision, &options).is_some();
        let is_answerable = offers(Decision::Allow) && offers(Decision::Deny);
        let folder = self.folders.get(&session).cloned();
        facts.push(Fact::Asked(Box::new(permission(
            (key, is_answerable),
            (&session, folder),
            tool_call,
        ))));
        self.open.insert(key, OpenRequest { id, session, options });
    }

    fn updated(&mut self, params: Option<&RawValue>) -> Option<Fact> {
        let UpdateParams { session_id, update } = read(params)?;
        self.updates.take(session_id, update)
    }

    /// The agent does not need the answer any more.
    fn withdrawn(&mut self, params: Option<&RawValue>) -> Option<Fact> {
        let CancelParams { request_id } = read(params)?;
        self.settle(self.key_of(&request_id)?, None, SettledBy::Agent)
    }

    /// The agent answers a request of the editor.
    fn agent_answered(
        &mut self,
        id: &RequestId,
        answer: Result<&RawValue, &RawValue>,
    ) -> Option<Fact> {
        match (self.calls.remove(id)?, answer) {
            (EditorCall::NewSession { folder }, Ok(result)) => {
                let session = read::<SessionParams>(Some(result))?.session_id?;
                Some(self.opened(session, folder))
            }
            (EditorCall::NewSession { .. }, Err(_)) => None,
            (EditorCall::Prompt { session }, answer) => {
                let result: Option<PromptResult> = answer.ok().and_then(|it| read(Some(it)));
                let reason = result.map_or_else(|| "error".to_owned(), |it| it.stop_reason);
                Some(Fact::TurnOver { session, reason })
            }
        }
    }

    fn opened(&mut self, session: String, folder: Option<String>) -> Fact {
        if let Some(folder) = folder.clone().filter(|_| self.folders.len() < MOST) {
            self.folders.insert(session.clone(), folder);
        }
        Fact::Opened { session, folder }
    }

    fn editor_line(&mut self, line: &[u8], facts: &mut Vec<Fact>) -> Fate {
        match message(line) {
            Some(Message::Answer(id, answer)) => self.editor_answered(&id, answer, facts),
            Some(Message::Request(id, method, params)) => {
                facts.extend(self.editor_asked(id, &method, params));
                Fate::Passes
            }
            Some(Message::Notification(..)) | None => Fate::Passes,
        }
    }

    /// The editor answers a request of the agent.
    fn editor_answered(
        &mut self,
        id: &RequestId,
        answer: Result<&RawValue, &RawValue>,
        facts: &mut Vec<Fact>,
    ) -> Fate {
        // An editor answers in the order it was asked, so its first answer to an id is the late one.
        if let Some(at) = self.late.iter().position(|it| it == id) {
            self.late.remove(at);
            return Fate::IsLate;
        }
        if let Some(key) = self.key_of(id) {
            let decision = self.open.get(&key).and_then(|it| decided(answer, &it.options));
            facts.extend(self.settle(key, decision, SettledBy::Editor));
        }
        Fate::Passes
    }

    /// The editor asks the agent for something.
    fn editor_asked(
        &mut self,
        id: RequestId,
        method: &str,
        params: Option<&RawValue>,
    ) -> Option<Fact> {
        let SessionParams { session_id, cwd } = read(params)?;
        match method {
            "session/new" => {
                self.remember(id, EditorCall::NewSession { folder: cwd });
                None
            }
            "session/load" | "session/resume" => Some(self.opened(session_id?, cwd)),
            "session/prompt" => {
                let session = session_id?;
                self.remember(id, EditorCall::Prompt { session: session.clone() });
                Some(Fact::Prompted { session })
            }
            _ => None,
        }
    }

    fn remember(&mut self, id: RequestId, call: EditorCall) {
        if self.calls.len() < MOST {
            self.calls.insert(id, call);
        }
    }

    fn key_of(&self, id: &RequestId) -> Option<u64> {
        self.open.iter().find(|(_, it)| it.id == *id).map(|(key, _)| *key)
    }

    fn settle(&mut self, key: u64, decision: Option<Decision>, by: SettledBy) -> Option<Fact> {
        let session = self.open.remove(&key)?.session;
        Some(Fact::Settled { key, session, decision, by })
    }
}

fn permission(
    (key, is_answerable): (u64, bool),
    (session, folder): (&str, Option<String>),
    call: ToolCall,
) -> Permission {
    let text = |it: &Value| it.get("path").and_then(Value::as_str).map(str::to_owned);
    let title = call.title.clone().unwrap_or_default();
    let shown = call.content.unwrap_or_default();
    let shown = shown.iter().find_map(|it| it.get("content")?.get("text")?.as_str());
    // Some agents name only the tool, and show what it would do beside the name.
    let title = match (&call.raw_input, shown) {
        (None, Some(shown)) => format!("{title}: {shown}"),
        (_, _) => title,
    };
    Permission {
        key,
        session: session.to_owned(),
        folder,
        call: call.tool_call_id,
        kind: call.kind.unwrap_or_default(),
        title,
        input: call.raw_input,
        files: call.locations.unwrap_or_default().iter().filter_map(text).collect(),
        is_answerable,
    }
}

#[cfg(test)]
#[path = "relay_tests.rs"]
mod tests;
