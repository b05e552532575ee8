//! More than one: homes with the same transcript, forks in any order, two programs at once.

use super::{OTHER, PROGRAM, SESSION, lifecycle, stale, told};
use serde_json::Value;
use std::fs::File;
use taffrail_testkit::claude::{Line, path, talk};
use taffrail_testkit::corpus::Corpus;
use taffrail_testkit::{Home, canonical_view, check_same};

const SECOND: &str = "elsewhere";

fn two_homes() -> Home {
    let home = Home::without_archive(PROGRAM);
    home.ok(&["config", "set", "agents.claude-code.homes", r#"["~/elsewhere"]"#]);
    home
}

fn in_second(file: &str) -> String {
    file.replace(".claude", SECOND)
}

/// Two homes hold the same transcript, one of them less of it.
fn check_two(first: u32, second: u32, gone: &str) {
    let home = two_homes();
    let file = path(SESSION);
    home.write(&file, talk(SESSION, 0, first));
    home.index();
    home.write(&in_second(&file), talk(SESSION, 0, second));
    let both = told(&home, SESSION);
    let most = first.max(second) as usize;
    assert_eq!((both.len(), stale(&home, SESSION)), (most, 0), "{first} and {second}");
    let view = canonical_view(&home);
    home.ok(&["rebuild", "--yes"]);
    check_same(&format!("{first} and {second} rebuilt"), &canonical_view(&home), &view);
    home.remove(&gone.replace("FILE", &file));
    let left = if gone.starts_with(SECOND) { first } else { second } as usize;
    let now = told(&home, SESSION);
    assert_eq!(lifecycle(&home, SESSION), "resumable");
    assert_eq!(now[..left], both[..left], "{first} and {second}, without {gone}");
    assert_eq!(stale(&home, SESSION), now.len() - left, "only what is nowhere is stale");
}

#[test]
fn the_same_transcript_in_two_homes_is_one_session() {
    let second = format!("{SECOND}/projects/-w-app/{SESSION}.jsonl");
    for (first, other) in [(6, 6), (6, 4), (4, 6)] {
        check_two(first, other, "FILE");
        check_two(first, other, &second);
    }
}

/// A session and a fork of it that replays its first two records.
fn family() -> [(&'static str, String); 2] {
    let own = |session, uuid: &str, second| {
        let uuid = format!("{uuid}-{session}");
        let parent = Some("00000000-0000-4000-8000-000000000001");
        let line = Line { session, uuid: &uuid, parent, second };
        let end = format!("{uuid}-end");
        let answer = Line { uuid: &end, parent: Some(&uuid), second: second + 1, ..line };
        line.prompt("More.") + &answer.answer("Done.")
    };
    [
        (SESSION, talk(SESSION, 0, 2) + &own(SESSION, "p", 10)),
        (OTHER, talk(OTHER, 0, 2) + &own(OTHER, "f", 20)),
    ]
}

/// Reads files in this order and returns the view and each session's own output tokens.
fn read_in_order(order: &[usize]) -> (Vec<String>, Vec<(String, u64)>) {
    let home = Home::new(PROGRAM);
    for number in order {
        let (session, lines) = &family()[*number];
        home.write(&path(session), lines);
        home.index();
    }
    let spent = |it: &Value| {
        let id = it["runtime_session_id"].as_str().unwrap().to_owned();
        (id, it["usage"]["output_tokens"].as_u64().unwrap())
    };
    let mut spent: Vec<_> = home.sessions().iter().map(spent).collect();
    spent.sort();
    (canonical_view(&home), spent)
}

#[test]
fn a_fork_counts_once_in_whatever_order_it_is_read() {
    let (view, spent) = read_in_order(&[0, 1]);
    assert_eq!(spent, [(SESSION.to_owned(), 20), (OTHER.to_owned(), 10)]);
    let (other_view, other_spent) = read_in_order(&[1, 0]);
    assert_eq!(other_spent, spent);
    check_same("fork first", &other_view, &view);
}

#[test]
fn a_fork_alone_owns_what_it_replays() {
    assert_eq!(read_in_order(&[1]).1, [(OTHER.to_owned(), 20)]);
}

#[test]
fn a_fork_whose_origin_is_deleted_keeps_its_own_and_a_rebuild_gives_it_all() {
    let home = Home::without_archive(PROGRAM);
    for (session, lines) in family() {
        home.write(&path(session), lines);
    }
    home.index();
    home.remove(&path(SESSION));
    home.index();
    let spent = |home: &Home| home.session(OTHER)["usage"]["output_tokens"].as_u64().unwrap();
    assert_eq!(spent(&home), 10, "the origin is lost but known");
    home.ok(&["rebuild", "--yes"]);
    assert_eq!(spent(&home), 20, "nothing is known of the origin's answers");
}

#[test]
fn while_another_writes_index_says_so_and_ls_works() {
    let home = Home::new(PROGRAM);
    home.write(&path(SESSION), talk(SESSION, 0, 4));
    home.index();
    home.write(&path(OTHER), talk(OTHER, 0, 2));
    let lock = File::open(home.path(".local/share/taffrail/writer.lock")).unwrap();
    lock.lock().unwrap();
    let refused = home.run(&["index"]);
    assert_eq!((refused.status, refused.stdout.as_str()), (1, ""));
    assert!(refused.stderr.contains("another taffrail is writing"), "{}", refused.stderr);
    let listed = home.run(&["ls"]);
    assert_eq!((listed.status, listed.stdout.lines().count()), (0, 3), "{listed:?}");
    assert!(listed.stderr.contains("another taffrail is reading them"), "{}", listed.stderr);
    assert_eq!(home.events(SESSION).len(), 4);
    lock.unlock().unwrap();
    assert_eq!(home.index()["sessions"], 2);
}

#[test]
fn programs_at_once_leave_what_one_alone_does() {
    let home = Home::new(PROGRAM);
    home.index();
    let blank = home.save_data();
    Corpus { seed: 5, bytes: 2_000_000 }.write(&home);
    home.index();
    let view = canonical_view(&home);
    home.restore_data(&blank);
    let mut runs: Vec<_> = (0..4).map(|_| home.spawn(&["index"])).collect();
    let codes: Vec<_> = runs.iter_mut().map(|run| run.wait().code()).collect();
    assert!(codes.contains(&Some(0)), "{codes:?}");
    assert!(codes.iter().all(|code| matches!(code, Some(0 | 1))), "{codes:?}");
    home.index();
    check_same("four at once", &canonical_view(&home), &view);
}
