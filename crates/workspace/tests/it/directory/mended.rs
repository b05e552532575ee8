//! Problems are reported, and repaired without loss.

use crate::directory::kit::{ID, Project, change, foreign_history, invocation};
use taffrail_contracts::ai_session::{
    ACTIVE_FEATURES, CONTRACT, FeatureMove, HISTORY, Operation, PLAN, README, STATE, TaskMove,
    checksum,
};
use taffrail_workspace::WorkError;

/// A way to damage a directory, the finding of a check, and whether a recovery may repair it.
type Case = (&'static str, fn(&Project), &'static str);

const MENDED: [Case; 15] = [
    (
        "a torn state",
        |it| it.write(STATE, "version: \"1.0\"\ncurrent_state: [broken"),
        "state.yaml: line",
    ),
    (
        "a state that is not text",
        |it| std::fs::write(it.path(STATE), [0xff, 0xfe]).unwrap(),
        "state.yaml: not UTF-8",
    ),
    ("an empty state", |it| it.write(STATE, ""), "state.yaml: : Expected an object"),
    (
        "an unknown model",
        |it| it.write(STATE, &it.state().replace("opus", "gpt")),
        "model_in_use: \"gpt\" is not among",
    ),
    (
        "a state that steps back",
        |it| it.write(STATE, &it.state().replace("last_updated: \"2026", "last_updated: \"2025")),
        "`last_updated` is before `started_at`",
    ),
    (
        "the state of another feature",
        |it| it.write(STATE, &it.state().replace(ID, "other-2026-11-15")),
        "it is the state of another feature",
    ),
    (
        "a state amid a merge",
        |it| it.write(STATE, &format!("<<<<<<< HEAD\n{}>>>>>>> x\n", it.state())),
        "conflict markers",
    ),
    ("no state", |it| std::fs::remove_file(it.path(STATE)).unwrap(), "state.yaml: it is missing"),
    ("a torn plan", |it| it.write(PLAN, "phases: [broken"), "implementation-plan.yaml: line"),
    (
        "no plan",
        |it| std::fs::remove_file(it.path(PLAN)).unwrap(),
        "implementation-plan.yaml: it is missing",
    ),
    (
        "a torn line",
        |it| it.write(HISTORY, &(it.text(HISTORY) + "{\"timestamp\":\"2026-11-15T1")),
        "history.jsonl: line 5: not a whole JSON object",
    ),
    (
        "a line amid a merge",
        |it| it.write(HISTORY, &(it.text(HISTORY) + "=======\n")),
        "history.jsonl: line 5",
    ),
    (
        "no artifacts",
        |it| std::fs::remove_dir(it.path("artifacts")).unwrap(),
        "artifacts: it is missing",
    ),
    (
        "no list",
        |it| std::fs::remove_file(it.outer(ACTIVE_FEATURES)).unwrap(),
        "active-features.yaml: it is missing",
    ),
    (
        "a torn list",
        |it| std::fs::write(it.outer(ACTIVE_FEATURES), "active_features: {").unwrap(),
        "active-features.yaml: line",
    ),
];

#[test]
fn what_is_spoiled_is_told_and_mended() {
    for (name, spoil, told) in MENDED {
        let project = Project::at_work();
        let (current, before) = (project.current(), project.files());
        spoil(&project);
        let spoiled = project.files();
        let said = project.check();
        assert!(said.iter().any(|it| it.contains(told)), "{name}: {said:?}");
        assert_eq!(project.files(), spoiled, "{name}: a check mends nothing");
        let repairs = project.recover();
        assert!(!repairs.is_empty(), "{name}");
        assert_eq!(
            (project.check(), project.current()),
            (Vec::new(), current),
            "{name}: {repairs:?}"
        );
        let history = format!("{ID}/{HISTORY}");
        let after = project.files();
        assert!(
            after[&history].starts_with(&spoiled[&history]),
            "{name}: history is never rewritten"
        );
        let kept = |bytes: &Vec<u8>| {
            after.values().any(|it| it == bytes) || before.values().any(|it| it == bytes)
        };
        let lost: Vec<_> =
            spoiled.iter().filter(|(path, bytes)| **path != history && !kept(bytes)).collect();
        assert!(lost.is_empty(), "{name}: {lost:?}");
        assert_eq!(project.recover(), [""; 0], "{name}: twice is once");
    }
}

#[test]
fn a_plan_is_made_again_from_the_history() {
    let project = Project::at_work();
    project.with(|it| it.move_task(&change("t1", TaskMove::Done), &invocation())).unwrap();
    let before = project.with(|it| it.plan()).unwrap();
    project.write(PLAN, "broken: [");
    project.recover();
    assert_eq!(project.with(|it| it.plan()).unwrap(), before);
}

/// `active_task` named a task that the new plan did not have, so a recovery never ended with 0.
#[test]
fn a_plan_of_another_tool_comes_back_with_the_task_that_the_state_names() {
    let project = Project::at_work();
    foreign_history(&project);
    std::fs::remove_file(project.path(PLAN)).unwrap();
    let expected = format!(
        ".ai-session/{ID}/{PLAN}: made again, without phases, with the task t1 that the state names, \
         without t2, of which the history does not say the status"
    );
    assert_eq!(project.recover(), [expected]);
    assert_eq!(project.check(), [""; 0]);
    let plan = project.with(|it| it.plan()).unwrap();
    let tasks: Vec<_> = plan
        .tasks()
        .map(|it| (it.task_id.as_str(), it.status.as_str(), it.agent.as_str()))
        .collect();
    assert_eq!(tasks, [("t1", "in_progress", "tester")]);
    project.with(|it| it.move_task(&change("t1", TaskMove::Done), &invocation())).unwrap();
    assert_eq!(project.check(), [""; 0]);
}

#[test]
fn where_a_feature_stands_is_known_from_the_history() {
    let project = Project::at_work();
    project.with(|it| it.move_to(FeatureMove::Pause, &invocation())).unwrap();
    let before = std::fs::read(project.outer(ACTIVE_FEATURES)).unwrap();
    std::fs::remove_file(project.outer(ACTIVE_FEATURES)).unwrap();
    project.recover();
    assert_eq!(std::fs::read(project.outer(ACTIVE_FEATURES)).unwrap(), before);
}

#[test]
fn a_history_that_is_lost_begins_anew() {
    let project = Project::at_work();
    let current = project.current();
    std::fs::remove_file(project.path(HISTORY)).unwrap();
    assert_eq!(project.current(), current);
    assert_eq!(project.text(HISTORY).lines().count(), 1, "what the state said is noted");
    project.write(STATE, "");
    project.recover();
    assert_eq!((project.current(), project.check()), (current, Vec::new()));
}

#[test]
fn a_folder_that_is_lost_begins_anew() {
    let project = Project::at_work();
    std::fs::remove_dir_all(project.outer(ID)).unwrap();
    assert!(project.check()[0].contains("the feature is listed and has no folder"));
    project.recover();
    assert_eq!(project.check(), [""; 0]);
}

#[test]
fn an_error_is_told_as_the_contract_asks() {
    let project = Project::at_work();
    project.write(STATE, "x: [");
    let Err(WorkError::Unsound(context)) = project.with(|_| Ok(())) else {
        panic!("it is not sound")
    };
    assert_eq!(context.operation, Operation::Read);
    assert_eq!(context.file, format!(".ai-session/{ID}/{STATE}"));
    assert_eq!(context.feature_id.as_deref(), Some(ID));
    assert!(!context.details.is_empty());
}

#[test]
fn a_state_that_is_not_sound_is_never_overwritten() {
    let project = Project::at_work();
    project.write(STATE, "x: [");
    let before = project.files();
    assert!(
        project
            .with(|it| it.use_model(taffrail_contracts::ai_session::Model::Opus, &invocation()))
            .is_err()
    );
    project.check();
    assert_eq!(project.files(), before);
}

#[test]
fn a_newer_version_is_refused_by_all() {
    let project = Project::at_work();
    project.write(STATE, &project.state().replace("version: \"1.0\"", "version: \"1.1\""));
    let before = project.files();
    let told = "version 1.1 is newer than 1.0";
    assert!(project.with(|_| Ok(())).unwrap_err().to_string().contains(told));
    assert!(project.open().recover(None).unwrap_err().to_string().contains(told));
    assert!(project.open().migrate(None).unwrap_err().to_string().contains(told));
    assert!(project.check()[0].contains(told));
    assert_eq!(project.files(), before);
}

#[test]
fn a_state_without_a_version_gets_one_and_the_old_one_stays() {
    let project = Project::at_work();
    let old = project.state().replace("version: \"1.0\"\n", "# theirs\n");
    project.write(STATE, &old);
    assert_eq!(project.check(), [""; 0], "1.0 is meant");
    let moved = project.open().migrate(None).unwrap();
    assert_eq!(moved[0].kept_as, "state.yaml.before-1.0-1");
    assert_eq!(project.text("state.yaml.before-1.0-1"), old);
    assert_eq!(project.state(), format!("{old}version: \"1.0\"\n"));
    assert_eq!(project.open().migrate(None).unwrap(), [], "twice is once");
    assert_eq!(project.check(), [""; 0]);
}

#[test]
fn a_merge_of_the_list_is_left_to_people() {
    let project = Project::at_work();
    let list = std::fs::read_to_string(project.outer(ACTIVE_FEATURES)).unwrap();
    let merged = format!("<<<<<<< HEAD\n{list}=======\n{list}>>>>>>> x\n");
    std::fs::write(project.outer(ACTIVE_FEATURES), &merged).unwrap();
    let told = "active-features.yaml: conflict markers of a merge in line 1";
    assert!(project.check()[0].contains(told), "{:?}", project.check());
    project.recover();
    assert_eq!(std::fs::read_to_string(project.outer(ACTIVE_FEATURES)).unwrap(), merged);
    assert!(project.with(|_| Ok(())).unwrap_err().to_string().contains(told));
    assert!(project.open().feature(ID).is_ok(), "named, it can be shown");
}

#[test]
fn an_acknowledgment_is_current_stale_or_absent() {
    let project = Project::new();
    let current = checksum(CONTRACT.as_bytes());
    project.open().acknowledge("a1", &current).unwrap();
    project.open().acknowledge("a2", &checksum(b"older")).unwrap();
    let stale = ".ai-session/contract-acknowledgment.md: the acknowledgment of a2 is stale: it is of another contract";
    assert_eq!(project.check(), [stale]);
    project.open().acknowledge("a2", &current).unwrap();
    assert_eq!(project.check(), [""; 0]);
    let text = std::fs::read_to_string(project.outer("contract-acknowledgment.md")).unwrap();
    assert_eq!(text.matches("# Contract Acknowledgment").count(), 2);
    std::fs::write(project.outer("contract-acknowledgment.md"), text.replace("Date: ", "Day: "))
        .unwrap();
    assert!(project.check()[0].contains("/date: `date` is missing"));
    assert!(std::fs::remove_file(project.outer(README)).is_ok());
}

#[test]
fn a_section_without_the_sentence_is_a_fault() {
    let project = Project::new();
    project.open().acknowledge("a1", &checksum(CONTRACT.as_bytes())).unwrap();
    let text = std::fs::read_to_string(project.outer("contract-acknowledgment.md")).unwrap();
    let check = |from: &str, to: &str, told: &str| {
        let path = project.outer("contract-acknowledgment.md");
        std::fs::write(path, text.replace(from, to)).unwrap();
        let said = project.check();
        assert!(said.len() == 1 && said[0].contains(told), "{said:?}");
    };
    let told = "the section of a1: /statement:";
    check("I acknowledge that I have read", "I agree that I have read", told);
    check("v1.0.", "v0.9.", told);
}

#[test]
fn agents_that_write_without_an_acknowledgment_are_named() {
    let project = Project::at_work();
    let told = ".ai-session/contract-acknowledgment.md: tester wrote to a history and has no acknowledgment";
    assert_eq!((project.warnings(), project.check()), (vec![told.to_owned()], Vec::new()));
    let current = checksum(CONTRACT.as_bytes());
    project.open().acknowledge("tester", &current).unwrap();
    assert_eq!(project.warnings(), [""; 0]);
    let before = project.files();
    project.open().acknowledge_once("tester", &current).unwrap();
    assert_eq!(project.files(), before);
}

/// Another tool, or an earlier version of ours, may have completed it.
#[test]
fn a_completed_feature_with_a_task_in_progress_is_named() {
    let project = Project::at_work();
    project.open().acknowledge("tester", &checksum(CONTRACT.as_bytes())).unwrap();
    let list = std::fs::read_to_string(project.outer(ACTIVE_FEATURES)).unwrap();
    let completed = list.replace("status: \"active\"", "status: \"completed\"");
    std::fs::write(project.outer(ACTIVE_FEATURES), completed).unwrap();
    let told = format!(
        ".ai-session/active-features.yaml: {ID} is completed, and its task t1 is in progress"
    );
    assert_eq!((project.warnings(), project.check()), (vec![told], Vec::new()));
}

#[test]
fn a_task_nobody_planned_is_told() {
    let project = Project::at_work();
    let state = project.state().replace("\"t1\"", "\"ghost\"");
    project.write(STATE, &state);
    assert_eq!(
        project.check(),
        [format!(".ai-session/{ID}/{STATE}: active_task \"ghost\" is not in the plan")]
    );
}
