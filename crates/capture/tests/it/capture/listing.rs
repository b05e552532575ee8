//! A listing holds exactly as long as another look would find the same.

use crate::capture::world::{World, prompt, transcript};
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};
use taffrail_adapters::by_id;
use taffrail_capture::{Home, Listing, Look, discover};
use taffrail_model::Timestamp;

const SIDE: &str = "projects/-w-app/s/subagents/agent-a.meta.json";

/// A home with transcripts, a sub-agent without its side file, and a link that is not followed.
fn world() -> World {
    let world = World::new("claude-code");
    world.put(&transcript("one"), prompt(1, "hello"));
    world.put(&transcript("two"), prompt(2, "hello"));
    world.put("projects/-w-app/s/subagents/agent-a.jsonl", prompt(3, "hello"));
    symlink(world.path(&transcript("one")), world.path(&transcript("linked"))).unwrap();
    fs::create_dir(world.path("app")).unwrap();
    world
}

fn homes(world: &World) -> Vec<Home> {
    let root = world.folder.path().canonicalize().unwrap();
    vec![Home { adapter: world.adapter(), root, journal: false }]
}

/// Where there may be history in two projects, one of which is gone.
fn places(world: &World) -> Vec<PathBuf> {
    ["app/.agent", "lib/.agent"].map(|it| world.path(it)).to_vec()
}

/// The listing of a look that began then, read back from its bytes.
fn listed(world: &World, began: Timestamp) -> Option<Listing> {
    let (homes, places) = (homes(world), places(world));
    let (usual, discovery) = (&homes[..], discover(&homes));
    let look = Look { usual, homes: usual, places: &places, discovery: &discovery, began };
    let listing = Listing::of(&look)?;
    assert!(listing.holds(&homes), "right after the look");
    Some(Listing::read(&listing.bytes()).unwrap())
}

/// Long after every change of a test.
fn later() -> Timestamp {
    Timestamp::from_second(4_000_000_000).unwrap()
}

fn set_time(path: &Path, seconds: u64) {
    let time = UNIX_EPOCH + Duration::from_secs(seconds);
    File::open(path).unwrap().set_modified(time).unwrap();
}

#[test]
fn every_change_that_a_look_would_find_ends_a_listing() {
    type Change = fn(&World);
    let changes: [(&str, Change); 11] = [
        ("grown", |it| it.put(&transcript("one"), prompt(1, "hello") + &prompt(4, "more"))),
        ("another time", |it| set_time(&it.path(&transcript("one")), 1_000)),
        ("new", |it| it.put(&transcript("three"), prompt(5, "hello"))),
        ("new in a folder that was given its old time back", |it| {
            let folder = it.path("projects/-w-app");
            let before = fs::metadata(&folder).unwrap().modified().unwrap();
            it.put(&transcript("three"), prompt(5, "hello"));
            File::open(&folder).unwrap().set_modified(before).unwrap();
        }),
        ("new in a new folder", |it| it.put("projects/-w-lib/x.jsonl", prompt(6, "hello"))),
        ("a side file", |it| it.put(SIDE, "{}")),
        ("gone", |it| fs::remove_file(it.path(&transcript("two"))).unwrap()),
        ("renamed", |it| {
            fs::rename(it.path(&transcript("two")), it.path(&transcript("four"))).unwrap();
        }),
        ("the prompt history, which was not there", |it| it.put("history.jsonl", "{}\n")),
        ("a file in place of a link", |it| {
            fs::remove_file(it.path(&transcript("linked"))).unwrap();
            it.put(&transcript("linked"), prompt(7, "hello"));
        }),
        ("a folder in place of another", |it| {
            fs::rename(it.path("projects/-w-app/s"), it.path("away")).unwrap();
            fs::create_dir(it.path("projects/-w-app/s")).unwrap();
        }),
    ];
    for (what, change) in changes {
        let world = world();
        let listing = listed(&world, later()).unwrap();
        assert!(listing.holds(&homes(&world)), "before: {what}");
        change(&world);
        assert!(!listing.holds(&homes(&world)), "{what}");
        assert!(listed(&world, later()).is_some(), "after: {what}");
    }
}

#[test]
fn history_that_came_to_a_project_ends_a_listing_and_allows_none_until_its_home_is_walked() {
    for place in ["app/.agent", "lib/.agent"] {
        let world = world();
        let listing = listed(&world, later()).unwrap();
        world.put(place, "{}");
        assert!(!listing.holds(&homes(&world)), "{place}");
        assert_eq!(listed(&world, later()), None, "{place}");
    }
}

#[test]
fn a_side_file_that_changes_or_goes_ends_a_listing() {
    let changes: [fn(&World); 2] =
        [|it| it.put(SIDE, "{\"a\":1}"), |it| fs::remove_file(it.path(SIDE)).unwrap()];
    for change in changes {
        let world = world();
        world.put(SIDE, "{}");
        let listing = listed(&world, later()).unwrap();
        change(&world);
        assert!(!listing.holds(&homes(&world)));
    }
}

#[test]
fn a_folder_that_changed_just_before_it_was_read_is_not_trusted() {
    let world = world();
    let modified = fs::metadata(world.path("projects/-w-app")).unwrap().modified().unwrap();
    let seconds = modified.duration_since(UNIX_EPOCH).unwrap().as_secs();
    let after = |it: u64| Timestamp::from_second((seconds + it).cast_signed()).unwrap();
    assert_eq!(listed(&world, after(1)), None);
    assert!(listed(&world, after(5)).is_some());
}

#[test]
fn another_home_or_another_agent_ends_a_listing() {
    let world = world();
    let listing = listed(&world, later()).unwrap();
    let home = homes(&world)[0].clone();
    let other = Home { adapter: by_id("codex").unwrap(), ..home.clone() };
    assert!(!listing.holds(&[home.clone(), other.clone()]));
    assert!(!listing.holds(&[other]));
    assert!(!listing.holds(&[Home { journal: true, ..home }]));
}

#[test]
fn a_torn_listing_is_none() {
    let bytes = listed(&world(), later()).unwrap().bytes();
    for length in (0..bytes.len()).step_by(7) {
        assert_eq!(Listing::read(&bytes[..length]), None, "{length}");
    }
}

#[test]
fn a_listing_of_many_files_is_compared_by_several_threads() {
    let world = World::new("claude-code");
    for number in 0..2_500 {
        world.put(&format!("projects/-w-{}/{number}.jsonl", number % 50), "");
    }
    let listing = listed(&world, later()).unwrap();
    assert!(listing.holds(&homes(&world)));
    world.put("projects/-w-49/2499.jsonl", prompt(1, "hello"));
    assert!(!listing.holds(&homes(&world)));
}
