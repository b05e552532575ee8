//! Messages: prompts that are sent to a session or wait in its queue, and the state of their
//! delivery.
//!
//! A message is a row that changes with each happening. Taffrail pastes it into a terminal at most
//! once: a message that may have been pasted but was not seen to arrive is never sent again
//! automatically.

mod schedule;
mod turn;

pub use crate::ids::MessageId;
pub use schedule::{
    LATE_SECONDS, LastPrompt, SPREAD_SECONDS, Schedule, ScheduledBy, Verdict, after_reset,
};
pub use turn::{UNHEARD_SECONDS, due, held_by};

use crate::words::words;
use crate::{EventId, SessionId, Timestamp};
use serde::{Deserialize, Serialize};

/// The longest accepted message, in bytes.
pub const TEXT_LIMIT: usize = 64 * 1024;

words! {
    /// The delivery state of a message.
    Delivery {
        /// Queued.
        Accepted = "accepted",
        /// Being pasted into the terminal, or interrupted while it was.
        Delivering = "delivering",
        /// Pasted into the terminal.
        Delivered = "delivered",
        /// The agent's own record or hook confirms that the agent accepted it.
        PickedUp = "picked_up",
        /// Not delivered, or delivery is unknown; it is not retried.
        Failed = "failed",
        /// Withdrawn before delivery.
        Removed = "removed",
    }
}

/// The sender of a message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sender {
    /// The sending session, if a session sends.
    pub session_id: Option<SessionId>,
    /// The sending surface or executor.
    pub peer_id: Option<String>,
}

/// A message to a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The id of the message.
    pub id: MessageId,
    /// The receiving session.
    pub session_id: SessionId,
    /// Its place in the session's queue.
    pub number: u32,
    /// The sender.
    pub from: Sender,
    /// The text; deleted after arrival, because the transcript has it then.
    pub text: String,
    /// The delivery state.
    pub state: Delivery,
    /// The receiving executor.
    pub to_peer_id: Option<String>,
    /// When it was accepted.
    pub accepted_at: Timestamp,
    /// When the state last changed.
    pub moved_at: Timestamp,
    /// The reason for the state, if there is one.
    pub why: Option<String>,
    /// The event that confirms that the agent accepted it.
    pub heard_as: Option<EventId>,
    /// Its time, if it has one; a message of an earlier version has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Schedule>,
}

/// Something that happens to a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happening {
    /// Delivery to an executor begins.
    Begun(String),
    /// The executor is not ready: nothing was pasted.
    NotNow(String),
    /// The text was pasted.
    PutIn,
    /// The text was not and will not be pasted, or that is unknown.
    Broken(String),
    /// The agent confirms that it accepted the message.
    Heard(EventId),
    /// The sender withdraws the message.
    TakenBack,
}

impl Message {
    /// The message after a happening; `None` if the happening is not allowed or changes nothing.
    #[must_use]
    pub fn after(&self, happening: &Happening, now: Timestamp) -> Option<Self> {
        use {Delivery as D, Happening as H};
        let to = |state: D| Self { state, moved_at: now, why: None, ..self.clone() };
        let because = |state: D, why: &str| Self { why: Some(why.to_owned()), ..to(state) };
        match (&self.state, happening) {
            (D::Accepted, H::Begun(peer)) => {
                Some(Self { to_peer_id: Some(peer.clone()), ..to(D::Delivering) })
            }
            (D::Accepted | D::Delivering, H::NotNow(why)) => Some(because(D::Accepted, why)),
            (D::Delivering, H::PutIn) => Some(to(D::Delivered)),
            (D::Accepted | D::Delivering, H::Broken(why)) => Some(because(D::Failed, why)),
            (D::Delivering | D::Delivered, H::Heard(event)) => {
                let text = String::new();
                Some(Self { text, heard_as: Some(*event), ..to(D::PickedUp) })
            }
            (D::Accepted, H::TakenBack) => Some(Self { text: String::new(), ..to(D::Removed) }),
            (_, _) => None,
        }
    }

    /// Whether the state can still change.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.state, Delivery::Accepted | Delivery::Delivering | Delivery::Delivered)
    }

    /// Whether a prompt that the agent accepted has this message's text.
    #[must_use]
    pub fn says(&self, prompt: &str) -> bool {
        let is_out = matches!(self.state, Delivery::Delivering | Delivery::Delivered);
        is_out && self.text.split_whitespace().eq(prompt.split_whitespace())
    }
}

/// Sanitizes text for a paste: line ends and tabs stay, every other control character goes, so that
/// no text can end the paste and continue as keystrokes.
#[must_use]
pub fn pasteable(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.chars().filter(|it| matches!(it, '\n' | '\t') || !it.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AgentId, RuntimeIdentity};
    use proptest::prelude::*;

    pub(super) fn message(number: u32, state: Delivery) -> Message {
        let session = RuntimeIdentity::new(AgentId::new("toy"), "", "s").session();
        let at = Timestamp::from_second(1_000 + i64::from(number)).unwrap();
        Message {
            id: MessageId::of(session, number, at),
            session_id: session,
            number,
            from: Sender::default(),
            text: "go on\nplease".to_owned(),
            state,
            to_peer_id: None,
            accepted_at: at,
            moved_at: at,
            why: None,
            heard_as: None,
            schedule: None,
        }
    }

    fn event() -> EventId {
        let key = crate::RecordKey::Provider("e".into());
        EventId::of(message(0, Delivery::Accepted).session_id, &key, 0)
    }

    fn happenings() -> Vec<Happening> {
        vec![
            Happening::Begun("tmux:%1".to_owned()),
            Happening::NotNow("busy".to_owned()),
            Happening::PutIn,
            Happening::Broken("gone".to_owned()),
            Happening::Heard(event()),
            Happening::TakenBack,
        ]
    }

    #[test]
    fn a_message_goes_these_ways_and_no_other() {
        use Delivery as D;
        let states = [D::Accepted, D::Delivering, D::Delivered, D::PickedUp, D::Failed, D::Removed];
        let now = Timestamp::from_second(2_000).unwrap();
        let ways = states.map(|state| {
            let it = message(1, state);
            let to = happenings().into_iter().map(|happening| {
                it.after(&happening, now).map_or("-".to_owned(), |it| it.state.as_str().to_owned())
            });
            to.collect::<Vec<_>>().join(" ")
        });
        let expected = [
            "delivering accepted - failed - removed",
            "- accepted delivered failed picked_up -",
            "- - - - picked_up -",
            "- - - - - -",
            "- - - - - -",
            "- - - - - -",
        ];
        assert_eq!(ways, expected);
    }

    #[test]
    fn what_arrived_is_kept_by_the_transcript_alone() {
        let now = Timestamp::from_second(2_000).unwrap();
        let it = message(1, Delivery::Delivered);
        assert!(it.says(" go on  please\n") && !it.says("go on") && !it.says(""));
        let heard = it.after(&Happening::Heard(event()), now).unwrap();
        assert_eq!((heard.text.as_str(), heard.heard_as), ("", Some(event())));
        assert!(!heard.is_open() && !message(1, Delivery::Accepted).says("go on please"));
    }

    proptest! {
        #[test]
        fn nothing_is_put_in_twice(steps in prop::collection::vec(0usize..6, 0..40)) {
            let now = Timestamp::from_second(2_000).unwrap();
            let (mut it, mut put_in) = (message(1, Delivery::Accepted), 0);
            for step in steps {
                let happening = happenings()[step].clone();
                if let Some(next) = it.after(&happening, now) {
                    put_in += u32::from(happening == Happening::PutIn);
                    it = next;
                }
            }
            prop_assert!(put_in <= 1);
        }

        #[test]
        fn a_paste_cannot_be_ended_from_within(text in "(\\PC|\u{1b}\\[20[01]~|[\u{0}-\u{9f}]){0,60}") {
            let safe = pasteable(&text);
            prop_assert!(!safe.chars().any(|it| it.is_control() && it != '\n' && it != '\t'));
            prop_assert_eq!(pasteable(&safe), safe);
        }
    }
}
