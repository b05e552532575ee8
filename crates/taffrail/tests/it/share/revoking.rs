//! A revoked session disappears from its readers.

use crate::share::world::{daemon, end, known, look, nothing_left, say, seen, team, word};
use serde_json::json;
use std::path::Path;
use taffrail_testkit::Home;
use tempfile::TempDir;

/// What a device stores of others' sessions, as text.
fn held(home: &Home) -> String {
    fn below(folder: &Path, out: &mut String) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.path().is_dir() {
                true => below(&entry.path(), out),
                false => out.push_str(&std::fs::read_to_string(entry.path()).unwrap_or_default()),
            }
        }
    }
    let mut out = String::new();
    below(&home.path(".local/share/taffrail/remote"), &mut out);
    out
}

fn has_nothing(desk: &Home) {
    nothing_left(desk);
    let found = look("search to follow", || {
        let found = desk.json(&["search", "number", "--json"])["total"].as_u64()?;
        (found == 0).then_some(found)
    });
    assert_eq!(found, 0);
    assert!(!held(desk).contains("number 0"), "{}", held(desk));
}

#[test]
fn after_revoking_readers_have_nothing() {
    let hub = TempDir::new().unwrap();
    let [laptop, desk, _] = team(&hub);
    say(&laptop, 1, (0, 10));
    say(&laptop, 2, (0, 10));
    let _daemons = [&laptop, &desk].map(daemon);
    let id = word(&seen(&laptop, 1, 10), "id").to_owned();
    laptop.ok(&["share", &id, "--with", "bob@x.org"]);
    seen(&desk, 1, 10);
    assert!(held(&desk).contains("number 0"), "the test looks for what is there");
    let told = laptop.json(&["share", "revoke", &id, "--json"]);
    assert_eq!(told["shares"][0]["state"], "revoked");
    has_nothing(&desk);
    look("the share to end", || {
        let told = laptop.json(&["share", "ls", "--json"]);
        (told["shared"] == json!([])).then_some(())
    });
    // The session can be shared again.
    say(&laptop, 1, (10, 12));
    laptop.ok(&["share", &id, "--with", "bob@x.org"]);
    seen(&desk, 1, 12);
}

#[test]
fn revoked_is_revoked_also_while_no_daemon_ran() {
    let hub = TempDir::new().unwrap();
    let [laptop, desk, _] = team(&hub);
    say(&laptop, 1, (0, 10));
    let sharing = daemon(&laptop);
    let _reading = daemon(&desk);
    let id = word(&seen(&laptop, 1, 10), "id").to_owned();
    let shared = laptop.json(&["share", &id, "--with", "desk", "--json"]);
    seen(&desk, 1, 10);
    end(&laptop, sharing);
    let share = word(&shared["shares"][0], "id");
    let told = laptop.run(&["share", "revoke", share]);
    assert!(told.stderr.contains("when one does"), "{}", told.stderr);
    assert!(known(&desk, 1).is_some());
    let _sharing = daemon(&laptop);
    has_nothing(&desk);
}

#[test]
fn what_never_left_is_dropped_at_once() {
    let hub = TempDir::new().unwrap();
    let [laptop, ..] = team(&hub);
    say(&laptop, 1, (0, 10));
    let share = laptop.ok(&["share", "@last", "--with", "desk"]);
    laptop.ok(&["share", "revoke", share.trim()]);
    assert_eq!(laptop.json(&["share", "ls", "--json"])["shared"], json!([]));
}
