//! Damaged bundles: the reader accepts only complete ones, and refuses whatever a device of the
//! team seals by hand.
//!
//! `TAFFRAIL_FULL=1` tries many inputs, `TAFFRAIL_SEED` selects them.

use super::*;
use taffrail_testkit::fuzz::{Counts, Fuzz, Took};

const COUNTS: Counts = Counts { slice: 600, full: 60_000 };
const ENTRIES: &[(&str, &[u8])] = &[("source/a.jsonl", b"one\ntwo\n"), ("worker/b", &[7; 3_000])];

#[test]
fn a_damaged_bundle_is_refused() {
    let [a, b] = ["laptop", "tower"].map(Own::new);
    let roster = team_of(&a, &[&b]);
    let file = packed(ENTRIES, &roster, &a, &[&b]);
    Fuzz::of("bundle", [file.clone()]).run(COUNTS, |input| {
        let is_taken = unpacked(input, &roster, &b).is_ok();
        assert_eq!(is_taken, input == file, "taken and damaged, or whole and refused");
        Took::from(is_taken)
    });
}

/// The content is damaged before it is sealed, so that the seal does not protect it.
#[test]
fn what_is_damaged_and_sealed_well_is_refused() {
    let [a, b] = ["laptop", "tower"].map(Own::new);
    let roster = team_of(&a, &[&b]);
    let forgery = Forgery::new(ENTRIES, &roster, &a, &b);
    let inside = inside(&forgery, &forgery.manifest, &forgery.blocks);
    let counts = Counts { slice: COUNTS.slice / 2, full: COUNTS.full / 2 };
    Fuzz::of("inside", [inside.clone()]).run(counts, |input| {
        let is_taken = unpacked(&sealed_file(input, &b), &roster, &b).is_ok();
        assert_eq!(is_taken, input == inside, "taken and damaged, or whole and refused");
        Took::from(is_taken)
    });
}

/// An arbitrary manifest, signed by a device of the team.
#[test]
fn what_a_damaged_manifest_lists_is_what_arrives() {
    let [a, b] = ["laptop", "tower"].map(Own::new);
    let roster = team_of(&a, &[&b]);
    let mut forgery = Forgery::new(ENTRIES, &roster, &a, &b);
    let seed = forgery.manifest.to_string();
    let taken = Fuzz::of("manifest", [seed]).with_words(WORDS).run(COUNTS, |input| {
        let Ok(manifest) = serde_json::from_slice(input) else { return Took::No };
        forgery.manifest = manifest;
        let Ok((entries, told)) = unpacked(&forgery.file(), &roster, &b) else { return Took::No };
        check_listed(&entries, &told);
        Took::Yes
    });
    assert!(taken > 0, "none was taken");
}

#[test]
fn damaged_blocks_give_nothing_that_is_not_listed() {
    let [a, b] = ["laptop", "tower"].map(Own::new);
    let roster = team_of(&a, &[&b]);
    let mut forgery = Forgery::new(ENTRIES, &roster, &a, &b);
    let whole = forgery.blocks.clone();
    let taken = Fuzz::of("blocks", [whole]).run(COUNTS, |input| {
        forgery.blocks = input.to_vec();
        let Ok((entries, told)) = unpacked(&forgery.file(), &roster, &b) else { return Took::No };
        check_listed(&entries, &told);
        Took::Yes
    });
    assert!(taken > 0, "none was taken");
}

const WORDS: &[&str] =
    &["../", "/", "..", "\\u0000", "\"a\"", "\"entries\":[],", "\"to\":[],", "null", "0", "[]"];

/// Checks that every entry has a plain path and the bytes that the manifest lists.
fn check_listed(entries: &Entries, told: &Unpacked) {
    let listed = &told.manifest.entries;
    assert_eq!(entries.len(), listed.len());
    for ((path, bytes), listed) in entries.iter().zip(listed) {
        assert_eq!((check_path(path), path), (Ok(()), &listed.path));
        assert_eq!(listed.blake3, Digest::from_bytes(*blake3::hash(bytes).as_bytes()));
    }
}

/// The content under the seal of a forgery.
fn inside(forgery: &Forgery<'_>, manifest: &serde_json::Value, blocks: &[u8]) -> Vec<u8> {
    let (manifest_json, roster_json) =
        (serde_json::to_vec(manifest).unwrap(), serde_json::to_vec(forgery.roster).unwrap());
    let meant: Manifest = serde_json::from_value(manifest.clone()).unwrap();
    let fields = signed(&meant, &manifest_json, &roster_json);
    let signature = crate::signing::sign(forgery.by.secret.signing(), Purpose::Bundle, &[&fields]);
    let length = |part: &[u8]| u32::try_from(part.len()).unwrap().to_le_bytes();
    let parts: [&[u8]; 6] = [
        &length(&roster_json),
        &roster_json,
        &length(&manifest_json),
        &manifest_json,
        signature.as_bytes(),
        blocks,
    ];
    parts.concat()
}
