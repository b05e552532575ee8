//! What a dialect says about a record. Links, identities and turns follow by themselves.

use super::driver::{Memory, SourcePlace};
use super::messages::Message;
use crate::gist;
use crate::records::LONGEST_ID;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use taffrail_model::{
    Detail, EventId, Kind, NewUsage, RecordKey, Signal, Sink, Timestamp, TitleRank, Tokens, TurnId,
    hash,
};

/// One record of a conversation, and what is said about it.
pub struct Speaker<'c, 's> {
    pub(super) place: &'c SourcePlace,
    pub(super) memory: &'c mut Memory,
    pub(super) sink: &'s mut dyn Sink,
    pub(super) key: RecordKey<'static>,
    /// The record as written, for dialects that parse it themselves.
    pub(super) record: &'c [u8],
    /// The line whose hash becomes the key, once a key is needed.
    pub(super) line: Option<&'c [u8]>,
    pub(super) part: u32,
    pub(super) at: Option<Timestamp>,
    pub(super) pointer: Option<String>,
    table: String,
    is_last: bool,
    /// The model that the record itself names.
    pub(super) named: Option<String>,
    /// The turn that the record itself names.
    pub(super) turn: Option<TurnId>,
    /// The answer that messages and thoughts are parts of.
    pub(super) answer: Option<String>,
    /// The message of a list that is said now.
    pub(super) message: Option<Message>,
    /// The effect of the next event on the status, where its kind does not imply it.
    pub(super) signal: Option<Signal>,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outcome {
    pub failed: Option<bool>,
    /// Somebody refused the call, which did not run.
    pub denied: bool,
    pub exit_code: Option<i64>,
    pub duration_ms: Option<u64>,
}

impl Outcome {
    /// A failure, or a success.
    pub fn failed(failed: bool) -> Self {
        Self { failed: Some(failed), ..Self::default() }
    }
}

/// A call, or a request for its approval.
pub struct ToolUse<'a> {
    /// Joins call, request and result.
    pub call: &'a str,
    pub tool: &'a str,
    pub input: Option<&'a Value>,
    /// What the person reads; by default the gist of the input.
    pub text: Option<&'a str>,
}

impl<'c, 's> Speaker<'c, 's> {
    pub(super) fn new(
        place: &'c SourcePlace,
        memory: &'c mut Memory,
        key: RecordKey<'static>,
        sink: &'s mut dyn Sink,
    ) -> Self {
        Self {
            place,
            memory,
            sink,
            key,
            record: &[],
            line: None,
            part: 0,
            at: None,
            pointer: None,
            table: String::new(),
            is_last: false,
            named: None,
            turn: None,
            answer: None,
            message: None,
            signal: None,
        }
    }

    pub(super) fn set_table(&mut self, table: &str) {
        table.clone_into(&mut self.table);
    }

    pub(super) fn place_at(&mut self, pointer: String, is_last: bool) {
        (self.pointer, self.is_last) = (Some(pointer), is_last);
    }

    /// The table of a row, or the file of a folder.
    pub fn table(&self) -> &str {
        &self.table
    }

    /// Whether this is the last item of its document.
    pub fn is_last(&self) -> bool {
        self.is_last
    }

    /// Where the item is in its document, which identifies an item without an id.
    pub fn pointer(&self) -> &str {
        self.pointer.as_deref().unwrap_or_default()
    }

    /// What the path has at a name of its pattern.
    pub fn name(&self, name: &str) -> Option<&'c str> {
        self.place.name(name)
    }

    /// The text of the side file whose path ends in `name`.
    pub fn beside(&self, name: &str) -> Option<&'c str> {
        let found = self.place.beside.iter().find(|(path, _)| path.ends_with(name))?;
        std::str::from_utf8(&found.1).ok()
    }

    /// The same, as JSON.
    pub fn beside_json(&self, name: &str) -> Option<Value> {
        serde_json::from_str(self.beside(name)?).ok()
    }

    /// When the source was last written, for agents that write no times.
    pub fn written(&self) -> Option<Timestamp> {
        self.place.written
    }

    /// The record's own id, which identifies its events.
    pub fn id(&mut self, id: &str) {
        if !id.is_empty() {
            self.set_key(RecordKey::Provider(Cow::Owned(id.to_owned())));
        }
    }

    pub(super) fn set_key(&mut self, key: RecordKey<'static>) {
        (self.key, self.line, self.part) = (key, None, 0);
    }

    /// The agent's own id of the turn, for agents that name it in several files.
    pub fn turn(&mut self, id: &str) {
        if id.is_empty() || id.len() > LONGEST_ID {
            return;
        }
        let key = RecordKey::Provider(Cow::Owned(format!("turn/{id}")));
        let session = self.memory.who(self.place).session();
        self.turn = Some(TurnId::opened_by(EventId::of(session, &key, 0)));
        self.memory.turn = self.turn;
    }

    /// The time of what is said from now on.
    pub fn at(&mut self, at: Option<Timestamp>) {
        self.at = at.or(self.at);
    }

    /// The time of what is said from now on is not known.
    pub fn timeless(&mut self) {
        self.at = None;
    }

    /// The session began.
    pub fn started(&mut self, version: Option<&str>, entrypoint: Option<&str>) {
        let facts = self.memory.facts();
        let own = |text: Option<&str>| text.map(|it| Cow::Owned(it.to_owned()));
        facts.agent_version = version.map(str::to_owned).or(facts.agent_version.take());
        facts.entrypoint = entrypoint.map(str::to_owned).or(facts.entrypoint.take());
        facts.started_at = facts.started_at.or(self.at);
        let cwd = facts.project_path.clone().map(Cow::Owned);
        let (version, entrypoint) = (own(version), own(entrypoint));
        let detail = Detail::Started { version, entrypoint, cwd };
        self.say(Kind::SessionStarted, None, detail, |_| {});
    }

    /// A person asked for something. Opens a turn.
    pub fn prompt(&mut self, text: &str) {
        let detail = Detail::Prompt { asked_by: None };
        self.title(TitleRank::FirstPrompt, Some(text));
        self.say(Kind::UserPrompt, Some(text), detail, |draft| draft.opens_turn = true);
    }

    /// The model said something, and goes on.
    pub fn answer(&mut self, text: &str) {
        self.message(Kind::AssistantMessage, text, false);
    }

    /// The model said something, and waits.
    pub fn last_answer(&mut self, text: &str) {
        self.message(Kind::AssistantMessage, text, true);
    }

    /// The model thought something.
    pub fn thought(&mut self, text: &str) {
        self.message(Kind::AssistantThinking, text, false);
    }

    fn message(&mut self, kind: Kind, text: &str, ends: bool) {
        // What an event says depends on its record alone. The record of an item is its document.
        let model = match self.pointer {
            Some(_) => self.memory.model.clone(),
            None => self.named.clone(),
        };
        let model = model.map(Cow::Owned);
        let answer = self.answer.clone().map(Cow::Owned);
        let detail = Detail::Message { model, stop_reason: None, answer };
        self.say(kind, Some(text), detail, |draft| draft.ends_turn = ends);
    }

    /// The model called a tool.
    pub fn call(&mut self, id: &str, tool: &str, input: Option<&Value>) {
        self.with_input(Kind::ToolCall, &ToolUse { call: id, tool, input, text: None });
    }

    /// The same, with a text that describes the call better than its input.
    pub fn called(&mut self, call: &ToolUse<'_>) {
        self.with_input(Kind::ToolCall, call);
    }

    /// The agent asks a person to allow a call.
    pub fn asked(&mut self, request: &ToolUse<'_>) {
        self.with_input(Kind::ApprovalRequested, request);
    }

    fn with_input(&mut self, kind: Kind, request: &ToolUse<'_>) {
        // A value that was parsed always serializes.
        let raw = request.input.and_then(|it| serde_json::value::to_raw_value(it).ok());
        let gist = raw.as_deref().map(gist::of).unwrap_or_default();
        let text = request.text.map_or(gist, Cow::Borrowed);
        let input = raw.as_deref().filter(|it: &&RawValue| it.get() != "null");
        let detail = call_detail(request.call, request.tool, input);
        self.say(kind, Some(&text), detail, |_| {});
    }

    /// A request was decided.
    pub fn decided(&mut self, call: &str, decision: &str) {
        let (call_id, decision) = (Cow::Borrowed(call), Cow::Borrowed(decision));
        let detail = Detail::Approval { call_id, decision, decided_by: None, reason: None };
        self.say(Kind::ApprovalResolved, None, detail, |_| {});
    }

    /// A tool returned.
    pub fn result(&mut self, call: &str, text: Option<&str>, outcome: Outcome) {
        let Outcome { failed, denied, exit_code, duration_ms } = outcome;
        let call_id = Cow::Borrowed(call);
        let detail = Detail::ToolResult { call_id, failed, denied, exit_code, duration_ms };
        self.say(Kind::ToolResult, text, detail, |_| {});
    }

    /// The id of the oldest call without a result, for results that do not name their call.
    pub fn oldest_call(&self) -> Option<String> {
        self.memory.oldest_call()
    }

    /// A tool returned, and the agent does not say which: it answers the oldest open call whose id has
    /// this prefix. The id is not part of what is said, because it is not part of the record.
    pub fn next_result(&mut self, prefix: &str, text: Option<&str>, outcome: Outcome) {
        let call = self.memory.close_next(prefix);
        let Outcome { failed, denied, exit_code, duration_ms } = outcome;
        let call_id = Cow::Borrowed("");
        let detail = Detail::ToolResult { call_id, failed, denied, exit_code, duration_ms };
        self.say(Kind::ToolResult, text, detail, |draft| draft.parent = call);
    }

    /// The agent noted something.
    pub fn notice(&mut self, label: &str, text: Option<&str>) {
        let detail = Detail::Remark { label: Cow::Borrowed(label) };
        self.say(Kind::Notice, text, detail, |_| {});
    }

    /// Something failed, and the agent goes on.
    pub fn failed(&mut self, text: &str) {
        self.failure(text, false);
    }

    /// Something failed, which ended the turn.
    pub fn failed_turn(&mut self, text: &str) {
        self.failure(text, true);
    }

    fn failure(&mut self, text: &str, ends: bool) {
        let detail = Detail::Failure { code: None, retrying: None };
        self.say(Kind::Error, Some(text), detail, |draft| draft.ends_turn = ends);
    }

    /// The context was compacted.
    pub fn compacted(&mut self, text: Option<&str>) {
        let detail = Detail::Compacted { trigger: None, tokens_before: None };
        self.say(Kind::ContextCompacted, text, detail, |_| {});
    }

    /// The turn is over.
    pub fn turn_over(&mut self, reason: Option<&str>) {
        let reason = reason.map(Cow::Borrowed);
        let detail = Detail::Stopped { reason, duration_ms: None };
        self.say(Kind::AgentStopped, None, detail, |draft| draft.ends_turn = true);
    }

    /// The person interrupted the turn.
    pub fn interrupted(&mut self) {
        let detail = Detail::Stopped { reason: Some("interrupted".into()), duration_ms: None };
        self.say(Kind::AgentStopped, None, detail, |draft| {
            (draft.ends_turn, draft.signal) = (true, Some(Signal::Interrupted));
        });
    }

    /// The agent closed the session.
    pub fn ended(&mut self, reason: Option<&str>) {
        let reason = reason.map(Cow::Borrowed);
        let detail = Detail::Stopped { reason, duration_ms: None };
        self.say(Kind::SessionExited, None, detail, |_| {});
    }

    /// What an answer cost. The id is that of the answer, unique within the session.
    pub fn spent(&mut self, id: &str, tokens: Tokens, cost_microdollars: Option<i64>) {
        let model = self.memory.model.clone().or_else(|| self.memory.session_model());
        self.spent_by(model, id, tokens, cost_microdollars);
    }

    /// The same, for a model that need not be the one that answers from now on.
    pub fn spent_by(
        &mut self,
        model: Option<String>,
        id: &str,
        tokens: Tokens,
        cost_microdollars: Option<i64>,
    ) {
        if tokens.is_zero() && cost_microdollars.is_none() {
            return;
        }
        let who = self.memory.who(self.place);
        let session = who.session();
        let parts = [session.as_bytes().as_slice(), id.as_bytes()];
        let key = hash::digest("kit-usage", &parts);
        let (at, cache_write_1h) = (self.at, 0);
        let usage = NewUsage { key, at, model, tokens, cache_write_1h, cost_microdollars };
        self.sink.usage(&who, usage);
    }

    /// A record, or a part of one, of a type that is not known.
    pub fn unknown(&mut self, kind: &str) {
        self.sink.unknown(kind, None);
    }

    /// Removes an event that this record said before: the part of a record id.
    pub fn remove(&mut self, id: &str, part: u32) {
        let who = self.memory.who(self.place);
        let key = RecordKey::Provider(Cow::Borrowed(id));
        self.sink.remove(&who, EventId::of(who.session(), &key, part));
    }
}

pub(super) fn call_detail<'a>(
    call: &'a str,
    tool: &'a str,
    input: Option<&'a RawValue>,
) -> Detail<'a> {
    let (call_id, tool) = (Cow::Borrowed(call), Cow::Borrowed(tool));
    Detail::ToolCall { call_id, tool, input, input_text: None }
}
