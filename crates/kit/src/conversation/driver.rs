//! The reader of every agent of the kit: who speaks, what is known of them, and what is open.

use super::agent::{Begins, Ids, Reads, Store};
use super::chains::Chains;
use super::messages::Messages;
use super::pattern::{matched, session_named, worker_named};
use super::speaker::Speaker;
use super::split;
use super::stateful::{self, StatefulDialect};
use crate::records::{LONGEST_ID, LineKeys};
use crate::{Reader, Source, surrogates};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::VecDeque;
use taffrail_model::{
    AgentId, Cursor, EventId, Facts, Record, RecordKey, RuntimeIdentity, Sink, Timestamp, TurnId,
};

/// The most calls remembered until their results arrive.
const MOST_CALLS: usize = 512;
/// The most sessions in one file.
pub(super) const MOST_SESSIONS: usize = 4096;

/// Reads one source.
pub(super) struct Conversation {
    pub(super) store: &'static Store,
    pub(super) place: SourcePlace,
    pub(super) memory: Memory,
    pub(super) dialect: Option<Box<dyn StatefulDialect>>,
}

/// Where the source is, and what lies beside it.
pub(super) struct SourcePlace {
    pub(super) agent: AgentId,
    pub(super) scope: String,
    pub(super) path: String,
    pub(super) names: Vec<(String, String)>,
    pub(super) beside: Vec<(String, Vec<u8>)>,
    pub(super) written: Option<Timestamp>,
}

/// The state needed to continue reading.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Memory {
    pub(super) sessions: Vec<(RuntimeIdentity, Facts)>,
    /// What was said before a session was named.
    early: Facts,
    /// The session that speaks, among them.
    pub(super) current: usize,
    pub(super) turn: Option<TurnId>,
    pub(super) model: Option<String>,
    /// Calls without a result, the oldest first.
    calls: VecDeque<(String, EventId)>,
    pub(super) keys: LineKeys,
    /// The messages of agents that replace or rewind them.
    #[serde(skip_serializing_if = "Messages::is_empty")]
    pub(super) messages: Messages,
    /// The side chains of agents that write sub-agents into the file of their session.
    #[serde(skip_serializing_if = "Chains::is_empty")]
    pub(super) chains: Chains,
    /// Whether the session is only guessed, until a record names it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_guess: bool,
    /// What a dialect remembers: small texts by name.
    pub(super) notes: Vec<(String, String)>,
    /// What a dialect with a memory of its own saved.
    #[serde(skip_serializing)]
    pub(super) own: Option<String>,
}

impl Conversation {
    pub(super) fn new(
        (agent, store): (&str, &'static Store),
        source: &Source<'_>,
        saved: Option<&str>,
    ) -> Self {
        let saved = saved.and_then(|text| serde_json::from_str(text).ok());
        let names = matched(store.path, source.path).unwrap_or_default();
        let names = names.into_iter().map(|(name, it)| (name.to_owned(), it.to_owned())).collect();
        let place = SourcePlace {
            agent: AgentId::new(agent),
            scope: match store.ids {
                Ids::InScope => source.scope.to_owned(),
                Ids::Everywhere | Ids::Guessed => String::new(),
            },
            path: source.path.to_owned(),
            names,
            beside: source.beside.to_vec(),
            written: source.written,
        };
        let mut memory: Memory = saved.unwrap_or_default();
        if memory.sessions.is_empty() {
            let keyed = (!source.key.is_empty()).then(|| place.identity(source.key));
            let named = keyed.or_else(|| place.in_path());
            memory.sessions.extend(named.map(|who| (who, Facts::default())));
            let begins_later = store.begins == Begins::WithRecord && !memory.sessions.is_empty();
            memory.is_guess = matches!(store.ids, Ids::Guessed) || begins_later;
            if let Some(parent) = place.name("parent") {
                memory.facts().parent = Some(place.identity(parent));
            }
        }
        let dialect = stateful::dialect(store.reads, &memory);
        Self { store, place, memory, dialect }
    }

    fn speaker<'c, 's>(
        &'c mut self,
        key: RecordKey<'static>,
        sink: &'s mut dyn Sink,
    ) -> Speaker<'c, 's> {
        Speaker::new(&self.place, &mut self.memory, key, sink)
    }

    fn item(&mut self, value: &Value, key: RecordKey<'static>, at: &Cursor, sink: &mut dyn Sink) {
        let reads = self.store.reads;
        let mut speaker = self.speaker(key, sink);
        if let Cursor::Row { table, .. } = at {
            speaker.set_table(table);
        }
        match reads {
            Reads::Items(dialect) => dialect(value, &mut speaker),
            Reads::Fields(fields) => fields.read(value, &mut speaker),
            Reads::Text(_) | Reads::Bytes(_) | Reads::Stateful(_) => {
                speaker.unknown("unreadable");
            }
        }
    }

    fn line(&mut self, record: &Record<'_>, sink: &mut dyn Sink) {
        let Some(value) = parsed(record.bytes) else { return sink.unknown("unreadable", None) };
        let at = self.store.time.and_then(|pointer| super::json::time(&value, pointer));
        let key = self.memory.keys.key(record.bytes, at);
        self.item(&value, key, &record.at, sink);
    }

    fn row(&mut self, (table, rowid): (&str, i64), record: &Record<'_>, sink: &mut dyn Sink) {
        let Some(value) = parsed(record.bytes) else { return sink.unknown("unreadable", None) };
        let key = RecordKey::Provider(Cow::Owned(format!("{table}/{rowid}")));
        self.item(&value, key, &record.at, sink);
    }

    fn document(&mut self, bytes: &[u8], sink: &mut dyn Sink) {
        let list = self.store.items;
        let Some(items) = split::items(bytes, list) else {
            return sink.unknown("unreadable", None);
        };
        if let (Some(head), Some(value)) = (self.store.head, split::head(bytes, list)) {
            let mut speaker = self.speaker(RecordKey::Provider("head".into()), sink);
            head(&value, &mut speaker);
        }
        let last = items.len().saturating_sub(1);
        for (index, item) in items.into_iter().enumerate() {
            let Some(value) = parsed(item.get().as_bytes()) else {
                sink.unknown("unreadable", None);
                continue;
            };
            let key = RecordKey::Provider(Cow::Owned(format!("#{index}")));
            let reads = self.store.reads;
            let mut speaker = self.speaker(key, sink);
            speaker.place_at(format!("{list}/{index}"), index == last);
            match reads {
                Reads::Items(dialect) => dialect(&value, &mut speaker),
                Reads::Fields(fields) => fields.read(&value, &mut speaker),
                Reads::Text(_) | Reads::Bytes(_) | Reads::Stateful(_) => {
                    speaker.unknown("unreadable");
                }
            }
        }
    }

    fn text(&mut self, bytes: &[u8], dialect: fn(&str, &mut Speaker<'_, '_>), sink: &mut dyn Sink) {
        match std::str::from_utf8(bytes) {
            Ok(text) => dialect(text, &mut self.speaker(RecordKey::Provider("text".into()), sink)),
            Err(_) => sink.unknown("unreadable", None),
        }
    }

    pub(super) fn bytes(
        &mut self,
        record: &Record<'_>,
        mut dialect: impl FnMut(&[u8], &mut Speaker<'_, '_>) -> Option<()>,
        sink: &mut dyn Sink,
    ) {
        let mut speaker = self.speaker(RecordKey::Provider("record".into()), sink);
        speaker.record = record.bytes;
        if let Cursor::Row { table, .. } = &record.at {
            speaker.set_table(table);
        }
        let read = dialect(record.bytes, &mut speaker);
        let again = || dialect(&surrogates::mended(record.bytes)?, &mut speaker);
        if read.or_else(again).is_none() {
            speaker.unknown("unreadable");
        }
    }
}

impl Reader for Conversation {
    fn read(&mut self, record: &Record<'_>, sink: &mut dyn Sink) {
        match (&record.at, self.store.reads) {
            (_, Reads::Text(dialect)) => self.text(record.bytes, dialect, sink),
            (_, Reads::Bytes(dialect)) => self.bytes(record, dialect, sink),
            (_, Reads::Stateful(_)) => self.stateful(record, sink),
            (Cursor::Pointer { .. }, _) => self.document(record.bytes, sink),
            (Cursor::Row { table, rowid }, _) => self.row((table, *rowid), record, sink),
            (Cursor::Bytes { .. }, _) => self.line(record, sink),
        }
    }

    fn facts(&self) -> Vec<(RuntimeIdentity, Facts)> {
        let is_guess = self.memory.is_guess && self.memory.messages.is_empty();
        self.memory.sessions.iter().skip(usize::from(is_guess)).cloned().collect()
    }

    fn save(&self) -> String {
        self.saved()
    }
}

/// A record as JSON, with broken surrogates mended.
fn parsed(bytes: &[u8]) -> Option<Value> {
    let parsed = serde_json::from_slice(bytes).ok();
    parsed.or_else(|| serde_json::from_slice(&surrogates::mended(bytes)?).ok())
}

/// A key for an event that lives no longer than its record: a copy for each would be slow.
pub(super) fn borrowed<'k>(key: &'k RecordKey<'static>) -> RecordKey<'k> {
    match key {
        RecordKey::Provider(id) => RecordKey::Provider(Cow::Borrowed(id)),
        RecordKey::Ordinal(_) | RecordKey::Line { .. } | RecordKey::Given { .. } => key.clone(),
    }
}

impl SourcePlace {
    /// What the path has at a name of its pattern.
    pub(super) fn name(&self, name: &str) -> Option<&str> {
        self.names.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn identity(&self, id: &str) -> RuntimeIdentity {
        RuntimeIdentity::new(self.agent.clone(), &self.scope, id)
    }

    /// The session that the path names.
    fn in_path(&self) -> Option<RuntimeIdentity> {
        let worker = worker_named(|name| self.name(name));
        let worker = worker.map(|(parent, id)| self.below(parent, id));
        let session = || session_named(|name| self.name(name).map(str::to_owned));
        worker.or_else(|| session().map(|id| self.identity(&id)))
    }

    /// A sub-agent whose id is unique within its parent only.
    pub(super) fn below(&self, parent: &str, id: &str) -> RuntimeIdentity {
        RuntimeIdentity::new(self.agent.clone(), parent, id)
    }

    /// The session of a record whose source does not name one: the name of the file.
    fn stand_in(&self) -> RuntimeIdentity {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        self.identity(name.split('.').next().unwrap_or(name))
    }
}

impl Memory {
    pub(super) fn who(&self, place: &SourcePlace) -> RuntimeIdentity {
        self.speaks(place).into_owned()
    }

    /// The same, borrowed where possible: it is needed for every event.
    pub(super) fn speaks(&self, place: &SourcePlace) -> Cow<'_, RuntimeIdentity> {
        let known = self.sessions.get(self.current);
        known.map_or_else(|| Cow::Owned(place.stand_in()), |(who, _)| Cow::Borrowed(who))
    }

    /// The facts about the session that speaks, or about the one that will be named.
    pub(super) fn facts(&mut self) -> &mut Facts {
        match self.sessions.get_mut(self.current) {
            Some((_, facts)) => facts,
            None => &mut self.early,
        }
    }

    /// The model of the session that speaks, if a fact says it.
    pub(super) fn session_model(&self) -> Option<String> {
        self.sessions.get(self.current).and_then(|(_, facts)| facts.model.clone())
    }

    /// The session that the path names is the one that speaks.
    pub(super) fn keep_guess(&mut self, place: &SourcePlace) {
        if std::mem::take(&mut self.is_guess) && self.sessions.is_empty() {
            self.sessions.push((place.stand_in(), std::mem::take(&mut self.early)));
        }
    }

    /// A session that this source only names is a sub-agent.
    pub(super) fn adopt(&mut self, child: RuntimeIdentity, parent: RuntimeIdentity) {
        let known = self.sessions.iter_mut().find(|(it, _)| *it == child);
        if let Some((_, facts)) = known {
            facts.parent = Some(parent);
        } else if !self.sessions.is_empty() && self.sessions.len() < MOST_SESSIONS {
            self.sessions.push((child, Facts { parent: Some(parent), ..Facts::default() }));
        }
    }

    /// Another session speaks from now on.
    pub(super) fn switch(&mut self, who: RuntimeIdentity) {
        let place = self.sessions.iter().position(|(it, _)| *it == who);
        if place == Some(self.current) || (place.is_none() && self.sessions.len() >= MOST_SESSIONS)
        {
            return;
        }
        (self.turn, self.model) = (None, None);
        self.calls.clear();
        self.current = place.unwrap_or_else(|| {
            self.sessions.push((who, std::mem::take(&mut self.early)));
            self.sessions.len() - 1
        });
    }

    pub(super) fn open(&mut self, call: &str, event: EventId) {
        if call.is_empty() || call.len() > LONGEST_ID {
            return;
        }
        self.calls.push_back((call.to_owned(), event));
        if self.calls.len() > MOST_CALLS {
            self.calls.pop_front();
        }
    }

    /// The event of an open call.
    pub(super) fn call(&self, id: &str) -> Option<EventId> {
        self.calls.iter().rev().find(|(it, _)| it == id).map(|(_, event)| *event)
    }

    /// The event of a call, which is answered now.
    pub(super) fn close(&mut self, id: &str) -> Option<EventId> {
        let index = self.calls.iter().rposition(|(it, _)| it == id)?;
        self.calls.remove(index).map(|(_, event)| event)
    }

    /// The event of the oldest open call whose id has this prefix, which is answered now.
    pub(super) fn close_next(&mut self, prefix: &str) -> Option<EventId> {
        let index = self.calls.iter().position(|(it, _)| it.starts_with(prefix))?;
        self.calls.remove(index).map(|(_, event)| event)
    }

    /// The id of the oldest call without a result, for agents that do not name the call of a result.
    pub(super) fn oldest_call(&self) -> Option<String> {
        self.calls.front().map(|(id, _)| id.clone())
    }
}
