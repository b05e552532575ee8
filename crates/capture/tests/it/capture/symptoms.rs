//! Regression tests; each is named after its symptom.

use crate::capture::world::{World, prompt, transcript};
use rusqlite::Connection;
use std::path::Path;
use taffrail_capture::Home;

/// A file system reuses the inode of a deleted file; that is not a move.
#[test]
fn a_new_file_with_the_number_of_a_deleted_one_is_no_move() {
    use std::os::unix::fs::MetadataExt;
    let mut world = World::new("claude-code");
    world.put(&transcript("s1"), prompt(1, "one"));
    world.run();
    std::fs::remove_file(world.path(&transcript("s1"))).unwrap();
    world.run();
    world.put(&transcript("s2"), [prompt(2, "another"), prompt(3, "session")].concat());
    let inode = std::fs::metadata(world.path(&transcript("s2"))).unwrap().ino();
    for known in world.known.values_mut() {
        known.state.fingerprint.inode = inode;
    }
    let plan = world.plan();
    assert_eq!(plan.jobs[0].moved, None);
    world.run();
    assert_eq!(world.texts(), ["one", "another", "session"]);
}

/// A folder and a file in it changed at once: the file was read twice, the second time with the state of the
/// first reading, so a record got the turn of a later one.
#[test]
fn a_file_named_with_its_folder_is_read_once() {
    let world = World::new("claude-code");
    world.put(&transcript("s1"), prompt(1, "one"));
    let root = world.folder.path().canonicalize().unwrap();
    let home = Home { adapter: world.adapter(), root: root.clone(), journal: false };
    let file = root.join(transcript("s1"));
    let folders: Vec<_> = file.ancestors().take(3).map(Path::to_owned).collect();
    let (discovery, _) = taffrail_capture::discover_at(&[home], &folders);
    let found: Vec<_> = discovery.found.iter().map(|it| it.path.clone()).collect();
    assert_eq!(found, [transcript("s1")]);
}

#[test]
fn a_folder_is_not_hidden_by_another_whose_name_begins_like_it() {
    let mut world = World::new("claude-code");
    world.put("projects/p10/s1.jsonl", prompt(1, "one"));
    world.run();
    std::fs::remove_file(world.path("projects/p10/s1.jsonl")).unwrap();
    let mut discovery = world.discover();
    let locked = world.folder.path().canonicalize().unwrap().join("projects/p1");
    discovery.unseen.push(locked.to_str().unwrap().to_owned());
    let known: Vec<_> = world.known.values().cloned().collect();
    assert_eq!(taffrail_capture::plan(discovery, &known).vanished.len(), 1);
}

/// A killed agent leaves its write-ahead log; a copied home may have the log without its index.
#[test]
fn nothing_is_made_beside_a_log_that_was_left_behind() {
    let mut world = World::new("goose");
    std::fs::create_dir_all(world.path("sessions")).unwrap();
    let aside = tempfile::tempdir().unwrap();
    let agent = Connection::open(aside.path().join("sessions.db")).unwrap();
    agent.pragma_update(None, "journal_mode", "WAL").unwrap();
    agent
        .execute_batch(
            "CREATE TABLE sessions (id TEXT PRIMARY KEY, working_dir TEXT, updated_at TEXT);
             CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, content_json TEXT);
             INSERT INTO sessions VALUES ('s1', '/w', '2026-11-14 22:59:23');",
        )
        .unwrap();
    for name in ["sessions.db", "sessions.db-wal"] {
        let to = world.path("sessions").join(name);
        std::fs::copy(aside.path().join(name), to).unwrap();
    }
    let before = world.names("sessions");
    let run = world.run();
    assert_eq!(run.problems, Vec::<String>::new());
    assert_eq!(world.names("sessions"), before);
}
