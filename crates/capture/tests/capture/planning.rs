//! Deciding from a stat what has to be read.

use crate::shelf::{Run, Shelf, prompt, transcript};
use std::fs::{File, rename};
use std::time::{Duration, UNIX_EPOCH};
use taffrail_model::observed::Pass;

fn three() -> Shelf {
    let mut shelf = Shelf::new("claude-code");
    shelf.put(&transcript("s1"), [prompt(1, "one"), prompt(2, "two"), prompt(3, "three")].concat());
    let run = shelf.run();
    assert_eq!(run.planned, [(transcript("s1"), Pass::Append)]);
    assert!(run.pieces.iter().all(|piece| piece.pass == Pass::Append));
    assert!(shelf.run().is_quiet());
    shelf
}

/// The pass each source was really read in.
fn passes(run: &Run) -> Vec<Pass> {
    run.pieces.iter().map(|piece| piece.pass).collect()
}

fn touch(shelf: &Shelf, path: &str, second: u64) {
    let file = File::options().append(true).open(shelf.path(path)).unwrap();
    file.set_modified(UNIX_EPOCH + Duration::from_secs(second)).unwrap();
}

#[test]
fn what_grew_is_read_on_from_its_cursor() {
    let mut shelf = three();
    let before = std::fs::metadata(shelf.path(&transcript("s1"))).unwrap().len();
    let more = prompt(4, "four");
    shelf.add(&transcript("s1"), &more);
    let run = shelf.run();
    assert_eq!((run.planned, run.pieces.len()), (vec![(transcript("s1"), Pass::Append)], 1));
    assert_eq!(run.pieces[0].pass, Pass::Append);
    assert_eq!(run.pieces[0].outcome.bytes_read, more.len() as u64);
    assert_eq!(run.pieces[0].events[0].cursor.position(), before);
    assert_eq!(shelf.texts(), ["one", "two", "three", "four"]);
    assert!(shelf.run().is_quiet());
}

#[test]
fn what_cannot_have_grown_is_read_again() {
    let check = |change: &dyn Fn(&Shelf), expected: &[&str]| {
        let mut shelf = three();
        change(&shelf);
        let run = shelf.run();
        assert_eq!(passes(&run), [Pass::Again], "{expected:?}");
        assert_eq!(shelf.texts(), expected);
        assert!(shelf.run().is_quiet());
    };
    let path = transcript("s1");
    check(&|shelf| shelf.put(&path, prompt(1, "one")), &["one"]);
    check(&|shelf| shelf.put(&path, ""), &[]);
    check(&|shelf| touch(shelf, &path, 1), &["one", "two", "three"]);
    let other =
        |nth: [&str; 4]| -> String { (1..).zip(nth).map(|(n, it)| prompt(n, it)).collect() };
    // Larger, under the same name, but another file.
    check(
        &|shelf| {
            shelf.put("new", other(["one", "two", "3", "4"]));
            rename(shelf.path("new"), shelf.path(&path)).unwrap();
        },
        &["one", "two", "3", "4"],
    );
    // Larger and the same file, but what was read last stands there no longer.
    check(&|shelf| shelf.put(&path, other(["one", "2", "3", "4"])), &["one", "2", "3", "4"]);
}

#[test]
fn a_rewrite_of_the_same_size_is_seen_by_its_time() {
    let mut shelf = three();
    let text = [prompt(1, "one"), prompt(2, "TWO"), prompt(3, "three")].concat();
    shelf.put(&transcript("s1"), text);
    touch(&shelf, &transcript("s1"), 2_000_000_000);
    shelf.run();
    assert_eq!(shelf.texts(), ["one", "TWO", "three"]);
}

#[test]
fn a_side_file_that_changed_makes_its_source_be_read_again() {
    let mut shelf = Shelf::new("claude-code");
    let worker = "projects/-w-app/s1/subagents/agent-a1.jsonl";
    let side = "projects/-w-app/s1/subagents/agent-a1.meta.json";
    shelf.put(worker, prompt(1, "work"));
    shelf.run();
    for text in [r#"{"agentType":"a"}"#, r#"{"agentType":"general"}"#] {
        shelf.put(side, text);
        let run = shelf.run();
        assert_eq!(passes(&run), [Pass::Again], "{text}");
        assert!(shelf.run().is_quiet());
    }
    std::fs::remove_file(shelf.path(side)).unwrap();
    assert_eq!(passes(&shelf.run()), [Pass::Again]);
    shelf.put("projects/-w-app/s1/subagents/other.txt", "nothing to do with it");
    assert!(shelf.run().is_quiet());
}

#[test]
fn a_file_that_moved_is_the_same_source() {
    let mut shelf = three();
    let id = shelf.known.values().next().unwrap().id;
    std::fs::create_dir_all(shelf.path("projects/-w-new")).unwrap();
    rename(shelf.path(&transcript("s1")), shelf.path("projects/-w-new/s1.jsonl")).unwrap();
    let run = shelf.run();
    assert_eq!((run.moved.as_slice(), run.vanished.len()), (&[id][..], 0));
    assert_eq!(run.pieces.iter().map(|it| it.outcome.records).sum::<u64>(), 0);
    assert_eq!(shelf.texts(), ["one", "two", "three"]);
    assert!(shelf.run().is_quiet());
    shelf.add("projects/-w-new/s1.jsonl", prompt(4, "four"));
    assert_eq!(passes(&shelf.run()), [Pass::Append]);
    assert_eq!(shelf.texts(), ["one", "two", "three", "four"]);
}

#[test]
fn what_is_gone_is_said_once_and_what_comes_back_unchanged_is_not_read() {
    let mut shelf = three();
    let id = shelf.known.values().next().unwrap().id;
    rename(shelf.path(&transcript("s1")), shelf.path("aside")).unwrap();
    assert_eq!(shelf.run().vanished, [id]);
    assert!(shelf.run().is_quiet());
    rename(shelf.path("aside"), shelf.path(&transcript("s1"))).unwrap();
    let run = shelf.run();
    assert_eq!((run.returned.as_slice(), run.pieces.len()), (&[id][..], 0));
    assert!(shelf.run().is_quiet());
}

#[test]
fn a_pass_that_was_cut_off_goes_on_or_begins_anew() {
    let many: String = (0..5000).map(|nth| prompt(nth, "a line")).collect();
    let mut shelf = Shelf::new("claude-code");
    shelf.put(&transcript("s1"), &many);
    let run = shelf.run_until(1);
    assert_eq!((run.pieces.len(), run.pieces[0].ends_pass), (1, false));
    let run = shelf.run();
    assert_eq!(run.planned, [(transcript("s1"), Pass::Append)]);
    assert_eq!(shelf.events.len(), 5000);
    assert!(shelf.run().is_quiet());
    // Read again from the start and cut off: the next run must not go on in the middle.
    touch(&shelf, &transcript("s1"), 3);
    shelf.run_until(1);
    let run = shelf.run();
    assert!(run.pieces.len() > 1 && run.pieces.iter().all(|piece| piece.pass == Pass::Again));
    assert_eq!(shelf.events.len(), 5000);
    assert!(shelf.run().is_quiet());
}

#[test]
fn what_changed_last_is_read_first() {
    let mut shelf = Shelf::new("claude-code");
    for (name, second) in [("old", 100), ("new", 300), ("middle", 200)] {
        shelf.put(&transcript(name), prompt(1, name));
        touch(&shelf, &transcript(name), second);
    }
    assert_eq!(shelf.plan().bytes(), 3 * prompt(1, "").len() as u64 + 12);
    let order: Vec<_> = shelf.run().planned.into_iter().map(|(path, _)| path).collect();
    assert_eq!(order, [transcript("new"), transcript("middle"), transcript("old")]);
}
