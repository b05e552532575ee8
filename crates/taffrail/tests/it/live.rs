//! The daemon under stress: killed at any moment, flooded, and without notifications.
//!
//! Sessions are written as agents do, a line at a time. The daemon must then know exactly what was
//! written, each line once and in order, and the same as a cold read of the files.
//! `TAFFRAIL_FULL=1` kills five hundred times, `TAFFRAIL_SEED` chooses the moments.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

mod agent_server;
mod load;

use load::{Load, check_written, session_name};
use serde_json::Value;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use taffrail_testkit::Run;
use taffrail_testkit::{Fate, Home, Scale, canonical_view, check_same, claude, until_every};

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
/// The longest life of a daemon before it is killed: long enough to start, and to work.
const LONGEST_LIFE_MS: usize = 700;
/// Sessions that are written concurrently.
const SESSIONS: usize = 20;
/// Lines of a burst per session: twenty thousand in all.
const BURST: u32 = 1_000;
const LOOK: Duration = Duration::from_millis(100);

/// A daemon that answers.
fn daemon(home: &Home) -> Run {
    let run = home.spawn(&["daemon", "run"]);
    until_every(LOOK, "the daemon to answer", || {
        let status = home.run(&["daemon", "status", "--json"]);
        let status: Value = serde_json::from_str(&status.stdout).ok()?;
        status["running"].as_bool().filter(|it| *it)
    });
    run
}

fn signal(run: &Run, name: &str) {
    let status = Command::new("kill").args([name, &run.id().to_string()]).status().unwrap();
    assert!(status.success(), "kill {name}");
}

/// Stops it as a service manager does.
fn end(mut run: Run) {
    signal(&run, "-TERM");
    assert_eq!(run.wait().code(), Some(0), "the daemon's own end");
}

#[test]
fn kills_of_the_daemon_lose_double_and_reorder_nothing() {
    let scale = Scale::from_env();
    let home = Home::new(PROGRAM);
    let (over, mut chance) = (AtomicBool::new(false), scale.chance("kills of the daemon"));
    let kills = scale.pick(20, 500);
    let (written, killed) = std::thread::scope(|scope| {
        let load = scope.spawn(|| Load::new(&home).write_until(&over));
        let mut kill = || {
            let life = chance.below(LONGEST_LIFE_MS) as u64;
            home.spawn(&["daemon", "run"]).kill_after(Duration::from_millis(life))
        };
        let killed = (0..kills).filter(|_| kill() == Fate::Killed).count();
        over.store(true, Ordering::Relaxed);
        (load.join().unwrap(), killed)
    });
    assert_eq!(killed, kills, "a daemon ended by itself");
    let run = daemon(&home);
    check_written(&home, &written);
    let live = canonical_view(&home);
    end(run);
    home.ok(&["rebuild", "--yes"]);
    check_same("a cold read", &canonical_view(&home), &live);
    println!("{killed} kills, {} lines, {} hooks", written.lines(), written.hooks.len());
}

/// How many notifications the system queues for a process that does not read them.
fn queue() -> usize {
    let told = std::fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap();
    told.trim().parse().unwrap()
}

/// Appends a line to one session after the other, so that no two consecutive notifications are
/// equal.
fn flood(home: &Home, each: u32) {
    for number in 1..=each {
        for session in 0..SESSIONS {
            let name = session_name(session);
            home.append(&claude::path(&name), claude::talk(&name, number, number + 1));
        }
    }
}

fn dropped(home: &Home) -> u64 {
    let health = home.json(&["health", "--json"]);
    let places = health["places"].as_array().unwrap().iter();
    places.map(|it| it["dropped"].as_u64().unwrap()).sum()
}

/// Each session with its first line, and a daemon that knows them.
fn begun(home: &Home) -> Run {
    for session in 0..SESSIONS {
        let name = session_name(session);
        home.write(&claude::path(&name), claude::talk(&name, 0, 1));
    }
    let run = daemon(home);
    check_written(home, &load::even(SESSIONS, 1));
    run
}

#[test]
fn a_burst_of_appends_is_all_told_and_all_kept() {
    let home = Home::new(PROGRAM);
    let run = begun(&home);
    let one = home.session(&session_name(7))["id"].as_str().unwrap().to_owned();
    let mut follower = load::Follower::start(&home, &one);
    flood(&home, BURST);
    check_written(&home, &load::even(SESSIONS, BURST + 1));
    follower.saw(&(1..=BURST).map(load::said).collect::<Vec<_>>());
    end(run);
}

#[test]
fn what_was_written_while_notifications_overflowed_is_found() {
    let home = Home::new(PROGRAM);
    let run = begun(&home);
    let before = dropped(&home);
    signal(&run, "-STOP");
    let each = u32::try_from(queue() / SESSIONS + 20).unwrap().max(BURST);
    flood(&home, each);
    signal(&run, "-CONT");
    check_written(&home, &load::even(SESSIONS, each + 1));
    // Polling may find every line before the queue is read to its end, where it says that it overflowed.
    until_every(LOOK, "a notification of the overflow", || (dropped(&home) > before).then_some(()));
    end(run);
}

/// Search is written beside the loop: a failure delays nothing and ends nothing.
#[test]
fn a_search_that_cannot_be_written_holds_nothing_up() {
    let home = Home::new(PROGRAM);
    let name = session_name(0);
    home.write(&claude::path(&name), claude::talk(&name, 0, 2));
    let run = daemon(&home);
    let finds = |word: &str| home.json(&["search", word, "--json"]);
    let hits = |found: &Value| found["hits"].as_array().map(Vec::len);
    until_every(LOOK, "the first search", || hits(&finds("0000")).filter(|it| *it == 1));
    let lock = home.path(".local/share/taffrail/search/.tantivy-writer.lock");
    let lock =
        std::fs::File::options().write(true).create(true).truncate(false).open(lock).unwrap();
    lock.lock().unwrap();
    home.append(&claude::path(&name), claude::talk(&name, 2, 4));
    until_every(LOOK, "the next line", || {
        let id = home.sessions().first()?["id"].as_str()?.to_owned();
        (home.events(&id).len() >= 4).then_some(())
    });
    assert_eq!(hits(&finds("0002")), Some(0), "search has not seen it");
    drop(lock);
    until_every(LOOK, "the next search", || hits(&finds("0002")).filter(|it| *it == 1));
    end(run);
}
