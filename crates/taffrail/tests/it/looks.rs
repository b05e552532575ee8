//! Colours, Markdown and links: on a terminal, and nowhere else.

use crate::pager::on_terminal;
use serde_json::json;
use taffrail_testkit::Home;
use taffrail_testkit::claude::{Line, path};

const SESSION: &str = "11111111-1111-4111-8111-111111111111";
const ANSWER: &str = "## Done\n\n- the **flaky** login test waits for the clock that it reads, and for nothing else\n\n```rust\nlet a = 1;\n```";

fn home() -> Home {
    let home = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    let line = |uuid, second| Line { session: SESSION, uuid, parent: None, second };
    let edit = json!({"file_path": "/w/app/a.rs", "old_string": "one", "new_string": "two"});
    let talk = [
        line("u1", 1).prompt("fix the flaky login test"),
        line("u2", 2).call("c1", "Edit", &edit),
        line("u3", 3).result("c1", "done"),
        line("u4", 4).answer(ANSWER),
    ];
    home.write(&path(SESSION), talk.concat());
    home.index();
    home
}

/// What a terminal of 80 columns shows.
fn shown(home: &Home, arguments: &[&str], variables: &[(&str, &str)]) -> String {
    let variables = [&[("TAFFRAIL_PAGER", "cat"), ("TERM", "xterm-256color")], variables].concat();
    on_terminal(home, arguments, &variables).0
}

/// The same text without its colours.
fn bare(text: &str) -> String {
    let mut pieces = text.split("\u{1b}[");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |out, it| out + it.split_once('m').map_or(it, |(_, rest)| rest))
}

const COLOURS: (&str, &str) = ("NO_COLOR", "");

#[test]
fn a_terminal_shows_markdown_and_changes() {
    let home = home();
    let styled = shown(&home, &["show", SESSION], &[COLOURS]);
    for piece in [
        "\u{1b}[1m\u{1b}[34mDone\u{1b}[0m",
        "\u{1b}[1mflaky\u{1b}[0m",
        "•",
        "│",
        "\u{1b}[32m    + two\u{1b}[0m",
        "\u{1b}[91m    - one\u{1b}[0m",
    ] {
        assert!(styled.contains(piece), "{piece:?} is missing: {styled:?}");
    }
    let words: Vec<_> = ANSWER.split_whitespace().filter(|it| it.len() > 3).collect();
    let plain = bare(&styled);
    for word in words.iter().map(|it| it.trim_matches(['*', '`', ',', '#'])) {
        assert!(plain.contains(word), "{word:?} is cut: {plain}");
    }
    for text in plain.lines() {
        assert!(text.chars().count() <= 80, "{text:?}");
    }
}

#[test]
fn pipes_and_no_color_get_text_alone() {
    let home = home();
    let piped = home.ok(&["show", SESSION]);
    let plain = shown(&home, &["show", SESSION], &[]);
    let never = shown(&home, &["show", SESSION, "--color", "never"], &[COLOURS]);
    let dumb = shown(&home, &["show", SESSION], &[COLOURS, ("TERM", "dumb")]);
    for text in [&piped, &plain, &never, &dumb] {
        assert!(!text.contains('\u{1b}'), "{text:?}");
        assert!(text.contains("## Done") && text.contains("**flaky**"), "{text}");
    }
    for arguments in [["show", SESSION, "--color", "always"], ["ls", "-n", "9", "--color=always"]] {
        assert!(home.ok(&arguments).contains("\u{1b}["), "{arguments:?}");
    }
}

#[test]
fn search_marks_matches_and_cuts_no_word() {
    let home = home();
    let styled = shown(&home, &["search", "flaky", "login", "clock"], &[COLOURS]);
    assert!(styled.contains("\u{1b}[1m\u{1b}[4m\u{1b}[33mlogin\u{1b}[0m"), "{styled:?}");
    let plain = bare(&styled);
    let rows: Vec<_> = plain.lines().filter(|it| it.starts_with("  answer")).collect();
    assert_eq!(rows.len(), 1, "{plain}");
    assert!(plain.contains("clock that it\n           reads"), "{plain}");
    assert!(!home.ok(&["search", "flaky"]).contains('\u{1b}'));
}

#[test]
fn folders_are_links_where_the_terminal_knows_them() {
    let home = home();
    let check = |arguments: &[&str], term: &str, expected: bool| {
        let text = shown(&home, arguments, &[COLOURS, ("TERM", term)]);
        assert_eq!(text.contains("\u{1b}]8;;file://"), expected, "{arguments:?} {term}: {text:?}");
        assert_eq!(text.contains("/w/app\u{1b}\\"), expected, "{arguments:?} {term}: {text:?}");
    };
    for arguments in [&["ls"][..], &["show", SESSION], &["search", "flaky"]] {
        check(arguments, "xterm-kitty", true);
        check(arguments, "xterm-256color", false);
        check(&[arguments, &["--hyperlink", "always"]].concat(), "xterm-256color", true);
        check(&[arguments, &["--hyperlink", "never"]].concat(), "xterm-kitty", false);
    }
    let piped = home.ok(&["ls", "--hyperlink", "always"]);
    assert!(!piped.contains('\u{1b}'), "{piped:?}");
}
