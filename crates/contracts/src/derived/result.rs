//! Whether the work of a turn that ended well nevertheless failed.

use super::calls::Call;
use super::checks::{Outcome, checks};
use super::plan::plan;
use super::shell::commands;
use super::shell_run::program;
use crate::captured::{AgentSession, Ending};
use crate::prose::said;
use crate::status_table::Shown;

/// Programs whose exit code 1 is an answer and not a failure.
const ANSWERING: [&str; 9] = ["grep", "rg", "egrep", "fgrep", "diff", "cmp", "test", "[", "which"];

/// The reason why the work of a session failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkFailure {
    /// The reason, as a sentence.
    pub message: String,
}

/// The failure of a session whose last turn ended: its last check failed, or every command of the
/// turn did.
#[must_use]
pub fn work_failure(session: &AgentSession, calls: &[Call<'_>]) -> Option<WorkFailure> {
    let turn = session.turns.last().filter(|_| session.ending() == Ending::Done)?;
    let own: Vec<&Call<'_>> = calls.iter().filter(|it| it.at >= turn.started_at).collect();
    let first = calls.len() - own.len();
    let last_check = checks(calls.get(first..).unwrap_or_default()).pop();
    if let Some(check) = last_check {
        let message = check.told();
        return check.has_failed().then_some(WorkFailure { message });
    }
    let ran: Vec<&&Call<'_>> = own.iter().filter(|it| it.script().is_some()).collect();
    let last = ran.last().filter(|_| ran.iter().all(|it| has_broken(it)))?;
    let command: String = said(&last.script()?).chars().take(120).collect();
    Some(WorkFailure {
        message: format!("`{command}` failed with exit code {}", last.exit_code()?),
    })
}

/// What the work of a session shows: a failure, or a success if its last check passed or, without a check,
/// every item of its plan is done.
#[must_use]
pub fn shown(session: &AgentSession, calls: &[Call<'_>]) -> Shown {
    if work_failure(session, calls).is_some() {
        return Shown::Failure;
    }
    let has_succeeded = match checks(calls).pop() {
        Some(check) => check.outcome == Outcome::Passed,
        None => plan(calls).is_some_and(|it| !it.done.is_empty() && it.open.is_empty()),
    };
    if has_succeeded { Shown::Success } else { Shown::Nothing }
}

fn has_broken(call: &Call<'_>) -> bool {
    let answers = || {
        let last = call.script().and_then(|it| commands(&it)?.pop());
        last.is_some_and(|it| program(&it).is_some_and(|it| ANSWERING.contains(&it)))
    };
    match call.exit_code() {
        Some(0) | None => false,
        Some(1) => !answers(),
        Some(_) => true,
    }
}
