//! The sessions of a host, printed once.

use super::{SESSION, World, write};
use serde_json::Value;
use taffrail_testkit::claude::talk;

#[test]
fn a_host_without_a_hub_shows_its_sessions_through_one_connection() {
    let world = World::new();
    let told = world.link(&["--json"]);
    assert_eq!(told.status, 0, "{}", told.stderr);
    let told: Value = serde_json::from_str(&told.stdout).unwrap();
    assert_eq!(told["sessions"][0]["runtime_session_id"], SESSION, "{told}");
    assert_eq!(told["host"], world.server.address().strip_prefix("ssh://").unwrap(), "{told}");
    assert_eq!(told["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(world.server.runs(), 1, "one connection");
    assert!(world.laptop.sessions().is_empty(), "nothing of it stays here");
    assert!(!world.laptop.path(".local/share/taffrail/device").exists(), "and no keys were made");
    let rows = world.link(&["--list"]);
    assert_eq!((rows.status, rows.stderr.as_str()), (0, ""), "{}", rows.stdout);
    assert!(rows.stdout.contains("open"), "{}", rows.stdout);
}

#[test]
fn the_list_of_a_host_shows_text_only() {
    let world = World::new();
    let hostile = "\\u001b]0;pwned\\u0007\\u001b[2J\\u009b31m \\u202egnp.exe marmalade";
    write(
        &world.tower,
        &talk(SESSION, 0, 4).replace("\"content\":\"", &format!("\"content\":\"{hostile} ")),
    );
    for words in [&["--list"][..], &["--json"], &["--list", "--color", "always"]] {
        let told = world.link(words);
        assert_eq!(told.status, 0, "{}", told.stderr);
        assert!(told.stdout.contains("marmalade"), "{}", told.stdout);
        let all = without_styles(&(told.stdout + &told.stderr));
        let is_bad = |it: char| it.is_control() && it != '\n' || it == '\u{202e}';
        assert!(!all.contains(is_bad), "{words:?}: {all:?}");
    }
}

/// A text without our own bold and colours.
fn without_styles(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|it: char| it.is_ascii_digit() || it == ';');
        match rest.strip_prefix('m') {
            Some(rest) => out += rest,
            None => out += &format!("\u{1b}[{part}"),
        }
    }
    out
}
