//! Whether a failure was fixed: the same program succeeded later, with any options.

/// Programs whose exit code answers a question; a "no" is not a failure.
const ASKING: &[&str] = &["[", "cat", "diff", "find", "grep", "ls", "rg", "stat", "test", "which"];
/// The number of words that identify a program and its subcommand.
const NAME: usize = 3;

/// The index of the last command that failed and did not succeed since. Commands are in the order
/// they ran, each with whether it failed.
pub(super) fn still_failing(ran: &[(&str, bool)]) -> Option<usize> {
    let mut went_well: Vec<Vec<&str>> = Vec::new();
    for (at, (command, has_failed)) in ran.iter().enumerate().rev() {
        let name = name(command);
        let is_last = at + 1 == ran.len();
        let asks = name.first().is_some_and(|it| ASKING.contains(it));
        match has_failed {
            false => went_well.push(name),
            true if asks && !is_last => {}
            true if went_well.iter().any(|it| is_same(it, &name)) => {}
            true => return Some(at),
        }
    }
    None
}

/// The words that identify what runs: those of the last of several commands, up to its first
/// option.
fn name(command: &str) -> Vec<&str> {
    let first_line = command.lines().next().unwrap_or_default();
    let last = first_line.rsplit("&&").next().unwrap_or_default();
    let alone = last.split(['|', ';', '>']).next().unwrap_or_default();
    let words = alone.split_whitespace().skip_while(|it| it.contains('='));
    words.take_while(|it| !it.starts_with('-')).take(NAME).collect()
}

/// Whether one is a prefix of the other.
fn is_same(one: &[&str], other: &[&str]) -> bool {
    !one.is_empty() && !other.is_empty() && one.iter().zip(other).all(|(one, other)| one == other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_was_mended_is_not_failing() {
        let check = |ran: &[(&str, bool)], expected: Option<usize>| {
            assert_eq!(still_failing(ran), expected, "{ran:?}");
        };
        check(&[], None);
        check(&[("cargo test", true)], Some(0));
        check(&[("cargo test", true), ("cargo test", false)], None);
        check(&[("cargo test", false), ("cargo test", true)], Some(1));
        let repeated =
            |count: u32, failed| (format!("npx playwright test --repeat-each={count}"), failed);
        let (before, after) = (repeated(20, true), repeated(100, false));
        check(&[(&before.0, before.1), (&after.0, after.1)], None);
        check(&[("cargo test", true), ("cargo build", false)], Some(0));
        check(&[("cd web && CI=1 npm test 2>&1 | tail", true), ("npm test -- -u", false)], None);
        check(&[("git push origin main", true), ("git status", false)], Some(0));
        check(&[("cargo test", true), ("grep -rn x src", true), ("ls", false)], Some(0));
        check(&[("grep -rn x src", true), ("cargo build", false)], None);
        check(&[("cargo build", false), ("ls nowhere", true)], Some(1));
    }
}
