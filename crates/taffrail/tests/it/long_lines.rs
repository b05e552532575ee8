//! A line of a hundred megabytes between two good ones: skipped, counted, and cheap.
#![expect(
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

use serde_json::Value;
use std::fs::OpenOptions;
use std::io::Write;
use taffrail_testkit::Home;
use taffrail_testkit::claude::{path, talk};

const SESSION: &str = "11111111-1111-4111-8111-111111111111";
const LONG: usize = 100_000_000;
/// The most private memory a run may take.
const MEMORY_KIB: u64 = 150 * 1024;

/// Writes a line of `LONG` bytes in pieces, terminated or not.
fn write_long_line(home: &Home, end: &[u8]) {
    let mut file = OpenOptions::new().append(true).open(home.path(&path(SESSION))).unwrap();
    file.write_all(br#"{"type":"user","message":{"role":"user","content":""#).unwrap();
    let piece = vec![b'x'; 1_000_000];
    for _ in 0..LONG / piece.len() {
        file.write_all(&piece).unwrap();
    }
    file.write_all(end).unwrap();
}

fn check_run(home: &Home, arguments: &[&str]) {
    let (status, peak) = home.spawn(arguments).peak_kib();
    println!("{arguments:?}: {peak} KiB at most");
    assert!(status.success(), "{arguments:?}: {status}");
    assert!(peak > 0 && peak < MEMORY_KIB, "{arguments:?}: {peak} KiB");
}

#[test]
fn a_line_of_100_mb_between_two_good_ones_is_skipped_and_counted() {
    let home = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    home.write(&path(SESSION), talk(SESSION, 0, 1));
    write_long_line(&home, b"\"}}\n");
    home.append(&path(SESSION), talk(SESSION, 1, 2));
    check_run(&home, &["ls"]);
    check_run(&home, &["index"]);
    check_run(&home, &["rebuild", "--yes"]);
    check_run(&home, &["show", SESSION]);
    let events = home.events(SESSION);
    let texts: Vec<_> = events.iter().map(|it| it["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["Prompt number 0000.", "Answer number 0001."]);
    assert!(events.iter().all(|it| it["data"].get("stale").is_none()), "{events:?}");
    assert_eq!(skipped(&home), ["1 records were too long or torn and were skipped"]);
    assert_eq!(home.index()["bytes_read"], 0);
}

#[test]
fn a_line_of_100_mb_that_never_ends_costs_as_little() {
    let home = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    home.write(&path(SESSION), talk(SESSION, 0, 2));
    write_long_line(&home, b"");
    check_run(&home, &["index"]);
    assert_eq!(home.events(SESSION).len(), 2);
    home.append(&path(SESSION), "\"}}\n");
    home.append(&path(SESSION), talk(SESSION, 2, 4));
    check_run(&home, &["index"]);
    assert_eq!(home.events(SESSION).len(), 4);
    assert_eq!(skipped(&home).len(), 1);
}

fn skipped(home: &Home) -> Vec<String> {
    let doctor = home.json(&["doctor", "--json"]);
    let checks = doctor["checks"].as_array().unwrap().iter();
    let mine = checks.filter(|check: &&Value| check["id"] == "skipped-records");
    mine.map(|check| check["evidence"].as_str().unwrap().to_owned()).collect()
}
