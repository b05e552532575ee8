//! Faults that were met and mended; each test is named after the symptom.

use crate::shelf::{Shelf, prompt, transcript};
use rusqlite::Connection;
use std::path::Path;
use taffrail_capture::Home;

/// A file system gives a deleted file's number to the next file; that is no move.
#[test]
fn a_new_file_with_the_number_of_a_deleted_one_is_no_move() {
    use std::os::unix::fs::MetadataExt;
    let mut shelf = Shelf::new("claude-code");
    shelf.put(&transcript("s1"), prompt(1, "one"));
    shelf.run();
    std::fs::remove_file(shelf.path(&transcript("s1"))).unwrap();
    shelf.run();
    shelf.put(&transcript("s2"), [prompt(2, "another"), prompt(3, "session")].concat());
    let inode = std::fs::metadata(shelf.path(&transcript("s2"))).unwrap().ino();
    for known in shelf.known.values_mut() {
        known.state.fingerprint.inode = inode;
    }
    let plan = shelf.plan();
    assert_eq!(plan.jobs[0].moved, None);
    shelf.run();
    assert_eq!(shelf.texts(), ["one", "another", "session"]);
}

/// A folder and a file in it were touched at once: read twice, the second time with the memory of
/// the first, a record was told with the turn of a later one.
#[test]
fn a_file_named_with_its_folder_is_read_once() {
    let shelf = Shelf::new("claude-code");
    shelf.put(&transcript("s1"), prompt(1, "one"));
    let root = shelf.folder.path().canonicalize().unwrap();
    let home = Home { adapter: shelf.adapter(), root: root.clone(), journal: false };
    let file = root.join(transcript("s1"));
    let folders: Vec<_> = file.ancestors().take(3).map(Path::to_owned).collect();
    let (discovery, _) = taffrail_capture::discover_at(&[home], &folders);
    let found: Vec<_> = discovery.found.iter().map(|it| it.path.clone()).collect();
    assert_eq!(found, [transcript("s1")]);
}

#[test]
fn a_folder_is_not_hidden_by_another_whose_name_begins_like_it() {
    let mut shelf = Shelf::new("claude-code");
    shelf.put("projects/p10/s1.jsonl", prompt(1, "one"));
    shelf.run();
    std::fs::remove_file(shelf.path("projects/p10/s1.jsonl")).unwrap();
    let mut discovery = shelf.discover();
    let locked = shelf.folder.path().canonicalize().unwrap().join("projects/p1");
    discovery.unseen.push(locked.to_str().unwrap().to_owned());
    let known: Vec<_> = shelf.known.values().cloned().collect();
    assert_eq!(taffrail_capture::plan(discovery, &known).vanished.len(), 1);
}

/// An agent that was killed leaves its log; a copied home may hold the log without its index.
#[test]
fn nothing_is_made_beside_a_log_that_was_left_behind() {
    let mut shelf = Shelf::new("goose");
    std::fs::create_dir_all(shelf.path("sessions")).unwrap();
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
        let to = shelf.path("sessions").join(name);
        std::fs::copy(aside.path().join(name), to).unwrap();
    }
    let before = shelf.names("sessions");
    let run = shelf.run();
    assert_eq!(run.problems, Vec::<String>::new());
    assert_eq!(shelf.names("sessions"), before);
}
