//! Reads a chat, line by line or as one document: both hold the same records.

use super::message::{BODY, call_of};
use super::message_list::{ListedMessage, MessageList};
use super::record::{Conversation, Message, Record as ChatRecord};
use super::{Chat, Owner, identity, project};
use crate::{Reader, Source, records, surrogates};
use serde::{Deserialize, Serialize};
use taffrail_model::{
    Draft, EventId, Facts, Kind, NewUsage, Record, RecordKey, RuntimeIdentity, Sink, TitleRank,
    TurnId, hash,
};

/// The JSON pointer to the messages of a whole document.
const IN_DOCUMENT: &str = "/messages";
/// The JSON pointer to messages that replace all before them.
const IN_CHECKPOINT: &str = "/$set/messages";

/// Reads one chat.
pub(super) struct Transcript {
    /// The session until the head of the chat is read.
    stand_in: RuntimeIdentity,
    /// Facts from the path and the files beside it.
    outside: Facts,
    memory: Memory,
}

/// The state needed to continue reading.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Memory {
    who: Option<RuntimeIdentity>,
    facts: Facts,
    roll: MessageList,
}

impl Transcript {
    pub(super) fn new(source: &Source<'_>, saved: Option<&str>) -> Self {
        let saved = saved.and_then(|text| serde_json::from_str(text).ok());
        let mut memory: Memory = saved.unwrap_or_default();
        let chat = Chat::at(source.path);
        let worker = chat.as_ref().and_then(|chat| chat.owner.worker());
        memory.who = memory.who.or(worker);
        Self {
            stand_in: identity(stand_in(source.path)),
            outside: chat.map(|chat| outside(source, &chat)).unwrap_or_default(),
            memory,
        }
    }

    fn who(&self) -> &RuntimeIdentity {
        self.memory.who.as_ref().unwrap_or(&self.stand_in)
    }

    fn take(&mut self, record: &ChatRecord<'_>, sink: &mut dyn Sink) {
        match record {
            ChatRecord::Rewind(id) => self.rewind(id, sink),
            ChatRecord::Message(message) if message.has_id() => self.say(message, None, sink),
            ChatRecord::Message(_) => sink.unknown("message", None),
            ChatRecord::Set(chat) => self.update(chat, IN_CHECKPOINT, sink),
            ChatRecord::Head(chat) => self.update(chat, IN_DOCUMENT, sink),
            ChatRecord::Unknown => sink.unknown("record", None),
        }
    }

    /// Takes facts about the whole chat.
    fn update(&mut self, it: &Conversation<'_>, pointer: &str, sink: &mut dyn Sink) {
        if let Some(id) = it.session_id.as_deref() {
            self.name(id, sink);
        }
        let facts = &mut self.memory.facts;
        let started_at = it.start_time.as_deref().and_then(records::time);
        facts.started_at = facts.started_at.or(started_at);
        if let Some(summary) = it.summary.as_deref() {
            facts.offer_title(TitleRank::Generated, summary);
        }
        if let Some(messages) = &it.messages {
            self.replace(messages, pointer, sink);
        }
    }

    /// Learns the session of the chat; the first id counts. Earlier events are removed.
    fn name(&mut self, session: &str, sink: &mut dyn Sink) {
        if self.memory.who.is_some() {
            return;
        }
        for early in std::mem::take(&mut self.memory).roll {
            take_back(&self.stand_in, &early, &[], sink);
        }
        self.memory.who = Some(identity(session));
    }

    /// Reads a list of messages that replaces all messages so far.
    fn replace(&mut self, messages: &[Option<Message<'_>>], pointer: &str, sink: &mut dyn Sink) {
        let before = std::mem::take(&mut self.memory.roll);
        for (index, message) in messages.iter().enumerate() {
            match message.as_ref().filter(|message| message.has_id()) {
                Some(message) => self.say(message, Some(&format!("{pointer}/{index}")), sink),
                None => sink.unknown("message", None),
            }
        }
        let now = self.memory.roll.parts_by_id();
        for old in before {
            let parts = now.get(old.id.as_str()).copied().unwrap_or_default();
            take_back(self.who(), &old, parts, sink);
        }
    }

    fn rewind(&mut self, id: &str, sink: &mut dyn Sink) {
        for old in self.memory.roll.cut_from(id) {
            take_back(self.who(), &old, &[], sink);
        }
    }

    /// Emits the events of a message, again if it was emitted before.
    fn say(&mut self, message: &Message<'_>, pointer: Option<&str>, sink: &mut dyn Sink) {
        let drafts = message.drafts().unwrap_or_else(|| {
            sink.unknown(&message.raw_type(), None);
            Vec::new()
        });
        self.learn(message, &drafts);
        let entry = entry(message, &drafts);
        let parts = entry.parts.clone();
        let before = self.memory.roll.put(entry);
        self.pass_on(message, drafts, pointer, sink);
        self.count(message, sink);
        if let Some(before) = before {
            take_back(self.who(), &before, &parts, sink);
        }
    }

    /// Takes facts about the session from a message.
    fn learn(&mut self, message: &Message<'_>, drafts: &[Draft<'_>]) {
        let facts = &mut self.memory.facts;
        if let Some(model) = message.model.as_deref() {
            facts.model = Some(model.to_owned());
        }
        for draft in drafts.iter().filter(|draft| draft.opens_turn) {
            let text = draft.text.as_deref().unwrap_or_default();
            facts.offer_title(TitleRank::FirstPrompt, text);
        }
    }

    /// Emits the drafts with their links.
    fn pass_on(
        &self,
        message: &Message<'_>,
        drafts: Vec<Draft<'_>>,
        pointer: Option<&str>,
        sink: &mut dyn Sink,
    ) {
        let who = self.who();
        let opener = self.memory.roll.opener_of(&message.id);
        let turn = opener.map(|id| TurnId::opened_by(event_of(who, id, BODY)));
        for mut draft in drafts {
            draft.turn = turn;
            draft.pointer = pointer.map(str::to_owned);
            if draft.kind == Kind::ToolResult {
                draft.parent = Some(event_of(who, &message.id, call_of(draft.part)));
            }
            sink.event(who, draft);
        }
    }

    fn count(&self, message: &Message<'_>, sink: &mut dyn Sink) {
        let Some(tokens) = message.cost() else { return };
        let who = self.who();
        let ids = [who.id.as_str().as_bytes(), message.id.as_bytes()];
        let usage = NewUsage {
            key: hash::digest("gemini-usage", &ids),
            at: message.at(),
            model: message.model.as_deref().map(str::to_owned),
            tokens,
            cost_microdollars: None,
        };
        sink.usage(who, usage);
    }
}

impl Reader for Transcript {
    fn read(&mut self, record: &Record<'_>, sink: &mut dyn Sink) {
        if let Some(record) = ChatRecord::parse(record.bytes) {
            return self.take(&record, sink);
        }
        let mended = surrogates::mended(record.bytes);
        match mended.as_deref().and_then(ChatRecord::parse) {
            Some(record) => self.take(&record, sink),
            None => sink.unknown("unreadable", None),
        }
    }

    fn facts(&self) -> Vec<(RuntimeIdentity, Facts)> {
        if self.memory.who.is_none() && self.memory.roll.is_empty() {
            return Vec::new();
        }
        let facts = self.memory.facts.clone().joined(self.outside.clone());
        vec![(self.who().clone(), facts)]
    }

    fn save(&self) -> String {
        // Strings, numbers and lists of them always serialize.
        serde_json::to_string(&self.memory).unwrap_or_default()
    }
}

/// The end of a file's name, which is the beginning of the session's id.
fn stand_in(path: &str) -> &str {
    match Chat::at(path).map(|chat| chat.owner) {
        Some(Owner::Main { name, .. }) => name.rsplit('-').next().unwrap_or(name),
        Some(Owner::Worker { session, .. }) => session,
        None => path,
    }
}

/// Facts about the session from the path and the files beside it.
fn outside(source: &Source<'_>, chat: &Chat<'_>) -> Facts {
    let parent = match chat.owner {
        Owner::Main { .. } => None,
        Owner::Worker { parent, .. } => Some(identity(parent)),
    };
    Facts { project_path: project::path(source, chat.slug), parent, ..Facts::default() }
}

fn entry(message: &Message<'_>, drafts: &[Draft<'_>]) -> ListedMessage {
    ListedMessage {
        id: message.id.to_string(),
        parts: drafts.iter().map(|draft| draft.part).collect(),
        opens_turn: drafts.iter().any(|draft| draft.opens_turn),
    }
}

fn event_of(who: &RuntimeIdentity, message: &str, part: u32) -> EventId {
    EventId::of(who.session(), &RecordKey::Provider(message.into()), part)
}

/// Removes the earlier events of a message, except those it still has.
fn take_back(who: &RuntimeIdentity, old: &ListedMessage, standing: &[u32], sink: &mut dyn Sink) {
    for part in old.parts.iter().filter(|part| !standing.contains(part)) {
        sink.remove(who, event_of(who, &old.id, *part));
    }
}
