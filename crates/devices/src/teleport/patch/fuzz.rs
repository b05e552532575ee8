//! Paths of a hostile patch, and damaged lists of them: every path is reported, and no dangerous
//! path is reported as harmless.
//!
//! `TAFFRAIL_FULL=1` tries many, `TAFFRAIL_SEED` chooses which.

use super::*;
use taffrail_testkit::fuzz::{Counts, Fuzz, Took};

const COUNTS: Counts = Counts { slice: 2_000, full: 500_000 };
const SHA: &str = "0123456789012345678901234567890123456789";

const WORDS: &[&str] = &[
    ":100644 100755 ",
    ":000000 120000 ",
    ":000000 160000 ",
    " M",
    " A",
    " D",
    "\0",
    ":",
    "../",
    "/",
    ".git/hooks/x",
    ".Git",
    "AGENTS.md",
    "\n",
    " ",
    "\"",
    "\\",
];

#[test]
fn damaged_lists_are_read_to_their_end() {
    let modes =
        [["100644", "100755"], ["000000", "120000"], ["160000", "160000"], ["100644", "000000"]];
    let paths = ["a.txt", "deep/.vscode/tasks.json", "ü x/y", ".envrc", "a:b"];
    let line = |[before, after]: [&str; 2], path: &str| raw(before, after, path.as_bytes());
    let seeds = modes.iter().map(|it| paths.map(|path| line(*it, path)).concat());
    let taken = Fuzz::of("raw", seeds).with_words(WORDS).run(COUNTS, |input| {
        let files = raw_files(input);
        assert_eq!(raw_files(input), files);
        let bytes: usize = files.iter().map(|it| it.path.len()).sum();
        // Invalid UTF-8 becomes a replacement character of three bytes.
        assert!(bytes <= 3 * input.len(), "{bytes} bytes of {}", input.len());
        let told: Vec<_> = files.into_iter().map(|it| judged(it, &[])).collect();
        Took::from(!told.is_empty())
    });
    assert!(taken > 0, "{taken} lists were read");
}

#[test]
fn whatever_a_path_is_called_it_is_told_and_what_controls_something_is_left_out() {
    let seeds = ["a.txt", "src/.git/config", "AGENTS.md", "ü/x y", "deep/.vscode/tasks.json"];
    Fuzz::of("paths", seeds).with_words(WORDS).run(COUNTS, |input| {
        let path: Vec<u8> = input.iter().copied().filter(|it| *it != 0).collect();
        let lossy = String::from_utf8_lossy(&path).into_owned();
        let list = [raw("100644", "100644", &path), raw("000000", "120000", b"link")].concat();
        let told: Vec<_> = raw_files(&list).into_iter().map(|it| judged(it, &[])).collect();
        let paths: Vec<&str> = told.iter().map(|it| it.path.as_str()).collect();
        assert_eq!(paths, [lossy.as_str(), "link"]);
        let hidden = lossy.split('/').any(|it| it.starts_with('.'));
        assert!(!told[1].taken, "a link is taken");
        assert!(!hidden || !told[0].taken, "{told:?}");
        Took::from(told[0].taken)
    });
}

fn raw(before: &str, after: &str, path: &[u8]) -> Vec<u8> {
    [format!(":{before} {after} {SHA} {SHA} M\0").as_bytes(), path, b"\0"].concat()
}
