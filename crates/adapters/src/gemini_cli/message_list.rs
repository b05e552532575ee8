//! The messages of a chat in order, and the events of each.

use serde::{Deserialize, Serialize};
use std::collections::{HashMap, VecDeque};

/// The most messages that are remembered. Events of older ones can still be replaced, but no longer
/// be removed.
const MOST_MESSAGES: usize = 20_000;

/// A message with the parts of its events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ListedMessage {
    /// The agent's id for it.
    pub(super) id: String,
    /// The parts that became events; empty if none did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) parts: Vec<u32>,
    /// Whether it is the prompt that opens a turn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) opens_turn: bool,
}

/// The messages that count, in order.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct MessageList(VecDeque<ListedMessage>);

impl MessageList {
    /// Whether no message was read yet.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Appends a message, or replaces the one with its id, which is returned.
    pub(super) fn put(&mut self, message: ListedMessage) -> Option<ListedMessage> {
        if let Some(entry) = self.0.iter_mut().rfind(|entry| entry.id == message.id) {
            return Some(std::mem::replace(entry, message));
        }
        self.0.push_back(message);
        if self.0.len() > MOST_MESSAGES {
            self.0.pop_front();
        }
        None
    }

    /// The prompt that opened a message's turn.
    pub(super) fn opener_of(&self, id: &str) -> Option<&str> {
        let from = self.0.iter().rev().skip_while(|entry| entry.id != id);
        let mut openers = from.filter(|entry| entry.opens_turn);
        openers.next().map(|entry| entry.id.as_str())
    }

    /// Removes a message and all after it; removes all if it is unknown, as the agent does.
    pub(super) fn cut_from(&mut self, id: &str) -> Vec<ListedMessage> {
        let start = self.0.iter().position(|entry| entry.id == id).unwrap_or(0);
        self.0.split_off(start).into()
    }

    /// The parts of every message, by its id.
    pub(super) fn parts_by_id(&self) -> HashMap<&str, &[u32]> {
        let entries = self.0.iter();
        entries.map(|entry| (entry.id.as_str(), entry.parts.as_slice())).collect()
    }
}

impl IntoIterator for MessageList {
    type Item = ListedMessage;
    type IntoIter = std::collections::vec_deque::IntoIter<ListedMessage>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str, opens_turn: bool) -> ListedMessage {
        ListedMessage { id: id.to_owned(), parts: vec![0], opens_turn }
    }

    fn roll() -> MessageList {
        let mut roll = MessageList::default();
        for (id, opens_turn) in [("a", true), ("b", false), ("c", true), ("d", false)] {
            assert_eq!(roll.put(entry(id, opens_turn)), None);
        }
        roll
    }

    fn ids(messages: impl IntoIterator<Item = ListedMessage>) -> String {
        messages.into_iter().map(|entry| entry.id).collect()
    }

    #[test]
    fn a_known_message_is_replaced_in_its_place() {
        let mut roll = roll();
        assert_eq!(roll.put(entry("b", true)), Some(entry("b", false)));
        assert_eq!(ids(roll), "abcd");
    }

    #[test]
    fn a_message_stands_in_the_turn_of_the_prompt_before_it() {
        let roll = roll();
        assert_eq!(roll.opener_of("b"), Some("a"));
        assert_eq!(roll.opener_of("c"), Some("c"));
        assert_eq!(roll.opener_of("x"), None);
    }

    #[test]
    fn a_rewind_takes_the_message_and_all_after_it() {
        let check = |id: &str, taken: &str, left: &str| {
            let mut roll = roll();
            assert_eq!(ids(roll.cut_from(id)), taken);
            assert_eq!(ids(roll), left);
        };
        check("c", "cd", "ab");
        check("a", "abcd", "");
        check("unknown", "abcd", "");
    }

    #[test]
    fn the_oldest_messages_are_forgotten() {
        let mut roll = MessageList::default();
        for number in 0..=MOST_MESSAGES {
            roll.0.push_back(entry(&number.to_string(), false));
        }
        roll.put(entry("new", false));
        assert_eq!(roll.0.front().map(|entry| entry.id.as_str()), Some("1"));
    }
}
