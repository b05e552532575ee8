//! Copies equal their sources byte for byte, and nobody else can read them.

use super::{PROGRAM, SESSION, copies, files};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use taffrail_testkit::claude::{path, talk};
use taffrail_testkit::copies::ARCHIVE;
use taffrail_testkit::corpus::Corpus;
use taffrail_testkit::goose::DATABASE;
use taffrail_testkit::{Chance, Home, Scale};

/// The expected bytes of a file's copy.
fn wanted(home: &Home, file: &str) -> Vec<u8> {
    let bytes = fs::read(home.path(file)).unwrap();
    if file.ends_with(".zst") { zstd::decode_all(bytes.as_slice()).unwrap() } else { bytes }
}

#[test]
fn every_copy_is_its_source_byte_for_byte() {
    let scale = Scale::from_env();
    let home = Home::new(PROGRAM);
    let bytes = scale.pick(3_000_000, 80_000_000);
    let written = Corpus { seed: scale.seed, bytes }.write(&home);
    home.index();
    let copies = copies(&home);
    let mut compared = 0;
    for file in &written.files {
        if file == DATABASE || file.ends_with(".meta.json") || file.ends_with(".project_root") {
            continue;
        }
        let mine: Vec<_> = copies.iter().filter(|it| it.source == home.path(file)).collect();
        assert_eq!(mine.len(), 1, "copies of {file}");
        assert!(mine[0].bytes == wanted(&home, file), "the copy of {file} is another");
        compared += 1;
    }
    let rows: Vec<_> = copies.iter().filter(|it| !it.key.is_empty()).collect();
    assert!(!rows.is_empty() && compared > 5);
    for copy in &rows {
        let lines = std::str::from_utf8(&copy.bytes).unwrap().lines();
        for line in lines {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!(row["table"].is_string() && row["rowid"].is_i64() && row["row"].is_object());
        }
    }
    println!("{compared} files and {} sessions of rows compared", rows.len());
    assert_eq!(compared + rows.len(), copies.len(), "copies of nothing");
}

#[test]
fn a_copy_grows_with_its_source_by_whole_lines() {
    let scale = Scale::from_env();
    let mut chance: Chance = scale.chance("growing");
    let home = Home::new(PROGRAM);
    let whole = talk(SESSION, 0, 400);
    home.write(&path(SESSION), "");
    let mut end = 0;
    while end < whole.len() {
        let next = (end + chance.between(1, whole.len() / 40)).min(whole.len());
        home.append(&path(SESSION), &whole.as_bytes()[end..next]);
        end = next;
        match chance.below(3) {
            0 => drop(home.index()),
            1 => drop(home.ok(&["search", "number"])),
            _ => continue,
        }
        let lines =
            whole.as_bytes()[..end].iter().rposition(|it| *it == b'\n').map_or(0, |at| at + 1);
        let copies = copies(&home);
        assert_eq!(copies.len(), usize::from(lines > 0), "after {end} bytes");
        assert!(copies.iter().all(|it| it.bytes == whole.as_bytes()[..lines]), "after {end} bytes");
    }
    home.index();
    assert_eq!(copies(&home)[0].bytes, whole.as_bytes());
}

#[test]
fn folders_and_files_are_for_nobody_else() {
    let home = Home::new(PROGRAM);
    Corpus { seed: 3, bytes: 200_000 }.write(&home);
    home.index();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let files = files(&home);
    assert!(files.len() > 5);
    for file in &files {
        assert_eq!(mode(file), 0o600, "{file:?}");
        assert_eq!(mode(file.parent().unwrap()), 0o700, "{file:?}");
    }
    assert_eq!(mode(&home.path(ARCHIVE)), 0o700);
}
