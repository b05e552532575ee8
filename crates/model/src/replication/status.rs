//! The status of another device's session: the device's last report, and how long it is valid.

use crate::status::{Failure, Reading, Status, StatusRule, WaitingFor};
use crate::{Confidence, Timestamp};
use serde::{Deserialize, Serialize};

/// How many seconds after the last contact with a device its reports are valid.
pub const HEARD_FOR: i64 = 300;

/// The status of a session, as its own device reports it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelayedStatus {
    /// The status.
    pub status: Status,
    /// When it began.
    pub since: Timestamp,
    /// When the device reported it, by its own clock.
    pub at: Timestamp,
    /// The device's confidence.
    pub confidence: Confidence,
    /// What the session waits for; the text stays on its device if texts do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<WaitingFor>,
    /// How the session failed; devices of earlier versions do not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

impl RelayedStatus {
    /// The local reading: as reported, while the device is in contact. An exited session stays
    /// exited.
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
