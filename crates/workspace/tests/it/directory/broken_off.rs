//! A kill between any two writes: the next process restores what the history records.

use crate::directory::kit::{Files, Project, change, invocation, task};
use taffrail_contracts::ai_session::{FeatureMove, Model, TaskMove};
use taffrail_workspace::{Feature, WorkError};

/// The order in which a change is written.
const ORDER: [&str; 4] = [
    "dark-mode-2026-11-15/history.jsonl",
    "dark-mode-2026-11-15/implementation-plan.yaml",
    "active-features.yaml",
    "dark-mode-2026-11-15/state.yaml",
];

fn check(act: impl Fn(&mut Feature<'_>) -> Result<(), WorkError>) {
    check_after(|_| Ok(()), act);
}

fn check_after<T>(
    first: impl Fn(&mut Feature<'_>) -> Result<T, WorkError>,
    act: impl Fn(&mut Feature<'_>) -> Result<(), WorkError>,
) {
    let project = Project::at_work();
    project.with(&first).unwrap();
    let before = project.files();
    project.with(&act).unwrap();
    let after = project.files();
    for written in 1..=ORDER.len() {
        let kept: Files = before
            .iter()
            .filter(|(name, _)| ORDER[written..].contains(&name.as_str()))
            .map(|(name, bytes)| (name.clone(), bytes.clone()))
            .collect();
        project.put(&after);
        project.put(&kept);
        assert_eq!(project.check(), [""; 0], "{written} written");
        assert_eq!(project.files(), after, "{written} written");
    }
    project.put(&before);
    assert_eq!(project.check(), [""; 0]);
    assert_eq!(project.files(), before, "what is not in the history did not happen");
}

#[test]
fn every_change_is_completed() {
    check(|it| it.use_model(Model::Gemini, &invocation()));
    check(|it| it.add_task(&task("t3"), &invocation()));
    check(|it| it.move_task(&change("t1", TaskMove::Done), &invocation()).map(|_| ()));
    check(|it| it.move_task(&change("t2", TaskMove::Start), &invocation()).map(|_| ()));
    check(|it| it.move_to(FeatureMove::Pause, &invocation()).map(|_| ()));
    let idle = |it: &mut Feature<'_>| it.move_task(&change("t1", TaskMove::Block), &invocation());
    check_after(idle, |it| it.move_to(FeatureMove::Complete, &invocation()).map(|_| ()));
}

#[test]
fn several_changes_are_completed_in_their_order() {
    let project = Project::at_work();
    let before = project.files();
    project.with(|it| it.use_model(Model::Gemini, &invocation())).unwrap();
    project.with(|it| it.move_task(&change("t1", TaskMove::Done), &invocation())).unwrap();
    project.with(|it| it.move_task(&change("t2", TaskMove::Start), &invocation())).unwrap();
    let after = project.files();
    let old: Files = before.into_iter().filter(|(name, _)| name != ORDER[0]).collect();
    project.put(&old);
    assert_eq!(project.check(), [""; 0]);
    assert_eq!(project.files(), after);
}

/// A temporary file that was never renamed is not a file of the contract.
#[test]
fn a_file_that_was_never_renamed_is_no_matter() {
    let project = Project::at_work();
    std::fs::write(project.path(".state.yaml.new"), "torn").unwrap();
    project.with(|it| it.use_model(Model::Sonnet, &invocation())).unwrap();
    assert!(!project.path(".state.yaml.new").exists());
    assert_eq!(project.check(), [""; 0]);
}
