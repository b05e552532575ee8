//! Messages with a time: whether one is due, and whether its session is still as it was left.

use super::{Delivery, Message};
use crate::status::{Reading, Status, WaitingKind};
use crate::words::words;
use crate::{Confidence, EventId, SessionId, Timestamp, hash};
use serde::{Deserialize, Serialize};

/// A message for a reset goes in less than this many seconds after it, so that many sessions do
/// not ask at once.
pub const SPREAD_SECONDS: u32 = 300;
/// A message that could not be sent this long after its time is closed.
pub const LATE_SECONDS: i64 = 24 * 60 * 60;
/// Why a message waits for a session that may or may not run.
const NO_PROCESS: &str = "no running process was found for it";

words! {
    /// What gives a message its time.
    ScheduledBy {
        /// The reset of the limit that stops its session.
        Reset = "reset",
        /// A time that the sender gave.
        Time = "time",
    }
}

/// The last prompt of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastPrompt {
    /// The event of the prompt.
    pub id: EventId,
    /// When the agent got it.
    pub at: Timestamp,
}

/// The time of a message, and the state its session was left in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// The earliest time of delivery.
    pub not_before: Timestamp,
    /// What gave the time.
    pub by: ScheduledBy,
    /// The session's last prompt when the message was accepted.
    pub left: Option<LastPrompt>,
}

/// What happens to a message whose time has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It goes in, once the screen shows an empty prompt.
    Send,
    /// It waits, and why.
    Wait(&'static str),
    /// It is closed and never sent, and why.
    Close(String),
}

/// The time of a message for a reset: the reset, and a delay that differs by session and message.
#[must_use]
pub fn after_reset(reset: Timestamp, session: SessionId, now: Timestamp) -> Timestamp {
    let seed = now.as_microsecond().to_le_bytes();
    let [a, b, c, d, ..] = hash::digest("after-reset", &[session.as_bytes(), &seed]);
    let delay = i64::from(u32::from_le_bytes([a, b, c, d]) % SPREAD_SECONDS);
    Timestamp::from_second(reset.as_second().saturating_add(delay)).unwrap_or(reset).max(reset)
}

impl Schedule {
    /// Decides about a message from its session's status, if that is known, and last prompt.
    #[must_use]
    pub fn verdict(
        &self,
        (reading, last): (Option<&Reading>, Option<&LastPrompt>),
        now: Timestamp,
    ) -> Verdict {
        if let Some(why) = self.outrun(last) {
            return Verdict::Close(why);
        }
        let found = match reading {
            _ if last.map(|it| it.id) != self.left.as_ref().map(|it| it.id) => {
                Verdict::Wait("its last prompt is not the one that it was left with")
            }
            Some(reading) => of_status(reading),
            // A limit may last for days, and the status of a quiet session is kept for one.
            None => Verdict::Wait(NO_PROCESS),
        };
        match found {
            Verdict::Wait(why) if self.is_late(now) => Verdict::Close(format!("not sent: {why}")),
            found => found,
        }
    }

    /// Why the session is past the state it was left in, if it got another prompt.
    #[must_use]
    pub fn outrun(&self, last: Option<&LastPrompt>) -> Option<String> {
        let last = last?;
        let is_later = |left: &LastPrompt| left.id != last.id && left.at < last.at;
        let went_on = self.left.as_ref().is_none_or(is_later);
        let at = last.at.strftime("%H:%M");
        went_on.then(|| format!("not sent: the session got another prompt at {at} UTC"))
    }

    /// Whether the message was due so long ago that it is no longer waited for.
    #[must_use]
    pub fn is_late(&self, now: Timestamp) -> bool {
        now.as_second().saturating_sub(self.not_before.as_second()) >= LATE_SECONDS
    }
}

impl Message {
    /// Whether its time has come; a message without a time is always due.
    #[must_use]
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.schedule.as_ref().is_none_or(|it| it.not_before <= now)
    }

    /// The schedule of a message that was not begun.
    #[must_use]
    pub fn waits_for(&self) -> Option<&Schedule> {
        self.schedule.as_ref().filter(|_| self.state == Delivery::Accepted)
    }
}

/// A session that works or asks is not as it was left; a guess decides nothing.
fn of_status(reading: &Reading) -> Verdict {
    let asks = reading.waiting_for.as_ref().map(|it| it.kind);
    let sure = matches!(reading.confidence, Confidence::High | Confidence::Medium);
    let close = |why: &str| Verdict::Close(format!("not sent: the session {why}"));
    match (reading.status, asks) {
        // Nothing moved for a day, and that is all that is known.
        (Status::Exited, _) if !sure => Verdict::Wait(NO_PROCESS),
        (Status::Exited, _) => close("is over"),
        (Status::Unknown, _) => Verdict::Wait("its status is unknown"),
        _ if !sure => Verdict::Wait("its status is only a guess"),
        (Status::Running, _) => close("is at work"),
        (Status::WaitingApproval, _) | (_, Some(WaitingKind::Approval)) => {
            close("asks for an approval")
        }
        (_, Some(WaitingKind::Question)) => close("asks a question"),
        (Status::Waiting | Status::Idle, _) => Verdict::Send,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::message;
    use super::super::turn::tests::reading;
    use super::*;
    use crate::{AgentId, RecordKey, RuntimeIdentity};

    fn session(name: &str) -> SessionId {
        RuntimeIdentity::new(AgentId::new("toy"), "", name).session()
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn prompt(name: &str, second: i64) -> LastPrompt {
        let key = RecordKey::Provider(name.into());
        LastPrompt { id: EventId::of(session("s"), &key, 0), at: at(second) }
    }

    fn left(left: Option<LastPrompt>) -> Schedule {
        Schedule { not_before: at(1_000), by: ScheduledBy::Reset, left }
    }

    #[test]
    fn a_due_message_goes_in_only_if_its_session_is_as_it_was_left() {
        use Confidence::{High, Low, Medium};
        use Verdict::{Close, Send, Wait};
        let check = |status: Option<Reading>, last: Option<LastPrompt>, expected: Verdict| {
            let found =
                left(Some(prompt("a", 500))).verdict((status.as_ref(), last.as_ref()), at(1_000));
            assert_eq!(found, expected, "{status:?} {last:?}");
        };
        let same = || Some(prompt("a", 500));
        let close = |why: &str| Close(format!("not sent: {why}"));
        let is = |status, kind, sure| Some(reading(status, kind, sure));
        let ready = || is(Status::Waiting, Some(WaitingKind::Prompt), High);
        check(ready(), same(), Send);
        check(is(Status::Idle, None, Medium), same(), Send);
        check(is(Status::Running, None, High), same(), close("the session is at work"));
        check(is(Status::Exited, None, High), same(), close("the session is over"));
        let asks = || close("the session asks for an approval");
        check(is(Status::WaitingApproval, None, High), same(), asks());
        check(is(Status::Waiting, Some(WaitingKind::Approval), High), same(), asks());
        let question = is(Status::Waiting, Some(WaitingKind::Question), High);
        check(question, same(), close("the session asks a question"));
        check(is(Status::Unknown, None, High), same(), Wait("its status is unknown"));
        check(is(Status::Running, None, Low), same(), Wait("its status is only a guess"));
        check(is(Status::Waiting, None, Low), same(), Wait("its status is only a guess"));
        let went_on = || close("the session got another prompt at 00:10 UTC");
        check(ready(), Some(prompt("b", 600)), went_on());
        check(is(Status::Unknown, None, High), Some(prompt("b", 600)), went_on());
        // An index that is being rebuilt lacks the prompt for a while.
        let other = || Wait("its last prompt is not the one that it was left with");
        check(ready(), None, other());
        check(ready(), Some(prompt("before", 400)), other());
    }

    #[test]
    fn a_prompt_for_a_weekly_reset_is_not_closed_because_its_session_was_quiet_for_days() {
        let why = "no running process was found for it";
        let exited = |sure| reading(Status::Exited, None, sure);
        for quiet in [None, Some(exited(Confidence::Low))] {
            let check = |now: i64, expected: Verdict| {
                let found = left(None).verdict((quiet.as_ref(), None), at(now));
                assert_eq!(found, expected, "{quiet:?} {now}");
            };
            check(1_000, Verdict::Wait(why));
            check(1_000 + LATE_SECONDS - 1, Verdict::Wait(why));
            check(1_000 + LATE_SECONDS, Verdict::Close(format!("not sent: {why}")));
        }
        for sure in [Confidence::High, Confidence::Medium] {
            let found = left(None).verdict((Some(&exited(sure)), None), at(1_000));
            assert_eq!(found, Verdict::Close("not sent: the session is over".to_owned()));
        }
    }

    #[test]
    fn a_session_without_prompts_is_left_when_it_gets_one() {
        let check = |last: Option<LastPrompt>, expected: Verdict| {
            let ready = reading(Status::Waiting, None, Confidence::High);
            let found = left(None).verdict((Some(&ready), last.as_ref()), at(1_000));
            assert_eq!(found, expected);
        };
        check(None, Verdict::Send);
        let why = "not sent: the session got another prompt at 00:10 UTC";
        check(Some(prompt("a", 600)), Verdict::Close(why.to_owned()));
    }

    #[test]
    fn a_message_waits_for_a_day_and_no_longer() {
        let unknown = reading(Status::Unknown, None, Confidence::High);
        let ready = reading(Status::Idle, None, Confidence::High);
        let verdict = |reading: &Reading, now| left(None).verdict((Some(reading), None), at(now));
        let why = "its status is unknown";
        let end = 1_000 + LATE_SECONDS;
        assert_eq!(verdict(&unknown, end - 1), Verdict::Wait(why));
        assert_eq!(verdict(&unknown, end), Verdict::Close(format!("not sent: {why}")));
        assert_eq!(verdict(&ready, end), Verdict::Send);
    }

    #[test]
    fn resets_are_spread_over_less_than_five_minutes() {
        let reset = at(5_000);
        let delays: Vec<i64> = (0..200)
            .map(|it| after_reset(reset, session(&it.to_string()), at(9)).as_second() - 5_000)
            .collect();
        assert!(delays.iter().all(|it| (0..i64::from(SPREAD_SECONDS)).contains(it)));
        assert!(delays.iter().any(|it| *it < 60) && delays.iter().any(|it| *it > 240));
        let twice = [1, 1].map(|_| after_reset(reset, session("s"), at(9)));
        assert_eq!(twice[0], twice[1]);
        let within = Timestamp::from_microsecond(5_000_999_999).unwrap();
        assert!((0..200).all(|it| after_reset(within, session("s"), at(it)) >= within));
    }

    #[test]
    fn only_a_message_that_was_not_begun_waits_for_its_time() {
        let check = |state: Delivery, schedule: Option<Schedule>, expected: (bool, bool, bool)| {
            let it = Message { schedule, ..message(1, state) };
            let found = (it.is_due(at(999)), it.is_due(at(1_000)), it.waits_for().is_some());
            assert_eq!(found, expected, "{it:?}");
        };
        check(Delivery::Accepted, None, (true, true, false));
        check(Delivery::Accepted, Some(left(None)), (false, true, true));
        check(Delivery::Delivering, Some(left(None)), (false, true, false));
    }
}
