//! Bundles for others to read: without known kinds of secrets, and without paths.

use crate::teleport::{
    SESSION, device, folder, lines, pair, project, take_in, transcript, unpacked, word,
};
use serde_json::json;
use taffrail_testkit::claude::Line;

const KEY: &str = "ghp_a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4e5F6";

#[test]
fn a_colleague_reads_what_was_said_and_nothing_else() {
    let (laptop, _tower) = pair();
    let desk = device("desk", "bob@x.org");
    take_in(&laptop, &desk, "bob@x.org");
    laptop.write(&transcript(&laptop), lines(&laptop, 0, 4));
    let line = Line { session: SESSION, uuid: "u9", parent: None, second: 9 };
    let prompt = line.prompt(&format!("Use {KEY} in {}/a.rs", project(&laptop).display()));
    laptop
        .append(&transcript(&laptop), prompt.replace("/w/app", project(&laptop).to_str().unwrap()));
    let told = laptop.json(&[
        "teleport",
        "pack",
        SESSION,
        "--to",
        "bob@x.org",
        "--redacted",
        "--out",
        "r.bundle",
        "--json",
    ]);
    assert_eq!(
        (&told["redacted"], &told["files"], &told["patch"]),
        (&json!(true), &json!(0), &json!(null))
    );
    let told = unpacked(&desk, &laptop.path("r.bundle"), &[]);
    assert_eq!(word(&told, "state"), "shared");
    let id = word(&told, "session_id");
    let shown = desk.ok(&["state", "export", id]);
    assert!(!shown.contains(KEY), "{shown}");
    assert!(!shown.contains(laptop.root().to_str().unwrap()), "{shown}");
    assert!(shown.contains("\"/proj\""), "{shown}");
    assert!(!desk.path(&folder(&project(&desk))).exists());
    let plan = desk.json(&["resume", id, "--dry-run", "--json"]);
    assert_eq!(word(&plan, "state"), "unsupported");
}
