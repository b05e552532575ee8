//! Forgetting, restoring and limits, tested through the program.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

use rusqlite::Connection;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use taffrail_testkit::Home;
use taffrail_testkit::claude::{Line, path};

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
const SECRET: &str = "11111111-1111-4111-8111-111111111111";
const OTHER: &str = "22222222-2222-4222-8222-222222222222";
const WORKER: &str =
    ".claude/projects/-w-app/11111111-1111-4111-8111-111111111111/subagents/agent-a1.jsonl";
const DATA: &str = ".local/share/taffrail";

fn line<'a>(session: &'a str, uuid: &'a str, parent: Option<&'a str>, second: u32) -> Line<'a> {
    Line { session, uuid, parent, second }
}

/// A session with a sub-agent, and another session.
fn home() -> Home {
    let home = Home::new(PROGRAM);
    let said = line(SECRET, "s1", None, 1).prompt("zzsecret plan")
        + "\n"
        + &line(SECRET, "s2", Some("s1"), 2).answer("zzsecret answer")
        + "\n";
    home.write(&path(SECRET), said);
    let worker = line(SECRET, "w1", None, 3).with(&json!({"type": "user", "isSidechain": true,
        "agentId": "a1", "message": {"role": "user", "content": "zzsecret errand"}}));
    home.write(WORKER, worker + "\n");
    home.write(&path(OTHER), line(OTHER, "o1", None, 4).prompt("zzopen words") + "\n");
    home.index();
    home
}

fn total(home: &Home, word: &str) -> u64 {
    home.json(&["search", word, "--json"])["total"].as_u64().unwrap()
}

fn id(home: &Home, runtime_id: &str) -> String {
    let all = home.sessions();
    let main = |it: &&Value| it["runtime_session_id"] == runtime_id && it["parent_id"].is_null();
    all.iter().find(main).unwrap()["id"].as_str().unwrap().to_owned()
}

/// Our files that contain a word in plain text.
fn holding(home: &Home, word: &str) -> Vec<PathBuf> {
    let mut out = Vec::new();
    below(&home.path(DATA), &mut out);
    let word = word.as_bytes();
    out.retain(|file| fs::read(file).unwrap().windows(word.len()).any(|it| it == word));
    out
}

fn below(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { below(&path, out) } else { out.push(path) }
    }
}

fn archived(home: &Home) -> u64 {
    home.json(&["archive", "--json"])["sources"].as_u64().unwrap()
}

/// No file contains the secret, and the other session is unchanged.
fn check_forgotten(home: &Home, when: &str) {
    assert_eq!((total(home, "zzsecret"), total(home, "zzopen")), (0, 1), "{when}");
    assert_eq!(home.run(&["show", SECRET]).status, 3, "{when}");
    assert_eq!(holding(home, "zzsecret"), Vec::<PathBuf>::new(), "{when}");
    assert_eq!(archived(home), 1, "{when}");
}

#[test]
fn what_is_forgotten_is_nowhere_and_does_not_come_back() {
    let home = home();
    let secret = id(&home, SECRET);
    assert_eq!((total(&home, "zzsecret"), archived(&home)), (3, 3));
    let told = home.json(&["forget", &secret, "--json"]);
    assert_eq!((&told["done"], told["sessions"].as_array().unwrap().len()), (&false.into(), 2));
    assert_eq!(total(&home, "zzsecret"), 3, "only told");
    assert!(!holding(&home, "zzsecret").is_empty(), "the index remembers how texts begin");
    home.ok(&["forget", &secret, "--yes"]);
    check_forgotten(&home, "at once");
    home.append(&path(SECRET), line(SECRET, "s3", Some("s2"), 9).prompt("zzsecret again") + "\n");
    home.index();
    check_forgotten(&home, "after another line");
    home.ok(&["rebuild", "--yes"]);
    check_forgotten(&home, "after a rebuild");
    assert!(fs::read_to_string(home.path(&path(SECRET))).unwrap().contains("zzsecret plan"));
}

#[test]
fn forgetting_that_was_broken_off_is_ended_by_the_next_command() {
    let home = home();
    let session = id(&home, SECRET).replace('-', "");
    let ledger = Connection::open(home.path(DATA).join("ledger.db")).unwrap();
    let bury = format!("INSERT INTO tombstones VALUES (x'{session}', 0)");
    ledger.execute_batch(&bury).unwrap();
    drop(ledger);
    assert_eq!(home.sessions().len(), 1);
    check_forgotten(&home, "a mark alone");
}

#[test]
fn a_project_or_an_age_is_forgotten_whole() {
    let by_project = home();
    by_project.ok(&["forget", "--project", "/w/app", "--yes"]);
    assert_eq!(by_project.sessions().len(), 0);
    let by_age = home();
    by_age.ok(&["forget", "--before", "2026-10-01T10:00:04Z", "--yes"]);
    check_forgotten(&by_age, "by age");
    assert_eq!(by_age.run(&["forget", "--before", "soon"]).status, 2);
    assert_eq!(by_age.run(&["forget"]).status, 2);
    assert_eq!(by_age.run(&["forget", "ffffffff"]).status, 3);
}

#[test]
fn a_fork_keeps_what_it_copied() {
    let home = home();
    let fork = "33333333-3333-4333-8333-333333333333";
    let copied = line(fork, "s1", None, 1).prompt("zzsecret plan")
        + "\n"
        + &line(fork, "f1", Some("s1"), 30).prompt("zzfork goes on")
        + "\n";
    home.write(&path(fork), copied);
    home.index();
    assert_eq!(total(&home, "zzsecret plan"), 3, "a copy is no hit of its own");
    let secret = id(&home, SECRET);
    let told = home.json(&["forget", &secret, "--json"]);
    let sessions = told["sessions"].as_array().unwrap();
    let main = sessions.iter().find(|it| it["id"] == secret.as_str()).unwrap();
    assert_eq!(main["also_in"], json!([id(&home, fork)]));
    home.ok(&["forget", &secret, "--yes"]);
    let hits = home.json(&["search", "zzsecret", "--json"]);
    assert_eq!(
        (&hits["total"], &hits["hits"][0]["session_id"]),
        (&1.into(), &json!(id(&home, fork)))
    );
}

#[test]
fn a_restored_ledger_forgets_what_either_did() {
    let home = home();
    let backup = home.path("backup.db");
    let backup = backup.to_str().unwrap();
    home.ok(&["forget", &id(&home, SECRET), "--yes"]);
    home.ok(&["backup", backup]);
    assert_eq!(home.run(&["backup", backup]).status, 6, "nothing is overwritten");
    home.ok(&["forget", &id(&home, OTHER), "--yes"]);
    assert_eq!(home.run(&["restore", backup]).status, 6, "not without a yes");
    home.ok(&["restore", backup, "--yes"]);
    home.index();
    assert_eq!((home.sessions().len(), total(&home, "zzopen")), (0, 0));
    home.drop_data();
    home.ok(&["restore", backup, "--yes"]);
    home.index();
    check_forgotten(&home, "in an empty place");
}

#[test]
fn what_is_no_ledger_replaces_none() {
    let home = home();
    home.write("nonsense.db", "not a database at all, but long enough to look like a file");
    let other = Connection::open(home.path("other.db")).unwrap();
    other.execute_batch("CREATE TABLE x (y); PRAGMA user_version = 1").unwrap();
    let newer = Connection::open(home.path("newer.db")).unwrap();
    newer.execute_batch("CREATE TABLE meta (y); PRAGMA user_version = 99").unwrap();
    drop((other, newer));
    for (name, status) in [("nonsense.db", 1), ("other.db", 1), ("newer.db", 6), ("absent.db", 1)] {
        let file = home.path(name);
        let refused = home.run(&["restore", file.to_str().unwrap(), "--yes"]);
        assert_eq!(refused.status, status, "{name}: {}", refused.stderr);
        assert_eq!(home.sessions().len(), 3, "{name}");
    }
}

#[test]
fn sessions_older_than_wanted_leave_the_index_and_stay_archived() {
    let home = home();
    home.ok(&["config", "set", "retention.index_days", "1"]);
    home.index();
    assert_eq!((home.sessions().len(), total(&home, "zzopen")), (0, 0));
    assert_eq!(archived(&home), 3);
    home.ok(&["config", "set", "retention.index_days", "36500"]);
    home.ok(&["rebuild", "--yes"]);
    assert_eq!(home.sessions().len(), 3, "the agents' files are still there");
}

#[test]
fn the_archive_stays_below_its_cap_and_is_not_filled_again() {
    let home = Home::new(PROGRAM);
    home.ok(&["config", "set", "archive.cap_mb", "1"]);
    let mut noise = 1u64;
    let mut long = || -> String {
        let mut next = || {
            noise = noise
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            format!("{:016x}", noise ^ (noise >> 31))
        };
        (0..40_000).map(|_| next()).collect()
    };
    for number in 0..6 {
        let session = format!("4444444{number}-4444-4444-8444-444444444444");
        home.write(&path(&session), line(&session, "n1", None, number).prompt(&long()) + "\n");
    }
    home.index();
    let report = home.json(&["archive", "--json"]);
    assert!(report["disk_bytes"].as_u64().unwrap() <= 1_000_000, "{report}");
    assert!(report["sources"].as_u64().unwrap() >= 1, "{report}");
    let session = "44444440-4444-4444-8444-444444444444";
    home.append(&path(session), line(session, "n2", Some("n1"), 50).prompt("more") + "\n");
    home.index();
    assert!(home.json(&["archive", "--json"])["disk_bytes"].as_u64().unwrap() <= 1_000_000);
}

#[test]
fn what_is_kept_can_be_looked_at_printed_and_dropped() {
    let home = home();
    let source = fs::read_to_string(home.path(&path(OTHER))).unwrap();
    home.remove(&path(OTHER));
    home.index();
    assert_eq!(home.ok(&["archive", "cat", OTHER]), source);
    let check = home.json(&["archive", "verify", "--json"]);
    assert_eq!((&check["checked"], &check["cut"]), (&3.into(), &0.into()));
    let would = home.json(&["archive", "prune", "--older-than", "2100-01-01", "--json"]);
    assert_eq!(
        (&would["done"], &would["copies"], &would["gone"]),
        (&false.into(), &3.into(), &1.into())
    );
    assert_eq!(archived(&home), 3);
    home.ok(&["archive", "prune", "--older-than", "2100-01-01", "--yes"]);
    assert_eq!(archived(&home), 0);
    let lost = home.session(OTHER);
    assert_eq!(
        (&lost["lifecycle"], home.run(&["archive", "cat", OTHER]).status),
        (&"lost".into(), 3)
    );
}
