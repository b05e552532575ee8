//! How a session of another device stands: what that device last said, and for how long it counts.

use crate::status::{Failure, Reading, Status, StatusRule, WaitingFor};
use crate::{Confidence, Timestamp};
use serde::{Deserialize, Serialize};

/// What a device said counts for so many seconds after the device was last heard.
pub const HEARD_FOR: i64 = 300;

/// How a session stands, as its own device says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelayedStatus {
    /// How it stands.
    pub status: Status,
    /// Since when.
    pub since: Timestamp,
    /// When that was said, by the clock of its device.
    pub at: Timestamp,
    /// How sure that device is.
    pub confidence: Confidence,
    /// What it waits for; the words stay on its device where texts do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<WaitingFor>,
    /// How it broke down; devices of an earlier version do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

impl RelayedStatus {
    /// How it stands here: as it was said, as long as its device is heard. What is over stays over.
    #[must_use]
    pub fn read(&self, heard_at: Timestamp, now: Timestamp) -> Reading {
        let end = Timestamp::from_second(heard_at.as_second().saturating_add(HEARD_FOR));
        let end = end.unwrap_or(Timestamp::MAX);
        let is_lost = matches!(self.failure, Some(Failure::Crashed | Failure::Lost));
        let is_over = self.status == Status::Exited || is_lost;
        if is_over || now < end {
            return Reading {
                status: self.status,
                since: self.since,
                confidence: self.confidence.clone(),
                waiting_for: self.waiting_for.clone(),
                rule: StatusRule::RemoteReport,
                rests_on: vec![0],
                until: (!is_over).then_some(end),
                failure: self.failure,
            };
        }
        Reading {
            status: Status::Unknown,
            since: end,
            confidence: Confidence::Low,
            waiting_for: None,
            rule: StatusRule::RemoteSilent,
            rests_on: vec![0],
            until: None,
            failure: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::WaitingKind;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_status_counts_as_long_as_its_device_is_heard() {
        let waits = WaitingFor::new(WaitingKind::Approval, "rm x".into());
        let check = |status, now, expected: (Status, i64, Option<i64>, StatusRule)| {
            let said = RelayedStatus {
                status,
                since: at(90),
                at: at(100),
                confidence: Confidence::High,
                waiting_for: (status == Status::WaitingApproval).then(|| waits.clone()),
                failure: None,
            };
            let read = said.read(at(100), at(now));
            let until = read.until.map(Timestamp::as_second);
            assert_eq!((read.status, read.since.as_second(), until, read.rule), expected);
            assert_eq!(read.waiting_for.is_some(), read.status == Status::WaitingApproval);
        };
        check(
            Status::WaitingApproval,
            399,
            (Status::WaitingApproval, 90, Some(400), StatusRule::RemoteReport),
        );
        check(Status::WaitingApproval, 400, (Status::Unknown, 400, None, StatusRule::RemoteSilent));
        check(Status::Running, 99, (Status::Running, 90, Some(400), StatusRule::RemoteReport));
        check(Status::Exited, 9_000, (Status::Exited, 90, None, StatusRule::RemoteReport));
    }
}
