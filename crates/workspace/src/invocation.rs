//! The command that a change came from.

use taffrail_contracts::ai_session::{Change, HistoryLine, Model, Outcome};
use taffrail_model::Timestamp;

/// The command of a change, as the history records it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// The command.
    pub command: String,
    /// Its arguments.
    pub arguments: String,
    /// The agent or person that ran it.
    pub by: String,
    /// When it began.
    pub began: Timestamp,
}

/// When a line is written: its timestamp, which never steps back, and the clock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Written {
    pub(crate) timestamp: Timestamp,
    pub(crate) now: Timestamp,
}

impl Invocation {
    /// A command of our own, of which a person only sees the effect.
    pub(crate) fn own(command: &str, began: Timestamp) -> Self {
        let (command, by) = (command.to_owned(), "taffrail".to_owned());
        Self { command, arguments: String::new(), by, began }
    }

    /// The line of a command that succeeded, written before its change is made: its duration ends here.
    pub(crate) fn succeeded(
        &self,
        (model, task_id): (Model, Option<String>),
        change: Option<Change>,
        at: Written,
    ) -> HistoryLine {
        HistoryLine {
            timestamp: at.timestamp,
            command: self.command.clone(),
            arguments: self.arguments.clone(),
            model,
            agent: self.by.clone(),
            task_id,
            status: Outcome::Success,
            duration_ms: millis(self.began, at.now),
            error: None,
            change,
        }
    }

    /// The line of a command that failed.
    pub(crate) fn failed(
        &self,
        (model, task_id): (Model, Option<String>),
        error: &str,
        at: Written,
    ) -> HistoryLine {
        HistoryLine {
            status: Outcome::Failure,
            error: Some(error.to_owned()),
            ..self.succeeded((model, task_id), None, at)
        }
    }
}

/// The milliseconds between two instants, rounded up; 0 if the clock stepped back.
fn millis(from: Timestamp, to: Timestamp) -> u64 {
    let micros = to.as_microsecond().saturating_sub(from.as_microsecond());
    u64::try_from(micros).unwrap_or_default().div_ceil(1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_rounded_up_and_never_negative() {
        let at = |micros| Timestamp::from_microsecond(micros).unwrap();
        let check = |from, to, expected| assert_eq!(millis(at(from), at(to)), expected);
        check(0, 0, 0);
        check(0, 1, 1);
        check(5_000, 7_000, 2);
        check(5_000, 7_001, 3);
        check(7_000, 5_000, 0);
    }
}
