//! Which commands of a script ran, and with which result, as far as the call's exit code and output
//! show it.

use super::calls::Call;
use super::shell::{Command, Joint};
use serde_json::Value;

/// Programs that print an error with their name if they fail, and nothing else that looks like one.
const REPORTING: [&str; 17] = [
    "cd", "mkdir", "touch", "rm", "rmdir", "mv", "cp", "ln", "sed", "tee", "cat", "chmod", "git",
    "head", "tail", "wc", "nl",
];

/// The result of a call that ran a script.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run<'c> {
    /// The script's exit code is 0.
    pub(super) is_success: bool,
    /// The combined output.
    pub(super) output: &'c str,
}

impl<'c> Run<'c> {
    /// The run of a call; `None` if it did not run to its end: refused, interrupted, in the
    /// background.
    pub(super) fn of(call: &'c Call<'_>) -> Option<Self> {
        call.answer?;
        let in_background = call.input.get("run_in_background").and_then(Value::as_bool);
        let has_ended = !call.has_failed() || call.exit_code().is_some();
        if in_background == Some(true) || !has_ended {
            return None;
        }
        Some(Self { is_success: !call.has_failed(), output: call.said() })
    }

    /// Whether the command at this place ran and succeeded.
    pub(super) fn has_done(&self, all: &[Command], place: usize) -> bool {
        let Some(command) = all.get(place).filter(|it| it.is_certain) else { return false };
        if self.is_success && is_needed(all, place) {
            return true;
        }
        self.has_started(all, place) && !command.is_quiet && self.reports_no_error(command)
    }

    /// Whether the script's success shows that this command succeeded.
    pub(super) fn needs(all: &[Command], place: usize) -> bool {
        all.get(place).is_some_and(|it| it.is_certain) && is_needed(all, place)
    }

    /// Whether the command at this place ran, with whatever result.
    pub(super) fn has_started(&self, all: &[Command], place: usize) -> bool {
        let Some(command) = all.get(place).filter(|it| it.is_certain) else { return false };
        if self.is_success && is_needed(all, place) {
            return true;
        }
        match (command.joint, place.checked_sub(1)) {
            (_, None) => true,
            (Joint::Then, Some(before)) => self.follows(all, before, place),
            (Joint::Pipe, Some(before)) => self.has_started(all, before),
            (Joint::And, Some(before)) => self.has_done(all, before),
            (Joint::Or, Some(_)) => false,
        }
    }

    /// Whether a command that nothing joins to the one before ran: its group did, and no failure
    /// ended the script.
    fn follows(&self, all: &[Command], before: usize, place: usize) -> bool {
        let is_entered =
            first_of_group(all, place).is_none_or(|first| self.has_started(all, first));
        let goes_on = self.is_success || !ends_with_errors(all, place);
        is_entered && (goes_on || is_setting(all.get(before)) || self.has_done(all, before))
    }

    fn reports_no_error(&self, command: &Command) -> bool {
        let Some(program) = program(command) else { return false };
        let error = format!("{program}: ");
        let names = |line: &str| line.starts_with(&error) || line.contains(&format!(": {error}"));
        REPORTING.contains(&program)
            && !self.output.lines().any(|line| names(line) || line.starts_with("fatal: "))
    }
}

/// Whether the script's success needs this command's success: only `&&` follows, and the command
/// ends its pipeline.
fn is_needed(all: &[Command], place: usize) -> bool {
    let groups = all.get(place).map_or(0, |it| it.groups.len());
    let mut around = (1..=groups).filter_map(|depth| first_at(all, place, depth));
    if is_alternative(all, place) || around.any(|first| is_alternative(all, first)) {
        return false;
    }
    let after = all.get(place + 1..).unwrap_or_default();
    after.iter().all(|it| it.joint == Joint::And)
        || (after.first().is_some_and(|it| it.joint == Joint::Pipe) && fails_with_pipe(all, place))
}

/// The first command of the innermost group around a command that it is not the first of.
fn first_of_group(all: &[Command], place: usize) -> Option<usize> {
    let groups = all.get(place)?.groups.len();
    (1..=groups).rev().filter_map(|depth| first_at(all, place, depth)).find(|it| *it != place)
}

/// The first command of the group around a command at this depth.
fn first_at(all: &[Command], place: usize, depth: usize) -> Option<usize> {
    let group = all.get(place)?.groups.get(..depth)?;
    all.iter().position(|it| it.groups.starts_with(group))
}

/// Whether an earlier `set -e` ends the script at the first failure.
fn ends_with_errors(all: &[Command], place: usize) -> bool {
    let before = all.get(..place).unwrap_or_default();
    let is_on = |text: &str| {
        text == "errexit"
            || (text.starts_with('-') && !text.starts_with("--") && text.contains('e'))
    };
    let sets = |it: &Command| it.words.iter().skip(1).any(|word| is_on(&word.text));
    before.iter().any(|it| is_setting(Some(it)) && sets(it))
}

fn is_setting(command: Option<&Command>) -> bool {
    command.and_then(program) == Some("set")
}

/// Whether the command's pipeline runs only if the one before it failed.
fn is_alternative(all: &[Command], place: usize) -> bool {
    let up_to = all.get(..=place).unwrap_or_default();
    up_to.iter().rev().find(|it| it.joint != Joint::Pipe).is_some_and(|it| it.joint == Joint::Or)
}

/// Whether an earlier `set -o pipefail` makes the whole pipeline fail.
fn fails_with_pipe(all: &[Command], place: usize) -> bool {
    let before = all.get(..place).unwrap_or_default();
    let after = all.get(place + 1..).unwrap_or_default();
    let sets = |it: &Command| it.words.iter().any(|word| word.text.ends_with("pipefail"));
    before.iter().any(sets) && after.iter().all(|it| matches!(it.joint, Joint::Pipe | Joint::And))
}

/// The name of the program, without its folder.
pub(super) fn program(command: &Command) -> Option<&str> {
    let first = command.words.first()?;
    first.text.rsplit('/').next()
}
