//! Sessions pushed to the hub and pulled from it, and which device may resume them.

use crate::hub::world::{
    Hub, PROJECT, daemon, known, look, more, name, over_each, path_in, said, seen, team, word,
    write_in,
};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use taffrail_testkit::Home;

/// The project folder of a device.
fn project(home: &Home) -> String {
    let folder = home.path("proj");
    fs::create_dir_all(&folder).unwrap();
    folder.to_str().unwrap().to_owned()
}

#[test]
fn a_session_is_pushed_listed_and_pulled() {
    over_each(|hub| {
        let [laptop, tower] = team(hub, ["laptop", "tower"]);
        let (here, there) = (project(&laptop), project(&tower));
        write_in(&laptop, &here, 1, 20);
        laptop.index();
        let pushed = laptop.json(&["teleport", "push", "@last", "--json"]);
        let id = word(&pushed, "session_id");
        let listed = tower.json(&["teleport", "ls", "--json"]);
        let parcels = listed["parcels"].as_array().unwrap();
        assert_eq!(parcels.len(), 1, "{listed}");
        assert_eq!((word(&parcels[0], "session_id"), word(&parcels[0], "device")), (id, "laptop"));
        let pull = ["teleport", "pull", id.get(..8).unwrap(), "--project", &there, "--json"];
        let pulled = tower.json(&pull);
        assert_eq!((word(&pulled, "state"), &pulled["events_missing"]), ("unpacked", &json!(0)));
        let bytes = |home: &Home, project| fs::read(home.path(&path_in(project, 1))).unwrap();
        assert_eq!(bytes(&tower, &there), bytes(&laptop, &here));
        let session = known(&tower, 1).unwrap();
        assert_eq!((word(&session, "id"), word(&session, "device")), (id, "tower"));
        assert_eq!(said(&tower, &session).len(), 20);

        let plan = tower.json(&["resume", id, "--dry-run", "--json"]);
        assert_eq!((word(&plan, "state"), word(&plan, "cwd")), ("resume_available", &*there));
    });
}

#[test]
fn who_has_no_other_device_is_told_so() {
    let hub = Hub::directory();
    let [laptop] = team(&hub, ["laptop"]);
    write_in(&laptop, &project(&laptop), 1, 20);
    laptop.index();
    let refused = laptop.run(&["teleport", "push", "@last"]);
    assert_eq!(refused.status, 3, "{}", refused.stderr);
    assert!(refused.stderr.contains("no other device in the team"), "{}", refused.stderr);
}

#[test]
fn what_another_device_told_is_in_the_way_of_nothing() {
    over_each(|hub| {
        let [laptop, tower] = team(hub, ["laptop", "tower"]);
        let (here, there) = (project(&laptop), project(&tower));
        laptop.ok(&["config", "set", "sync.bodies", "true"]);
        write_in(&laptop, &here, 1, 20);
        let _daemons = (daemon(&laptop), daemon(&tower));
        let id = word(&seen(&tower, 1, 20), "id").to_owned();
        let refused = tower.run(&["teleport", "push", &id]);
        assert_eq!(refused.status, 6, "{}", refused.stderr);
        assert!(refused.stderr.contains("its history is on laptop"), "{}", refused.stderr);
        laptop.ok(&["teleport", "push", &id]);
        let pull = ["teleport", "pull", &id, "--json", "--project"];
        let pulled = tower.json(&[&pull[..], &[&there]].concat());
        assert_eq!((word(&pulled, "state"), &pulled["events_missing"]), ("unpacked", &json!(0)));
        let is_here = || known(&tower, 1).filter(|it| it["device"] == "tower");
        let session = look("the session to be of here", is_here);
        assert_eq!(said(&tower, &session).len(), 20, "nothing stands twice");
        let plan = tower.json(&["resume", &id, "--dry-run", "--json"]);
        assert_eq!((word(&plan, "state"), word(&plan, "cwd")), ("resume_available", &*there));
        // And back: the laptop also received what happened in the meantime.
        tower.append(&path_in(&there, 1), more(&there, 1, (20, 30)));
        look("what went on", || (said(&tower, &session).len() == 30).then_some(()));
        tower.ok(&["teleport", "push", &id]);
        let pulled = laptop.json(&[&pull[..], &[&here]].concat());
        assert_eq!((word(&pulled, "state"), &pulled["events_missing"]), ("unpacked", &json!(0)));
        let bytes = |home: &Home, project| fs::read(home.path(&path_in(project, 1))).unwrap();
        assert_eq!(bytes(&laptop, &here), bytes(&tower, &there));
    });
}

/// What an agent appends to a session when it quits: nothing of the conversation.
const ON_LEAVING: &str = concat!(
    r#"{"type":"last-prompt","lastPrompt":"go on","sessionId":"s"}"#,
    "\n",
    r#"{"type":"cost-state","sessionId":"s","cost":{"total":1}}"#,
    "\n",
);

#[test]
fn a_session_that_was_pushed_before_its_agent_was_left_comes_back() {
    let hub = Hub::directory();
    let [laptop, tower] = team(&hub, ["laptop", "tower"]);
    let (here, there) = (project(&laptop), project(&tower));
    write_in(&laptop, &here, 1, 20);
    laptop.index();
    let id = word(&laptop.json(&["teleport", "push", "@last", "--json"]), "session_id").to_owned();
    laptop.append(&path_in(&here, 1), ON_LEAVING);
    laptop.index();
    let pull = ["teleport", "pull", &id, "--json", "--project"];
    tower.ok(&[&pull[..], &[&there]].concat());
    tower.append(&path_in(&there, 1), more(&there, 1, (20, 30)));
    tower.index();
    tower.ok(&["teleport", "push", &id]);
    let pulled = laptop.json(&[&pull[..], &[&here]].concat());
    assert_eq!((word(&pulled, "state"), &pulled["events_missing"]), ("unpacked", &json!(0)));
    let file = pulled["files"].as_array().unwrap().last().unwrap();
    assert_eq!(word(file, "action"), "rejoin");
    assert_eq!(fs::read_to_string(word(file, "set_aside")).unwrap(), ON_LEAVING);
    let bytes = |home: &Home, project| fs::read(home.path(&path_in(project, 1))).unwrap();
    assert_eq!(bytes(&laptop, &here), bytes(&tower, &there));
    assert_eq!(said(&laptop, &known(&laptop, 1).unwrap()).len(), 30);
}

/// A session that is known only from a hook.
#[test]
fn a_session_without_a_transcript_is_not_pushed() {
    let hub = Hub::directory();
    let [laptop, _tower] = team(&hub, ["laptop", "tower"]);
    let transcript = laptop.path(&path_in(PROJECT, 1));
    let said = json!({"session_id": name(1), "hook_event_name": "SessionStart", "cwd": PROJECT,
        "transcript_path": transcript, "source": "startup"});
    hook(&laptop, &said);
    laptop.index();
    let refused = laptop.run(&["teleport", "push", &name(1)]);
    assert_eq!(refused.status, 6, "{}{}", refused.stdout, refused.stderr);
    assert!(
        refused.stderr.contains("has written nothing of this session yet"),
        "{}",
        refused.stderr
    );
    assert_eq!(laptop.json(&["teleport", "ls", "--json"])["parcels"], json!([]));
}

/// Runs an agent's hook.
fn hook(home: &Home, said: &Value) {
    let mut run = home.command(&["hook", "claude-code"]).stdin(Stdio::piped()).spawn().unwrap();
    run.stdin.take().unwrap().write_all(said.to_string().as_bytes()).unwrap();
    assert!(run.wait().unwrap().success());
}

/// Holds the lease over a session for some seconds, and releases it; returns the exit code.
fn lease(home: &Home, id: &str, seconds: &str) -> i32 {
    home.run(&["teleport", "lease", id, "--hold", seconds]).status
}

#[test]
fn one_device_holds_the_lease_and_afterwards_it_is_free() {
    over_each(|hub| {
        let [laptop, tower] = team(hub, ["laptop", "tower"]);
        write_in(&laptop, &project(&laptop), 1, 10);
        let _daemons = (daemon(&laptop), daemon(&tower));
        let id = word(&seen(&tower, 1, 10), "id").to_owned();
        let words = ["teleport", "lease", &id, "--hold", "2"];
        let mut holder = laptop.command(&words).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(holder.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("held until "), "{line}");
        let refused = tower.run(&words);
        assert_eq!(refused.status, 6, "{}", refused.stderr);
        assert!(refused.stderr.contains("laptop has it until "), "{}", refused.stderr);
        assert!(holder.wait().unwrap().success());
        assert_eq!(lease(&tower, &id, "1"), 0);
    });
}

/// Resumes a session with an agent that only reports that it was called.
fn resume(home: &Home, id: &str) -> (i32, String) {
    let agent = home.path("bin/claude");
    home.write("bin/claude", "#!/bin/sh\necho \"it goes on with $*\"\n");
    fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", home.path("bin").display());
    let output = home.command(&["resume", id]).env("PATH", path).output().unwrap();
    let words = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(words).unwrap())
}

#[test]
fn who_pulled_a_session_has_it_alone_until_it_is_pushed_back() {
    over_each(|hub| {
        let [laptop, tower] = team(hub, ["laptop", "tower"]);
        let (here, there) = (project(&laptop), project(&tower));
        write_in(&laptop, &here, 1, 20);
        laptop.index();
        let pushed = laptop.json(&["teleport", "push", "@last", "--json"]);
        let id = word(&pushed, "session_id");
        // A failed pull does not block any other device.
        let nowhere = ["teleport", "pull", id, "--project", "/nowhere/at/all"];
        assert_ne!(tower.run(&nowhere).status, 0);
        assert_eq!(lease(&laptop, id, "1"), 0);
        tower.ok(&["teleport", "pull", id, "--project", &there]);
        let (status, words) = resume(&laptop, id);
        assert_eq!(status, 6, "{words}");
        assert!(words.contains("tower has it until "), "{words}");
        let pull = ["teleport", "pull", id, "--project", &here];
        assert_eq!(laptop.run(&pull).status, 6);
        let (status, words) = resume(&tower, id);
        assert_eq!(status, 0, "{words}");
        assert!(words.contains("it goes on with --resume"), "{words}");
        tower.append(&path_in(&there, 1), more(&there, 1, (20, 30)));
        tower.index();
        tower.ok(&["teleport", "push", id]);
        laptop.ok(&pull);
        let session = known(&laptop, 1).unwrap();
        assert_eq!(said(&laptop, &session).len(), 30);
        assert_eq!(resume(&laptop, id).0, 0);
    });
}

#[test]
fn a_hub_that_is_away_keeps_nobody_from_resuming() {
    let mut hub = Hub::server();
    let [laptop, _tower] = team(&hub, ["laptop", "tower"]);
    write_in(&laptop, &project(&laptop), 1, 10);
    laptop.index();
    let id = word(&known(&laptop, 1).unwrap(), "id").to_owned();
    let Hub::Server(server) = &mut hub else { unreachable!("it is a server") };
    server.kill();
    let (status, words) = resume(&laptop, &id);
    assert_eq!(status, 0, "{words}");
    assert_eq!(laptop.run(&["teleport", "push", &id]).status, 4, "nobody takes it");
}
