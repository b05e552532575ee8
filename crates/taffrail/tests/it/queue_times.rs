//! Prompts with a time, from the command line: what is accepted, refused and taken back.
#![expect(clippy::indexing_slicing, reason = "a test that cannot go on must stop")]

use serde_json::{Value, json};
use std::time::Duration;
use taffrail_testkit::claude;
use taffrail_testkit::{Home, Run, until_every};

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
const SESSION: &str = "11111111-1111-4111-8111-111111111111";
const LOOK: Duration = Duration::from_millis(100);

fn daemon(home: &Home) -> Run {
    let run = home.spawn(&["daemon", "run"]);
    until_every(LOOK, "the daemon to answer", || {
        let status = home.run(&["daemon", "status", "--json"]);
        let status: Value = serde_json::from_str(&status.stdout).ok()?;
        status["running"].as_bool().filter(|it| *it)
    });
    run
}

fn waiting(home: &Home) -> Value {
    home.json(&["queue", SESSION, "ls", "--json"])["messages"].clone()
}

#[test]
fn a_prompt_with_a_time_is_taken_once_and_outlives_the_daemon() {
    let home = Home::new(PROGRAM);
    home.write(&claude::path(SESSION), claude::talk(SESSION, 0, 4));
    let mut run = daemon(&home);
    let add = |more: &[&str]| home.run(&[&["queue", SESSION, "add", "go on"], more].concat());
    for (more, code, says) in [
        (&["--at-reset"][..], 3, "taffrail quota"),
        (&["--at", "soon"], 2, "30m"),
        (&["--at", "2020-01-01"], 2, "is over"),
        (&["--at", "1h", "--at-reset"], 2, "cannot be used with"),
        (&["--at", "2999-01-01T16:40:00Z"], 0, ""),
        (&["--at", "2999-01-01T16:40:00Z"], 6, "takes it back"),
    ] {
        let found = add(more);
        assert_eq!(found.status, code, "{more:?}: {}", found.stderr);
        assert!(found.stderr.contains(says), "{more:?}: {}", found.stderr);
    }
    let waits = waiting(&home);
    let fields = ["text", "delivery_state", "not_before"].map(|it| waits[0][it].clone());
    assert_eq!(fields, ["go on", "accepted", "2999-01-01T16:40:00Z"].map(Value::from));
    run.kill();
    let _run = daemon(&home);
    assert_eq!(waiting(&home), waits);
    assert_eq!(home.ok(&["queue", "stop", "--at-reset"]), "removed 0 prompts\n");
    home.ok(&["queue", SESSION, "rm", waits[0]["correlation_id"].as_str().unwrap()]);
    assert_eq!(waiting(&home), json!([]));
}
