//! A feature is created completely or not at all.

use crate::directory::kit::{ID, Project, now, refusal};
use taffrail_contracts::ai_session::{ACTIVE_FEATURES, FOLDER, README_TEXT};
use taffrail_workspace::{Directory, WorkError, find};

#[test]
fn the_layout_and_every_byte_of_it() {
    let project = Project::new();
    let files: Vec<_> = project.files().into_keys().collect();
    let expected = [
        "README.md",
        "active-features.yaml",
        "dark-mode-2026-11-15/history.jsonl",
        "dark-mode-2026-11-15/implementation-plan.yaml",
        "dark-mode-2026-11-15/state.yaml",
    ];
    assert_eq!(files, expected);
    assert!(project.path("artifacts").is_dir());
    let text = |name: &str| String::from_utf8(project.files()[name].clone()).unwrap();
    assert_eq!(text("README.md"), README_TEXT);
    let list = "active_features:\n  - feature_id: \"dark-mode-2026-11-15\"\n    \
        started_at: \"2026-11-15T12:00:00Z\"\n    last_active: \"2026-11-15T12:00:00Z\"\n    status: \"active\"\n";
    assert_eq!(text("active-features.yaml"), list);
    let plan = "feature:\n  id: \"dark-mode-2026-11-15\"\n  name: \"Dark mode\"\n  description: \"at night\"\n  \
        created_at: \"2026-11-15T12:00:00Z\"\nphases: []\n";
    assert_eq!(project.text("implementation-plan.yaml"), plan);
    let state = "version: \"1.0\"\nfeature_id: \"dark-mode-2026-11-15\"\ncurrent_state:\n  active_task: null\n  \
        model_in_use: \"opus\"\n  started_at: \"2026-11-15T12:00:00Z\"\n  last_updated: \"2026-11-15T12:00:00Z\"\n";
    assert_eq!(project.state(), state);
    let line = r#"{"timestamp":"2026-11-15T12:00:00Z","command":"work test","arguments":"x","model":"opus","agent":"tester","task_id":null,"status":"success","duration_ms":0,"change":{"kind":"created","feature":{"id":"dark-mode-2026-11-15","name":"Dark mode","description":"at night","created_at":"2026-11-15T12:00:00Z"},"state":{"active_task":null,"model_in_use":"opus","started_at":"2026-11-15T12:00:00Z"}}}"#;
    assert_eq!(project.text("history.jsonl"), format!("{line}\n"));
    assert_eq!(project.check(), [""; 0]);
}

#[test]
fn an_id_is_given_once() {
    let project = Project::new();
    let before = project.files();
    let again = refusal(project.make("dark  MODE!"));
    assert_eq!(again, "there is already a feature dark-mode-2026-11-15");
    assert_eq!(refusal(project.make("漢字")), "\"漢字\" has no letter or digit to make an id of");
    assert!(refusal(project.make("two\nlines")).starts_with("a name is one line"));
    assert_eq!(project.files(), before);
}

#[test]
fn what_was_never_finished_is_nothing() {
    let project = Project::new();
    let unfinished = project.outer(".new-other-2026-11-15");
    std::fs::create_dir(&unfinished).unwrap();
    std::fs::write(unfinished.join("state.yaml"), "torn").unwrap();
    assert_eq!(project.check(), [""; 0]);
    project.make("Other").unwrap();
    assert!(!unfinished.exists());
    assert_eq!(project.check(), [""; 0]);
}

/// A kill after the folder was renamed and before the feature was listed.
#[test]
fn what_was_made_and_not_listed_is_listed_by_whoever_comes_next() {
    let project = Project::new();
    let list = std::fs::read(project.outer(ACTIVE_FEATURES)).unwrap();
    project.make("Other").unwrap();
    let both = std::fs::read(project.outer(ACTIVE_FEATURES)).unwrap();
    std::fs::write(project.outer(ACTIVE_FEATURES), list).unwrap();
    assert_eq!(project.open().overview().unwrap().len(), 2);
    assert_eq!(std::fs::read(project.outer(ACTIVE_FEATURES)).unwrap(), both);
}

#[test]
fn a_list_that_is_not_sound_takes_no_feature() {
    let project = Project::new();
    std::fs::write(project.outer(ACTIVE_FEATURES), "active_features: [broken").unwrap();
    let before = project.files();
    assert!(matches!(project.make("Other"), Err(WorkError::Unsound(_))));
    assert_eq!(project.files(), before);
}

#[test]
fn the_directory_is_found_upward() {
    let project = Project::new();
    let deep = project.root().join("src/deep");
    std::fs::create_dir_all(&deep).unwrap();
    assert_eq!(find(&deep).as_deref(), Some(project.root()));
    assert!(Directory::open(&deep, now).unwrap().feature(ID).is_ok());
    let elsewhere = Project::bare();
    assert!(matches!(Directory::open(elsewhere.root(), now), Err(WorkError::NoDirectory(_))));
    assert!(!elsewhere.root().join(FOLDER).exists());
}

#[test]
fn no_link_is_followed() {
    let project = Project::new();
    let elsewhere = Project::new();
    let link = |target: std::path::PathBuf, path: std::path::PathBuf| {
        std::fs::remove_file(&path).ok();
        std::os::unix::fs::symlink(target, path).unwrap();
    };
    link(elsewhere.path("state.yaml"), project.path("state.yaml"));
    assert!(refusal(project.with(|_| Ok(()))).ends_with("state.yaml is a symbolic link"));
    assert!(project.check().iter().any(|it| it.contains("state.yaml is a symbolic link")));
    std::fs::remove_dir_all(project.outer(ID)).unwrap();
    link(elsewhere.outer(ID), project.outer(ID));
    assert!(refusal(project.open().feature(ID)).ends_with("is a symbolic link"));
    let bare = Project::bare();
    link(elsewhere.root().join(FOLDER), bare.root().join(FOLDER));
    assert!(refusal(Directory::open(bare.root(), now)).ends_with("is a symbolic link"));
    assert!(refusal(bare.make("Other")).ends_with("is a symbolic link"));
    assert_eq!(elsewhere.check(), [""; 0]);
}
