//! A session that a document describes: nothing of it was seen here, and nothing of it runs here.

use crate::status::{Failure, Reading, Status, StatusRule};
use crate::{Confidence, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Number;

/// The status of the work in an imported document, in the document's own words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Imported {
    /// The status, as `in_progress`; absent if the document has none.
    pub status: Option<String>,
    /// The completed part, from 0 to 1, as the document writes it.
    pub progress: Option<Number>,
}

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

    /// The status in words, as `in progress, 65 %`.
    #[must_use]
    pub fn words(&self) -> String {
        let status = self.status.as_deref().map_or("status unknown".to_owned(), spaced);
        let part = self.progress.as_ref().and_then(Number::as_f64);
        match part.filter(|it| (0.0..=1.0).contains(it)) {
            Some(part) => format!("{status}, {:.0} %", part * 100.0),
            None => status,
        }
    }
}

fn spaced(word: &str) -> String {
    word.replace('_', " ")
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

    #[test]
    fn the_words_of_a_document() {
        let check = |json: &str, expected: &str| {
            let it: Imported = serde_json::from_str(json).unwrap();
            assert_eq!(it.words(), expected);
        };
        check(r#"{"status": "in_progress", "progress": 0.65}"#, "in progress, 65 %");
        check(r#"{"status": "paused", "progress": null}"#, "paused");
        check(r#"{"status": null, "progress": 7}"#, "status unknown");
    }
}
