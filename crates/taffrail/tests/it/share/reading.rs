//! What the readers of a share see, and what everybody else does not.

use crate::share::world::{daemon, known, look, name, said, say, seen, team, word, write};
use serde_json::{Value, json};
use taffrail_testkit::Home;
use taffrail_testkit::claude::{Line, talk};
use tempfile::TempDir;

const KEY: &str = "ghp_a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4e5F6";

/// Adds a secret to a session.
fn say_secret(home: &Home, number: u32) {
    let session = name(number);
    let line = Line { session: &session, uuid: "secret", parent: None, second: 50 };
    write(home, number, &line.prompt(&format!("Use {KEY} in /w/app/a.rs")));
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
    assert!(desk.ok(&["show", here]).contains("· on laptop"));
    assert!(desk.ok(&["ls"]).contains("laptop"));
    assert_eq!(desk.json(&["show", id, "--json"])["session"]["id"], here);

    say(&laptop, 1, (20, 24));
    seen(&desk, 1, 15);
    look("search to follow", || {
        let found = desk.json(&["search", "\"number 0023\" device:laptop", "--json"]);
        (found["total"] == 1).then_some(())
    });
    read_only(&desk, here);
    listed(&laptop, &desk, here);

    // Another session for another device, to prove that this device reads at all.
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
    let tries: [&[&str]; 3] =
        [&["send", id, "go on"], &["queue", id, "add", "go on"], &["share", id, "--with", "phone"]];
    for words in tries {
        let answer = desk.run(words);
        assert_eq!(answer.status, 6, "{words:?}: {}", answer.stderr);
    }
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
}

#[test]
fn readers_hear_how_a_session_stands() {
    let hub = TempDir::new().unwrap();
    let [laptop, desk, _] = team(&hub);
    let _daemons = [&laptop, &desk].map(daemon);
    let health = laptop.json(&["health", "--json"]);
    let now: String = word(&health, "started_at").chars().take(16).collect();
    write(&laptop, 1, &talk(&name(1), 0, 4).replace("2026-10-01T10:00", &now));
    let id = word(&seen(&laptop, 1, 4), "id").to_owned();
    laptop.ok(&["share", &id, "--with", "desk"]);
    let status = |home: &Home| known(home, 1).map(|it| it["status"].clone());
    look("the readers' status", || {
        let (here, there) = (status(&laptop)?, status(&desk)?);
        (here == there && here != "unknown").then_some(())
    });
}

fn teleportation(home: &Home, id: &str) -> Value {
    home.json(&["state", "export", id])["teleportation"].clone()
}

#[test]
fn a_state_says_how_its_session_gets_to_others() {
    let hub = TempDir::new().unwrap();
    let [laptop, desk, _] = team(&hub);
    laptop.ok(&["config", "set", "sync.enabled", "false"]);
    say(&laptop, 1, (0, 10));
    say(&laptop, 2, (0, 10));
    laptop.index();
    let [one, two] = [1, 2].map(|it| word(&known(&laptop, it).unwrap(), "id").to_owned());
    laptop.ok(&["share", &one, "--with", "desk"]);
    let nothing = json!({
        "enabled": false, "last_sync": null, "sync_status": null, "sync_error": null,
        "devices": ["laptop"], "storage_backend": "local", "encrypted": false, "shared_with": null,
    });
    assert_eq!(teleportation(&laptop, &two), nothing);
    let waits = json!({
        "enabled": true, "last_sync": null, "sync_status": "pending", "sync_error": null,
        "devices": ["laptop"], "storage_backend": "local", "encrypted": true,
        "shared_with": ["bob@x.org"],
    });
    assert_eq!(teleportation(&laptop, &one), waits);
    let _daemons = [&laptop, &desk].map(daemon);
    let there = word(&seen(&desk, 1, 10), "id").to_owned();
    let told = look("the session to be carried", || {
        let told = teleportation(&laptop, &one);
        (told["sync_status"] == "success").then_some(told)
    });
    assert!(told["last_sync"].is_string(), "{told}");
    assert_eq!(told["shared_with"], json!(["bob@x.org"]));
    assert_eq!(teleportation(&laptop, &two), nothing);
    let told = teleportation(&desk, &there);
    assert_eq!(told["devices"], json!(["laptop"]), "this device only shows it");
    assert_eq!((&told["sync_status"], &told["encrypted"]), (&json!("success"), &json!(true)));
}
