//! Prompts of sessions that agents deleted, from their prompt histories, through the program.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

use serde_json::{Value, json};
use std::process::Command;
use std::time::Duration;
use taffrail_testkit::claude::{Line, path};
use taffrail_testkit::{Home, Run, until_every};

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
const GONE: &str = "11111111-1111-4111-8111-111111111111";
const HERE: &str = "22222222-2222-4222-8222-222222222222";
const LOST: &str = "33333333-3333-4333-8333-333333333333";
const CLAUDE: &str = ".claude/history.jsonl";
const CODEX: &str = ".codex/history.jsonl";
const LOOK: Duration = Duration::from_millis(100);

fn claude(session: &str, second: u32, text: &str) -> String {
    let at = 1_790_848_800_000_u64 + u64::from(second) * 1000;
    let line = json!({"display": text, "pastedContents": {}, "timestamp": at, "project": "/w/app",
        "sessionId": session});
    format!("{line}\n")
}

fn codex(session: &str, text: &str) -> String {
    format!("{}\n", json!({"session_id": session, "ts": 1_790_848_800, "text": text}))
}

/// The lines of two deleted sessions and of one whose transcript is there.
fn histories(home: &Home) {
    let lines = [
        claude(GONE, 0, "zzgone one"),
        claude(HERE, 1, "zzhere words"),
        claude(GONE, 2, "zzgone two"),
        claude(GONE, 3, "/clear zzcommand"),
    ];
    home.write(CLAUDE, lines.concat());
    home.write(CODEX, codex(LOST, "zzlost prompt"));
}

fn transcript(home: &Home, session: &str, text: &str) {
    let line = Line { session, uuid: "u1", parent: None, second: 1 };
    home.write(&path(session), line.prompt(text) + "\n");
}

fn total(home: &Home, words: &str) -> u64 {
    home.json(&["search", words, "--json"])["total"].as_u64().unwrap()
}

/// Sessions of which only prompts are left: agent, runtime id and prompts.
fn prompts_only(home: &Home) -> Vec<(String, String, u64)> {
    let all = home.sessions().into_iter().filter(|it| it["lifecycle"] == "prompts_only");
    let word = |it: &Value, name: &str| it[name].as_str().unwrap().to_owned();
    let mut out: Vec<_> = all
        .map(|it| {
            let prompts = it["prompts"].as_u64().unwrap();
            (word(&it, "agent"), word(&it, "runtime_session_id"), prompts)
        })
        .collect();
    out.sort();
    out
}

fn both() -> Vec<(String, String, u64)> {
    vec![("claude-code".into(), GONE.into(), 2), ("codex".into(), LOST.into(), 1)]
}

fn found(home: &Home) -> [u64; 4] {
    ["\"zzgone two\"", "zzlost", "zzhere", "zzcommand"].map(|words| total(home, words))
}

#[test]
fn what_was_deleted_before_the_first_run_is_listed_and_found() {
    let home = Home::new(PROGRAM);
    histories(&home);
    transcript(&home, HERE, "zzhere words");
    let told = home.ok(&["index"]);
    assert!(told.contains("3 prompts of 2 deleted sessions found"), "{told}");
    assert_eq!((prompts_only(&home), found(&home)), (both(), [1, 1, 1, 0]));
    let gone = home.session(GONE);
    assert_eq!(
        (&gone["status"], &gone["title"], &gone["project_path"], &gone["confidence"]),
        (&"unknown".into(), &"zzgone one".into(), &"/w/app".into(), &"low".into())
    );
    let shown = home.ok(&["show", GONE]);
    assert!(shown.contains("Only its prompts are left") && shown.contains("zzgone two"), "{shown}");
    let resumed = home.run(&["resume", GONE, "--dry-run"]);
    assert!(resumed.stdout.starts_with("no: its agent deleted its transcript"), "{resumed:?}");
    let listed = home.json(&["ls", "--json"]);
    assert_eq!(listed["sessions"].as_array().unwrap().len(), 1, "not without --all");
    assert_eq!(home.json(&["stats", "--json"])["totals"]["sessions"], 1);
}

#[test]
fn a_home_without_any_transcript() {
    let home = Home::new(PROGRAM);
    histories(&home);
    home.index();
    let here = ("claude-code".to_owned(), HERE.to_owned(), 1);
    assert_eq!(prompts_only(&home), [both()[0].clone(), here, both()[1].clone()]);
    assert_eq!(found(&home), [1, 1, 1, 0]);
}

#[test]
fn a_transcript_takes_its_prompts_over_whenever_it_comes() {
    let home = Home::new(PROGRAM);
    histories(&home);
    home.index();
    transcript(&home, HERE, "zzhere words");
    home.index();
    assert_eq!((prompts_only(&home), found(&home)), (both(), [1, 1, 1, 0]));
    assert_eq!(home.session(HERE)["lifecycle"], "resumable");
    home.append(CLAUDE, claude(HERE, 9, "zzhere again"));
    home.index();
    assert_eq!((home.session(HERE)["prompts"].clone(), total(&home, "zzhere")), (1.into(), 1));
    home.ok(&["rebuild", "--yes"]);
    assert_eq!((prompts_only(&home), found(&home)), (both(), [1, 1, 1, 0]), "after a rebuild");
}

#[test]
fn prompts_are_kept_when_the_file_goes_and_when_it_begins_again() {
    let home = Home::new(PROGRAM);
    histories(&home);
    transcript(&home, HERE, "zzhere words");
    home.index();
    home.remove(CLAUDE);
    home.index();
    assert_eq!((prompts_only(&home), found(&home)), (both(), [1, 1, 1, 0]));
    home.ok(&["rebuild", "--yes"]);
    assert_eq!((prompts_only(&home), found(&home)), (both(), [1, 1, 1, 0]), "from the copy");
    home.write(CLAUDE, claude(HERE, 20, "zznew file"));
    home.index();
    assert_eq!((prompts_only(&home), found(&home)), (both(), [1, 1, 1, 0]), "another file");
    home.ok(&["rebuild", "--yes"]);
    assert_eq!((prompts_only(&home), found(&home)), (both(), [1, 1, 1, 0]), "from both");
}

#[test]
fn a_forgotten_session_stays_forgotten_and_the_others_are_kept() {
    let home = Home::new(PROGRAM);
    histories(&home);
    home.index();
    let id = home.session(GONE)["id"].as_str().unwrap().to_owned();
    home.ok(&["forget", &id, "--yes"]);
    let check = |when: &str| {
        assert_eq!(found(&home), [0, 1, 1, 0], "{when}");
        let copy = home.ok(&["archive", "cat", HERE]);
        assert!(!copy.contains("zzgone") && copy.contains("zzhere"), "{when}: {copy}");
    };
    check("at once");
    home.append(CLAUDE, claude(GONE, 30, "zzgone two") + &claude(HERE, 31, "zzmore"));
    home.index();
    check("after more lines");
    home.remove(CLAUDE);
    home.ok(&["rebuild", "--yes"]);
    check("after a rebuild from the copy");
    assert_eq!(total(&home, "zzmore"), 1);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a prompt of just now needs the time")]
fn a_session_whose_transcript_is_a_little_late_is_not_listed() {
    let home = Home::new(PROGRAM);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let line = json!({"display": "zzjust now", "pastedContents": {}, "project": "/w/app",
        "timestamp": u64::try_from(now.as_millis()).unwrap(), "sessionId": GONE});
    home.write(CLAUDE, format!("{line}\n"));
    let report = home.index();
    assert_eq!((&report["prompts_only_sessions"], home.sessions().len()), (&0.into(), 0));
}

#[test]
fn transcripts_that_will_be_deleted_are_counted() {
    let home = Home::new(PROGRAM);
    transcript(&home, HERE, "zzhere words");
    let check = |settings: &Value, expected: u64| {
        home.write(".claude/settings.json", settings.to_string());
        assert_eq!(home.index()["deleted_within_week"], expected, "{settings}");
    };
    check(&json!({}), 0);
    check(&json!({"cleanupPeriodDays": 5}), 1);
    let told = home.ok(&["index"]);
    assert!(told.contains("1 session will be deleted this week; the archive keeps"), "{told}");
    check(&json!({"cleanupPeriodDays": 9}), 0);
}

/// A daemon that has read the history.
fn daemon(home: &Home) -> Run {
    let run = home.spawn(&["daemon", "run"]);
    until_every(LOOK, "the daemon to have read", || {
        let status = home.run(&["daemon", "status", "--json"]);
        let status: Value = serde_json::from_str(&status.stdout).ok()?;
        (status["running"] == true && status["reading"].is_null()).then_some(())
    });
    run
}

#[test]
fn a_daemon_follows_both_files_while_they_grow() {
    let home = Home::new(PROGRAM);
    histories(&home);
    let mut run = daemon(&home);
    home.append(CLAUDE, claude(GONE, 40, "zzthird"));
    until_every(LOOK, "the third prompt", || (home.session(GONE)["prompts"] == 3).then_some(()));
    transcript(&home, HERE, "zzhere words");
    until_every(LOOK, "the transcript", || {
        (home.session(HERE)["lifecycle"] == "resumable").then_some(())
    });
    home.append(CLAUDE, claude(HERE, 41, "zzhere later") + &claude(GONE, 42, "zzfourth"));
    until_every(LOOK, "the fourth prompt", || (home.session(GONE)["prompts"] == 4).then_some(()));
    assert_eq!(home.session(HERE)["prompts"], 1);
    let statuses: Vec<Value> = home.sessions().iter().map(|it| it["status"].clone()).collect();
    assert!(statuses.iter().all(|it| it != "running" && it != "waiting"), "{statuses:?}");
    let id = run.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert_eq!(run.wait().code(), Some(0), "the daemon's own end");
}
