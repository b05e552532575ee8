//! Documents of sessions that did real work, by the symptoms they once showed.

use crate::derived::{captured, event, session, sha};

use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use taffrail_contracts::captured::{AgentSession, Captured, Disk, OnDisk};
use taffrail_contracts::derived::{Check, calls, changes, checks, choices, tasks};
use taffrail_contracts::{craft, ecc};
use taffrail_model::status::Status;
use taffrail_model::turn::{Turn, TurnStatus};
use taffrail_model::{Kind, Timestamp, TurnId};

/// A session that ran these commands: the line, its output and its exit code.
fn ran(commands: &[(&str, &str, i64)]) -> AgentSession {
    let mut session = session("Fix it.", &[]);
    for (number, (command, output, code)) in (1_u64..).zip(commands) {
        let id = format!("call_{number}");
        let asked = json!({ "call_id": id, "tool": "Bash", "input": { "command": command } });
        session.events.push(event(number * 2, Kind::ToolCall, "", &asked));
        let failed = *code != 0;
        let mut answer = json!({ "call_id": id, "failed": failed });
        if failed {
            answer["exit_code"] = (*code).into();
        }
        session.events.push(event(number * 2 + 1, Kind::ToolResult, output, &answer));
    }
    session
}

/// Adds a turn with this prompt and ending, and an answer.
fn with_turn(session: &mut AgentSession, prompt: &str, status: TurnStatus, answer: &str) {
    let number = session.events.len() as u64 + 50;
    session.events.push(event(number, Kind::UserPrompt, prompt, &json!({})));
    session.events.push(event(number + 1, Kind::AssistantMessage, answer, &json!({})));
    let at = session.events.last().unwrap().created_at;
    session.turns.push(Turn {
        number: 1,
        id: TurnId::of(session.id, prompt),
        prompt: prompt.to_owned(),
        text: answer.to_owned(),
        tools: Default::default(),
        failed_calls: 0,
        approvals: Default::default(),
        errors: 0,
        status,
        started_at: session.events[session.events.len() - 2].created_at,
        last_at: at,
        usage: Default::default(),
        cost_microdollars: None,
        context_tokens: None,
        ended_at: Some(at),
    });
}

fn files(session: AgentSession) -> Vec<(String, String)> {
    files_of(&captured(session))
}

fn files_of(captured: &Captured) -> Vec<(String, String)> {
    let all = changes(captured).files.into_iter();
    all.map(|it| (it.path, it.action.as_str().to_owned())).collect()
}

#[track_caller]
fn check_files(commands: &[(&str, &str, i64)], expected: &[(&str, &str)]) {
    let expected: Vec<_> =
        expected.iter().map(|(path, action)| ((*path).to_owned(), (*action).to_owned())).collect();
    assert_eq!(files(ran(commands)), expected, "{commands:?}");
}

#[test]
fn files_that_a_shell_made_moved_and_removed_were_missing() {
    check_files(&[("touch made.txt", "", 0)], &[("made.txt", "created")]);
    check_files(&[("rm old.txt", "", 0)], &[("old.txt", "deleted")]);
    let moved = [("to.txt", "created"), ("from.txt", "deleted")];
    check_files(&[("git mv from.txt to.txt", "", 0)], &moved);
    check_files(
        &[("mkdir d && mv a.txt d", "", 0)],
        &[("d/a.txt", "created"), ("a.txt", "deleted")],
    );
    check_files(&[("sed -i 's/1/2/' conf.ini", "", 0)], &[("conf.ini", "modified")]);
    check_files(&[("cat > n.txt <<'E'\nx\nE", "", 0)], &[("n.txt", "created")]);
    check_files(&[("mkdir -p build", "", 0), ("ls src", "a", 0)], &[]);
    check_files(
        &[("cd sub && touch a.txt; cd ..; touch b.txt", "", 0)],
        &[("sub/a.txt", "created"), ("b.txt", "created")],
    );
}

#[test]
fn a_file_that_came_and_went_is_not_a_change() {
    check_files(&[("touch a.txt", "", 0), ("rm a.txt", "", 0)], &[]);
    check_files(&[("touch a.txt", "", 0), ("rm -rf a.txt", "", 0)], &[]);
    check_files(&[("rm -f maybe.txt", "", 0)], &[]);
    check_files(&[("sed -i s/a/b/ x.txt", "", 0), ("git checkout -- x.txt", "", 0)], &[]);
    check_files(&[("rm a.txt", "rm: cannot remove 'a.txt': No such file or directory", 1)], &[]);
}

#[test]
fn a_touched_file_that_was_there_before_was_told_as_created() {
    let mut captured = captured(ran(&[("touch old.txt; echo x > there.txt", "", 0)]));
    let born =
        |second| OnDisk { born_at: Timestamp::from_second(second).ok(), ..OnDisk::default() };
    let files = [("/w/old.txt", 1_700_000_000), ("/w/there.txt", 1_700_000_000)];
    let files = files.into_iter().map(|(path, second)| (path.to_owned(), born(second)));
    captured.disk = Disk { files: files.collect() };
    assert_eq!(files_of(&captured), [("there.txt".to_owned(), "modified".to_owned())]);
}

#[test]
fn a_file_that_was_replaced_later_was_told_as_created() {
    // Calls begin and end in even and odd seconds; `sed -i` makes a new file.
    let check = |commands: &[(&str, &str, i64)], second: i64, expected: (&str, Option<u64>)| {
        let mut captured = captured(ran(commands));
        let began = calls(&captured.main)[0].at;
        let born_at = Timestamp::from_second(began.as_second() + second).ok();
        let content = Some("limit=20\none more\n".to_owned());
        let on_disk = OnDisk { born_at, content, ..OnDisk::default() };
        captured.disk.files.insert("/w/conf.ini".to_owned(), on_disk);
        let got = changes(&captured).files.remove(0);
        assert_eq!((got.action.as_str(), got.added), expected, "{commands:?}");
    };
    let append = ("echo 'one more' >> conf.ini", "", 0);
    check(&[append], 0, ("created", Some(2)));
    check(&[append, ("sed -i s/1/2/ conf.ini", "", 0)], 2, ("modified", None));
    let both = ("echo 'one more' >> conf.ini && sed -i s/1/2/ conf.ini", "", 0);
    check(&[both], 0, ("modified", None));
    let moved = ("echo x > conf.ini; sed s/x/y/ conf.ini > t.txt; mv t.txt conf.ini", "", 0);
    check(&[moved], 0, ("created", None));
}

#[test]
fn a_file_that_a_command_printed_before_was_told_as_created() {
    let modified = [("conf.ini", "modified")];
    check_files(&[("sed s/1/2/ conf.ini > t.txt && mv t.txt conf.ini", "", 0)], &modified);
    check_files(&[("cat conf.ini", "limit=1", 0), ("echo limit=2 > conf.ini", "", 0)], &modified);
    check_files(
        &[("cat a | tee b.txt", "", 0), ("echo x > a", "", 0)],
        &[("b.txt", "created"), ("a", "modified")],
    );
}

#[test]
fn files_made_in_a_loop_were_missing() {
    let made = [("a-1.txt", "created"), ("a-2.txt", "created")];
    check_files(&[("for i in 1 2; do echo $i > a-$i.txt; done", "", 0)], &made);
    check_files(&[("for i in $(seq 2); do echo $i > a-$i.txt; done", "", 0)], &[]);
}

/// A session of an agent that records no contents, with these patches of `/w/a`.
fn patched(hunks: &[&str]) -> AgentSession {
    let mut session = session("Fix it.", &[]);
    for (number, hunk) in (1_u64..).zip(hunks) {
        let id = format!("call_{number}");
        let patch = format!("*** Begin Patch\n*** Update File: a\n@@\n{hunk}*** End Patch\n");
        let asked = json!({ "call_id": id, "tool": "apply_patch", "input": patch });
        session.events.push(event(number * 2, Kind::ToolCall, "", &asked));
        let answer = json!({ "call_id": id, "exit_code": 0 });
        session.events.push(event(number * 2 + 1, Kind::ToolResult, "Success.", &answer));
    }
    session
}

#[test]
fn counts_of_a_patched_file_were_missing_though_its_content_is_on_disk() {
    let counts = |hunks: &[&str], content: &str, late: i64| {
        let mut captured = captured(patched(hunks));
        let ended = calls(&captured.main).last().unwrap().answered_at();
        let changed_at = Timestamp::from_second(ended.as_second() + late).ok();
        let content = Some(content.to_owned());
        let on_disk = OnDisk { changed_at, content, ..OnDisk::default() };
        captured.disk.files.insert("/w/a".to_owned(), on_disk);
        let got = changes(&captured).files.remove(0);
        (got.added, got.removed)
    };
    let two = ["-b\n+c\n", " x\n+y\n"];
    assert_eq!(counts(&two, "a\nc\nx\ny\n", 0), (Some(2), Some(1)));
    assert_eq!(counts(&two[..1], "a\nc\n", 0), (Some(1), Some(1)));
    assert_eq!(counts(&two[..1], "a\nc\nmore\n", 1), (None, None), "something changed it later");
    assert_eq!(counts(&two, "a\nc\nx\ny\nc\n", 0), (None, None), "which one is unknown");
}

#[test]
fn a_rebase_added_the_lines_of_others_to_the_counts() {
    let input = json!({ "file_path": "/w/a", "old_string": "b", "new_string": "c" });
    let told = |is_edited_later: bool| {
        let mut session = edited(Some("a\nb\n"), "Edit", &input);
        let asked =
            json!({ "call_id": "r", "tool": "Bash", "input": { "command": "git rebase main" } });
        session.events.push(event(3, Kind::ToolCall, "", &asked));
        let answer = json!({ "call_id": "r", "failed": false });
        session.events.push(event(4, Kind::ToolResult, "", &answer));
        if is_edited_later {
            let again = edited(
                Some("a\nc\nup\n"),
                "Edit",
                &json!({ "file_path": "/w/a", "old_string": "c", "new_string": "d" }),
            );
            let later = again.events.into_iter().filter(|it| it.kind != Kind::UserPrompt);
            session.events.extend(later.map(|mut it| {
                it.created_at = Timestamp::from_second(it.created_at.as_second() + 10).unwrap();
                it.data.insert("call_id".to_owned(), "later".into());
                it
            }));
        }
        let mut captured = captured(session);
        let content = Some("a\nc\nup\n".to_owned());
        captured.disk.files.insert("/w/a".to_owned(), OnDisk { content, ..OnDisk::default() });
        let got = changes(&captured).files.remove(0);
        (got.added, got.removed)
    };
    assert_eq!(told(false), (Some(1), Some(1)));
    assert_eq!(told(true), (None, None));
}

#[test]
fn a_refusal_that_the_agent_does_not_record_was_no_decision() {
    let told = |output: &str, answer: &Value, resolved: Option<&Value>| {
        let mut session = session("Fix it.", &[]);
        let asked = json!({ "call_id": "c", "tool": "exec_command", "input": { "cmd": "make" } });
        session.events.push(event(1, Kind::ToolCall, "", &asked));
        let request = json!({ "call_id": "c", "approval_id": "a1", "tool": "Bash" });
        session.events.push(event(2, Kind::ApprovalRequested, "make", &request));
        if let Some(resolved) = resolved {
            session.events.push(event(3, Kind::ApprovalResolved, "make", resolved));
        }
        session.events.push(event(4, Kind::ToolResult, output, answer));
        let got = choices(&session, &calls(&session));
        got.into_iter().map(|it| (it.chosen, it.is_assumed)).collect::<Vec<_>>()
    };
    let ended = json!({ "call_id": "c" });
    let ran = json!({ "call_id": "c", "exit_code": 0, "failed": false });
    let denied = vec![("denied".to_owned(), false)];
    assert_eq!(told("Wall time: 0.4 seconds\naborted by user", &ended, None), denied);
    assert_eq!(told("ok", &ran, None), [("allowed".to_owned(), true)]);
    let rule = json!({ "approval_id": "a1", "decision": "allow", "decided_by": "rule" });
    assert_eq!(told("ok", &ran, Some(&rule)), []);
    let config = json!({ "call_id": "c", "decision": "accept", "decided_by": "config" });
    assert_eq!(told("ok", &ran, Some(&config)), []);
}

/// A session with one edit of a file whose content before it is recorded.
fn edited(original: Option<&str>, tool: &str, input: &Value) -> AgentSession {
    let mut session = session("Fix it.", &[]);
    let asked = json!({ "call_id": "c", "tool": tool, "input": input });
    let answer = json!({ "call_id": "c", "failed": false, "change": { "original": original } });
    session.events.push(event(1, Kind::ToolCall, "", &asked));
    session.events.push(event(2, Kind::ToolResult, "ok", &answer));
    session
}

#[test]
fn hashes_of_an_edited_file_were_missing_though_its_original_is_recorded() {
    let input = json!({ "file_path": "/w/a", "old_string": "b", "new_string": "c" });
    let got = changes(&captured(edited(Some("a\nb\n"), "Edit", &input))).files.remove(0);
    let expected = (Some(sha("a\nb\n")), Some(sha("a\nc\n")), Some(1), Some(1));
    assert_eq!((got.before, got.after, got.added, got.removed), expected);
    let input = json!({ "file_path": "/w/a", "content": "x\n" });
    let got = changes(&captured(edited(None, "Write", &input))).files.remove(0);
    assert_eq!((got.action.as_str(), got.before, got.added), ("created", None, Some(1)));
    let same = json!({ "file_path": "/w/a", "content": "x\n" });
    assert_eq!(changes(&captured(edited(Some("x\n"), "Write", &same))).files, []);
}

#[test]
fn what_ran_after_an_edit_made_its_counts_stale() {
    let input = json!({ "file_path": "/w/a", "old_string": "b", "new_string": "c" });
    let mut captured = captured(edited(Some("a\nb\n"), "Edit", &input));
    let content = Some("a\nc\nd\n".to_owned());
    let on_disk = OnDisk { content, ..OnDisk::default() };
    captured.disk.files.insert("/w/a".to_owned(), on_disk);
    let got = changes(&captured).files.remove(0);
    assert_eq!((got.added, got.removed, got.after), (Some(2), Some(1), Some(sha("a\nc\nd\n"))));
}

#[test]
fn a_session_pulled_into_another_folder_lost_its_files() {
    let input = json!({ "file_path": "/elsewhere/app/a", "content": "x\n" });
    let mut captured = captured(edited(None, "Write", &input));
    assert_eq!(files_of(&captured), []);
    captured.here.former_project = Some("/elsewhere/app".to_owned());
    assert_eq!(files_of(&captured), [("a".to_owned(), "created".to_owned())]);
}

fn git_counts(folder: &Path, old: &str, new: &str) -> Option<(u64, u64)> {
    std::fs::write(folder.join("old"), old).unwrap();
    std::fs::write(folder.join("new"), new).unwrap();
    let mut git = Command::new("git");
    git.current_dir(folder).env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", folder);
    let out = git.args(["diff", "--no-index", "--numstat", "--no-renames", "old", "new"]).output();
    let out = String::from_utf8(out.expect("git runs").stdout).unwrap();
    let mut numbers = out.split('\t').map(|it| it.trim().parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Whatever is edited, the line counts are git's.
    #[test]
    fn lines_are_counted_as_git_counts_them(
        old in prop::collection::vec("[ab{} ]{0,2}", 0..60),
        new in prop::collection::vec("[ab{} ]{0,2}", 0..60),
        kept in 0_usize..60,
        ends in any::<bool>(),
    ) {
        let mut lines: Vec<_> = old.iter().take(kept).cloned().collect();
        lines.extend(new);
        lines.extend(old.iter().skip(kept + 2).cloned());
        let end = if ends { "\n" } else { "" };
        let (old, new) = (old.join("\n") + "\n", lines.join("\n") + end);
        prop_assume!(old != new);
        let folder = tempfile::tempdir().unwrap();
        let input = json!({ "file_path": "/w/a", "content": new });
        let got = changes(&captured(edited(Some(&old), "Write", &input))).files.remove(0);
        prop_assert_eq!(got.added.zip(got.removed), git_counts(folder.path(), &old, &new));
    }
}

#[track_caller]
fn check_checks(commands: &[(&str, &str, i64)], expected: &[&str]) {
    let session = ran(commands);
    let got: Vec<_> = checks(&calls(&session)).iter().map(Check::told).collect();
    assert_eq!(got, expected, "{commands:?}");
}

#[test]
fn commands_that_check_nothing_were_told_as_validation() {
    let nothing = [
        ("mkdir -p build", "", 0),
        ("ls tests", "", 0),
        ("grep -rn build src", "", 0),
        ("git commit -qm 'fix flaky test'", "", 0),
        ("echo test", "test", 0),
    ];
    check_checks(&nothing, &[]);
}

#[test]
fn a_check_that_failed_inside_a_pipe_was_told_as_passed() {
    check_checks(
        &[("npm test 2>&1 | tail -3", "Tests:  2 failed, 5 passed, 7 total", 0)],
        &["`npm test 2>&1 | tail -3` failed"],
    );
    check_checks(
        &[("cargo test || true", "test result: FAILED. 1 passed; 2 failed;", 0)],
        &["`cargo test || true` failed"],
    );
    check_checks(
        &[("cargo test; echo done", "done", 0)],
        &["`cargo test; echo done`: result unknown"],
    );
    check_checks(
        &[("cargo test | tail -1", "test result: ok. 3 passed; 0 failed", 0)],
        &["`cargo test | tail -1` passed"],
    );
    check_checks(
        &[("set -o pipefail; cargo test | tail -1", "x", 0)],
        &["`set -o pipefail; cargo test | tail -1` passed"],
    );
}

#[test]
fn checks_are_told_with_their_last_result() {
    let all = [
        ("cargo test", "", 101),
        ("ls", "", 0),
        ("npm run lint", "", 1),
        ("cargo test", "", 0),
        ("cd app && pytest -q", "", 2),
    ];
    let expected = [
        "`npm run lint` failed with exit code 1",
        "`cargo test` passed",
        "`cd app && pytest -q` failed with exit code 2",
    ];
    check_checks(&all, &expected);
}

#[test]
fn a_refusal_was_not_a_decision() {
    let mut session = ran(&[]);
    for (number, (decision, by, reason)) in
        (1_u64..).zip([("reject", "user_reject", Some("costs a hop")), ("accept", "config", None)])
    {
        let id = format!("c{number}");
        let asked = json!({ "call_id": id, "tool": "Bash", "input": { "command": "redis-cli x" } });
        session.events.push(event(number * 3, Kind::ToolCall, "", &asked));
        let made =
            json!({ "call_id": id, "decision": decision, "decided_by": by, "reason": reason });
        session.events.push(event(number * 3 + 1, Kind::ApprovalResolved, "", &made));
    }
    let got = choices(&session, &calls(&session));
    let got: Vec<_> = got.into_iter().map(|it| (it.context, it.chosen, it.reasoning)).collect();
    let expected =
        ("Use Bash: redis-cli x".to_owned(), "denied".to_owned(), Some("costs a hop".to_owned()));
    assert_eq!(got, [expected]);
}

#[test]
fn notes_beside_an_answer_are_its_reasoning() {
    let ask = json!({ "questions": [{ "question": "Limit?", "options": ["1", "2"] }, { "question": "Key?" }] });
    let said = "Answered: \"Limit?\"=\"2\" user notes: ops wants it, \"Key?\"=\"ip\". You can now continue";
    let session = session("", &[("ask", ask, said, false)]);
    let got = choices(&session, &calls(&session));
    let got: Vec<_> = got.into_iter().map(|it| (it.chosen, it.reasoning)).collect();
    let expected = [("2".to_owned(), Some("ops wants it".to_owned())), ("ip".to_owned(), None)];
    assert_eq!(got, expected);
}

#[test]
fn plans_that_were_approved_and_rejected_read_alike() {
    let plan = |text: &str| json!({ "plan": format!("# Plan\n\n{text}") });
    let session = session(
        "",
        &[
            ("ExitPlanMode", plan("Use a window."), "no", true),
            ("ExitPlanMode", plan("Use a bucket."), "ok", false),
        ],
    );
    let got = choices(&session, &calls(&session));
    let got: Vec<_> = got.into_iter().map(|it| (it.context, it.chosen)).collect();
    let expected = [("Plan: Use a window.", "rejected"), ("Plan: Use a bucket.", "approved")];
    assert_eq!(got, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
}

#[test]
fn the_goal_was_the_greeting() {
    let mut session = session("hey, good morning!", &[]);
    with_turn(
        &mut session,
        "Replace the window by a token bucket.",
        TurnStatus::Completed,
        "Done.",
    );
    let captured = captured(session);
    let state = craft::of(&captured);
    assert_eq!(state.goal, "Replace the window by a token bucket.");
    assert_eq!(state.metadata.unwrap()["taffrail"]["goal_from"], "prompt");
    let objective = &ecc::of(&captured).workers[0].intent.objective;
    assert_eq!(objective, "Replace the window by a token bucket.");
}

#[test]
fn a_completed_session_had_no_progress_and_no_work() {
    let check = |prompt: &str, answer: &str, expected: (&str, f64, &[&str], &[&str])| {
        let mut session = session("", &[]);
        session.events.clear();
        with_turn(&mut session, prompt, TurnStatus::Completed, answer);
        let state = serde_json::to_value(craft::of(&captured(session))).unwrap();
        let got = (
            &state["status"],
            &state["progress"],
            &state["completed_work"],
            &state["pending_tasks"],
        );
        let (status, progress, done, open) = expected;
        assert_eq!(got, (&json!(status), &json!(progress), &json!(done), &json!(open)), "{prompt}");
    };
    check("Write a poem.", "Here it is.", ("completed", 1.0, &["Write a poem."], &[]));
    check("hi", "Hello.", ("paused", 0.0, &[], &[]));
    let answer = "It is there.\n\n## Left\n- Rhymes\n";
    check("Write a poem.", answer, ("paused", 0.5, &["Write a poem."], &["Rhymes"]));
}

#[test]
fn a_session_that_died_of_errors_was_idle_and_without_a_risk() {
    let mut session = session("", &[]);
    session.events.clear();
    with_turn(&mut session, "Write a poem.", TurnStatus::Open, "I begin.");
    session.events.push(event(200, Kind::Error, "Connection error.", &json!({ "retrying": true })));
    let captured = captured(session);
    let snapshot = ecc::of(&captured);
    assert_eq!(snapshot.session.state, "failed");
    assert_eq!(snapshot.workers[0].health.as_deref(), Some("degraded"));
    assert!(snapshot.workers[0].outputs.remaining_risks.contains(&"Connection error.".to_owned()));
    assert_eq!(craft::of(&captured).pending_tasks, ["Write a poem."]);
}

#[test]
fn a_session_whose_last_check_failed_was_a_success() {
    let mut session = session("", &[]);
    session.events.clear();
    with_turn(&mut session, "Fix it.", TurnStatus::Completed, "Two tests still fail.");
    let number = 300;
    let asked = json!({ "call_id": "c", "tool": "Bash", "input": { "command": "cargo test" } });
    session.events.push(event(number, Kind::ToolCall, "", &asked));
    let answer = json!({ "call_id": "c", "failed": true, "exit_code": 101 });
    session.events.push(event(number + 1, Kind::ToolResult, "", &answer));
    session.events.push(event(number + 2, Kind::AssistantMessage, "Two still fail.", &json!({})));
    let state = craft::of(&captured(session));
    assert_eq!((state.status.as_str(), state.agents[0].status.as_str()), ("error", "error"));
    let error = state.agents[0].error.clone().flatten().unwrap();
    assert_eq!(error.message.as_deref(), Some("`cargo test` failed with exit code 101"));
}

/// The status, the result and the error of the main agent.
fn agent_of(session: AgentSession) -> (String, Value, Option<String>) {
    let state = craft::of(&captured(session));
    let agent = &state.agents[0];
    let error = agent.error.clone().flatten().and_then(|it| it.message);
    (agent.status.as_str().to_owned(), json!(agent.result), error)
}

#[test]
fn a_turn_that_timed_out_is_a_timeout() {
    let mut silent = session("", &[]);
    silent.events.clear();
    with_turn(&mut silent, "Write a poem.", TurnStatus::TimedOut, "I begin.");
    silent.status = Status::Waiting;
    assert_eq!(agent_of(silent), ("timeout".to_owned(), json!("timeout"), None));
    let check = |text: &str, expected: &str, result: &str| {
        let mut failed = session("", &[]);
        failed.events.clear();
        with_turn(&mut failed, "Write a poem.", TurnStatus::Open, "I begin.");
        failed.events.push(event(200, Kind::Error, text, &json!({})));
        let told = (expected.to_owned(), json!(result), Some(text.to_owned()));
        assert_eq!(agent_of(failed.clone()), told);
        assert_eq!(craft::of(&captured(failed)).status.as_str(), "error", "{text}");
    };
    check("API Error: Request timed out.", "timeout", "timeout");
    check("API Error: Overloaded.", "error", "failure");
}

/// `success` said only that the turn had ended.
#[test]
fn a_success_is_shown_by_something_that_was_recorded() {
    let ended = |mut session: AgentSession| {
        session.events.remove(0);
        with_turn(&mut session, "Fix it.", TurnStatus::Completed, "Done.");
        let began = session.events[0].created_at;
        session.turns[0].started_at = began;
        let (status, result, _) = agent_of(session);
        (status, result)
    };
    let completed = |result: Value| ("completed".to_owned(), result);
    assert_eq!(ended(session("Fix it.", &[])), completed(Value::Null));
    assert_eq!(ended(ran(&[("ls src", "a", 0)])), completed(Value::Null));
    let passed = "test result: ok. 3 passed; 0 failed";
    assert_eq!(ended(ran(&[("cargo test", passed, 0)])), completed(json!("success")));
    assert_eq!(ended(ran(&[("touch made.txt", "", 0)])), completed(json!("success")));
    let todo = json!({ "todos": [{ "content": "a", "status": "completed", "activeForm": "a" }] });
    let planned = session("Fix it.", &[("TodoWrite", todo, "ok", false)]);
    assert_eq!(ended(planned), completed(json!("success")));
}

#[test]
fn the_main_agent_waits_for_the_sub_agent_that_it_called() {
    let mut main = session("Do it.", &[]);
    main.status = Status::Running;
    let input = json!({ "prompt": "Find it.", "subagent_type": "explorer" });
    let asked = json!({ "call_id": "c", "tool": "Task", "input": input });
    main.events.push(event(1, Kind::ToolCall, "", &asked));
    let mut worker = session("Find it.", &[]);
    (worker.runtime_id, worker.status) =
        (taffrail_model::RuntimeSessionId::new("w1"), Status::Running);
    let mut captured = captured(main);
    captured.workers = vec![worker];
    let state = craft::of(&captured);
    assert_eq!(state.agents[0].blocking_on, Some(Some("w1".to_owned())));
    assert_eq!(state.agents[1].blocking_on, Some(None));
    let labels: Vec<_> = ecc::of(&captured).workers.into_iter().map(|it| it.label).collect();
    assert_eq!(labels[0], "agent");
    assert_ne!(labels[0], labels[1]);
}

#[test]
fn a_prompt_that_only_goes_on_is_no_task_of_its_own() {
    let mut session = session("", &[]);
    session.events.clear();
    with_turn(&mut session, "Write the book.", TurnStatus::Completed, "Chapter one.");
    with_turn(&mut session, "go on", TurnStatus::Open, "");
    let got = tasks(&session, &calls(&session));
    assert_eq!((got.done, got.open), (vec![], vec!["Write the book.".to_owned()]));
}

#[test]
fn the_device_is_that_of_the_session() {
    let mut captured = captured(session("Fix it.", &[]));
    captured.here.device = "alpha".to_owned();
    captured.carried.devices = vec!["alpha".to_owned()];
    let state = craft::of(&captured);
    assert_eq!(
        (state.device.as_str(), state.teleportation.devices),
        ("alpha", Some(vec!["alpha".to_owned()]))
    );
    assert_eq!(ecc::of(&captured).session.repo_root, Some(None));
}

#[test]
fn the_command_of_a_session_was_always_null() {
    let mut main = session("Fix it.", &[]);
    (main.command, main.status) = (Some("claude --resume x".to_owned()), Status::Waiting);
    let got = ecc::of(&captured(main)).workers.remove(0).runtime.command;
    assert_eq!(got, Some(Some("claude --resume x".to_owned())));
}

#[test]
fn the_context_was_the_sum_of_all_reads_of_the_cache() {
    let mut main = session("Fix it.", &[]);
    main.tokens =
        taffrail_model::Tokens { input: 10, cache_read: 560_000, output: 5, ..main.tokens };
    let used =
        |main: &AgentSession| craft::of(&captured(main.clone())).context_usage.estimated_tokens;
    assert_eq!(used(&main), Some(15.into()));
    main.context =
        Some(taffrail_model::Tokens { input: 3, cache_read: 31_000, ..Default::default() });
    assert_eq!(used(&main), Some(31_003.into()));
}
