//! A reader changes nothing, and a writer keeps what other tools wrote in the meantime.

use crate::directory::kit::{ID, Project, foreign_history, invocation, now};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;
use taffrail_contracts::ai_session::{CONTRACT, FOLDER, FeatureStatus, Model, checksum};
use taffrail_workspace::Directory;

/// A directory as another tool left it: no line of the history is ours, and there is no lock.
fn foreign() -> Project {
    let project = Project::at_work();
    foreign_history(&project);
    project.write("state.yaml", &project.state().replace("\"opus\"", "gemini"));
    std::fs::remove_file(project.outer(".lock")).unwrap();
    project
}

/// The bytes and modification times of everything below a folder.
fn all(folder: &Path, out: &mut BTreeMap<String, (Vec<u8>, SystemTime)>) {
    let time = |path: &Path| std::fs::symlink_metadata(path).unwrap().modified().unwrap();
    out.insert(folder.display().to_string(), (Vec::new(), time(folder)));
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            all(&path, out);
        } else {
            out.insert(path.display().to_string(), (std::fs::read(&path).unwrap(), time(&path)));
        }
    }
}

#[test]
fn a_reader_leaves_every_byte_and_every_time_as_it_was() {
    let project = foreign();
    let seen = || {
        let mut out = BTreeMap::new();
        all(&project.root().join(FOLDER), &mut out);
        out
    };
    let before = seen();
    let directory = Directory::look(project.root(), now).unwrap();
    let shown = directory.choose(None, FeatureStatus::Active).unwrap().state.current;
    assert_eq!(shown.model_in_use, Model::Gemini);
    assert_eq!(directory.overview().unwrap().len(), 1);
    let audit = directory.check(None, &[checksum(CONTRACT.as_bytes())]).unwrap();
    assert_eq!(audit.errors, []);
    assert_eq!(seen(), before);
}

#[test]
fn a_reader_is_shown_what_was_broken_off_as_it_will_be() {
    let project = Project::at_work();
    let before = project.state();
    project.with(|it| it.use_model(Model::Gemini, &invocation())).unwrap();
    project.write("state.yaml", &before);
    let directory = Directory::look(project.root(), now).unwrap();
    assert_eq!(directory.feature(ID).unwrap().state.current.model_in_use, Model::Gemini);
    assert_eq!(project.state(), before);
}

#[test]
fn what_another_tool_wrote_after_we_read_stays() {
    let project = Project::at_work();
    let directory = project.open();
    let mut feature = directory.feature(ID).unwrap();
    let theirs = project.state().replace("\"t1\"", "t2");
    project.write("state.yaml", &theirs.replace("current_state:", "x-mood: fine\ncurrent_state:"));
    feature.use_model(Model::Gemini, &invocation()).unwrap();
    let state = project.state();
    assert!(state.contains("x-mood: fine") && state.contains("active_task: t2"), "{state}");
    assert!(state.contains("model_in_use: \"gemini\""), "{state}");
}

#[test]
fn readers_do_not_wait_for_each_other() {
    let project = Project::at_work();
    let lock = std::fs::File::open(project.outer(".lock")).unwrap();
    lock.lock_shared().unwrap();
    let directory = Directory::look(project.root(), now).unwrap();
    assert!(directory.feature(ID).is_ok());
}
