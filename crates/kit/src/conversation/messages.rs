//! Messages that an agent says again, replaces or rewinds: what a message no longer says is removed.

use super::speaker::Speaker;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, VecDeque};
use taffrail_model::{EventId, RecordKey, RuntimeIdentity, TurnId};

/// The most messages that are remembered. Events of older ones can still be replaced, but no longer
/// be removed.
const MOST_MESSAGES: usize = 20_000;

/// A message with the parts of its events.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Message {
    /// The agent's id for it.
    pub(super) id: String,
    /// The parts that became events; empty if none did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) parts: Vec<u32>,
    /// Whether it is the prompt that opens a turn, which is then its first event.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) opens_turn: bool,
}

/// The messages that count, in order.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Messages(VecDeque<Message>);

impl Speaker<'_, '_> {
    /// Says a message of a list, again if it was said before. It gets the turn of its place in the list,
    /// and nothing else of the messages before it.
    pub fn listed(&mut self, id: &str, say: impl FnOnce(&mut Self)) {
        self.id(id);
        self.timeless();
        (self.memory.model, self.named, self.answer) = (None, None, None);
        let who = self.who();
        let place = self.memory.messages.place(id);
        self.memory.turn = self.memory.messages.turn_before(place, &who);
        self.message = Some(Message { id: id.to_owned(), ..Message::default() });
        say(self);
        let Some(now) = self.message.take() else { return };
        if let Some(before) = self.memory.messages.put(place, now.clone()) {
            self.take_back(&who, &before, &now.parts);
        }
    }

    /// Says messages that replace all before them.
    pub fn replaced(&mut self, say: impl FnOnce(&mut Self)) {
        let before = std::mem::take(&mut self.memory.messages);
        say(self);
        let who = self.who();
        let now = std::mem::take(&mut self.memory.messages);
        let parts = now.parts_by_id();
        for old in before.0 {
            self.take_back(&who, &old, parts.get(old.id.as_str()).copied().unwrap_or_default());
        }
        self.memory.messages = now;
    }

    /// Removes a message and all after it.
    pub fn rewound(&mut self, id: &str) {
        let who = self.who();
        for old in self.memory.messages.cut_from(id) {
            self.take_back(&who, &old, &[]);
        }
    }

    /// The session of the source until a record names one.
    pub fn guessed_session(&mut self, id: &str) {
        if self.memory.sessions.is_empty() {
            self.session(id);
            self.memory.is_guess = true;
        }
    }

    /// Whether the session is only guessed so far.
    pub fn is_guessed(&self) -> bool {
        self.memory.is_guess
    }

    /// The guess holds: the records that follow are those of this session.
    pub fn keep_guess(&mut self) {
        self.memory.keep_guess(self.place);
    }

    /// The session of the source; the first id counts. What was said under a guess is removed.
    pub fn named_session(&mut self, id: &str) {
        if self.memory.is_guess {
            self.replaced(|_| {});
            *self.memory = super::driver::Memory::default();
        }
        if self.memory.sessions.is_empty() {
            self.session(id);
        }
    }

    /// Removes the earlier events of a message, except those it still has.
    fn take_back(&mut self, who: &RuntimeIdentity, old: &Message, kept: &[u32]) {
        for part in old.parts.iter().filter(|part| !kept.contains(part)) {
            self.sink.remove(who, event_of(who, &old.id, *part));
        }
    }
}

impl Messages {
    /// Whether no message was read yet.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The place of a message that was read before.
    fn place(&self, id: &str) -> Option<usize> {
        self.0.iter().rposition(|it| it.id == id)
    }

    /// The turn that is open at a place, or else at the end.
    fn turn_before(&self, place: Option<usize>, who: &RuntimeIdentity) -> Option<TurnId> {
        let mut before = self.0.range(..place.unwrap_or(self.0.len())).rev();
        let opener = before.find(|it| it.opens_turn)?;
        Some(TurnId::opened_by(event_of(who, &opener.id, *opener.parts.first()?)))
    }

    /// Appends a message, or replaces the one at its place, which is returned.
    fn put(&mut self, place: Option<usize>, message: Message) -> Option<Message> {
        if let Some(entry) = place.and_then(|it| self.0.get_mut(it)) {
            return Some(std::mem::replace(entry, message));
        }
        self.0.push_back(message);
        if self.0.len() > MOST_MESSAGES {
            self.0.pop_front();
        }
        None
    }

    /// Removes a message and all after it; removes all if it is unknown, as Gemini CLI does.
    fn cut_from(&mut self, id: &str) -> VecDeque<Message> {
        let start = self.0.iter().position(|it| it.id == id).unwrap_or(0);
        self.0.split_off(start)
    }

    /// The parts of every message, by its id.
    fn parts_by_id(&self) -> HashMap<&str, &[u32]> {
        self.0.iter().map(|it| (it.id.as_str(), it.parts.as_slice())).collect()
    }
}

fn event_of(who: &RuntimeIdentity, message: &str, part: u32) -> EventId {
    EventId::of(who.session(), &RecordKey::Provider(message.into()), part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_model::AgentId;

    fn entry(id: &str, opens_turn: bool) -> Message {
        Message { id: id.to_owned(), parts: vec![0], opens_turn }
    }

    fn put(list: &mut Messages, message: Message) -> Option<Message> {
        list.put(list.place(&message.id), message)
    }

    fn list() -> Messages {
        let mut list = Messages::default();
        for (id, opens_turn) in [("a", true), ("b", false), ("c", true), ("d", false)] {
            assert_eq!(put(&mut list, entry(id, opens_turn)), None);
        }
        list
    }

    fn ids(messages: impl IntoIterator<Item = Message>) -> String {
        messages.into_iter().map(|it| it.id).collect()
    }

    #[test]
    fn a_known_message_is_replaced_in_its_place() {
        let mut list = list();
        assert_eq!(put(&mut list, entry("b", true)), Some(entry("b", false)));
        assert_eq!(ids(list.0), "abcd");
    }

    #[test]
    fn a_message_is_in_the_turn_of_the_prompt_before_it() {
        let (list, who) = (list(), RuntimeIdentity::new(AgentId::new("x"), "", "s"));
        let check = |id: &str, opener: Option<&str>| {
            let turn = opener.map(|it| TurnId::opened_by(event_of(&who, it, 0)));
            assert_eq!(list.turn_before(list.place(id), &who), turn, "{id}");
        };
        check("a", None);
        check("b", Some("a"));
        check("c", Some("a"));
        check("d", Some("c"));
        check("new", Some("c"));
    }

    #[test]
    fn a_rewind_takes_the_message_and_all_after_it() {
        let check = |id: &str, taken: &str, left: &str| {
            let mut list = list();
            assert_eq!(ids(list.cut_from(id)), taken);
            assert_eq!(ids(list.0), left);
        };
        check("c", "cd", "ab");
        check("a", "abcd", "");
        check("unknown", "abcd", "");
    }

    #[test]
    fn the_oldest_messages_are_forgotten() {
        let mut list = Messages::default();
        for number in 0..=MOST_MESSAGES {
            list.0.push_back(entry(&number.to_string(), false));
        }
        put(&mut list, entry("new", false));
        assert_eq!(list.0.front().map(|it| it.id.as_str()), Some("1"));
    }
}
