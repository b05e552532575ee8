//! Session files in Markdown, by every way to name them.

use crate::contracts::faults;
use crate::contracts::history::PROGRAM;
use serde_json::{Value, json};
use std::fs::File;
use std::time::{Duration, SystemTime};
use taffrail_testkit::Home;

const FILE: &str = "# Session: Mend the parser\n**Branch:** parser\n**Worktree:** /w/app\n\n\
### Completed\n- [x] Read empty lines\n\n### Context to Load\n```\nsrc/parse.rs\n```\n";
const NEW: &str = ".claude/session-data/2026-02-02-bbbb2222-session.tmp";
const OLD: &str = ".claude/sessions/2026-02-01-aaaa1111-session.tmp";

pub(super) fn home() -> Home {
    let home = Home::new(PROGRAM);
    home.write(NEW, FILE);
    home.write(OLD, FILE.replace("parser", "lexer"));
    let aged = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    File::options().write(true).open(home.path(OLD)).unwrap().set_modified(aged).unwrap();
    let aliases = json!({ "aliases": { "lexing": { "sessionPath": home.path(OLD) } } });
    home.write(".claude/session-aliases.json", aliases.to_string());
    home
}

#[test]
fn a_session_file_is_found_by_id_alias_path_and_age() {
    let home = home();
    let (new, old) = (home.path(NEW), home.path(OLD));
    let (new, old) = (new.to_str().unwrap(), old.to_str().unwrap());
    let check = |target: &str, id: &str, source: Value| {
        let got = home.json(&["snapshot", target]);
        assert_eq!(faults(&home, "ecc", &got), [""; 0]);
        let told = (&got["adapterId"], &got["session"]["id"], &got["session"]["sourceTarget"]);
        assert_eq!(told, (&json!("claude-history"), &json!(id), &source), "{target}");
    };
    let source = |kind: &str, value: &str| json!({ "type": kind, "value": value });
    check("claude-history:latest", "bbbb2222", source("claude-history", "latest"));
    check("claude-history:aaaa", "aaaa1111", source("claude-history", "aaaa"));
    check("aaaa1111", "aaaa1111", source("claude-history", "aaaa1111"));
    check("claude-alias:lexing", "aaaa1111", source("claude-alias", "lexing"));
    check("lexing", "aaaa1111", source("claude-alias", "lexing"));
    check(old, "aaaa1111", source("session-file", old));
    check(NEW, "bbbb2222", source("session-file", new));
    check("2026-02-02-bbbb2222-session.tmp", "bbbb2222", source("session-file", new));
    for missing in ["claude-history:cccc", "claude-alias:none", "x-session.tmp", "nothing"] {
        assert_eq!(home.run(&["snapshot", missing]).status, 3, "{missing}");
    }
}

#[test]
fn its_folders_can_be_set_and_its_snapshots_are_kept() {
    let home = home();
    home.write("elsewhere/2026-03-01-cccc3333-session.tmp", FILE);
    home.ok(&["config", "set", "snapshots.history_folders", r#"["~/elsewhere"]"#]);
    let got = home.json(&["snapshot", "latest", "--adapter", "claude-history"]);
    assert_eq!(got["session"]["id"], "cccc3333");
    assert_eq!(got["workers"][0]["intent"]["seedPaths"], json!(["src/parse.rs"]));
    let kept = home.json(&["snapshot", "claude-history:cccc", "--history"]);
    assert_eq!(kept["snapshots"][0]["snapshot"], got);
    assert_eq!(home.run(&["snapshot", "claude-history:aaaa"]).status, 3);
}
