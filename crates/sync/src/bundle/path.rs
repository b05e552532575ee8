//! The allowed paths of entries: plain names that mean the same on every system.

use super::BadPath;
use std::collections::BTreeSet;

const MOST_PARTS: usize = 16;
const MOST_PART_BYTES: usize = 128;
const MOST_PATH_BYTES: usize = 512;
/// Names that are devices on some systems, with any extension.
const DEVICES: [&str; 22] = [
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8",
    "com9", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

/// Checks one path.
///
/// # Errors
///
/// Returns the problem with the path.
pub fn check_path(path: &str) -> Result<(), BadPath> {
    let parts: Vec<_> = path.split('/').collect();
    if path.len() > MOST_PATH_BYTES || parts.len() > MOST_PARTS {
        return Err(BadPath::TooLong);
    }
    parts.into_iter().try_for_each(check_part)
}

fn check_part(part: &str) -> Result<(), BadPath> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-@+=,".contains(&byte);
    let stem = part.split('.').next().unwrap_or_default().to_ascii_lowercase();
    match part {
        "" => Err(BadPath::Empty),
        "." | ".." => Err(BadPath::LeadsOut),
        _ if part.len() > MOST_PART_BYTES => Err(BadPath::TooLong),
        _ if !part.bytes().all(plain) => Err(BadPath::Odd),
        _ if part.starts_with(['.', '-']) || part.ends_with('.') => Err(BadPath::Odd),
        _ if DEVICES.contains(&stem.as_str()) => Err(BadPath::Odd),
        _ => Ok(()),
    }
}

/// Checks paths together. Returns the first invalid one with its problem.
pub(super) fn check_paths<'p>(
    paths: impl Iterator<Item = &'p str> + Clone,
) -> Result<(), (String, BadPath)> {
    let mut seen = BTreeSet::new();
    for path in paths.clone() {
        let fault = |why: BadPath| (path.to_owned(), why);
        check_path(path).map_err(fault)?;
        // Some systems are case-insensitive.
        if !seen.insert(path.to_ascii_lowercase()) {
            return Err(fault(BadPath::Twice));
        }
    }
    // A file of one entry cannot be a folder of another.
    for path in paths {
        let lower = path.to_ascii_lowercase();
        let mut folders = lower.match_indices('/').filter_map(|(at, _)| lower.get(..at));
        if folders.any(|folder| seen.contains(folder)) {
            return Err((path.to_owned(), BadPath::Twice));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::path::{Component, Path};

    #[test]
    fn only_plain_relative_paths_are_taken() {
        let check = |path: &str, expected: Result<(), BadPath>| {
            assert_eq!(check_path(path), expected, "{path:?}");
        };
        check("source/rollout-2026-11-01T00-00-00-0198.jsonl", Ok(()));
        check("worker/agent-a1b2/_x@y+z=1,2.json", Ok(()));
        check(&["a"; 16].join("/"), Ok(()));
        check(&["a"; 17].join("/"), Err(BadPath::TooLong));
        check(&"a".repeat(128), Ok(()));
        check(&"a".repeat(129), Err(BadPath::TooLong));
        check(&format!("{}/", "a".repeat(600)), Err(BadPath::TooLong));
        for path in ["", "/", "/etc/passwd", "a//b", "a/"] {
            check(path, Err(BadPath::Empty));
        }
        for path in ["..", "../x", "a/../../x", ".", "./a", "a/.."] {
            check(path, Err(BadPath::LeadsOut));
        }
        let odd = [
            "a\\b",
            "C:x",
            "a\0b",
            "a b",
            "~",
            "a\nb",
            "\u{1b}[2J",
            "é",
            ".hidden",
            "-rf",
            "a.",
            "nul",
            "NUL.txt",
            "a/Com1.x",
            "a\u{202e}b",
            "$(x)",
            "a*",
            "a:stream",
            "...",
        ];
        for path in odd {
            check(path, Err(BadPath::Odd));
        }
    }

    #[test]
    fn no_two_entries_meet() {
        let check = |paths: &[&str], expected: Option<(&str, BadPath)>| {
            let got = check_paths(paths.iter().copied()).err();
            assert_eq!(got, expected.map(|(path, why)| (path.to_owned(), why)), "{paths:?}");
        };
        check(&["a", "b", "c/a"], None);
        check(&["a", "b", "a"], Some(("a", BadPath::Twice)));
        check(&["a/B", "A/b"], Some(("A/b", BadPath::Twice)));
        check(&["a/b/c", "A/b"], Some(("a/b/c", BadPath::Twice)));
        check(&["a", "../b"], Some(("../b", BadPath::LeadsOut)));
    }

    proptest! {
        #[test]
        fn no_path_that_is_taken_leads_out(path in "[a-zA-Z./\\\\:-]{0,12}|.{0,8}") {
            if check_path(&path).is_ok() {
                let normal = |part: Component<'_>| matches!(part, Component::Normal(_));
                prop_assert!(Path::new(&path).components().all(normal), "{path:?}");
            }
        }
    }
}
