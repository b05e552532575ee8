//! Repairs by hand: joined, split, archived; they survive every rebuild of the index.

use super::{By, binding, faults, hints, history, started};
use crate::bindings::history::{FORK, SESSION, THREAD, WORKER};
use serde_json::{Value, json};
use taffrail_testkit::Home;

fn id(home: &Home, runtime: &str) -> Value {
    home.session(runtime)["id"].clone()
}

/// The status of each, in order.
fn stand(home: &Home) -> [String; 3] {
    [SESSION, FORK, THREAD].map(|it| {
        let document = binding(home, it);
        assert_eq!(faults(home, &document), json!([]), "{document}");
        document["status"].as_str().unwrap().to_owned()
    })
}

fn listed(home: &Home) -> usize {
    home.json(&["ls", "--json"])["sessions"].as_array().unwrap().len()
}

fn check_joined(by: By) {
    let home = history::home();
    let _daemon = started(by, &home);
    let [session, fork] = [SESSION, FORK].map(|it| id(&home, it));
    let before = listed(&home);
    let join = |new: &str, old: &str| home.json(&["binding", "join", new, old, "--json"]);
    assert_eq!(join(SESSION, FORK)["changed"], json!([fork]), "{by:?}");
    assert_eq!(join(SESSION, FORK)["changed"], json!([]), "{by:?}: twice is once");
    assert_eq!(stand(&home), ["resumable", "superseded", "resumable"], "{by:?}");
    assert_eq!(hints(&binding(&home, FORK)), json!({"superseded_by": session}));
    assert_eq!(binding(&home, FORK)["resume_capability"]["by_runtime_id"], false);
    assert_eq!(hints(&binding(&home, SESSION)), json!({"supersedes": [fork]}));
    assert_eq!(listed(&home), before - 1, "what another took the place of is not listed");
    assert_eq!(home.session(FORK)["lifecycle"], "superseded");
    chained(&home, by);
    refused(&home, by);
    home.ok(&["rebuild", "--yes"]);
    assert_eq!(stand(&home), ["superseded", "superseded", "resumable"], "{by:?}: after a rebuild");
    split(&home, by);
    assert_eq!(listed(&home), before);
}

fn chained(home: &Home, by: By) {
    let [session, fork, thread] = [SESSION, FORK, THREAD].map(|it| id(home, it));
    // A chain of several is followed to its end, and reported.
    home.ok(&["binding", "join", THREAD, SESSION]);
    assert_eq!(stand(home), ["superseded", "superseded", "resumable"], "{by:?}");
    assert_eq!(binding(home, FORK)["metadata"]["superseded_by"], thread);
    let shown = home.json(&["show", FORK, "--json"]);
    assert_eq!((&shown["session"]["id"], &shown["resolved_from"]), (&thread, &fork));
    let text = home.ok(&["show", FORK]);
    assert!(
        text.starts_with(&format!("{} was joined to this session", fork.as_str().unwrap())),
        "{text}"
    );
    assert!(text.contains(&format!("took the place of {}", session.as_str().unwrap())), "{text}");
    assert_eq!(home.events(FORK)[0]["sessionId"], fork, "its own history stays its own");
}

fn refused(home: &Home, by: By) {
    let check = |words: &[&str], says: &str| {
        let output = home.run(&[&["binding"], words].concat());
        assert_eq!(output.status, 6, "{by:?} {words:?}: {output:?}");
        assert!(output.stderr.contains(says), "{by:?} {words:?}: {output:?}");
    };
    check(&["join", SESSION, SESSION], "its own place");
    check(&["join", FORK, THREAD], "is joined to");
    check(&["join", THREAD, FORK], "split it first");
    check(&["join", WORKER, SESSION], "works for");
    check(&["join", SESSION, WORKER], "works for");
    check(&["split", WORKER], "works for");
    check(&["archive", WORKER], "works for");
    assert_eq!(home.run(&["binding", "join", SESSION, "ffffffff"]).status, 3);
}

fn split(home: &Home, by: By) {
    let changed =
        |runtime: &str| home.json(&["binding", "split", runtime, "--json"])["changed"].take();
    assert_eq!(changed(FORK), json!([id(home, FORK)]), "{by:?}");
    assert_eq!(changed(FORK), json!([]), "{by:?}: twice is once");
    assert_eq!(stand(home), ["superseded", "resumable", "resumable"], "{by:?}");
    // Splitting the session that stays undoes the joins to it.
    assert_eq!(changed(THREAD), json!([id(home, SESSION)]), "{by:?}");
    assert_eq!(stand(home), ["resumable", "resumable", "resumable"], "{by:?}");
    assert_eq!(hints(&binding(home, SESSION)), json!({}));
}

#[test]
fn sessions_that_are_one_are_joined_and_split() {
    check_joined(By::Command);
}

#[test]
fn a_daemon_joins_and_splits_sessions() {
    check_joined(By::Daemon);
}

fn check_archived(by: By) {
    let home = history::home();
    let _daemon = started(by, &home);
    let archive =
        |words: &[&str]| home.json(&[&["binding", "archive", FORK, "--json"], words].concat());
    assert_eq!(archive(&["--undo"])["changed"], json!([]), "{by:?}");
    assert_eq!(archive(&[])["changed"], json!([id(&home, FORK)]), "{by:?}");
    assert_eq!(archive(&[])["changed"], json!([]), "{by:?}");
    let check = || {
        let it = binding(&home, FORK);
        assert_eq!(
            (&it["status"], &hints(&it)),
            (&json!("archived"), &json!({"archived_by": "person"}))
        );
        assert_eq!(it["resume_capability"]["by_runtime_id"], false, "never offered");
        assert_eq!(home.session(FORK)["lifecycle"], "archived");
    };
    check();
    home.ok(&["rebuild", "--yes"]);
    check();
    home.ok(&["binding", "join", SESSION, FORK]);
    assert_eq!(binding(&home, FORK)["status"], "superseded");
    home.ok(&["binding", "split", FORK]);
    check();
    assert_eq!(archive(&["--undo"])["binding"]["status"], "resumable", "{by:?}");
}

#[test]
fn a_session_is_kept_for_history_only_until_that_is_undone() {
    check_archived(By::Command);
    check_archived(By::Daemon);
}

#[test]
fn what_is_forgotten_breaks_no_chain() {
    let home = history::home();
    home.index();
    home.ok(&["binding", "join", SESSION, FORK]);
    home.ok(&["binding", "join", THREAD, SESSION]);
    let [session, fork, thread] = [SESSION, FORK, THREAD].map(|it| id(&home, it));
    home.ok(&["forget", session.as_str().unwrap(), "--yes"]);
    let fork = fork.as_str().unwrap();
    assert_eq!(binding(&home, fork)["metadata"]["superseded_by"], thread);
    home.ok(&["forget", thread.as_str().unwrap(), "--yes"]);
    // No session is left that could have superseded it.
    assert_eq!(binding(&home, fork)["status"], "resumable");
    assert_eq!(home.json(&["show", fork, "--json"])["session"]["id"], fork);
}

fn check_restored(by: By) {
    let home = Home::new(history::PROGRAM);
    let talk = |session: &str| taffrail_testkit::claude::talk(session, 0, 4);
    home.write(&taffrail_testkit::claude::path(SESSION), talk(SESSION));
    let _daemon = started(by, &home);
    home.ok(&["backup", "old.ledger"]);
    home.write(&taffrail_testkit::claude::path(FORK), talk(FORK));
    home.index();
    let made = binding(&home, SESSION)["created_at"].clone();
    home.ok(&["restore", "old.ledger", "--yes"]);
    home.index();
    let bound = rusqlite::Connection::open(home.path(".local/share/taffrail/ledger.db")).unwrap();
    let count = "SELECT count(*) FROM bindings";
    let count: i64 = bound.query_row(count, [], |row| row.get(0)).unwrap();
    assert_eq!(count, 2, "{by:?}: the one the old ledger did not know has one again");
    assert_eq!(binding(&home, SESSION)["created_at"], made, "{by:?}");
    assert_eq!(faults(&home, &binding(&home, FORK)), json!([]));
}

#[test]
fn sessions_an_older_ledger_does_not_know_are_bound_again() {
    check_restored(By::Command);
    check_restored(By::Daemon);
}
