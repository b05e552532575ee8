//! Reads the output of failed commands: the kind of failure, and whether two failures are the same.

use crate::hash::{self, Digest16};

/// The longest prefix of an output that is read, in bytes.
const LOOK: usize = 16 * 1024;
/// The most lines that identify a failure.
const TELLING_LINES: usize = 16;
/// The longest name of a missing dependency, in characters.
const NAME_CHARS: usize = 60;

/// A sign in an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sign {
    /// A type error.
    Types,
    /// A dependency is not installed.
    Missing(String),
    /// A merge conflict.
    Conflict,
    /// Authentication or access failed.
    Refused,
}

/// Words of lines that report a failure.
const TELLING: [&str; 9] =
    ["error", "fail", "panicked", "assert", "exception", "✗", "✕", "not ok", "mismatch"];
/// Phrases of compilers that report type errors.
const TYPES: [&str; 8] = [
    "error: incompatible types",
    "error: invalid conversion from",
    "error: cannot convert",
    "is not assignable to",
    "mismatched types",
    "[arg-type]",
    "[return-value]",
    "[assignment]",
];
/// Compiler codes for a missing module or package, not a type error.
const NOT_TYPES: [&str; 4] = ["error[E0432]", "error[E0433]", "error[E0463]", "error TS2307"];
/// Phrases with which Git reports conflicts.
const CONFLICTS: [&str; 6] = [
    "CONFLICT (",
    "Automatic merge failed",
    "error: could not apply",
    "Unmerged paths:",
    "You have unmerged paths",
    "error: you need to resolve your current index first",
];
/// Phrases of programs whose access was denied.
const REFUSED: [&str; 9] = [
    "Authentication failed for",
    "Permission denied (publickey",
    "could not read Username for",
    "gh auth login",
    "npm error code E401",
    "npm ERR! code E401",
    "ENEEDAUTH",
    "Unable to locate credentials",
    "requested access to the resource is denied",
];

/// The first line of a failed call's output that reports the failure, else its first line with words.
#[must_use]
pub fn telling_line(text: &str) -> Option<&str> {
    let text = crate::text::cut(text, LOOK);
    let is_telling = |line: &&str| {
        let line = line.to_lowercase();
        TELLING.iter().any(|word| line.contains(word))
    };
    let has_words = |line: &&str| line.chars().any(char::is_alphanumeric);
    let found = text.lines().find(is_telling).or_else(|| text.lines().find(has_words));
    found.map(str::trim).filter(|it| !it.is_empty())
}

/// Outputs with the same hash report the same failure: numbers and times are left out, except the
/// count of failures.
pub(super) fn mark(text: &str) -> Digest16 {
    let text = crate::text::cut(text, LOOK);
    let is_telling = |line: &&str| {
        let line = line.to_lowercase();
        TELLING.iter().any(|word| line.contains(word))
    };
    let telling: Vec<&str> = text.lines().filter(is_telling).take(TELLING_LINES).collect();
    let all: Vec<&str> = text.lines().take(TELLING_LINES).collect();
    let lines = if telling.is_empty() { all } else { telling };
    let lines: Vec<String> = lines.into_iter().map(plain).collect();
    hash::checksum(lines.join("\n").as_bytes())
}

fn plain(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut out = String::new();
    for (place, word) in words.iter().enumerate() {
        let next = words.get(place + 1).copied().unwrap_or_default();
        let counts = ["fail", "error"].iter().any(|it| next.starts_with(it));
        out.push(' ');
        if counts {
            out.push_str(word);
        } else {
            out.extend(word.chars().map(|it| if it.is_ascii_digit() { '#' } else { it }));
        }
    }
    out.replace("##", "#").replace("##", "#")
}

/// The signs in the output of a failed command.
pub(super) fn signs(text: &str) -> Vec<Sign> {
    let text = crate::text::cut(text, LOOK);
    let mut out = Vec::new();
    for line in text.lines() {
        for sign in sign_of(line) {
            if !out.contains(&sign) {
                out.push(sign);
            }
        }
    }
    out
}

fn sign_of(line: &str) -> Vec<Sign> {
    let mut out = Vec::new();
    out.extend(is_type_error(line).then_some(Sign::Types));
    out.extend(missing(line).map(Sign::Missing));
    let line = line.trim_start();
    out.extend(CONFLICTS.iter().any(|it| line.starts_with(it)).then_some(Sign::Conflict));
    out.extend(REFUSED.iter().any(|it| line.contains(it)).then_some(Sign::Refused));
    out
}

fn is_type_error(line: &str) -> bool {
    let line = line.trim_start();
    if NOT_TYPES.iter().any(|it| line.contains(it)) {
        return false;
    }
    let is_coded = line.starts_with("error[E") || line.contains(": error TS");
    let is_coded = is_coded || (line.starts_with("error TS") || line.contains(" error TS"));
    let is_go =
        line.contains("cannot use ") && line.contains(" as ") && line.contains(" value in ");
    is_coded || is_go || TYPES.iter().any(|it| line.contains(it))
}

/// Text around the name of a missing dependency.
const AROUND: [(&str, &str); 12] = [
    ("No module named '", "'"),
    ("Cannot find module '", "'"),
    ("Cannot find package '", "'"),
    ("can't find crate for `", "`"),
    ("no matching package named `", "`"),
    ("no required module provides package ", ";"),
    ("error while loading shared libraries: ", ":"),
    ("satisfies the requirement ", " "),
    ("fatal error: ", ": No such file"),
    ("command not found: ", "\n"),
    ("Could not find artifact ", " "),
    ("LoadError: cannot load such file -- ", "\n"),
];

fn missing(line: &str) -> Option<String> {
    let named = AROUND.iter().find_map(|(before, after)| {
        let (_, rest) = line.split_once(before)?;
        match *after {
            "\n" | " " => Some(rest.split(' ').next().unwrap_or(rest)),
            after => rest.split_once(after).map(|(name, _)| name),
        }
    });
    let name = named.or_else(|| not_found(line))?.trim();
    let is_ours = name.starts_with(['.', '/']) || name.is_empty();
    let is_name = name.chars().count() <= NAME_CHARS && !name.contains(' ');
    (is_name && !is_ours).then(|| name.to_owned())
}

/// `sh: 1: x: not found`, `bash: line 1: x: command not found`.
fn not_found(line: &str) -> Option<&str> {
    let rest = line.trim_end().strip_suffix(": command not found");
    let rest = rest.or_else(|| {
        let rest = line.trim_end().strip_suffix(": not found")?;
        rest.contains("sh: ").then_some(rest)
    })?;
    rest.rsplit(": ").next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_telling_line_says_why() {
        let check = |text: &str, expected: Option<&str>| assert_eq!(telling_line(text), expected);
        check(
            "Compiling a\n  error[E0308]: mismatched types\nerror: stop",
            Some("error[E0308]: mismatched types"),
        );
        check("\n---\nno such file\nat x", Some("no such file"));
        check("\n \n", None);
        check("", None);
    }

    #[test]
    fn an_output_tells_what_failed() {
        let missing = |name: &str| vec![Sign::Missing(name.to_owned())];
        let check = |text: &str, expected: Vec<Sign>| assert_eq!(signs(text), expected, "{text}");
        check("error[E0308]: mismatched types\n --> a.rs:1:2", vec![Sign::Types]);
        check("a.ts(1,2): error TS2345: Argument of type 'x'", vec![Sign::Types]);
        check("a.py:3: error: Argument 1 has type \"int\"  [arg-type]", vec![Sign::Types]);
        check("./a.go:3:4: cannot use x (variable) as string value in argument", vec![Sign::Types]);
        check("bash: line 1: foo: command not found", missing("foo"));
        check("zsh: command not found: foo", missing("foo"));
        check("sh: 1: foo: not found", missing("foo"));
        check("ModuleNotFoundError: No module named 'requests'", missing("requests"));
        check("Error: Cannot find module 'left-pad'", missing("left-pad"));
        check("Error: Cannot find module './own'", vec![]);
        check("a.ts(1,2): error TS2307: Cannot find module 'zod' or its", missing("zod"));
        check("error[E0463]: can't find crate for `serde`", missing("serde"));
        check("a.c:1:10: fatal error: zlib.h: No such file or directory", missing("zlib.h"));
        check("CONFLICT (content): Merge conflict in a.rs", vec![Sign::Conflict]);
        check("git@h: Permission denied (publickey).", vec![Sign::Refused]);
        check("test result: FAILED. 1 passed; 1 failed", vec![]);
        check("a conflict (of interest) is described", vec![]);
        check("file not found", vec![]);
    }

    #[test]
    fn the_same_failure_has_the_same_mark() {
        let check = |one: &str, other: &str, same: bool| {
            assert_eq!(mark(one) == mark(other), same, "{one} / {other}");
        };
        check("test a ... FAILED\nfinished in 0.12s", "test a ... FAILED\nfinished in 9.01s", true);
        check("a.rs:12:3 panicked at", "a.rs:120:13 panicked at", true);
        check("test a ... FAILED", "test b ... FAILED", false);
        check("5 failed", "4 failed", false);
        check("exit 1", "exit 2", true);
        check("", "", true);
    }
}
