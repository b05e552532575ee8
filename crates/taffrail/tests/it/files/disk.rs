//! What a disk can contain besides a tidy tree of files: links, pipes, other users' files,
//! unreadable folders.

use super::{PROGRAM, SESSION, texts, told};
use serde_json::Value;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, lchown, symlink};
use taffrail_testkit::Home;
use taffrail_testkit::claude::{path, talk};

const OTHER: &str = super::OTHER;
const NOBODY: u32 = 65534;

/// The evidence of `doctor` under an id.
fn evidence(home: &Home, id: &str) -> Vec<String> {
    let doctor = home.json(&["doctor", "--json"]);
    let checks = doctor["checks"].as_array().unwrap().iter();
    let mine = checks.filter(|check| check["id"] == id);
    mine.map(|check| check["evidence"].as_str().unwrap().to_owned()).collect()
}

fn runtime_ids(home: &Home) -> Vec<String> {
    let all = home.sessions();
    all.iter().map(|it: &Value| it["runtime_session_id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_link_below_a_home_is_refused_and_said_so() {
    let home = Home::new(PROGRAM);
    home.write(&path(SESSION), talk(SESSION, 0, 2));
    home.write("outside/secret.jsonl", talk(OTHER, 0, 2));
    symlink(home.path("outside/secret.jsonl"), home.path(&path(OTHER))).unwrap();
    symlink(home.path("outside"), home.path(".claude/projects/-w-door")).unwrap();
    home.index();
    assert_eq!(runtime_ids(&home), [SESSION]);
    let refused = evidence(&home, "refused-file");
    assert_eq!(refused.len(), 2, "{refused:?}");
    assert!(refused.iter().all(|it| it.ends_with("is a symbolic link below the agent's home")));
}

#[test]
fn a_file_that_becomes_a_link_is_not_followed() {
    let home = Home::without_archive(PROGRAM);
    home.write(&path(SESSION), talk(SESSION, 0, 2));
    home.index();
    home.write("outside.jsonl", talk(SESSION, 0, 4));
    home.remove(&path(SESSION));
    symlink(home.path("outside.jsonl"), home.path(&path(SESSION))).unwrap();
    assert_eq!(told(&home, SESSION).len(), 2);
    assert_eq!(home.session(SESSION)["lifecycle"], "lost");
}

#[test]
fn the_home_itself_may_be_a_link() {
    let home = Home::new(PROGRAM);
    home.write(&path(SESSION).replace(".claude", "real"), talk(SESSION, 0, 2));
    symlink(home.path("real"), home.path(".claude")).unwrap();
    assert_eq!(told(&home, SESSION).len(), 2);
    assert_eq!(evidence(&home, "refused-file"), [""; 0]);
}

#[test]
fn a_file_of_another_user_is_refused() {
    let home = Home::new(PROGRAM);
    home.write(&path(SESSION), talk(SESSION, 0, 2));
    home.write(&path(OTHER), talk(OTHER, 0, 2));
    if lchown(home.path(&path(OTHER)), Some(NOBODY), None).is_err() {
        println!("not root, so no file can be given to another user: this part is not tested");
        return;
    }
    home.index();
    assert_eq!(runtime_ids(&home), [SESSION]);
    assert!(evidence(&home, "refused-file")[0].ends_with("belongs to another user"));
}

#[test]
fn a_pipe_named_like_a_transcript_hangs_nothing() {
    let home = Home::new(PROGRAM);
    home.write(&path(SESSION), talk(SESSION, 0, 2));
    let mut mkfifo = std::process::Command::new("mkfifo");
    assert!(mkfifo.arg(home.path(&path(OTHER))).status().unwrap().success());
    let mut run = home.spawn(&["index"]);
    assert!(run.wait().success());
    assert_eq!(runtime_ids(&home), [SESSION]);
    assert!(evidence(&home, "refused-file")[0].ends_with("is not a regular file"));
}

#[test]
fn a_folder_that_cannot_be_read_stops_nothing_else_and_loses_nothing() {
    let mut home = Home::new(PROGRAM);
    let closed = path(OTHER).replace("-w-app", "-w-closed");
    home.write(&path(SESSION), talk(SESSION, 0, 2));
    home.write(&closed, talk(OTHER, 0, 2));
    // Root may read everything, so the test runs as another user.
    if rustix::process::geteuid().is_root() && !(home.give_to(NOBODY) && can_run(&home)) {
        println!("root, and nobody else can run the program: not tested");
        return;
    }
    home.index();
    let folder = home.path(".claude/projects/-w-closed");
    fs::set_permissions(&folder, Permissions::from_mode(0o000)).unwrap();
    home.append(&path(SESSION), talk(SESSION, 2, 4));
    assert_eq!(told(&home, SESSION).len(), 4);
    assert_eq!(home.session(OTHER)["lifecycle"], "resumable", "nothing is known to be gone");
    let unreadable = evidence(&home, "unreadable");
    assert!(unreadable[0].ends_with("-w-closed cannot be looked into"), "{unreadable:?}");
    fs::set_permissions(&folder, Permissions::from_mode(0o700)).unwrap();
    assert_eq!(told(&home, OTHER).len(), 2);
}

fn can_run(home: &Home) -> bool {
    home.command(&["--version"]).output().is_ok_and(|output| output.status.success())
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_stops_nothing_else() {
    let mut home = Home::new(PROGRAM);
    home.write(&path(SESSION), talk(SESSION, 0, 2));
    home.write(&path(OTHER), talk(OTHER, 0, 2));
    if rustix::process::geteuid().is_root() && !(home.give_to(NOBODY) && can_run(&home)) {
        println!("root, and nobody else can run the program: not tested");
        return;
    }
    fs::set_permissions(home.path(&path(OTHER)), Permissions::from_mode(0o000)).unwrap();
    let output = home.run(&["index", "--json"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(output.stderr.contains(&format!("{OTHER}.jsonl")), "{}", output.stderr);
    assert_eq!(told(&home, SESSION).len(), 2);
}

#[test]
fn an_excluded_project_is_not_read() {
    let home = Home::new(PROGRAM);
    home.ok(&["config", "set", "exclude", r#"["/w/app"]"#]);
    home.write(&path(SESSION), talk(SESSION, 0, 2));
    let open = talk(OTHER, 0, 2).replace("/w/app", "/w/apple");
    home.write(&path(OTHER).replace("-w-app", "-w-apple"), open);
    home.index();
    assert_eq!(runtime_ids(&home), [OTHER], "a name that only begins the same is another");
    home.append(&path(SESSION), talk(SESSION, 2, 4));
    home.index();
    assert_eq!(runtime_ids(&home), [OTHER]);
    assert_eq!(home.run(&["show", SESSION]).status, 3);
    home.ok(&["config", "set", "exclude", "[]"]);
    home.ok(&["rebuild", "--yes"]);
    assert_eq!(texts(&told(&home, SESSION)).len(), 4);
}

#[test]
fn a_project_excluded_later_goes_with_a_rebuild() {
    let home = Home::new(PROGRAM);
    home.write(&path(SESSION), talk(SESSION, 0, 2));
    home.index();
    home.ok(&["config", "set", "exclude", r#"["/w/app"]"#]);
    home.ok(&["rebuild", "--yes"]);
    assert!(runtime_ids(&home).is_empty(), "{:?}", home.sessions());
}
