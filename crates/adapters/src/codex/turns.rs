//! The open turn: Codex names its turns, except in the files of 2025.

use super::rollout::Reading;
use serde::{Deserialize, Serialize};
use taffrail_model::{EventId, TurnId, hash};

/// The open turn.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct OpenTurn {
    /// Codex's own id, if it has one.
    pub(super) provider: Option<String>,
    /// The turn's id.
    pub(super) id: TurnId,
    /// Whether a prompt opened it.
    is_opened: bool,
    /// How many of its `token_count` records were counted.
    pub(super) counted: u64,
}

impl Reading<'_, '_, '_> {
    /// Enters a turn that Codex named, unless it is open already.
    pub(super) fn enter(&mut self, provider: Option<&str>) {
        let Some(provider) = provider else { return };
        let mark = || hash::digest("codex-record", &[provider.as_bytes()]);
        self.speaker.facts().first_record.get_or_insert_with(mark);
        if !self.is_current(provider) {
            let id = TurnId::of(self.speaker.session_key(), provider);
            let provider = Some(provider.to_owned());
            self.own.turn = Some(OpenTurn { provider, id, is_opened: false, counted: 0 });
        }
    }

    /// The turn of a record: the one it names, else the open one.
    pub(super) fn turn_of(&self, provider: Option<&str>) -> Option<TurnId> {
        match provider {
            Some(provider) if !self.is_current(provider) => {
                Some(TurnId::of(self.speaker.session_key(), provider))
            }
            _ => self.own.turn.as_ref().map(|turn| turn.id),
        }
    }

    /// Puts a prompt into its turn; returns the turn and whether the prompt opened it.
    pub(super) fn turn_of_prompt(&mut self, prompt: EventId) -> (TurnId, bool) {
        if let Some(turn) = &mut self.own.turn
            && turn.provider.is_some()
        {
            let opens = !std::mem::replace(&mut turn.is_opened, true);
            return (turn.id, opens);
        }
        let id = TurnId::opened_by(prompt);
        self.own.turn = Some(OpenTurn { provider: None, id, is_opened: true, counted: 0 });
        (id, true)
    }

    fn is_current(&self, provider: &str) -> bool {
        let current = self.own.turn.as_ref().and_then(|turn| turn.provider.as_deref());
        current == Some(provider)
    }
}
