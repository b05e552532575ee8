//! Complete output, as snapshots.

use crate::work::{id, project};
use insta::Settings;
use serde_json::Value;
use taffrail_contracts::ai_session::checksum;
use taffrail_testkit::Home;

fn settings() -> Settings {
    let mut settings = Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_snapshot_path("../../snapshots");
    settings.add_filter(r"/tmp/[^/\s]*taffrail-test-\w+", "[HOME]");
    settings.add_filter(r"\d{4}-\d\d-\d\d(T[\d:.]+Z| \d\d:\d\d)", "[time]");
    settings.add_filter(r"(today|yesterday) \d\d:\d\d +", "[time] ");
    settings.add_filter(r"(today|yesterday) \d\d:\d\d", "[time]");
    settings.add_filter(r"dark-mode-\d{4}-\d\d-\d\d", "dark-mode-[day]");
    settings.add_filter(r"other-\d{4}-\d\d-\d\d", "other-[day]");
    settings.add_filter(r" +\d+[smh]  ", " [age]  ");
    settings.add_filter(r"corrupt-\w+", "corrupt-[time]");
    settings.add_filter(r"\b[0-9a-f]{64}\b", "[checksum]");
    settings
}

fn check_text(home: &Home, name: &str, arguments: &[&str]) {
    let arguments = [&["work"], arguments].concat();
    let output = home.run(&arguments);
    let text = format!(
        "$ taffrail {}\n{}--- stderr\n{}--- exit code {}\n",
        arguments.join(" "),
        output.stdout,
        output.stderr,
        output.status
    );
    settings().bind(|| insta::assert_snapshot!(format!("work_{name}"), text));
}

fn check_json(home: &Home, name: &str, arguments: &[&str], code: i32) {
    let output = home.run(&[&["work"], arguments, &["--json"]].concat());
    assert_eq!((output.status, output.stderr.as_str()), (code, ""), "{arguments:?}");
    let value: Value = serde_json::from_str(&output.stdout).expect("one document");
    settings().bind(|| insta::assert_json_snapshot!(format!("work_{name}_json"), value));
}

#[test]
fn help() {
    let home = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    check_text(&home, "help", &["--help"]);
    check_text(&home, "help_log", &["log", "--help"]);
    check_text(&home, "help_task", &["task", "--help"]);
}

#[test]
fn a_feature_from_its_beginning_to_its_end() {
    let home = project();
    check_text(&home, "show", &["show"]);
    check_json(&home, "show", &["show"], 0);
    check_text(&home, "use", &["use", "sonnet"]);
    check_json(&home, "use", &["use", "opus"], 0);
    check_text(&home, "done", &["task", "done", "t1", "--artifact", "src/switch.rs"]);
    check_text(&home, "plan", &["plan"]);
    check_json(&home, "plan", &["plan"], 0);
    let log =
        ["log", "--command", "build", "--arguments", "all", "--model", "gemini", "--agent", "a2"];
    let ended = ["--status", "failure", "--duration-ms", "7", "--error", "no\u{1b}[31m space"];
    check_json(&home, "log", &[&log[..], &ended].concat(), 0);
    check_text(&home, "history", &["log", "-n", "3"]);
    check_text(&home, "ls", &["ls"]);
    check_json(&home, "ls", &["ls"], 0);
    check_text(&home, "check", &["check"]);
    check_json(&home, "check", &["check"], 0);
    check_text(&home, "migrate", &["migrate"]);
    check_text(&home, "recover_nothing", &["recover"]);
    check_text(&home, "pause", &["pause"]);
    check_text(&home, "resume", &["resume"]);
    check_text(&home, "complete", &["complete"]);
    check_text(&home, "archive", &["archive"]);
    check_text(&home, "ls_empty", &["ls"]);
    check_text(&home, "ls_archived", &["ls", "--archived"]);
    check_json(&home, "ls_archived", &["ls", "--archived"], 0);
    check_text(&home, "show_archived", &["show", "--archived"]);
    check_text(&home, "log_archived", &["log", "--archived", "-n", "1"]);
}

#[test]
fn corruption_and_recovery() {
    let home = project();
    let state = format!(".ai-session/{}/state.yaml", id(&home));
    home.write(&state, "version: \"1.0\"\ncurrent_state: [broken");
    check_text(&home, "corrupt_show", &["show"]);
    check_text(&home, "corrupt_check", &["check"]);
    check_json(&home, "corrupt_check", &["check"], 6);
    check_text(&home, "recover", &["recover"]);
    check_text(&home, "recovered_show", &["show"]);
}

#[test]
fn refusals() {
    let home = project();
    let history = || {
        let file = home.path(&format!(".ai-session/{}/history.jsonl", id(&home)));
        std::fs::read_to_string(file).unwrap()
    };
    for (name, arguments, code, lines) in [
        ("duplicate", &["new", "Dark Mode"][..], 6, 1),
        ("no_id", &["new", "漢字"], 6, 0),
        (
            "duplicate_task",
            &["task", "add", "t1", "--phase", "p", "--description", "d", "--agent", "a"],
            6,
            1,
        ),
        ("transition", &["task", "start", "t1"], 6, 1),
        ("no_task", &["task", "start", "t9"], 6, 1),
        ("model", &["use", "gpt"], 6, 1),
        ("new_model", &["new", "Other", "--model", "gpt"], 6, 0),
        ("no_feature", &["show", "--feature", "nothing"], 3, 0),
        ("not_completed", &["archive"], 6, 1),
        ("resume", &["resume"], 6, 1),
        ("at_work", &["complete"], 6, 1),
    ] {
        let before = history();
        let state = home.json(&["work", "show", "--json"]);
        check_text(&home, &format!("refused_{name}"), arguments);
        let output = home.run(&[&["work"], arguments].concat());
        assert_eq!((output.status, output.stdout.as_str()), (code, ""), "{arguments:?}");
        let after = history();
        let new = after.strip_prefix(&before).expect("lines are only appended");
        let new: Vec<Value> = new.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(new.len(), 2 * lines, "{name}: one line for each of two runs");
        assert!(
            new.iter().all(|it| it["status"] == "failure" && it["duration_ms"] != 0),
            "{new:?}"
        );
        assert!(new.iter().all(|it| output.stderr.contains(it["error"].as_str().unwrap())));
        let mut now = home.json(&["work", "show", "--json"]);
        now["feature"]["last_active"] = state["feature"]["last_active"].clone();
        assert_eq!(now, state, "{name}: nothing else changes");
    }
    home.ok(&["work", "check"]);
}

#[test]
fn a_line_of_history_keeps_the_contract() {
    let home = project();
    let line = ["work", "log", "--command", "c", "--agent", "a", "--duration-ms", "1"];
    let check = |more: &[&str], code: i32, said: &str| {
        let output = home.run(&[&line[..], more].concat());
        assert_eq!(output.status, code, "{more:?}: {}", output.stderr);
        assert!(output.stderr.contains(said), "{more:?}: {}", output.stderr);
    };
    check(&["--model", "opus", "--status", "success"], 0, "logged");
    check(&["--model", "opus", "--status", "success", "--task", "t1"], 0, "logged");
    check(&["--model", "opus", "--status", "success", "--task", "t9"], 6, "no task t9");
    check(&["--model", "gpt", "--status", "success"], 6, "no model");
    check(&["--model", "opus", "--status", "maybe"], 6, "success or failure");
    check(&["--model", "opus", "--status", "failure"], 6, "what went wrong");
    check(&["--model", "opus", "--status", "success", "--error", "e"], 6, "no error");
    check(&["--model", "opus"], 2, "--status");
}

#[test]
fn several_features_are_told_apart() {
    let home = project();
    home.ok(&["work", "new", "Other"]);
    check_text(&home, "several", &["show"]);
    home.ok(&["work", "use", "sonnet", "--feature", "dark"]);
    home.ok(&["work", "pause", "--feature", "other"]);
    assert_eq!(id(&home).split("-20").next(), Some("dark-mode"), "the only active one");
}

#[test]
fn the_contract_needs_no_project_and_its_checksum_is_acknowledged() {
    let home = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    let contract = home.ok(&["work", "contract"]);
    check_text(&home, "no_directory", &["show"]);
    home.ok(&["work", "new", "X"]);
    home.ok(&["work", "ack", "--agent", "a1"]);
    let read = |home: &Home| {
        std::fs::read_to_string(home.path(".ai-session/contract-acknowledgment.md")).unwrap()
    };
    assert!(read(&home).contains(&format!("Checksum: {}\n", checksum(contract.as_bytes()))));
    home.write("spec.txt", "another text");
    home.ok(&["work", "ack", "--agent", "a2", "--contract-file", "spec.txt"]);
    assert!(read(&home).contains(&format!("Checksum: {}\n", checksum(b"another text"))));
    check_text(&home, "stale", &["check"]);
    home.ok(&["work", "check", "--contract-file", "spec.txt"]);
    home.ok(&["work", "recover", "--contract-file", "spec.txt"]);
}

/// Text of other tools may be hostile on a terminal.
#[test]
fn nothing_a_terminal_obeys_is_printed() {
    let home = project();
    let plan = format!(".ai-session/{}/implementation-plan.yaml", id(&home));
    let text = std::fs::read_to_string(home.path(&plan)).unwrap();
    home.write(&plan, text.replace("a switch", "\\u001b]0;evil\\u0007 switch"));
    for command in ["show", "plan"] {
        let output = home.run(&["work", command]);
        assert_eq!(output.status, 0, "{}", output.stderr);
        assert!(
            output.stdout.contains("evil") && !output.stdout.contains('\u{1b}'),
            "{}",
            output.stdout
        );
    }
}

#[test]
fn a_project_that_cannot_be_written_is_said_to_be_so() {
    use std::os::unix::fs::PermissionsExt;
    let mut home = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    let locked = home.path("locked");
    std::fs::create_dir(&locked).unwrap();
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o555)).unwrap();
    // Root may write anywhere, so the test runs as another user.
    home.give_to(65534);
    let output = home.run_in(&locked, &["work", "new", "X"]);
    assert_eq!((output.status, output.stdout.as_str()), (1, ""), "{}", output.stderr);
    assert!(output.stderr.contains("Permission denied"), "{}", output.stderr);
    let output = home.run_in(&locked, &["work", "new", "X", "--json"]);
    let told: Value = serde_json::from_str(&output.stderr).unwrap();
    let context = &told["error_context"];
    assert_eq!(
        (&context["operation"], &context["file"]),
        (&"create".into(), &".ai-session".into())
    );
    assert_eq!(context["details"], told["error"]["message"]);
    assert_eq!(std::fs::read_dir(&locked).unwrap().count(), 0);
}
