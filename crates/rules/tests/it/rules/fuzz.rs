//! Damaged commands: the parsers read any text to its end in reasonable time, and nothing appended
//! to a denied command lets it through.
//!
//! `TAFFRAIL_FULL=1` tries many inputs, `TAFFRAIL_SEED` selects them.

use super::{COMMANDS, asked, rules, unescaped};
use std::hint::black_box;
use std::path::Path;
use taffrail_rules::{
    COMMAND_BYTES, Decided, Decision, Request, commands_in, controls, decide, plain_commands, risk,
    suggestions,
};
use taffrail_testkit::fuzz::{Counts, Fuzz, Took};

const COUNTS: Counts = Counts { slice: 400, full: 40_000 };
/// The most times one word of a command may appear in the result: once for each wrapper program
/// before it, and for each command that contains these.
const TIMES: usize = 64 * 7;
/// The most words in a whole result.
const MOST_WORDS: usize = 100_000;

/// Input that shells or our parsers may stumble over.
const WORDS: &[&str] = &[
    "git push",
    "rm -rf x",
    "cargo test",
    "sudo ",
    "env ",
    "sh -c '",
    "eval ",
    "xargs ",
    "find . -exec ",
    "$(",
    "${x:-",
    "`",
    "<<EOF\n",
    "<<-'E'\n",
    "<(",
    ">&2",
    "&&",
    "||",
    "|&",
    ";;",
    "case x in x)",
    "for i in ",
    "do ",
    "done",
    "{ ",
    "; }",
    "!",
    "#",
    "\\\n",
    "$'\\x41'",
    "$\"",
    "A=1 ",
    "-C x ",
    "-- ",
    "nohup ",
    "timeout 5 ",
    "nice -n 5 ",
    "command ",
    "exec ",
    "bash -lc \"",
    "python3 -c '",
    "%",
    "~/",
    "taffrail approve ",
    ".taffrail/policy.toml",
    "\r",
    "\u{a0}",
];

#[test]
fn damaged_commands_are_read_to_their_end() {
    let cases = COMMANDS.lines().filter_map(|line| line.split_once(' ')).map(|it| unescaped(it.1));
    let taken = Fuzz::of("commands", cases)
        .with_words(WORDS)
        .run(COUNTS, |input| check(&String::from_utf8_lossy(input)));
    assert!(taken > 0, "none of them was allowed, so nothing was checked");
}

#[test]
fn a_long_command_behind_many_programs_is_not_held_as_often_as_it_is_run() {
    let behind = ["env ".repeat(60), "eval ".to_owned()].concat().repeat(6);
    let text = [behind, "a ".repeat(30_000)].concat();
    check_found(&text);
    let found = commands_in(&text);
    assert!(found.is_cut);
    assert_eq!(decide(&asked(&text), &rules()).decision, Decision::Ask);
}

fn check(text: &str) -> Took {
    let rules = rules();
    let verdict = decide(&asked(text), &rules);
    assert_eq!(decide(&asked(text), &rules), verdict, "it is decided otherwise the second time");
    let is_plain = plain_commands(text).is_ok();
    assert!(verdict.decision != Decision::Allow || is_plain, "it is allowed and not plain");
    check_found(text);
    check_remarks(text);
    check_behind_a_denied_one(text);
    Took::from(verdict.decision == Decision::Allow)
}

fn check_found(text: &str) {
    let found = commands_in(text);
    let bytes: usize = found.commands.iter().flatten().map(String::len).sum();
    let words: usize = found.commands.iter().map(Vec::len).sum();
    assert!(words <= MOST_WORDS, "{words} words found in {}", text.len());
    assert!(bytes <= text.len() * TIMES, "{bytes} bytes found in {}", text.len());
}

/// Checks only that they finish in reasonable time.
fn check_remarks(text: &str) {
    let request = Request { project: Some(Path::new("/w/app")), ..asked(text) };
    black_box((risk(&request), controls(Some(text), &[text])));
    let decided = Decided {
        decision: Decision::Allow,
        tool: "Bash".to_owned(),
        command: Some(text.to_owned()),
        project: None,
    };
    black_box(suggestions(&[decided.clone(), decided.clone(), decided]));
}

/// A complete line is a command, whatever follows.
fn check_behind_a_denied_one(text: &str) {
    let behind = format!("git push\n{text}");
    let decision = decide(&asked(&behind), &rules()).decision;
    let expected = if behind.len() <= COMMAND_BYTES { Decision::Deny } else { Decision::Ask };
    assert!(decision >= expected, "{decision} behind a denied command");
}
