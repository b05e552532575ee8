//! Evidence moves a lifecycle: processes, their ends, sources that disappear and come back.

use super::{By, binding, daemon, faults, hints, history, started};
use crate::bindings::history::{FORK, SESSION, WORKER};
use serde_json::{Value, json};
use std::fs::Permissions;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use taffrail_testkit::claude::path;
use taffrail_testkit::{Home, until};

/// A program with the name of the agent that reports its session through the hook, and runs until
/// its input ends.
pub(crate) struct Agent(Child);

impl Agent {
    pub(crate) fn script(home: &Home, session: &str) -> String {
        let payload = json!({"session_id": session, "hook_event_name": "SessionStart",
            "source": "startup", "cwd": "/w/app"});
        let program = history::PROGRAM;
        home.write("payload.json", payload.to_string());
        let text =
            format!("#!/bin/sh\n{program} hook claude-code < payload.json\necho up\nread x\n");
        home.write("bin/claude", text);
        let file = home.path("bin/claude");
        std::fs::set_permissions(&file, Permissions::from_mode(0o755)).unwrap();
        file.to_string_lossy().into_owned()
    }

    pub(crate) fn start(home: &Home, session: &str) -> Self {
        let script = Self::script(home, session);
        let mut command = home.any_command(script.as_ref(), home.root());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut said).unwrap();
        assert_eq!(said, "up\n");
        Self(child)
    }

    fn name(&self) -> String {
        format!("process:{}", self.0.id())
    }

    pub(crate) fn is_running(&self) -> bool {
        std::path::Path::new(&format!("/proc/{}/fd/0", self.0.id())).symlink_metadata().is_ok()
    }

    pub(crate) fn end(mut self) {
        drop(self.0.stdin.take());
        self.0.wait().unwrap();
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        // The process may have ended before.
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// The status, the current executor, and the last one.
fn run(home: &Home, id: &str) -> [Value; 3] {
    let mut it = binding(home, id);
    assert_eq!(faults(home, &it), json!([]), "{it}");
    ["status", "current_executor_peer_id", "peer_id"].map(|name| it[name].take())
}

fn until_run(home: &Home, id: &str, expected: &[Value; 3]) {
    until(&format!("{expected:?}"), || (run(home, id) == *expected).then_some(()));
}

fn check_process(by: By) {
    let home = history::home();
    let _daemon = started(by, &home);
    let resumable = [json!("resumable"), Value::Null, Value::Null];
    assert_eq!(run(&home, SESSION), resumable, "{by:?}");
    let agent = Agent::start(&home, SESSION);
    let name = json!(agent.name());
    until_run(&home, SESSION, &[json!("active"), name.clone(), name.clone()]);
    assert_eq!(home.json(&["show", SESSION, "--json"])["session"]["lifecycle"], "active");
    assert_eq!(home.session(SESSION)["lifecycle"], "active");
    assert_eq!(run(&home, FORK), resumable, "{by:?}: another session is not run by it");
    assert_eq!(run(&home, WORKER)[..2], [json!("detached"), Value::Null]);
    agent.end();
    // The last executor is recorded, but nothing can be sent to it.
    until_run(&home, SESSION, &[json!("resumable"), Value::Null, name.clone()]);
    assert_eq!(home.session(SESSION)["lifecycle"], "resumable");
    home.ok(&["rebuild", "--yes"]);
    assert_eq!(run(&home, SESSION), [json!("resumable"), Value::Null, name]);
}

#[test]
fn a_process_that_lives_makes_a_binding_active_and_its_end_detaches_it() {
    check_process(By::Command);
}

#[test]
fn a_daemon_sees_a_process_come_and_go() {
    check_process(By::Daemon);
}

#[test]
fn a_daemon_that_comes_later_tells_the_same_of_who_runs_it() {
    let home = history::home();
    home.index();
    let agent = Agent::start(&home, SESSION);
    let name = json!(agent.name());
    let active = [json!("active"), name.clone(), name.clone()];
    until_run(&home, SESSION, &active);
    let run_by = daemon(&home);
    until_run(&home, SESSION, &active);
    // A repair makes the daemon reload everything: the executors are still known.
    home.ok(&["binding", "archive", FORK]);
    let listed = || home.session(SESSION)["executor"] == name;
    until("the executor", || listed().then_some(()));
    run_by.kill_after(std::time::Duration::ZERO);
    assert_eq!(run(&home, SESSION), active);
    agent.end();
    assert_eq!(run(&home, SESSION), [json!("resumable"), Value::Null, name]);
}

/// A tmux server of our own in tmux's default place; ended with the test.
struct Screen(String);

impl Screen {
    fn tmux(&self, words: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.env_remove("TMUX").args(["-L", &self.0, "-f", "/dev/null"]).args(words);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        Command::new("tmux").args(["-L", &self.0, "kill-server"]).status().ok();
    }
}

#[test]
fn a_pane_is_named_where_the_process_runs_in_one() {
    let home = history::home();
    home.index();
    let script = Agent::script(&home, SESSION);
    let screen = Screen(format!("taffrail-bindings-{}", std::process::id()));
    let folder = home.root().to_string_lossy().into_owned();
    let data = format!("XDG_DATA_HOME={folder}/.local/share");
    screen.tmux(&["new-session", "-d", "-c", &folder, "-e", &data, &script]);
    let socket = screen.tmux(&["display-message", "-p", "#{socket_path}"]);
    let pane = screen.tmux(&["display-message", "-p", "#{pane_id}"]);
    let name = json!(format!("tmux:{socket}:{pane}"));
    let active = [json!("active"), name.clone(), name.clone()];
    until_run(&home, SESSION, &active);
    let run_by = daemon(&home);
    until_run(&home, SESSION, &active);
    screen.tmux(&["kill-pane", "-t", &pane]);
    until_run(&home, SESSION, &[json!("resumable"), Value::Null, name]);
    drop(run_by);
}

fn check_lost(by: By) {
    let home = Home::without_archive(history::PROGRAM);
    home.write(&path(SESSION), taffrail_testkit::claude::talk(SESSION, 0, 4));
    let _daemon = started(by, &home);
    let before = binding(&home, SESSION);
    let status = || binding(&home, SESSION)["status"].clone();
    assert_eq!(status(), "resumable");
    let aside = home.path("aside.jsonl");
    std::fs::rename(home.path(&path(SESSION)), &aside).unwrap();
    // The query itself checks: no index run comes in between.
    let lost = binding(&home, SESSION);
    assert_eq!(lost["status"], "lost", "{by:?}");
    assert_eq!(faults(&home, &lost), json!([]), "{lost}");
    // The binding still names the history and the cursor in it.
    for name in ["runtime_source_uri", "source_cursor", "last_seen_at", "created_at"] {
        assert_eq!(lost[name], before[name], "{by:?} {name}");
    }
    assert_eq!(lost["resume_capability"]["by_runtime_id"], false);
    home.index();
    assert_eq!(home.json(&["show", SESSION, "--json"])["session"]["lifecycle"], "lost");
    std::fs::rename(&aside, home.path(&path(SESSION))).unwrap();
    assert_eq!(status(), "resumable", "{by:?}");
    home.index();
    assert_eq!(home.session(SESSION)["lifecycle"], "resumable");
}

#[test]
fn what_is_missing_is_lost_until_it_comes_back() {
    check_lost(By::Command);
}

#[test]
fn a_daemon_verifies_what_is_missing_and_sees_it_come_back() {
    check_lost(By::Daemon);
}

#[test]
fn a_read_that_fails_loses_nothing() {
    let mut home = Home::without_archive(history::PROGRAM);
    home.write(&path(SESSION), taffrail_testkit::claude::talk(SESSION, 0, 4));
    home.index();
    // Root may read anything.
    assert!(home.give_to(65_534) || !rustix::process::geteuid().is_root());
    let file = home.path(&path(SESSION));
    let folder = file.parent().unwrap().to_owned();
    let mode = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    };
    home.append(&path(SESSION), taffrail_testkit::claude::talk(SESSION, 4, 6));
    mode(&file, 0o000);
    home.index();
    assert_eq!(binding(&home, SESSION)["status"], "resumable");
    mode(&folder, 0o000);
    home.index();
    assert_eq!(binding(&home, SESSION)["status"], "resumable");
    mode(&folder, 0o700);
    mode(&file, 0o600);
    assert_eq!(binding(&home, SESSION)["status"], "resumable");
}

#[test]
fn what_the_agent_deleted_and_we_kept_is_archived() {
    let home = history::home();
    home.index();
    home.remove(&path(FORK));
    let it = binding(&home, FORK);
    assert_eq!(
        (&it["status"], &hints(&it)),
        (&json!("archived"), &json!({"archived_by": "clean-up"}))
    );
    assert_eq!(faults(&home, &it), json!([]), "{it}");
}

#[test]
fn a_hook_after_the_last_record_took_the_record_from_the_provenance() {
    let home = history::home();
    home.index();
    let before = binding(&home, SESSION)["provenance"]["source_event_id"].clone();
    assert!(before.is_string(), "{before}");
    let agent = Agent::start(&home, SESSION);
    let name = json!(agent.name());
    until_run(&home, SESSION, &[json!("active"), name.clone(), name]);
    let it = binding(&home, SESSION);
    assert_eq!(it["provenance"]["source_event_id"], before, "{it}");
    assert_eq!(it["provenance"]["source_cursor"], it["source_cursor"]);
    agent.end();
}

#[test]
fn a_file_that_was_cut_took_its_cursor_back() {
    let home = history::home();
    home.index();
    let cursor = || {
        let it = binding(&home, SESSION);
        assert_eq!(faults(&home, &it), json!([]), "{it}");
        assert_eq!(it["provenance"]["source_cursor"], it["source_cursor"]);
        let at = |name: &str| it["source_cursor"][name].as_u64().unwrap();
        (at("generation"), at("byte_offset"))
    };
    let before = cursor();
    let file = home.path(&path(SESSION));
    let text = std::fs::read_to_string(&file).unwrap();
    let half: String = text.split_inclusive('\n').take(2).collect();
    std::fs::write(&file, &half).unwrap();
    home.index();
    let cut = cursor();
    assert_eq!((before.0, cut), (0, (1, u64::try_from(half.len()).unwrap())));
    assert!(cut.1 < before.1 && cut > before);
    std::fs::write(&file, &text).unwrap();
    home.index();
    assert_eq!(cursor(), (1, before.1));
    home.ok(&["rebuild", "--yes"]);
    assert_eq!(cursor(), (1, before.1), "the ledger keeps the generation");
}

/// The slug and the size of the history's file were nowhere.
#[test]
fn a_binding_names_the_size_of_its_file_and_the_slug_of_its_agent() {
    let home = Home::new(history::PROGRAM);
    let talk = taffrail_testkit::claude::talk(SESSION, 0, 4);
    let named = talk.replace("\"cwd\":", "\"slug\":\"crisp-forest\",\"cwd\":");
    assert_ne!(named, talk);
    home.write(&path(SESSION), &named);
    home.index();
    let it = binding(&home, SESSION);
    assert_eq!(faults(&home, &it), json!([]), "{it}");
    assert_eq!(it["metadata"]["file"], json!({"bytes": named.len()}));
    assert_eq!(it["metadata"]["slug"], "crisp-forest");
    home.write(&path(SESSION), &talk);
    home.index();
    assert_eq!(binding(&home, SESSION)["metadata"]["slug"], Value::Null);
}

#[test]
fn a_project_reached_through_a_link_was_two_projects() {
    let home = Home::new(history::PROGRAM);
    let (real, link) = (home.path("real"), home.path("link"));
    std::fs::create_dir(&real).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let text =
        taffrail_testkit::claude::talk(SESSION, 0, 4).replace("/w/app", &link.to_string_lossy());
    home.write(&path(SESSION), text);
    home.index();
    let it = binding(&home, SESSION);
    assert_eq!(faults(&home, &it), json!([]), "{it}");
    let real = real.canonicalize().unwrap();
    assert_eq!(it["project_path"], json!(real));
    // The agent finds its history by its own words.
    assert_eq!(it["metadata"]["recorded"]["project_path"], json!(link));
    assert_eq!(it["resume_capability"]["cwd"], json!(link));
    assert_eq!(home.json(&["resume", SESSION, "--dry-run", "--json"])["cwd"], json!(link));
}

fn check_hooks_only(by: By) {
    let home = Home::new(history::PROGRAM);
    let _daemon = started(by, &home);
    let payload = json!({"session_id": SESSION, "hook_event_name": "UserPromptSubmit",
        "cwd": "/w/app", "prompt": "whispered"});
    let mut child = home.command(&["hook", "claude-code"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    home.index();
    let it = binding(&home, SESSION);
    assert_eq!(faults(&home, &it), json!([]), "{it}");
    assert_eq!(
        (&it["status"], &it["runtime_source_uri"]),
        (&json!("detached"), &Value::Null),
        "{by:?}"
    );
    assert_eq!(it["provenance"]["source_kind"], "runtime_unavailable");
    assert_eq!(it["provenance"]["runtime_source_uri"], Value::Null);
    let cursors = [&it["source_cursor"], &it["provenance"]["source_cursor"]];
    assert_eq!(cursors, [&Value::Null; 2], "no position in a source that does not exist");
    let told = home.json(&["resume", SESSION, "--dry-run", "--json"]);
    assert_eq!(told["state"], "unsupported");
    let reason = told["reason"].as_str().unwrap();
    assert!(reason.contains("source locator is not known"), "the missing part is named: {reason}");
    assert_eq!(it["resume_capability"]["reason"], told["reason"]);
    assert!(it["metadata"]["heard_in"].as_str().unwrap().starts_with("journal:claude-code/"));
    // The binding is still useful: its executor is known.
    let agent = Agent::start(&home, SESSION);
    let name = json!(agent.name());
    until_run(&home, SESSION, &[json!("active"), name.clone(), name.clone()]);
    agent.end();
    until_run(&home, SESSION, &[json!("detached"), Value::Null, name]);
    assert!(!binding(&home, SESSION).to_string().contains("whispered"), "no text is kept");
}

#[test]
fn a_session_known_from_hooks_only_has_no_source_and_a_useful_binding() {
    check_hooks_only(By::Command);
    check_hooks_only(By::Daemon);
}
