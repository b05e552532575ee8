//! The latest turns, because a rollback removes them.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use taffrail_model::TurnId;

/// The most turns that a rollback can still remove.
const RECENT_TURNS: usize = 64;

/// The latest turns with events, the oldest first.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Recent(VecDeque<RecentTurn>);

#[derive(Debug, Serialize, Deserialize)]
struct RecentTurn {
    id: TurnId,
    /// Whether the turn has a prompt: Codex counts only those.
    is_prompted: bool,
}

impl Recent {
    /// Notes an event in a turn.
    pub(super) fn note(&mut self, turn: TurnId, is_prompt: bool) {
        if let Some(known) = self.0.iter_mut().rfind(|known| known.id == turn) {
            known.is_prompted |= is_prompt;
            return;
        }
        if self.0.len() >= RECENT_TURNS {
            self.0.pop_front();
        }
        self.0.push_back(RecentTurn { id: turn, is_prompted: is_prompt });
    }

    /// Removes the last `count` prompted turns, and everything after them.
    pub(super) fn take_last(&mut self, count: u64) -> Vec<TurnId> {
        let mut taken = Vec::new();
        let mut left = count;
        while left > 0
            && let Some(turn) = self.0.pop_back()
        {
            left -= u64::from(turn.is_prompted);
            taken.push(turn.id);
        }
        taken.reverse();
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(number: u8) -> TurnId {
        TurnId::from_bytes([number; 16])
    }

    #[test]
    fn a_roll_back_takes_prompted_turns_and_what_came_after() {
        let mut recent = Recent::default();
        recent.note(turn(1), true);
        recent.note(turn(2), false);
        recent.note(turn(2), true);
        recent.note(turn(3), false);
        recent.note(turn(1), false);
        assert_eq!(recent.take_last(1), [turn(2), turn(3)]);
        assert_eq!(recent.take_last(9), [turn(1)]);
        assert_eq!(recent.take_last(1), []);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut recent = Recent::default();
        for number in 0..100 {
            recent.note(turn(number), true);
        }
        assert_eq!(recent.0.front().map(|oldest| oldest.id), Some(turn(36)));
        let saved = serde_json::to_string(&recent).unwrap();
        assert!(saved.len() < 5 * 1024, "{} bytes", saved.len());
        assert_eq!(recent.take_last(100).len(), RECENT_TURNS);
    }
}
