//! Other tools write to the directory, too.

use crate::directory::kit::{ID, Project, change, invocation, task};
use taffrail_contracts::ai_session::{Model, TaskMove};

#[test]
fn keys_and_comments_of_others_stay() {
    let project = Project::at_work();
    let state = project.state().replace(
        "current_state:\n",
        "x-tool: {kept: true} # mine\ncurrent_state: # now\n  x-mood: fine\n",
    );
    project.write("state.yaml", &format!("# of another tool\n{state}"));
    let plan = project
        .text("implementation-plan.yaml")
        .replace("    tasks:\n", "    tasks: # all\n      # first\n");
    let plan =
        plan.replace("        agent: \"a1\"\n", "        agent: a1   # she\n        x-points: 3\n");
    project.write("implementation-plan.yaml", &format!("{plan}x-end: |\n  the\n  end\n"));
    let list = std::fs::read_to_string(project.outer("active-features.yaml")).unwrap();
    std::fs::write(
        project.outer("active-features.yaml"),
        format!("# all of them\n{list}x-more: 1\n"),
    )
    .unwrap();
    let before = project.files();

    project.with(|it| it.use_model(Model::Sonnet, &invocation())).unwrap();
    project.with(|it| it.move_task(&change("t1", TaskMove::Done), &invocation())).unwrap();
    project.with(|it| it.add_task(&task("t3"), &invocation())).unwrap();
    project.make("Other").unwrap();
    project.open().feature(ID).unwrap().use_model(Model::Gemini, &invocation()).unwrap();

    let after = project.files();
    for name in ["state.yaml", "implementation-plan.yaml"].map(|it| format!("{ID}/{it}")) {
        kept(&before[&name], &after[&name]);
    }
    kept(&before["active-features.yaml"], &after["active-features.yaml"]);
    assert_eq!(project.check(), [""; 0]);
}

/// Checks that every line without a changed value is still there, in order.
fn kept(before: &[u8], after: &[u8]) {
    let changed = [
        "status:",
        "model_in_use:",
        "active_task:",
        "last_updated:",
        "last_active:",
        "completed_at:",
    ];
    let of = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let (before, after) = (of(before), of(after));
    let ours = |line: &&str| !changed.iter().any(|it| line.trim_start().starts_with(it));
    let mut rest = after.lines();
    for line in before.lines().filter(ours) {
        assert!(rest.any(|it| it == line), "{line:?} is gone or moved:\n{after}");
    }
}

#[test]
fn the_last_write_wins_and_a_recovery_comes_to_the_same() {
    let project = Project::at_work();
    let theirs = project.state().replace("\"opus\"", "gemini").replace("\"t1\"", "t2");
    let theirs = theirs
        .replace("last_updated: \"2026-11-15T12:00:00", "last_updated: \"2026-11-15T13:00:00");
    project.write("state.yaml", &theirs);
    let shown = project.current();
    assert!(shown.contains("Gemini") && shown.contains("t2"), "{shown}");
    project.write("state.yaml", "current_state: [broken");
    project.recover();
    assert_eq!(project.current(), shown);
    assert_eq!(project.check(), [""; 0]);
}

/// A clock that counts in seconds writes a timestamp before our last change.
#[test]
fn a_write_by_a_coarser_clock_wins_too() {
    let project = Project::at_work();
    let theirs =
        project.state().replace("\"opus\"", "gemini").replace("12:00:00.000003Z", "12:00:00Z");
    project.write("state.yaml", &theirs);
    assert!(project.current().contains("Gemini"));
    assert!(
        project.state().contains("last_updated: \"2026-11-15T12:00:00.000004Z\""),
        "{}",
        project.state()
    );
    assert_eq!(project.check(), [""; 0]);
}

#[test]
fn a_directory_of_another_tool_is_taken_as_it_is() {
    let project = Project::at_work();
    let history: String = project
        .text("history.jsonl")
        .lines()
        .map(|line| {
            let (line, _) = line.split_once(",\"change\"").unwrap();
            format!("{line}}}\n")
        })
        .collect();
    project.write("history.jsonl", &history);
    let state =
        project.state().replace("version: \"1.0\"\n", "").replace("12:00:00.000003Z", "12:00:00.5");
    project.write("state.yaml", &state);
    assert_eq!(project.check(), [""; 0]);
    let shown = project.current();
    project.with(|it| it.move_task(&change("t1", TaskMove::Block), &invocation())).unwrap();
    assert!(project.text("history.jsonl").starts_with(&history), "history is only appended to");
    assert_ne!(project.current(), shown);
    assert_eq!(project.check(), [""; 0]);
}

#[test]
fn a_file_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::new();
    let mode = |mode| std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(project.path("state.yaml"), mode(0o640)).unwrap();
    project.with(|it| it.use_model(Model::Sonnet, &invocation())).unwrap();
    let kept = std::fs::metadata(project.path("state.yaml")).unwrap().permissions();
    assert_eq!(kept.mode() & 0o777, 0o640);
}

#[test]
fn a_plan_we_cannot_change_is_left_alone_and_so_is_the_history() {
    let project = Project::at_work();
    let plan = project
        .text("implementation-plan.yaml")
        .replace("status: \"pending\"", "status: &s pending");
    project.write("implementation-plan.yaml", &format!("{plan}x-same: *s\n"));
    let before = project.files();
    let refused = project.with(|it| it.move_task(&change("t2", TaskMove::Start), &invocation()));
    assert!(refused.unwrap_err().to_string().contains("without touching what others wrote"));
    assert_eq!(project.files(), before);
}
