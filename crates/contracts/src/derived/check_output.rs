//! What the output of a check says about its result: the summaries of test runners, linters and
//! compilers.

use regex::{Regex, RegexSet};
use std::sync::LazyLock;

/// Lines that only a failed check prints.
const FAILING: [&str; 20] = [
    r"(?m)^test result: FAILED",
    r"(?m)^error(\[E\d+\])?: ",
    r"(?m)^error: (test failed|could not compile)",
    r"(?m)\b[1-9]\d* (tests? )?(failed|failing|failures?)\b",
    r"(?m)\b(failed|failures?|errors?)[:=] ?[1-9]\d*",
    r"(?m)^FAILED( |$)",
    r"(?m)^(--- FAIL|FAIL)(:|\s|$)",
    r"(?m)\berror TS\d+:",
    r"(?m)[✖✗] [1-9]\d* problems?",
    r"(?m)^Found [1-9]\d* errors?",
    r"(?m)\b[1-9]\d* errors? (generated|found|in )",
    r"(?m)^BUILD FAIL(ED|URE)",
    r"(?m)^\[ERROR\] ",
    r"(?m)^make(\[\d+\])?: \*\*\* ",
    r"(?m)^npm (ERR!|error) ",
    r"(?m)^not ok \d+",
    r"(?m)^# fail [1-9]",
    r"(?m)^ELIFECYCLE ",
    r"(?m)^AssertionError",
    r"(?m)^Would reformat|^[1-9]\d* files? would be reformatted",
];
/// Lines that a check prints only if it passed.
const PASSING: [&str; 15] = [
    r"(?m)^test result: ok\.",
    r"(?m)\b[1-9]\d* (tests? )?(passed|passing)\b",
    r"(?m)^ok\s+\S+\s+(\(cached\)|[\d.]+s)",
    r"(?m)^OK( \(.*\))?$",
    r"(?m)^PASS(ED)?( |$)",
    r"(?m)^Finished `?\w+`? ",
    r"(?m)^\s+Finished `?\w+`? ",
    r"(?m)^BUILD SUCCESS(FUL)?",
    r"(?m)^All checks passed",
    r"(?m)^Found 0 errors",
    r"(?m)^Success: no issues found",
    r"(?m)\b0 errors?\b",
    r"(?m)^# fail 0$",
    r"(?m)^Build succeeded",
    r"(?m)^\d+ examples?, 0 failures",
];

static FAILED: LazyLock<Option<RegexSet>> = LazyLock::new(|| RegexSet::new(FAILING).ok());
static PASSED: LazyLock<Option<RegexSet>> = LazyLock::new(|| RegexSet::new(PASSING).ok());
static COLOURS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new("\u{1b}\\[[0-9;]*[A-Za-z]").ok());

/// Whether the output says that the check passed; `None` if it does not say.
pub(super) fn verdict(output: &str) -> Option<bool> {
    let plain = COLOURS.as_ref().map(|it| it.replace_all(output, ""));
    let plain = plain.as_deref().unwrap_or(output);
    let matches = |set: &Option<RegexSet>| set.as_ref().is_some_and(|it| it.is_match(plain));
    if matches(&FAILED) {
        return Some(false);
    }
    matches(&PASSED).then_some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_of_runners_are_read() {
        assert!(FAILED.is_some() && PASSED.is_some() && COLOURS.is_some());
        let check = |output: &str, expected: Option<bool>| {
            assert_eq!(verdict(output), expected, "{output}");
        };
        check("Tests:  2 failed, 5 passed, 7 total", Some(false));
        check("test result: FAILED. 1 passed; 2 failed; 0 ignored", Some(false));
        check("test result: ok. 3 passed; 0 failed; 0 ignored", Some(true));
        check("===== 1 failed, 3 passed in 0.12s =====", Some(false));
        check("===== 3 passed in 0.12s =====", Some(true));
        check("Ran 3 tests in 0.1s\n\nFAILED (failures=1)", Some(false));
        check("Ran 3 tests in 0.1s\n\nOK", Some(true));
        check("--- FAIL: TestX (0.00s)\nFAIL\tpkg\t0.1s", Some(false));
        check("ok  \tpkg\t0.1s", Some(true));
        check("  5 passing (3ms)\n  1 failing", Some(false));
        check("src/a.ts(1,2): error TS2304: Cannot find name 'x'.", Some(false));
        check("\u{1b}[31mFAIL\u{1b}[0m src/a.test.js", Some(false));
        check("✖ 3 problems (3 errors, 0 warnings)", Some(false));
        check("    Finished `dev` profile [unoptimized] in 1s", Some(true));
        check("error[E0308]: mismatched types", Some(false));
        check("# pass 3\n# fail 0", Some(true));
        check("hello", None);
        check("", None);
    }
}
