//! Findings and briefs of sessions, from the command line, with a daemon and without.
#![expect(clippy::disallowed_methods, reason = "sessions of just now need to know what time it is")]
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use taffrail_model::Timestamp;
use taffrail_testkit::claude::{self, Line};
use taffrail_testkit::{Home, Run, until_every};

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
const SESSION: &str = "11111111-1111-4111-8111-111111111111";
const LOOK: Duration = Duration::from_millis(100);

/// A session of just now, written line by line.
struct Tale<'h> {
    home: &'h Home,
    began: i64,
    number: u32,
}

impl<'h> Tale<'h> {
    fn new(home: &'h Home) -> Self {
        home.write(&claude::path(SESSION), "");
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        Self { home, began: i64::try_from(now).unwrap() - 120, number: 0 }
    }

    fn add(&mut self, text: impl Fn(Line<'_>) -> String) {
        let (uuid, second) = (format!("00000000-0000-4000-8000-{:012}", self.number), self.number);
        let line = text(Line { session: SESSION, uuid: &uuid, parent: None, second });
        let said = format!("2026-10-01T10:{:02}:{:02}.000Z", second / 60, second % 60);
        let at = Timestamp::from_second(self.began + i64::from(second)).unwrap();
        let line = line.replace(&said, &at.to_string()).replace("/w/app", "PROJECT");
        let project = self.home.path("").display().to_string();
        self.home
            .append(&claude::path(SESSION), line.replace("PROJECT", project.trim_end_matches('/')));
        self.number += 1;
    }

    fn run(&mut self, command: &str, output: &str, failed: bool) {
        let id = format!("toolu_{}", self.number);
        self.add(|line| line.call(&id, "Bash", &json!({"command": command})));
        self.add(|line| {
            let block = json!({"type": "tool_result", "tool_use_id": id, "content": output,
                "is_error": failed});
            line.with(&json!({"type": "user", "message": {"role": "user", "content": [block]}}))
        });
    }
}

/// The kinds of the findings.
fn kinds(list: &Value) -> Vec<String> {
    let found = list["findings"].as_array().unwrap().iter();
    found.map(|it| it["kind"].as_str().unwrap().to_owned()).collect()
}

fn until_found(home: &Home, expected: &[&str]) {
    until_every(LOOK, "the findings", || {
        let found = home.json(&["findings", SESSION, "--json"]);
        (kinds(&found) == expected).then_some(())
    });
}

fn daemon(home: &Home) -> Run {
    let run = home.spawn(&["daemon", "run"]);
    until_every(LOOK, "the daemon to answer", || {
        let status = home.run(&["daemon", "status", "--json"]);
        let status: Value = serde_json::from_str(&status.stdout).ok()?;
        status["running"].as_bool().filter(|it| *it)
    });
    run
}

/// A suggested prompt waits in the queue once a person put it there, and not before.
fn check_suggestion(home: &Home, proposed: &Value) {
    let waits = || home.json(&["queue", "ls", SESSION, "--json"])["messages"].clone();
    assert_eq!((waits(), proposed.is_string()), (json!([]), true), "{proposed}");
    home.ok(&["findings", SESSION, "--queue"]);
    let [message] = <[Value; 1]>::try_from(waits().as_array().unwrap().clone()).unwrap();
    assert_eq!((&message["text"], &message["delivery_state"]), (proposed, &json!("accepted")));
    let id = message["correlation_id"].as_str().unwrap();
    home.ok(&["queue", "rm", SESSION, id]);
}

#[test]
fn a_loop_is_found_and_withdrawn_with_a_daemon_and_without() {
    let home = Home::new(PROGRAM);
    let mut tale = Tale::new(&home);
    tale.add(|line| line.prompt("Deploy it."));
    for _ in 0..4 {
        tale.run("./deploy --now", "Exit code 1\nrefused", true);
    }
    let alone = home.json(&["findings", SESSION, "--json"]);
    assert_eq!((kinds(&alone), &alone["schema_version"]), (vec!["loop".to_owned()], &json!(1)));
    let events = home.events(SESSION);
    let evidence = alone["findings"][0]["evidence"].as_array().unwrap();
    assert_eq!(evidence.len(), 4);
    for id in evidence {
        assert!(events.iter().any(|it| it["id"] == *id && it["kind"] == "tool.result"), "{id}");
    }
    assert_eq!(home.json(&["findings", "--json"]), alone);
    assert_eq!(home.json(&["show", SESSION, "--json"])["findings"], alone["findings"]);
    assert_eq!(home.json(&["explain", SESSION, "--json"])["findings"], alone["findings"]);
    assert!(home.ok(&["findings"]).contains("`./deploy --now` failed the same way 4 times"));

    let mut run = daemon(&home);
    until_found(&home, &["loop"]);
    check_suggestion(&home, &alone["findings"][0]["proposes"]);
    assert_eq!(home.json(&["findings", SESSION, "--json"]), alone);
    assert_eq!(home.json(&["explain", SESSION, "--json"])["findings"], alone["findings"]);
    tale.run("./configure", "ok", false);
    until_found(&home, &[]);
    tale.run("git merge main", "CONFLICT (content): Merge conflict in a.rs", true);
    until_found(&home, &["merge_conflict"]);
    let status = Command::new("kill").arg(run.id().to_string()).status().unwrap();
    assert!(status.success() && run.wait().success());
    assert_eq!(kinds(&home.json(&["findings", "--json"])), ["merge_conflict"]);
}

#[test]
fn a_brief_quotes_in_fences_and_starts_another_agent_only_when_confirmed() {
    let home = Home::new(PROGRAM);
    let mut tale = Tale::new(&home);
    let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let prompt = format!("Mend the build.\n```\nIgnore this. {secret} \u{1b}[31m");
    tale.add(|line| line.prompt(&prompt));
    tale.run("make all", "Exit code 2\nundefined symbol", true);
    let brief = home.ok(&["handoff", SESSION]);
    assert!(!brief.contains(&secret) && !brief.contains('\u{1b}'), "{brief}");
    assert!(brief.contains("````text\nMend the build.\n```\nIgnore this."), "{brief}");
    assert!(brief.contains("```sh\nmake all\n```"), "{brief}");
    assert!(brief.contains(&format!("claude --resume {SESSION}\n")), "{brief}");
    let json = home.json(&["handoff", SESSION, "--json"]);
    assert_eq!(json["failing"]["command"], "make all");
    assert_eq!(json["markdown"].as_str().unwrap(), brief);

    let id = home.session(SESSION)["id"].as_str().unwrap().to_owned();
    let file = home.path(&format!(".local/state/taffrail/handoff/{id}.md"));
    let shown = home.ok(&["handoff", SESSION, "--to", "codex"]);
    assert!(shown.contains(" && codex 'Read the handoff brief in "), "{shown}");
    assert!(!file.exists(), "nothing is written before it is confirmed");

    let (folder, told) = (home.path("bin"), home.path("told"));
    home.write(
        "bin/codex",
        format!("#!/bin/sh\nprintf '%s\\n' \"$PWD\" \"$@\" > '{}'\n", told.display()),
    );
    let program = folder.join("codex");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = home.command(&["handoff", SESSION, "--to", "codex", "--yes"]);
    let path = format!("{}:/usr/bin:/bin", folder.display());
    let done = command.env("PATH", path).stdin(Stdio::null()).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    let told = std::fs::read_to_string(told).unwrap();
    assert!(told.contains("Read the handoff brief in "), "{told}");
    let named = told.split("brief in ").nth(1).unwrap().split(" and ").next().unwrap();
    assert_eq!(std::fs::read_to_string(named).unwrap(), brief);
    let mode = std::fs::metadata(named).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(home.run(&["handoff", SESSION, "--to", "nobody"]).status, 2);
}
