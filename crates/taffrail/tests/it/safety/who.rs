//! Who is calling: an agent reads, a script sends, a person decides.

use super::agent::{Agent, SESSION};
use super::{LOOK, PROGRAM, daemon, pending};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use taffrail_testkit::{Home, until_every};

fn log(home: &Home) -> Value {
    home.json(&["approvals", "log", "--json"])
}

/// Actions that would let an agent act as its user.
const DEEDS: &[&str] = &[
    "approve ID",
    "deny ID",
    "rules add --allow --tool Bash --command 'ls *'",
    "rules add --allow --tool '*' --yes",
    "config set archive.enabled false",
    "config set control.scripts true",
    "config set summary.command '[\"sh\"]'",
    "prices import /dev/null",
    "hooks install --agent claude-code --yes",
    "setup --yes",
    "send SESSION hello",
    "queue SESSION add hello",
    "new claude hello --tmux",
    "stop SESSION --yes",
    "queue stop --at-reset",
    "capture off SESSION",
    "away",
    "token --show",
    "web --print-url",
    "device init --name x",
    "device invite",
    "key rotate",
    "hub use /tmp/x",
    "share SESSION --with eve",
    "teleport pack SESSION --to x --out y",
    "forget SESSION --yes",
    "uninstall --yes",
    "daemon stop",
];

#[test]
fn an_agent_cannot_act_as_its_user() {
    let home = Home::strict(PROGRAM);
    let notes = home.path("notes");
    home.write("notifier", format!("#!/bin/sh\ncat >>{0}; echo >>{0}\n", notes.display()));
    let private = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(home.path("notifier"), private).unwrap();
    let notifier = home.path("notifier").display().to_string();
    let config = format!("[notifications]\ncommand = [\"{notifier}\"]\n");
    home.write(".config/taffrail/config.toml", &config);
    let mut run = daemon(&home);
    let mut agent = Agent::start(&home, "claude");
    let request = agent.asks(PROGRAM, "npm test");
    let session = home.session(SESSION)["id"].as_str().unwrap().to_owned();
    for deed in DEEDS {
        let words = deed.replace("ID", &request).replace("SESSION", &session);
        let (code, said) = agent.run(&format!("{PROGRAM} {words}"));
        assert_eq!(code, 6, "{deed}: {said}");
        assert!(said.contains("an agent may not run `taffrail "), "{deed}: {said}");
    }
    assert!(run.ended().is_none(), "the daemon was ended");
    reads(&mut agent);
    nothing_came_of_it(&home, &config);
    let log = log(&home);
    let tried = log["attempts"].as_array().unwrap();
    let approve = tried.iter().find(|it| it["what"] == "approve").unwrap();
    assert_eq!(approve["caller"], "agent");
    assert_eq!(approve["program"], "claude");
    assert_eq!(approve["approval_id"], request);
    assert!(approve["pid"].is_u64() && approve["session_id"] == session.as_str(), "{approve}");
    is_told_once(&home, &notes);
}

/// The agent may read.
fn reads(agent: &mut Agent<'_>) {
    assert_eq!(agent.run(&format!("{PROGRAM} ls")).0, 0);
    assert_eq!(agent.run(&format!("{PROGRAM} rules test --tool Bash --command ls")).0, 0);
}

/// The request still waits, no rule was added, and nothing was set.
fn nothing_came_of_it(home: &Home, config: &str) {
    assert_eq!(pending(home).len(), 1);
    assert_eq!(log(home)["decisions"], serde_json::json!([]));
    assert!(!home.path(".config/taffrail/rules.toml").exists());
    let now = std::fs::read_to_string(home.path(".config/taffrail/config.toml")).unwrap();
    assert_eq!(now, config);
}

/// The attempts become one finding and one notification.
fn is_told_once(home: &Home, notes: &Path) {
    let found = until_every(LOOK, "the finding", || {
        let all = home.json(&["findings", "--json"]);
        let all = all["findings"].as_array()?;
        let mine: Vec<_> = all.iter().filter(|it| it["kind"] == "agent_acted").cloned().collect();
        (!mine.is_empty()).then_some(mine)
    });
    assert_eq!(found.len(), 1, "{found:?}");
    until_every(LOOK, "the notification", || {
        std::fs::read_to_string(notes).ok().filter(|it| it.contains("claude tried to"))
    });
}

#[test]
fn an_agent_is_refused_on_the_socket_too() {
    let home = Home::new(PROGRAM);
    let _run = daemon(&home);
    let mut agent = Agent::start(&home, "codex");
    let request = agent.asks(PROGRAM, "npm test");
    let socket = home.json(&["daemon", "status", "--json"])["socket"].as_str().unwrap().to_owned();
    let body = r#"{"decision":"allow","by":"board","reason":"reviewed by Ann"}"#;
    let curl = format!(
        "curl -s -o /dev/null -w '%{{http_code}}' --unix-socket {socket} \
         -H 'content-type: application/json' -d '{body}' http://localhost/api/approvals/{request}"
    );
    assert_eq!(agent.run(&curl).1, "403");
    assert_eq!(pending(&home).len(), 1);
    // Even if scripts may decide, an agent may not.
    assert_eq!(agent.run(&format!("{PROGRAM} approve {request}")).0, 6);
    // A script may, and the log records what was observed, not what was claimed.
    let by_script =
        home.any_command("sh".as_ref(), home.root()).args(["-c", &curl]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&by_script.stdout), "200");
    let log = log(&home);
    let decision = &log["decisions"][0];
    assert_eq!((&decision["caller"], &decision["by"]), (&"unknown".into(), &"curl".into()));
    assert!(agent.answer().contains("allow"));
}

#[test]
fn a_double_fork_does_not_make_a_person() {
    let home = Home::strict(PROGRAM);
    let _run = daemon(&home);
    let mut agent = Agent::start(&home, "claude");
    let request = agent.asks(PROGRAM, "npm test");
    let end = home.path("forked");
    let inner = format!("{PROGRAM} approve {request} >/dev/null 2>&1; echo $? >{}", end.display());
    agent.run(&format!("setsid sh -c '{inner}' </dev/null >/dev/null 2>&1 &"));
    let code = until_every(LOOK, "its end", || {
        std::fs::read_to_string(&end).ok().filter(|it| !it.trim().is_empty())
    });
    assert_eq!(code.trim(), "6");
    assert_eq!(pending(&home).len(), 1);
}

#[test]
fn a_script_is_told_how_it_may_and_a_person_just_may() {
    let home = Home::strict(PROGRAM);
    let _run = daemon(&home);
    let mut agent = Agent::start(&home, "claude");
    let request = agent.asks(PROGRAM, "npm test");
    let refused = home.run(&["approve", &request]);
    assert_eq!(refused.status, 6, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("taffrail config set control.scripts true"),
        "{}",
        refused.stderr
    );
    let done = home.at_terminal(&["approve", &request], "");
    assert_eq!(done.status, 0, "{}", done.stdout);
    assert!(agent.answer().contains("allow"));
    let log = log(&home);
    let decision = &log["decisions"][0];
    assert_eq!((&decision["caller"], &decision["by"]), (&"person".into(), &"cli".into()));
    assert!(decision["seen"]["terminal"].as_str().unwrap().starts_with("/dev/pts/"), "{decision}");
}

#[test]
fn what_widens_rights_is_asked_at_the_terminal_and_not_at_stdin() {
    let home = Home::strict(PROGRAM);
    let allow = ["rules", "add", "--allow", "--tool", "Bash", "--command", "ls *"];
    let no = home.at_terminal(&allow, "n\n");
    assert_eq!(no.status, 6, "{}", no.stdout);
    assert!(!home.path(".config/taffrail/rules.toml").exists());
    let yes = home.at_terminal(&allow, "y\n");
    assert_eq!(yes.status, 0, "{}", yes.stdout);
    let scripts = home.at_terminal(&["config", "set", "control.scripts", "true"], "y\n");
    assert_eq!(scripts.status, 0, "{}", scripts.stdout);
    assert_eq!(home.ok(&["config", "get", "control.scripts"]).trim(), "true");
    let deny = home.at_terminal(&["rules", "add", "--deny", "--tool", "Bash"], "");
    assert_eq!(deny.status, 0, "{}", deny.stdout);
}

#[test]
fn the_log_outlives_a_forgotten_session_and_tells_when_it_was_changed() {
    let home = Home::new(PROGRAM);
    let mut run = daemon(&home);
    let mut agent = Agent::start(&home, "claude");
    let request = agent.asks(PROGRAM, "npm run zqsecretword");
    home.ok(&["deny", &request, "--reason", "zqreason"]);
    agent.answer();
    assert_eq!(home.json(&["approvals", "log", "--verify", "--json"])["valid"], true);
    let session = home.session(SESSION)["id"].as_str().unwrap().to_owned();
    home.ok(&["forget", &session, "--yes"]);
    let log = log(&home);
    let text = log.to_string();
    assert_eq!(log["decisions"][0]["approval_id"], request.as_str());
    assert_eq!(log["decisions"][0]["decision"], "deny");
    assert!(!text.contains("zqsecretword") && !text.contains("zqreason"), "{text}");
    assert_eq!(home.json(&["approvals", "log", "--verify", "--json"])["valid"], true);
    run.kill();
    let ledger = rusqlite::Connection::open(home.path(".local/share/taffrail/ledger.db")).unwrap();
    ledger.execute("UPDATE audit SET body = replace(body, 'deny', 'allow')", []).unwrap();
    drop(ledger);
    let broken = home.run(&["approvals", "log", "--verify", "--json"]);
    assert_eq!(broken.status, 6, "{}", broken.stderr);
    assert!(broken.stdout.contains("\"valid\": false"), "{}", broken.stdout);
}
