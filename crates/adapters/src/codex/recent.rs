//! Which events the last turns said, because a roll-back takes them away again.
//!
//! Events are remembered by their keys: an id is a hash, and hardly any is ever needed.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::VecDeque;
use taffrail_model::{EventId, RecordKey, SessionId, TurnId, hash};

/// The most turns that a roll-back can still take away.
const RECENT_TURNS: usize = 64;
/// The most events that a roll-back can still take away.
const RECENT_EVENTS: usize = 512;

/// The events of the last turns, the oldest turn first.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Recent(VecDeque<RecentTurn>);

#[derive(Debug, Serialize, Deserialize)]
struct RecentTurn {
    id: TurnId,
    /// Codex counts only turns that somebody asked for.
    is_prompted: bool,
    events: Vec<Said>,
}

/// An event that was said, by its key and part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) key: RecordKey<'static>,
    pub(super) part: u32,
}

impl Recent {
    /// Remembers an event of a turn.
    pub(super) fn put(&mut self, turn: TurnId, event: Said, is_prompt: bool) {
        let known = self.0.iter_mut().rev().find(|known| known.id == turn);
        match known {
            Some(known) => {
                known.is_prompted |= is_prompt;
                known.events.push(event);
            }
            None => self.0.push_back(RecentTurn {
                id: turn,
                is_prompted: is_prompt,
                events: vec![event],
            }),
        }
        self.forget();
    }

    /// Takes the last `count` prompted turns away, and with them all that came later.
    pub(super) fn take_last(&mut self, count: u64) -> Vec<Said> {
        let mut taken = Vec::new();
        let mut left = count;
        while left > 0
            && let Some(turn) = self.0.pop_back()
        {
            left -= u64::from(turn.is_prompted);
            taken.push(turn.events);
        }
        taken.into_iter().rev().flatten().collect()
    }

    /// Forgets the oldest turns; of a single turn that is too long, the latest events.
    fn forget(&mut self) {
        while self.0.len() > RECENT_TURNS || (self.0.len() > 1 && self.count() > RECENT_EVENTS) {
            self.0.pop_front();
        }
        if let Some(oldest) = self.0.front_mut() {
            oldest.events.truncate(RECENT_EVENTS);
        }
    }

    fn count(&self) -> usize {
        self.0.iter().map(|turn| turn.events.len()).sum()
    }
}

impl Said {
    /// Remembers a key beyond the record it was read from.
    pub(super) fn new(key: &RecordKey<'_>, part: u32) -> Self {
        let key = match key {
            RecordKey::Provider(id) => RecordKey::Provider(id.to_string().into()),
            RecordKey::Ordinal(ordinal) => RecordKey::Ordinal(*ordinal),
            RecordKey::Line { hash, nth } => RecordKey::Line { hash: *hash, nth: *nth },
        };
        Self { key, part }
    }

    /// Returns the id under which the event was said.
    pub(super) fn id(&self, session: SessionId) -> EventId {
        EventId::of(session, &self.key, self.part)
    }

    /// Writes `<part> <form> <key>`.
    fn written(&self) -> String {
        let part = self.part;
        match &self.key {
            RecordKey::Provider(id) => format!("{part} id {id}"),
            RecordKey::Ordinal(ordinal) => format!("{part} ordinal {ordinal}"),
            RecordKey::Line { hash, nth } => format!("{part} line {nth}-{}", hash::to_hex(hash)),
        }
    }

    fn read(text: &str) -> Option<Self> {
        let (part, rest) = text.split_once(' ')?;
        let key = match rest.split_once(' ')? {
            ("id", id) => RecordKey::Provider(id.to_owned().into()),
            ("ordinal", ordinal) => RecordKey::Ordinal(ordinal.parse().ok()?),
            ("line", line) => {
                let (nth, hash) = line.split_once('-')?;
                let (nth, hash) = (nth.parse().ok()?, hash::from_hex(hash)?);
                RecordKey::Line { hash, nth }
            }
            _ => return None,
        };
        let part = part.parse().ok()?;
        Some(Self { key, part })
    }
}

impl Serialize for Said {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.written())
    }
}

impl<'de> Deserialize<'de> for Said {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::read(&text).ok_or_else(|| serde::de::Error::custom("a part and a key expected"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(ordinal: u64) -> Said {
        Said::new(&RecordKey::Ordinal(ordinal), 0)
    }

    fn turn(number: u8) -> TurnId {
        TurnId::from_bytes([number; 16])
    }

    #[test]
    fn a_roll_back_takes_prompted_turns_and_what_came_after() {
        let mut recent = Recent::default();
        recent.put(turn(1), event(1), true);
        recent.put(turn(2), event(2), true);
        recent.put(turn(2), event(3), false);
        recent.put(turn(3), event(4), false);
        assert_eq!(recent.take_last(1), [event(2), event(3), event(4)]);
        assert_eq!(recent.take_last(9), [event(1)]);
        assert_eq!(recent.take_last(1), []);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut recent = Recent::default();
        for number in 0..100 {
            recent.put(turn(number), event(1), true);
        }
        assert_eq!(recent.0.len(), RECENT_TURNS);
        for _ in 0..2000 {
            recent.put(turn(200), event(1), true);
        }
        assert_eq!(recent.take_last(100).len(), RECENT_EVENTS);
    }

    #[test]
    fn every_form_of_key_is_read_as_it_was_written() {
        let hash = [7; 16];
        for key in [
            RecordKey::Provider("call:a b 1".into()),
            RecordKey::Ordinal(9),
            RecordKey::Line { hash, nth: 3 },
        ] {
            let said = Said::new(&key, 1);
            let json = serde_json::to_string(&said).unwrap();
            assert_eq!(serde_json::from_str::<Said>(&json).unwrap(), said);
        }
        for odd in ["", "1", "1 id", "x id a", "1 line 3-zz", "1 moon 3"] {
            assert_eq!(Said::read(odd), None, "{odd}");
        }
    }
}
