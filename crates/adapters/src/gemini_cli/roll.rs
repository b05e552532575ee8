//! The messages of a chat in their order, and the events each of them made.

use serde::{Deserialize, Serialize};
use std::collections::{HashMap, VecDeque};

/// The most messages that are remembered. Events of older ones stay as they are: they can still be
/// replaced, but no longer be taken back.
const MOST_MESSAGES: usize = 20_000;

/// A message that was met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Known {
    /// The agent's id for it.
    pub(super) id: String,
    /// The parts it made events of; none if it was silent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) parts: Vec<u32>,
    /// It is the prompt that opens a turn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) opens_turn: bool,
}

/// The messages that stand, in order.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Roll(VecDeque<Known>);

impl Roll {
    /// Nothing was met yet.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a message at the end, or in the place of the one with its id, which is given back.
    pub(super) fn put(&mut self, message: Known) -> Option<Known> {
        if let Some(known) = self.0.iter_mut().rfind(|known| known.id == message.id) {
            return Some(std::mem::replace(known, message));
        }
        self.0.push_back(message);
        if self.0.len() > MOST_MESSAGES {
            self.0.pop_front();
        }
        None
    }

    /// The prompt that opened the turn a message stands in.
    pub(super) fn opener_of(&self, id: &str) -> Option<&str> {
        let from = self.0.iter().rev().skip_while(|known| known.id != id);
        let mut openers = from.filter(|known| known.opens_turn);
        openers.next().map(|known| known.id.as_str())
    }

    /// Takes away a message and all after it; all of them if it is not known, as the agent does.
    pub(super) fn cut_from(&mut self, id: &str) -> Vec<Known> {
        let start = self.0.iter().position(|known| known.id == id).unwrap_or(0);
        self.0.split_off(start).into()
    }

    /// The parts of every message, by its id.
    pub(super) fn parts_by_id(&self) -> HashMap<&str, &[u32]> {
        let entries = self.0.iter();
        entries.map(|known| (known.id.as_str(), known.parts.as_slice())).collect()
    }
}

impl IntoIterator for Roll {
    type Item = Known;
    type IntoIter = std::collections::vec_deque::IntoIter<Known>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(id: &str, opens_turn: bool) -> Known {
        Known { id: id.to_owned(), parts: vec![0], opens_turn }
    }

    fn roll() -> Roll {
        let mut roll = Roll::default();
        for (id, opens_turn) in [("a", true), ("b", false), ("c", true), ("d", false)] {
            assert_eq!(roll.put(known(id, opens_turn)), None);
        }
        roll
    }

    fn ids(messages: impl IntoIterator<Item = Known>) -> String {
        messages.into_iter().map(|known| known.id).collect()
    }

    #[test]
    fn a_known_message_is_replaced_in_its_place() {
        let mut roll = roll();
        assert_eq!(roll.put(known("b", true)), Some(known("b", false)));
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
        let mut roll = Roll::default();
        for number in 0..=MOST_MESSAGES {
            roll.0.push_back(known(&number.to_string(), false));
        }
        roll.put(known("new", false));
        assert_eq!(roll.0.front().map(|known| known.id.as_str()), Some("1"));
    }
}
