//! The test, lint and build commands that a session ran, with their results.

use super::calls::Call;
use crate::prose::said;

/// Words that mark a command as a check.
const CHECKING: [&str; 19] = [
    "test",
    "tests",
    "check",
    "lint",
    "clippy",
    "nextest",
    "pytest",
    "unittest",
    "jest",
    "vitest",
    "tsc",
    "typecheck",
    "mypy",
    "ruff",
    "eslint",
    "verify",
    "ctest",
    "build",
    "vet",
];
/// The most checks that are reported.
const MOST: usize = 10;
/// The longest command that is reported, in characters.
const LONGEST: usize = 120;

/// The checks, each command once with its last result, the latest last.
#[must_use]
pub fn checks(calls: &[Call<'_>]) -> Vec<String> {
    let mut out: Vec<(String, String)> = Vec::new();
    for call in calls.iter().filter(|call| call.answer.is_some()) {
        let Some(command) = call.command().filter(|it| is_check(it)) else { continue };
        let command: String = said(&command).chars().take(LONGEST).collect();
        let result = match (call.has_failed(), call.exit_code()) {
            (false, _) => "passed".to_owned(),
            (true, Some(code)) => format!("failed with exit code {code}"),
            (true, None) => "failed".to_owned(),
        };
        out.retain(|(known, _)| *known != command);
        out.push((command, result));
    }
    let from = out.len().saturating_sub(MOST);
    out.into_iter().skip(from).map(|(command, result)| format!("`{command}` {result}")).collect()
}

fn is_check(command: &str) -> bool {
    let words = command.split(|it: char| !it.is_ascii_alphanumeric());
    // A path may contain such a word, so only the first words of the command count.
    words.take(12).any(|word| CHECKING.contains(&word))
}
