//! The status of a session that a document describes.

use super::{Failure, Reading, Status, StatusRule};
use crate::{Confidence, Imported, Timestamp};

impl Imported {
    /// The status of the session. A document proves that its work ended, never that it runs.
    #[must_use]
    pub fn reading(&self, since: Timestamp) -> Reading {
        let (status, failure) = match self.status.as_deref() {
            Some("completed" | "aborted") => (Status::Exited, None),
            Some("error") => (Status::Exited, Some(Failure::GaveUp)),
            Some(_) | None => (Status::Unknown, None),
        };
        Reading {
            status,
            since,
            confidence: Confidence::Low,
            waiting_for: None,
            rule: StatusRule::ImportedDocument,
            rests_on: Vec::new(),
            until: None,
            failure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::{Group, group};

    #[test]
    fn an_imported_plan_in_progress_is_not_done() {
        let now: Timestamp = "2026-11-15T12:00:00Z".parse().unwrap();
        let check = |word: Option<&str>, expected: (Group, Status)| {
            let it = Imported { status: word.map(str::to_owned), progress: None };
            let reading = it.reading(Timestamp::UNIX_EPOCH);
            assert_eq!((group(&reading, now), reading.status), expected, "{word:?}");
        };
        check(Some("in_progress"), (Group::Idle, Status::Unknown));
        check(Some("paused"), (Group::Idle, Status::Unknown));
        check(Some("another"), (Group::Idle, Status::Unknown));
        check(None, (Group::Idle, Status::Unknown));
        check(Some("completed"), (Group::Done, Status::Exited));
        check(Some("aborted"), (Group::Done, Status::Exited));
        check(Some("error"), (Group::Failed, Status::Exited));
    }
}
