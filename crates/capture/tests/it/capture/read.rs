//! Reads lines and documents, at once and in parts.

use crate::capture::world::{View, World, files, fixtures, prompt, transcript};
use proptest::prelude::*;
use std::fs::File;
use std::path::Path;
use taffrail_capture::LINE_LIMIT;
use taffrail_model::observed::Pass;

const LEGACY: &str = "tmp/app/chats/session-2025-10-01T10-00-a1b2c3d4.json";
const ROLLOUT: &str = "rollout-2026-10-01T10-00-00-01a10000-0000-7000-8000-000000000001.jsonl";

fn whole(agent: &'static str, home: &Path) -> View {
    let mut world = World::new(agent);
    for (path, bytes) in files(home) {
        world.put(&path, bytes);
    }
    world.date();
    world.run();
    world.view()
}

/// Grows the line files of a home by these shares of the rest, and reads after each step.
fn grown(agent: &'static str, home: &Path, shares: &[u8]) -> View {
    let mut world = World::new(agent);
    let (lines, others): (Vec<_>, Vec<_>) =
        files(home).into_iter().partition(|(path, _)| path.ends_with(".jsonl"));
    for (path, bytes) in others {
        world.put(&path, bytes);
    }
    let mut left: Vec<_> = lines.iter().map(|(path, bytes)| (path, bytes.as_slice())).collect();
    for share in shares.iter().copied().chain([u8::MAX]) {
        for (path, bytes) in &mut left {
            let count = (bytes.len() * usize::from(share)).div_ceil(255);
            let (now, later) = bytes.split_at(count);
            world.add(path, now);
            *bytes = later;
        }
        world.date();
        assert!(world.run().problems.is_empty());
    }
    world.view()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    #[test]
    fn a_file_that_grows_by_any_pieces_says_what_it_says_at_once(
        shares in prop::collection::vec(0u8..=255, 1..6)
    ) {
        for (agent, home) in fixtures() {
            let name = home.display();
            prop_assert_eq!(grown(agent, &home, &shares), whole(agent, &home), "{}", name);
        }
    }

    #[test]
    fn pieces_cut_off_anywhere_say_what_one_read_says(stops in 1usize..4, count in 2100u32..6000) {
        let text: String = (0..count).map(|nth| prompt(nth, "a line")).collect();
        let mut at_once = World::new("claude-code");
        at_once.put(&transcript("s1"), &text);
        at_once.run();
        let mut stopped = World::new("claude-code");
        stopped.put(&transcript("s1"), &text);
        stopped.run_until(stops);
        while !stopped.run_until(stops).is_quiet() {}
        prop_assert_eq!(stopped.view(), at_once.view());
    }
}

#[test]
fn reading_twice_says_the_same() {
    for (agent, home) in fixtures() {
        assert_eq!(whole(agent, &home), whole(agent, &home), "{}", home.display());
    }
}

#[test]
fn a_torn_tail_waits_for_its_end() {
    let mut world = World::new("claude-code");
    let (one, two) = (prompt(1, "one"), prompt(2, "two"));
    let (begin, end) = two.split_at(two.len() / 2);
    world.put(&transcript("s1"), format!("{one}{begin}"));
    let run = world.run();
    assert_eq!(run.pieces[0].source.offset, one.len() as u64);
    assert_eq!((world.texts(), run.skipped()), (vec!["one".to_owned()], 0));
    assert!(world.run().is_quiet());
    world.add(&transcript("s1"), end);
    let run = world.run();
    assert_eq!(run.pieces[0].pass, Pass::Append);
    assert_eq!((world.texts(), run.skipped()), (vec!["one".to_owned(), "two".to_owned()], 0));
}

#[test]
fn a_line_too_long_is_skipped_and_counted_and_its_neighbours_are_read() {
    let mut world = World::new("claude-code");
    let long = prompt(2, &"x".repeat(40 << 20));
    assert!(long.len() > LINE_LIMIT);
    world.put(&transcript("s1"), [prompt(1, "before"), long, prompt(3, "after")].concat());
    let run = world.run();
    assert_eq!((world.texts(), run.skipped()), (vec!["before".to_owned(), "after".to_owned()], 1));
    assert!(world.run().is_quiet());
    world.add(&transcript("s1"), prompt(4, "later"));
    let run = world.run();
    assert_eq!((run.pieces[0].pass, run.skipped()), (Pass::Append, 0));
}

/// The peak memory of this process, in KiB.
#[cfg(target_os = "linux")]
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_longest_line() {
    let mut world = World::new("claude-code");
    let path = transcript("s1");
    world.put(&path, prompt(1, "before"));
    // A sparse file: a gigabyte without a line feed that takes no space on disk.
    let file = File::options().append(true).open(world.path(&path)).unwrap();
    file.set_len(1 << 30).unwrap();
    world.add(&path, format!("\n{}", prompt(2, "after")));
    let before = peak_kib();
    let run = world.run();
    assert_eq!((world.texts(), run.skipped()), (vec!["before".to_owned(), "after".to_owned()], 1));
    let grown = peak_kib().saturating_sub(before);
    assert!(grown < 4 * (LINE_LIMIT as u64 >> 10), "{grown} KiB");
}

#[test]
fn half_a_document_removes_nothing() {
    let (_, home) =
        fixtures().into_iter().find(|(_, home)| home.ends_with("legacy_document/home")).unwrap();
    let bytes = std::fs::read(home.join(LEGACY)).unwrap();
    let mut world = World::new("gemini-cli");
    world.put(LEGACY, &bytes);
    world.run();
    let before = world.view();
    assert!(!world.events.is_empty());
    for cut in [0, 1, bytes.len() / 2, bytes.len() - 2] {
        world.put(LEGACY, bytes.get(..cut).unwrap());
        let run = world.run();
        assert_eq!((run.skipped(), run.pieces[0].pass), (1, Pass::Append), "{cut}");
        assert_eq!(world.view(), before, "{cut}");
    }
    world.put(LEGACY, [bytes.as_slice(), b"\n"].concat());
    let run = world.run();
    assert_eq!((run.skipped(), run.pieces[0].pass), (0, Pass::Again));
    assert_eq!(world.texts().len(), world.events.len());
}

#[test]
fn a_compressed_file_says_what_the_plain_one_says() {
    let (_, home) = fixtures()
        .into_iter()
        .find(|(_, home)| home.ends_with("first_turn_paginated/home"))
        .unwrap();
    let bytes = std::fs::read(home.join("sessions/2026/10/01").join(ROLLOUT)).unwrap();
    let mut plain = World::new("codex");
    plain.put(&format!("sessions/2026/10/01/{ROLLOUT}"), &bytes);
    plain.run();
    let packed = format!("archived_sessions/{ROLLOUT}.zst");
    let mut world = World::new("codex");
    // The first half ends in an unfinished line.
    let half = bytes.get(..bytes.len() / 2).unwrap();
    world.put(&packed, zstd::encode_all(half, 3).unwrap());
    assert!(world.run().problems.is_empty());
    assert!(world.events.len() < plain.events.len());
    world.put(&packed, zstd::encode_all(bytes.as_slice(), 3).unwrap());
    let run = world.run();
    assert_eq!(run.problems, Vec::<String>::new());
    assert_eq!(world.view(), plain.view());
    assert!(world.run().is_quiet());
}

#[test]
fn a_compressed_file_that_is_none_stops_nothing_else() {
    let mut world = World::new("codex");
    world.put(&format!("archived_sessions/{ROLLOUT}.zst"), "not compressed at all");
    let run = world.run();
    assert_eq!((run.problems.len(), world.events.len()), (1, 0));
}
