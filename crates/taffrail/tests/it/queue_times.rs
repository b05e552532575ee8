//! Prompts with a time, from the command line: what is accepted, refused and taken back.
#![expect(clippy::indexing_slicing, reason = "a test that cannot go on must stop")]

use serde_json::{Value, json};
use std::time::Duration;
use taffrail_model::Timestamp;
use taffrail_testkit::claude::{self, Line};
use taffrail_testkit::{Home, Run, until_every};

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
const SESSION: &str = "11111111-1111-4111-8111-111111111111";
const LOOK: Duration = Duration::from_millis(100);
const CONFIG: &str = ".config/taffrail/config.toml";

fn daemon(home: &Home) -> Run {
    let run = home.spawn(&["daemon", "run"]);
    until_every(LOOK, "the daemon to answer, with all history read", || {
        let status = home.run(&["daemon", "status", "--json"]);
        let status: Value = serde_json::from_str(&status.stdout).ok()?;
        (status["running"] == true && status["reading"].is_null()).then_some(())
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

/// A prompt that a limit refused just now, as Claude Code records it.
#[expect(clippy::disallowed_methods, reason = "a refusal of just now needs the time")]
fn refused(session: &str, folder: &str) -> String {
    let now = Timestamp::now();
    let record = |uuid: &str, parent: Option<&str>, more: Value| {
        let mut fields = more;
        fields["timestamp"] = now.to_string().into();
        fields["cwd"] = folder.into();
        Line { session, uuid, parent, second: 0 }.with(&fields)
    };
    let ids = ["a", "b"].map(|it| session.replace('-', it));
    let says = json!([{"type": "text", "text": "You've hit your session limit"}]);
    let limits = json!({"status": "rejected", "rateLimitType": "five_hour",
        "resetsAt": now.as_second() + 3_600});
    let prompt = json!({"type": "user", "message": {"role": "user", "content": "light the lamp"}});
    let refusal = json!({"type": "assistant", "isApiErrorMessage": true, "error": "rate_limit",
        "quotaLimits": limits, "message": {"id": ids[1], "type": "message",
        "role": "assistant", "model": "<synthetic>", "content": says}});
    record(&ids[0], None, prompt) + &record(&ids[1], Some(&ids[0]), refusal)
}

#[test]
fn a_session_of_a_chosen_project_goes_on_at_the_reset_and_no_other() {
    let home = Home::new(PROGRAM);
    home.write(CONFIG, "[queue]\nat_reset = [\"/w/nightly\"]\n");
    let mut run = daemon(&home);
    let names = ["2", "3"].map(|it| SESSION.replace('1', it));
    for (name, folder) in names.iter().zip(["/w/nightly/a", "/w/nightly-not"]) {
        home.write(&claude::path(name), refused(name, folder));
    }
    let messages = |name: &str| home.json(&["queue", name, "ls", "--json"])["messages"].clone();
    let waits = until_every(LOOK, "a prompt for the reset", || {
        let known = |name: &String| home.run(&["show", name, "--json"]).status == 0;
        let first = names.iter().all(known).then(|| messages(&names[0]))?;
        first[0].is_object().then_some(first)
    });
    let fields = ["text", "delivery_state"].map(|it| waits[0][it].clone());
    assert_eq!(fields, ["Go on where you left off.", "accepted"].map(Value::from));
    assert!(waits[0]["not_before"].is_string(), "{waits}");
    assert_eq!(messages(&names[1]), json!([]));
    // What the user took back does not return, also in the next daemon.
    home.ok(&["queue", &names[0], "rm", waits[0]["correlation_id"].as_str().unwrap()]);
    run.kill();
    let _run = daemon(&home);
    home.ok(&["ls", "--json"]);
    assert_eq!(messages(&names[0]), json!([]));
}
