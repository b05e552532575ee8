//! Decides which queued message is sent next.

use super::{Delivery, Message};
use crate::status::{Reading, Status, WaitingKind};
use crate::{Confidence, Timestamp};

/// How many seconds a pasted message blocks the next one while its arrival is unconfirmed.
pub const UNHEARD_SECONDS: i64 = 60;

/// The message to send now: the first in the queue, if the session waits for a prompt with enough
/// confidence and the message before has arrived.
#[must_use]
pub fn due<'a>(queue: &'a [Message], reading: &Reading, now: Timestamp) -> Option<&'a Message> {
    if held_by(reading).is_some() {
        return None;
    }
    let out = |it: &Message| match it.state {
        Delivery::Delivering => true,
        Delivery::Delivered => now.as_second() - it.moved_at.as_second() < UNHEARD_SECONDS,
        _ => false,
    };
    if queue.iter().any(out) {
        return None;
    }
    let is_next = |it: &&Message| it.state == Delivery::Accepted && it.is_due(now);
    let waiting = queue.iter().filter(is_next);
    waiting.min_by_key(|it| it.number)
}

/// Why a session with this status cannot receive a prompt; `None` if it can.
#[must_use]
pub fn held_by(reading: &Reading) -> Option<&'static str> {
    let asks = reading.waiting_for.as_ref().map(|it| it.kind);
    let sure = matches!(reading.confidence, Confidence::High | Confidence::Medium);
    match (reading.status, asks) {
        (Status::Exited, _) => Some("it is over"),
        (Status::Running, _) => Some("it is at work"),
        (Status::WaitingApproval, _) | (_, Some(WaitingKind::Approval)) => {
            Some("it asks for an approval")
        }
        (_, Some(WaitingKind::Question)) => Some("it asks a question"),
        (Status::Unknown, _) => Some("its status is unknown"),
        (Status::Waiting | Status::Idle, _) if !sure => Some("its status is only a guess"),
        (Status::Waiting | Status::Idle, _) => None,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::tests::message;
    use super::*;
    use crate::status::{StatusRule, WaitingFor};

    pub(in super::super) fn reading(
        status: Status,
        kind: Option<WaitingKind>,
        confidence: Confidence,
    ) -> Reading {
        Reading {
            status,
            since: Timestamp::UNIX_EPOCH,
            confidence,
            waiting_for: kind.map(|kind| WaitingFor::new(kind, String::new())),
            rule: StatusRule::NothingKnown,
            rests_on: Vec::new(),
            until: None,
            failure: None,
        }
    }

    #[test]
    fn the_first_one_goes_when_the_session_waits_and_the_one_before_arrived() {
        use Delivery::{Accepted, Delivered, Delivering, Failed, PickedUp};
        let ready = || reading(Status::Waiting, Some(WaitingKind::Prompt), Confidence::High);
        let check = |queue: &[Delivery], reading: &Reading, after: i64, expected: Option<u32>| {
            let queue: Vec<_> =
                (1..).zip(queue).map(|(number, state)| message(number, state.clone())).collect();
            let now = Timestamp::from_second(1_001 + after).unwrap();
            assert_eq!(due(&queue, reading, now).map(|it| it.number), expected, "{reading:?}");
        };
        check(&[], &ready(), 0, None);
        check(&[Accepted, Accepted], &ready(), 0, Some(1));
        check(&[PickedUp, Failed, Accepted], &ready(), 0, Some(3));
        check(&[Delivering, Accepted], &ready(), 1_000, None);
        check(&[Delivered, Accepted], &ready(), UNHEARD_SECONDS - 1, None);
        check(&[Delivered, Accepted], &ready(), UNHEARD_SECONDS, Some(2));
        for status in [Status::Running, Status::WaitingApproval, Status::Exited, Status::Unknown] {
            check(&[Accepted], &reading(status, None, Confidence::High), 0, None);
        }
        for (status, kind, sure, expected) in [
            (Status::Waiting, Some(WaitingKind::Question), Confidence::High, None),
            (Status::Waiting, Some(WaitingKind::Prompt), Confidence::Low, None),
            (Status::Waiting, Some(WaitingKind::Prompt), Confidence::Unknown("?".into()), None),
            (Status::Waiting, None, Confidence::Medium, Some(1)),
            (Status::Idle, None, Confidence::Medium, Some(1)),
        ] {
            check(&[Accepted], &reading(status, kind, sure), 0, expected);
        }
    }
}
