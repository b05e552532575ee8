//! Messages: prompts that are sent to a session or wait in its queue, and what is known of their
//! delivery.
//!
//! A message is a row that moves by what happens to it. It is put into a terminal at most once: what
//! may have been put in and was not seen to arrive is never put in again by itself.

mod turn;

pub use crate::ids::MessageId;
pub use turn::{UNHEARD_SECONDS, due, held_by};

use crate::words::words;
use crate::{EventId, SessionId, Timestamp};
use serde::{Deserialize, Serialize};

/// The longest message that is taken, in bytes.
pub const TEXT_LIMIT: usize = 64 * 1024;

words! {
    /// How far a message has come.
    Delivery {
        /// We have it; it waits for its turn.
        Accepted = "accepted",
        /// It is being put into the terminal, or was when we were cut off.
        Delivering = "delivering",
        /// It was put in.
        Delivered = "delivered",
        /// The agent's own record or hook says that it took it.
        PickedUp = "picked_up",
        /// It was not delivered, or nobody knows, and it is not tried again.
        Failed = "failed",
        /// It was taken back before it was delivered.
        Removed = "removed",
    }
}

/// Who sends.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sender {
    /// The session that sends, if one does.
    pub session_id: Option<SessionId>,
    /// The face or executor it comes from.
    pub peer_id: Option<String>,
}

/// A message to a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Its name.
    pub id: MessageId,
    /// The session it is for.
    pub session_id: SessionId,
    /// Its place in the session's queue.
    pub number: u32,
    /// Who sends it.
    pub from: Sender,
    /// What it says; forgotten once it arrived, because the transcript has it then.
    pub text: String,
    /// How far it has come.
    pub state: Delivery,
    /// The executor it was given to.
    pub to_peer_id: Option<String>,
    /// When it was accepted.
    pub accepted_at: Timestamp,
    /// When it last moved.
    pub moved_at: Timestamp,
    /// Why it stands where it stands, if there is a reason.
    pub why: Option<String>,
    /// The event that says that it was taken.
    pub heard_as: Option<EventId>,
}

/// Something that happens to a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happening {
    /// An executor is about to be given it.
    Begun(String),
    /// The executor is not ready: nothing was put in.
    NotNow(String),
    /// It was put in.
    PutIn,
    /// It was not put in and will not be, or nobody can say.
    Broken(String),
    /// The agent says that it took it.
    Heard(EventId),
    /// Its sender takes it back.
    TakenBack,
}

impl Message {
    /// The message after something happened to it; `None` where that changes nothing, or may not.
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

    /// It may still move.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.state, Delivery::Accepted | Delivery::Delivering | Delivery::Delivered)
    }

    /// The agent took a prompt of this text.
    #[must_use]
    pub fn says(&self, prompt: &str) -> bool {
        let is_out = matches!(self.state, Delivery::Delivering | Delivery::Delivered);
        is_out && self.text.split_whitespace().eq(prompt.split_whitespace())
    }
}

/// What may go into a terminal as a paste: line ends and tabs stay, every other control character
/// goes, so that no text can end the paste and go on as keys.
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
