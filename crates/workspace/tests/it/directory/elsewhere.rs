//! A state may name other files inside the directory for its plan and its history.

use crate::directory::kit::{ID, Project, change, invocation, now};
use taffrail_contracts::Strictness;
use taffrail_contracts::ai_session::{FOLDER, FeatureMove, HISTORY, Model, PLAN, STATE, TaskMove};
use taffrail_workspace::{Directory, WorkError, validate_path};

/// A feature at work whose state names both files, which are there.
fn elsewhere(plan: &str, history: &str) -> Project {
    let project = Project::at_work();
    named(&project, &format!("implementation_plan: \"{plan}\"\nhistory_log: \"{history}\"\n"));
    for (name, to) in [(PLAN, plan), (HISTORY, history)] {
        let to = match to.strip_prefix(".ai-session/") {
            Some(below) => project.outer(below),
            None => project.path(to),
        };
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::rename(project.path(name), to).unwrap();
    }
    project
}

fn named(project: &Project, keys: &str) {
    project
        .write(STATE, &project.state().replace("current_state:", &format!("{keys}current_state:")));
}

#[test]
fn a_state_may_name_another_plan_and_another_history() {
    let project = elsewhere("plans/main.yaml", ".ai-session/logs/dark.jsonl");
    assert_eq!(project.check(), [""; 0]);
    assert_eq!(project.with(|it| it.plan()).unwrap().tasks().count(), 2);
    project.with(|it| it.move_task(&change("t1", TaskMove::Done), &invocation())).unwrap();
    project.with(|it| it.use_model(Model::Gemini, &invocation())).unwrap();
    assert_eq!(project.with(|it| it.history()).unwrap().len(), 6);
    assert!(!project.path(PLAN).exists() && !project.path(HISTORY).exists());
    let report = validate_path(project.root(), Strictness::Strict).unwrap();
    assert!(report.is_valid(), "{:?}", report.faults);
    project.with(|it| it.move_to(FeatureMove::Complete, &invocation())).unwrap();
    project.open().archive(ID, &invocation()).unwrap();
    let directory = Directory::look(project.root(), now).unwrap();
    let archived = directory.archived_feature(None).unwrap();
    assert_eq!(
        (archived.plan().unwrap().tasks().count(), archived.history().unwrap().len()),
        (2, 8)
    );
}

#[test]
fn a_named_file_that_is_missing_is_named_and_made_again_there() {
    let project = elsewhere("plans/main.yaml", "log.jsonl");
    std::fs::remove_dir_all(project.path("plans")).unwrap();
    assert_eq!(project.check(), [format!(".ai-session/{ID}/plans/main.yaml: it is missing")]);
    let made = format!(".ai-session/{ID}/plans/main.yaml: made again, from the history");
    assert_eq!(project.recover(), [made]);
    assert_eq!(project.check(), [""; 0]);
    assert!(project.path("plans/main.yaml").exists() && !project.path(PLAN).exists());
}

#[test]
fn a_corrupt_state_is_restored_from_the_history_that_it_names() {
    let project = elsewhere("plans/main.yaml", "log.jsonl");
    let before = project.current();
    project.write(STATE, &project.state().replace("current_state:", "current_state: [broken"));
    project.recover();
    assert_eq!((project.current(), project.check()), (before, Vec::new()));
    assert!(project.state().contains("history_log: \"log.jsonl\""), "{}", project.state());
    assert!(!project.path(HISTORY).exists() && !project.path(PLAN).exists());
}

#[test]
fn a_path_that_leaves_the_directory_is_refused_and_never_followed() {
    for path in ["../../outside.jsonl", "/etc/passwd", ".ai-session/../outside.jsonl"] {
        let project = Project::at_work();
        std::fs::write(project.root().join("outside.jsonl"), "theirs\n").unwrap();
        named(&project, &format!("history_log: \"{path}\"\n"));
        let before = project.files();
        let told = format!("/history_log: {path:?} leaves the directory");
        let Err(WorkError::Unsound(context)) = project.with(|_| Ok(())) else { panic!("{path}") };
        assert_eq!((context.details.as_str(), context.feature_id.as_deref()), (&*told, Some(ID)));
        assert!(project.check().iter().any(|it| it.ends_with(&told)), "{:?}", project.check());
        assert!(project.open().recover(None).unwrap_err().to_string().ends_with(&told));
        assert!(!validate_path(project.root(), Strictness::Lenient).unwrap().is_valid());
        assert_eq!(project.files(), before);
        let outside = std::fs::read_to_string(project.root().join("outside.jsonl")).unwrap();
        assert_eq!(outside, "theirs\n");
    }
}

#[test]
fn a_link_on_the_way_is_not_followed() {
    let project = Project::at_work();
    let target = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(target.path(), project.path("plans")).unwrap();
    std::fs::copy(project.path(PLAN), target.path().join("main.yaml")).unwrap();
    named(&project, "implementation_plan: \"plans/main.yaml\"\n");
    let error = project.with(|it| it.plan()).unwrap_err().to_string();
    assert!(error.ends_with("plans is a symbolic link"), "{error}");
}

#[test]
fn two_features_do_not_share_a_history() {
    let project = Project::at_work();
    project.make("Other").unwrap();
    let both = "history_log: \".ai-session/shared.jsonl\"\n";
    named(&project, both);
    let other = project.root().join(FOLDER).join("other-2026-11-15").join(STATE);
    let text = std::fs::read_to_string(&other).unwrap();
    std::fs::write(&other, text.replace("current_state:", &format!("{both}current_state:")))
        .unwrap();
    let error = project.open().feature(ID).unwrap_err().to_string();
    assert!(error.ends_with("it is also the history of other-2026-11-15"), "{error}");
}
