//! A data folder of every release opens with the program of today, and nothing in it is lost.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

use serde_json::{Map, Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use taffrail_testkit::{Home, Run, until_every};

const ARCHIVES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/data-folders");
/// Folders of an archive, and where they belong.
const FOLDERS: [(&str, &str); 3] = [("c", ".config"), ("d", ".local/share"), ("s", ".local/state")];
const LEDGER: &str = ".local/share/taffrail/ledger.db";
/// The interval between two polls of the program.
const LOOK: Duration = Duration::from_millis(50);

fn archives() -> Vec<PathBuf> {
    let entries = fs::read_dir(ARCHIVES).unwrap().flatten().map(|it| it.path());
    let archives: Vec<_> =
        entries.filter(|it| it.extension().is_some_and(|it| it == "gz")).collect();
    assert!(!archives.is_empty(), "no archive in {ARCHIVES}");
    archives
}

/// A home with the data folder of an archive and no files of agents, and what must be in it.
fn unpacked(archive: &Path) -> (Home, Value) {
    let home = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    let folder = home.path("unpacked");
    fs::create_dir(&folder).unwrap();
    call(&home, "tar", &["-xzf", archive.to_str().unwrap(), "-C", folder.to_str().unwrap()]);
    for (from, to) in FOLDERS {
        let from = folder.join(from).join(".");
        call(&home, "cp", &["-R", from.to_str().unwrap(), home.path(to).to_str().unwrap()]);
    }
    let expected = fs::read_to_string(folder.join("expected.json")).unwrap();
    (home, serde_json::from_str(&expected).unwrap())
}

fn call(home: &Home, program: &str, arguments: &[&str]) {
    let mut command = home.any_command(program.as_ref(), home.root());
    let output = command.args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {said}");
}

/// The answers of today, in the form of `expected.json`.
fn answers(home: &Home, expected: &Value) -> Value {
    json!({
        "version": expected["version"],
        "sessions": sessions(home, expected),
        "tags": each(&expected["tags"], |id| home.json(&["tag", id, "--json"])["tags"].clone()),
        "notes": each(&expected["notes"], |id| {
            all(&home.json(&["note", id, "--json"])["notes"], |it| it["text"].clone())
        }),
        "decisions": decisions(home),
        "texts": each(&expected["texts"], |id| texts(home, id)),
        "found": each(&expected["found"], |word| {
            home.json(&["search", word, "--json"])["total"].clone()
        }),
    })
}

/// The sessions with the fields that the archive names, sorted by id.
fn sessions(home: &Home, expected: &Value) -> Vec<Value> {
    let fields = expected["sessions"][0].as_object().unwrap();
    let row = |it: &Value| each(&Value::Object(fields.clone()), |name| it[name].clone());
    let mut rows: Vec<_> = home.sessions().iter().map(row).collect();
    rows.sort_by_key(|it| it["id"].to_string());
    rows
}

fn decisions(home: &Home) -> Vec<Value> {
    let log = home.json(&["approvals", "log", "--json"]);
    let row = |it: &Value| json!([it["approval_id"], it["by"], it["why"], it["input_hash"]]);
    let mut rows: Vec<_> = log["decisions"].as_array().unwrap().iter().map(row).collect();
    rows.sort_by_key(ToString::to_string);
    rows
}

/// What transcripts say in a session.
fn texts(home: &Home, id: &str) -> Value {
    let mut events = home.events(id);
    events.retain(|it| it["source"] == "transcript");
    all(&Value::Array(events), |it| it["text"].clone())
}

/// An object with the same names and other values.
fn each(names: &Value, value: impl Fn(&str) -> Value) -> Value {
    let names = names.as_object().unwrap().keys();
    Value::Object(names.map(|name| (name.clone(), value(name))).collect::<Map<_, _>>())
}

fn all(list: &Value, value: impl Fn(&Value) -> Value) -> Value {
    list.as_array().unwrap().iter().map(value).collect()
}

fn check(home: &Home, expected: &Value, when: &str) {
    assert_eq!(&answers(home, expected), expected, "{} {when}", expected["version"]);
    let push = ["rules", "test", "--tool", "Bash", "--command", "git push origin", "--json"];
    assert_eq!(home.json(&push)["decision"], "deny", "{} {when}", expected["version"]);
}

/// A daemon that has read what is there.
fn daemon(home: &Home) -> Run {
    let run = home.spawn(&["daemon", "run"]);
    until_every(LOOK, "the daemon to have read the folder", || {
        let status = home.json(&["daemon", "status", "--json"]);
        (status["running"] == true && status["reading"].is_null()).then_some(())
    });
    run
}

#[test]
fn data_folders_of_every_release_open() {
    for archive in archives() {
        let (home, expected) = unpacked(&archive);
        check(&home, &expected, "opened");
        home.ok(&["rebuild", "--yes"]);
        check(&home, &expected, "rebuilt");
        let _daemon = daemon(&home);
        check(&home, &expected, "under a daemon");
    }
}

#[test]
fn a_data_folder_of_every_release_opens_under_a_daemon_at_once() {
    for archive in archives() {
        let (home, expected) = unpacked(&archive);
        let _daemon = daemon(&home);
        check(&home, &expected, "under a first daemon");
    }
}

#[test]
fn a_ledger_of_a_later_release_is_refused_and_stays_as_it_is() {
    for archive in archives() {
        let (home, expected) = unpacked(&archive);
        let ledger = rusqlite::Connection::open(home.path(LEDGER)).unwrap();
        ledger.pragma_update(None, "user_version", 9999).unwrap();
        drop(ledger);
        let before = fs::read(home.path(LEDGER)).unwrap();
        let id = expected["sessions"][0]["id"].as_str().unwrap();
        let refused = home.run(&["tag", id, "+later"]);
        assert_eq!(refused.status, 6, "{}", refused.stderr);
        assert!(refused.stderr.contains("newer"), "{}", refused.stderr);
        assert!(refused.stderr.contains("upgrade"), "{}", refused.stderr);
        assert!(fs::read(home.path(LEDGER)).unwrap() == before, "the ledger changed");
    }
}
