//! Decides from a stat which sources have to be read.

use crate::capture::world::{Run, World, prompt, transcript};
use std::fs::{File, rename};
use std::time::{Duration, UNIX_EPOCH};
use taffrail_model::observed::Pass;

fn three() -> World {
    let mut world = World::new("claude-code");
    world.put(&transcript("s1"), [prompt(1, "one"), prompt(2, "two"), prompt(3, "three")].concat());
    let run = world.run();
    assert_eq!(run.planned, [(transcript("s1"), Pass::Append)]);
    assert!(run.pieces.iter().all(|piece| piece.pass == Pass::Append));
    assert!(world.run().is_quiet());
    world
}

/// The pass that each source was actually read in.
fn passes(run: &Run) -> Vec<Pass> {
    run.pieces.iter().map(|piece| piece.pass).collect()
}

fn touch(world: &World, path: &str, second: u64) {
    let file = File::options().append(true).open(world.path(path)).unwrap();
    file.set_modified(UNIX_EPOCH + Duration::from_secs(second)).unwrap();
}

#[test]
fn what_grew_is_read_on_from_its_cursor() {
    let mut world = three();
    let before = std::fs::metadata(world.path(&transcript("s1"))).unwrap().len();
    let more = prompt(4, "four");
    world.add(&transcript("s1"), &more);
    let run = world.run();
    assert_eq!((run.planned, run.pieces.len()), (vec![(transcript("s1"), Pass::Append)], 1));
    assert_eq!(run.pieces[0].pass, Pass::Append);
    assert_eq!(run.pieces[0].outcome.bytes_read, more.len() as u64);
    assert_eq!(run.pieces[0].events[0].cursor.position(), before);
    assert_eq!(world.texts(), ["one", "two", "three", "four"]);
    assert!(world.run().is_quiet());
}

#[test]
fn what_cannot_have_grown_is_read_again() {
    let check = |change: &dyn Fn(&World), expected: &[&str]| {
        let mut world = three();
        change(&world);
        let run = world.run();
        assert_eq!(passes(&run), [Pass::Again], "{expected:?}");
        assert_eq!(world.texts(), expected);
        assert!(world.run().is_quiet());
    };
    let path = transcript("s1");
    check(&|world| world.put(&path, prompt(1, "one")), &["one"]);
    check(&|world| world.put(&path, ""), &[]);
    check(&|world| touch(world, &path, 1), &["one", "two", "three"]);
    let other =
        |nth: [&str; 4]| -> String { (1..).zip(nth).map(|(n, it)| prompt(n, it)).collect() };
    // Larger, with the same name, but another file.
    check(
        &|world| {
            world.put("new", other(["one", "two", "3", "4"]));
            rename(world.path("new"), world.path(&path)).unwrap();
        },
        &["one", "two", "3", "4"],
    );
    // Larger and the same file, but the line that was read last has changed.
    check(&|world| world.put(&path, other(["one", "2", "3", "4"])), &["one", "2", "3", "4"]);
}

#[test]
fn a_rewrite_of_the_same_size_is_seen_by_its_time() {
    let mut world = three();
    let text = [prompt(1, "one"), prompt(2, "TWO"), prompt(3, "three")].concat();
    world.put(&transcript("s1"), text);
    touch(&world, &transcript("s1"), 2_000_000_000);
    world.run();
    assert_eq!(world.texts(), ["one", "TWO", "three"]);
}

#[test]
fn a_side_file_that_changed_makes_its_source_be_read_again() {
    let mut world = World::new("claude-code");
    let worker = "projects/-w-app/s1/subagents/agent-a1.jsonl";
    let side = "projects/-w-app/s1/subagents/agent-a1.meta.json";
    world.put(worker, prompt(1, "work"));
    world.run();
    for text in [r#"{"agentType":"a"}"#, r#"{"agentType":"general"}"#] {
        world.put(side, text);
        let run = world.run();
        assert_eq!(passes(&run), [Pass::Again], "{text}");
        assert!(world.run().is_quiet());
    }
    std::fs::remove_file(world.path(side)).unwrap();
    assert_eq!(passes(&world.run()), [Pass::Again]);
    world.put("projects/-w-app/s1/subagents/other.txt", "nothing to do with it");
    assert!(world.run().is_quiet());
}

#[test]
fn a_file_that_moved_is_the_same_source() {
    let mut world = three();
    let id = world.known.values().next().unwrap().id;
    std::fs::create_dir_all(world.path("projects/-w-new")).unwrap();
    rename(world.path(&transcript("s1")), world.path("projects/-w-new/s1.jsonl")).unwrap();
    let run = world.run();
    assert_eq!((run.moved.as_slice(), run.vanished.len()), (&[id][..], 0));
    assert_eq!(run.pieces.iter().map(|it| it.outcome.records).sum::<u64>(), 0);
    assert_eq!(world.texts(), ["one", "two", "three"]);
    assert!(world.run().is_quiet());
    world.add("projects/-w-new/s1.jsonl", prompt(4, "four"));
    assert_eq!(passes(&world.run()), [Pass::Append]);
    assert_eq!(world.texts(), ["one", "two", "three", "four"]);
}

#[test]
fn what_is_gone_is_said_once_and_what_comes_back_unchanged_is_not_read() {
    let mut world = three();
    let id = world.known.values().next().unwrap().id;
    rename(world.path(&transcript("s1")), world.path("aside")).unwrap();
    assert_eq!(world.run().vanished, [id]);
    assert!(world.run().is_quiet());
    rename(world.path("aside"), world.path(&transcript("s1"))).unwrap();
    let run = world.run();
    assert_eq!((run.returned.as_slice(), run.pieces.len()), (&[id][..], 0));
    assert!(world.run().is_quiet());
}

#[test]
fn a_pass_that_was_cut_off_goes_on_or_begins_anew() {
    let many: String = (0..5000).map(|nth| prompt(nth, "a line")).collect();
    let mut world = World::new("claude-code");
    world.put(&transcript("s1"), &many);
    let run = world.run_until(1);
    assert_eq!((run.pieces.len(), run.pieces[0].ends_pass), (1, false));
    let run = world.run();
    assert_eq!(run.planned, [(transcript("s1"), Pass::Append)]);
    assert_eq!(world.events.len(), 5000);
    assert!(world.run().is_quiet());
    // A pass from the start was interrupted: the next run must not continue in the middle.
    touch(&world, &transcript("s1"), 3);
    world.run_until(1);
    let run = world.run();
    assert!(run.pieces.len() > 1 && run.pieces.iter().all(|piece| piece.pass == Pass::Again));
    assert_eq!(world.events.len(), 5000);
    assert!(world.run().is_quiet());
}

#[test]
fn what_changed_last_is_read_first() {
    let mut world = World::new("claude-code");
    for (name, second) in [("old", 100), ("new", 300), ("middle", 200)] {
        world.put(&transcript(name), prompt(1, name));
        touch(&world, &transcript(name), second);
    }
    assert_eq!(world.plan().bytes(), 3 * prompt(1, "").len() as u64 + 12);
    let order: Vec<_> = world.run().planned.into_iter().map(|(path, _)| path).collect();
    assert_eq!(order, [transcript("new"), transcript("middle"), transcript("old")]);
}
