//! Bundles that are not for this device, incomplete, or in conflict: each is refused with its
//! reason.

use crate::teleport::{
    SESSION, device, lines, packed, pair, session, transcript, unpack, unpacked,
};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use taffrail_testkit::Home;

/// Checks that a bundle is refused with these words, and that nothing of it is written.
fn check(home: &Home, file: &Path, words: &str) {
    let output = unpack(home, file, &[]);
    assert_eq!(output.status, 6, "{words}: {}{}", output.stdout, output.stderr);
    assert!(output.stderr.contains(words), "{words}: {}", output.stderr);
    assert_eq!(output.stdout, "");
}

fn changed(file: &Path, how: impl Fn(&mut Vec<u8>)) -> std::path::PathBuf {
    let mut bytes = fs::read(file).unwrap();
    how(&mut bytes);
    let other = file.with_extension("changed");
    fs::write(&other, bytes).unwrap();
    other
}

#[test]
fn a_strangers_a_damaged_and_anothers_are_told_apart() {
    let (laptop, tower) = pair();
    session(&laptop);
    let file = packed(&laptop, &["tower"]);
    let stranger = device("stranger", "eve@x.org");
    check(&stranger, &file, "it is not sealed to this device");
    check(&laptop, &file, "it is not sealed to this device");
    check(&tower, &changed(&file, |it| it.truncate(it.len() - 1)), "it is cut short");
    let flip = |it: &mut Vec<u8>| {
        let at = it.len() - 40;
        it[at] ^= 1;
    };
    check(&tower, &changed(&file, flip), "it is damaged");
    check(&tower, &changed(&file, Vec::clear), "this is not a bundle");
    check(&tower, &changed(&file, |it| it[16] = 9), "version 9");
    assert!(!tower.path(".claude").exists());
    let fresh = Home::new(crate::teleport::PROGRAM);
    let output = unpack(&fresh, &file, &[]);
    assert_eq!(output.status, 6, "{}", output.stderr);
    assert_eq!(unpack(&tower, Path::new("/none"), &[]).status, 3);
    let output = tower.run(&["teleport", "unpack", file.to_str().unwrap(), "--project", "none"]);
    assert_eq!(output.status, 6, "{}", output.stderr);
    unpacked(&tower, &file, &[]);
    let left = fs::read_dir(tower.path(".local/share/taffrail")).unwrap().flatten();
    let left: Vec<_> =
        left.filter(|it| it.file_name().to_string_lossy().contains("unpacking")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn one_who_was_removed_is_a_stranger() {
    let (laptop, tower) = pair();
    session(&laptop);
    let desk = device("desk", "ann@x.org");
    crate::teleport::take_in(&laptop, &desk, "ann@x.org");
    unpacked(&tower, &packed(&laptop, &["tower", "desk"]), &[]);
    unpacked(&desk, &laptop.path("s.bundle"), &[]);
    let old = packed(&tower, &["desk"]);
    laptop.ok(&["device", "remove", "tower"]);
    let output = laptop.run(&["teleport", "pack", SESSION, "--to", "tower", "--out", "n.bundle"]);
    assert_eq!(output.status, 3, "{}", output.stderr);
    // The desk learns of it from the next bundle, and no longer trusts the tower.
    laptop.append(&transcript(&laptop), lines(&laptop, 20, 22));
    unpacked(&desk, &packed(&laptop, &["desk"]), &[]);
    check(&desk, &old, "is not in the team");
}

#[test]
fn a_file_that_is_in_the_way_stays_as_it_is() {
    let (laptop, tower) = pair();
    session(&laptop);
    let file = packed(&laptop, &["tower"]);
    let path = transcript(&tower);
    tower.write(&path, "{\"another\": 1}\n");
    check(&tower, &file, "is there and differs");
    assert_eq!(fs::read_to_string(tower.path(&path)).unwrap(), "{\"another\": 1}\n");
    tower.remove(&path);
    tower.write("elsewhere", "");
    symlink(tower.path("elsewhere"), tower.path(&path)).unwrap();
    check(&tower, &file, "symbolic link");
    assert_eq!(fs::read(tower.path("elsewhere")).unwrap(), b"");
    let session = tower.run(&["binding", SESSION]);
    assert_eq!(session.status, 3, "nothing was noted of it: {}", session.stdout);
}

#[test]
fn a_session_is_in_one_place_on_a_device() {
    let (laptop, tower) = pair();
    session(&laptop);
    let file = packed(&laptop, &["tower"]);
    unpacked(&tower, &file, &[]);
    fs::create_dir(tower.path("other")).unwrap();
    let other = tower.path("other");
    let words =
        ["teleport", "unpack", file.to_str().unwrap(), "--project", other.to_str().unwrap()];
    let output = tower.run(&words);
    assert_eq!(output.status, 6, "{}", output.stderr);
    assert!(output.stderr.contains("is here already"), "{}", output.stderr);
}

#[test]
fn what_was_forgotten_does_not_come_back() {
    let (laptop, tower) = pair();
    let id = session(&laptop);
    let file = packed(&laptop, &["tower"]);
    unpacked(&tower, &file, &[]);
    tower.ok(&["forget", &id, "--yes"]);
    fs::remove_dir_all(tower.path(".claude")).unwrap();
    check(&tower, &file, "was forgotten");
}

#[test]
fn what_cannot_be_packed_says_why() {
    let (laptop, _tower) = pair();
    session(&laptop);
    let check = |arguments: &[&str], code: i32, words: &str| {
        let output = laptop.run(&[&["teleport", "pack"], arguments].concat());
        assert_eq!(output.status, code, "{arguments:?}: {}", output.stderr);
        assert!(output.stderr.contains(words), "{arguments:?}: {}", output.stderr);
    };
    check(&[SESSION, "--out", "x"], 2, "--to");
    check(&[SESSION, "--to", "tower"], 2, "--out");
    check(&[SESSION, "--to", "nobody", "--out", "x"], 3, "nobody");
    check(&["ffffffff", "--to", "tower", "--out", "x"], 3, "no session");
    laptop.write("there", "precious");
    check(&[SESSION, "--to", "tower", "--out", "there"], 6, "is there already");
    assert_eq!(fs::read_to_string(laptop.path("there")).unwrap(), "precious");
    let desk = device("desk", "a");
    desk.write(&transcript(&desk), lines(&desk, 0, 4));
    let output = desk.run(&["teleport", "pack", SESSION, "--to", "desk", "--out", "x"]);
    assert_eq!(output.status, 0, "a device may pack for itself: {}", output.stderr);
}
