//! The commands of a session that check something (tests, linters, type checkers, builds), each with
//! its own result.

use super::calls::Call;
use super::check_output::verdict;
use super::check_programs::is_check;
use super::shell::{Command, Joint, commands};
use super::shell_run::Run;
use crate::prose::said;

/// The most checks that are reported.
const MOST: usize = 10;
/// The longest command that is reported, in characters.
const LONGEST: usize = 120;
/// Programs that show only the beginning of what they read.
const CUTTING: [&str; 2] = ["head", "less"];

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It passed.
    Passed,
    /// It failed, with this exit code if it is the check's own.
    Failed(Option<i64>),
    /// Nothing shows the result.
    Unknown,
}

/// A check that a session ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// The command line, shortened.
    pub command: String,
    /// Its last result.
    pub outcome: Outcome,
}

impl Check {
    /// The check as a sentence.
    #[must_use]
    pub fn told(&self) -> String {
        let Self { command, outcome } = self;
        match outcome {
            Outcome::Passed => format!("`{command}` passed"),
            Outcome::Failed(Some(code)) => format!("`{command}` failed with exit code {code}"),
            Outcome::Failed(None) => format!("`{command}` failed"),
            Outcome::Unknown => format!("`{command}`: result unknown"),
        }
    }

    /// Whether it failed.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        matches!(self.outcome, Outcome::Failed(_))
    }
}

/// The checks, each command once with its last result, the latest last.
#[must_use]
pub fn checks(calls: &[Call<'_>]) -> Vec<Check> {
    let mut out: Vec<Check> = Vec::new();
    for check in calls.iter().filter(|call| !call.is_copy).filter_map(check_of) {
        out.retain(|known| known.command != check.command);
        out.push(check);
    }
    out.split_off(out.len().saturating_sub(MOST))
}

/// The check that a call ran; `None` if it ran none, or did not run.
fn check_of(call: &Call<'_>) -> Option<Check> {
    let script = call.script()?;
    let all = commands(&script)?;
    let run = Run::of(call)?;
    let places: Vec<usize> =
        (0..all.len()).filter(|place| all.get(*place).is_some_and(is_check)).collect();
    let outcomes: Vec<Outcome> =
        places.iter().map(|place| outcome(call, &run, &all, *place)).collect();
    let command = said(&script).chars().take(LONGEST).collect();
    joined(&outcomes).map(|outcome| Check { command, outcome })
}

/// The result of several checks in one script: the worst.
fn joined(outcomes: &[Outcome]) -> Option<Outcome> {
    let failed = outcomes.iter().find(|it| matches!(it, Outcome::Failed(_)));
    let unknown = outcomes.iter().find(|it| **it == Outcome::Unknown);
    failed.or(unknown).or(outcomes.first()).cloned()
}

/// The exit code decides where it is the check's own, else what the check printed.
fn outcome(call: &Call<'_>, run: &Run<'_>, all: &[Command], place: usize) -> Outcome {
    if run.is_success && Run::needs(all, place) {
        return Outcome::Passed;
    }
    if !run.is_success && is_culprit(run, all, place) {
        return Outcome::Failed(call.exit_code());
    }
    match verdict(run.output) {
        Some(true) if !is_cut(all, place) => Outcome::Passed,
        Some(false) => Outcome::Failed(None),
        Some(true) | None => Outcome::Unknown,
    }
}

/// Whether a failed script failed because of this command: it is the last, and ran.
fn is_culprit(run: &Run<'_>, all: &[Command], place: usize) -> bool {
    place + 1 == all.len()
        && all.get(place).is_some_and(|it| it.joint != Joint::Pipe || place == 0)
        && run.has_started(all, place)
}

/// Whether a program after the check shows only the beginning of its output.
fn is_cut(all: &[Command], place: usize) -> bool {
    let after = all.get(place + 1..).unwrap_or_default();
    let piped = after.iter().take_while(|it| it.joint == Joint::Pipe);
    piped.filter_map(|it| it.words.first()).any(|it| CUTTING.contains(&it.text.as_str()))
}
