//! What the readers of a share see, and what everybody else does not.

use crate::world::{daemon, known, look, name, path, said, say, seen, team, word};
use serde_json::{Value, json};
use taffrail_testkit::Home;
use taffrail_testkit::claude::Line;
use tempfile::TempDir;

const KEY: &str = "ghp_a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4e5F6";

/// Says a secret in a session.
fn say_secret(home: &Home, number: u32) {
    let session = name(number);
    let line = Line { session: &session, uuid: "secret", parent: None, second: 50 };
    home.append(&path(number), line.prompt(&format!("Use {KEY} in /w/app/a.rs")));
}

fn ids(home: &Home) -> Vec<Value> {
    home.sessions().into_iter().map(|it| it["runtime_session_id"].clone()).collect()
}

#[test]
fn a_colleague_sees_the_one_session_and_what_follows() {
    let hub = TempDir::new().unwrap();
    let [laptop, desk, phone] = team(&hub);
    say(&laptop, 1, (0, 10));
    say_secret(&laptop, 1);
    say(&laptop, 2, (0, 10));
    laptop.index();
    let there = known(&laptop, 1).unwrap();
    let _daemons = [&laptop, &desk, &phone].map(daemon);
    let id = word(&there, "id");
    let shared = laptop.json(&["share", id, "--with", "desk", "--json"]);
    assert_eq!(shared["shares"][0]["with"], json!({"users": [], "devices": ["desk"]}));
    assert_eq!(shared["carried"], true);

    let session = seen(&desk, 1, 11);
    assert_eq!((word(&session, "device"), word(&session, "project_path")), ("laptop", "app"));
    assert_eq!(ids(&desk), [name(1)]);
    let here = word(&session, "id");
    assert_ne!(here, id, "no word of another user's is about a session of ours");
    for command in [["events", here], ["show", id], ["show", &name(1)]] {
        let shown = desk.ok(&command);
        assert!(!shown.contains(KEY) && !shown.contains("/w/app"), "{shown}");
        assert!(!shown.contains("resumable"), "{shown}");
    }
    assert_eq!(desk.json(&["show", id, "--json"])["session"]["id"], here);

    say(&laptop, 1, (20, 24));
    seen(&desk, 1, 15);
    assert_eq!(desk.json(&["search", "app", "--device", "laptop", "--json"])["partial"], false);
    read_only(&desk, here);
    listed(&laptop, &desk, here);

    // Another session for another device, so that it is known to read at all.
    let other = known(&laptop, 2).unwrap();
    laptop.ok(&["share", word(&other, "id"), "--with", "carl@x.org"]);
    seen(&phone, 2, 10);
    assert_eq!(ids(&phone), [name(2)]);
    assert_eq!(ids(&desk), [name(1)]);
    assert_eq!(said(&desk, &session).len(), 15);
}

fn read_only(desk: &Home, id: &str) {
    let plan = desk.json(&["resume", id, "--dry-run", "--json"]);
    assert_eq!(word(&plan, "state"), "unsupported");
    assert_ne!(desk.run(&["send", id, "go on"]).status, 0);
    let again = desk.run(&["share", id, "--with", "phone"]);
    assert_eq!(again.status, 6, "{}", again.stderr);
}

fn listed(laptop: &Home, desk: &Home, here: &str) {
    let told = laptop.json(&["share", "ls", "--json"]);
    assert_eq!(told["received"], json!([]));
    assert_eq!(told["shared"][0]["state"], "shared");
    let got = desk.json(&["share", "ls", "--json"]);
    assert_eq!(got["shared"], json!([]));
    let row = &got["received"][0];
    assert_eq!((word(row, "session_id"), word(row, "device")), (here, "laptop"));
    assert_eq!(row["session_id_there"], told["shared"][0]["session_id"]);
    assert_eq!(row["user"], "ann@x.org");
}

#[test]
fn what_is_shared_without_a_daemon_is_carried_by_the_next() {
    let hub = TempDir::new().unwrap();
    let [laptop, desk, _] = team(&hub);
    laptop.ok(&["config", "set", "sync.enabled", "false"]);
    say(&laptop, 1, (0, 10));
    let wish = laptop.run(&["share", "@last", "--with", "bob@x.org"]);
    assert_eq!(wish.status, 0, "{}", wish.stderr);
    assert!(wish.stderr.contains("when one does"), "{}", wish.stderr);
    assert_eq!(
        wish.stdout,
        laptop.ok(&["share", "@last", "--with", "bob@x.org"]),
        "once is enough"
    );
    let _daemons = [&laptop, &desk].map(daemon);
    seen(&desk, 1, 10);
    look("the readers' status", || {
        let session = known(&desk, 1)?;
        (session["status"] != "unknown").then_some(())
    });
}
