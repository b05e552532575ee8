//! The reader's state between records; saved with the checkpoint.

use super::calls::Calls;
use super::recent::Recent;
use serde::{Deserialize, Serialize};
use taffrail_kit::records::LineKeys;
use taffrail_model::{EventId, Facts, SessionId, Tokens, TurnId};

/// The whole state.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Memory {
    /// The thread of the file, once a record named it or an event was emitted.
    pub(super) thread: Option<String>,
    /// The facts about the session.
    pub(super) facts: Facts,
    /// The first record of the thread's own, for sub-agents that inherit context.
    pub(super) starts_at: Option<u64>,
    /// The open turn.
    pub(super) turn: Option<OpenTurn>,
    /// The last turns, for roll-backs.
    pub(super) recent: Recent,
    /// Recent tool calls.
    pub(super) calls: Calls,
    /// Keys for lines without an id.
    pub(super) lines: LineKeys,
    /// The thread's total at the last `token_count`.
    pub(super) total: Option<Tokens>,
    /// Whether a `token_usage_record` came since then.
    pub(super) usage_is_told: bool,
}

/// The open turn.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct OpenTurn {
    /// Codex's own id, if it has one.
    pub(super) provider: Option<String>,
    /// The turn's id.
    pub(super) id: TurnId,
    /// Whether a prompt opened it.
    pub(super) is_opened: bool,
    /// How many of its `token_count` records were counted.
    pub(super) counted: u64,
}

impl Memory {
    /// Enters a turn with Codex's own id, unless it is open already.
    pub(super) fn enter(&mut self, session: SessionId, provider: &str) {
        if self.is_current(provider) {
            return;
        }
        self.turn = Some(OpenTurn {
            provider: Some(provider.to_owned()),
            id: TurnId::of(session, provider),
            is_opened: false,
            counted: 0,
        });
    }

    /// Returns the turn of a record: the one it names, else the open one.
    pub(super) fn turn_of(&self, session: SessionId, provider: Option<&str>) -> Option<TurnId> {
        match provider {
            Some(provider) if !self.is_current(provider) => Some(TurnId::of(session, provider)),
            _ => self.turn.as_ref().map(|turn| turn.id),
        }
    }

    /// Puts a prompt into its turn; returns the turn and whether the prompt opened it.
    pub(super) fn prompt(&mut self, prompt: EventId) -> (TurnId, bool) {
        if let Some(turn) = &mut self.turn
            && turn.provider.is_some()
        {
            let opens = !std::mem::replace(&mut turn.is_opened, true);
            return (turn.id, opens);
        }
        let id = TurnId::opened_by(prompt);
        self.turn = Some(OpenTurn { provider: None, id, is_opened: true, counted: 0 });
        (id, true)
    }

    fn is_current(&self, provider: &str) -> bool {
        let current = self.turn.as_ref().and_then(|turn| turn.provider.as_deref());
        current == Some(provider)
    }
}
