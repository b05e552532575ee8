//! Single promises: forks are one hit, small steps cost few commits, odd queries have answers.

use super::{PROGRAM, ask, found, total, word};
use serde_json::Value;
use std::fs::{self, File, FileTimes};
use std::path::Path;
use std::time::{Duration, Instant};
use taffrail_testkit::chats::{self, Piece};
use taffrail_testkit::claude::{Line, path, talk};
use taffrail_testkit::{Home, canonical_view, check_same};

const SESSION: &str = "11111111-1111-4111-8111-111111111111";
const FORK: &str = "22222222-2222-4222-8222-222222222222";

/// A session and a fork that repeats its first two records.
fn forked(home: &Home) {
    let prompt = |text: &str| Piece::Prompt(text.to_owned());
    let answer = |text: &str| Piece::Answer(text.to_owned());
    let origin = [prompt("shared zebra"), answer("shared yak"), prompt("only origin")];
    home.write(&path(SESSION), chats::claude(SESSION, "o", "/w/app", &origin));
    let own = chats::claude(FORK, "f", "/w/app", &[prompt("only fork")]).replace("T10:", "T11:");
    home.write(&path(FORK), chats::claude(FORK, "o", "/w/app", &origin[..2]) + &own);
}

fn check_forks(home: &Home, when: &str) {
    for (query, wanted) in [("zebra", 1), ("yak", 1), ("shared", 2), ("only", 2), ("fork", 1)] {
        assert_eq!(found(&ask(home, query)).len(), wanted, "{query} {when}");
    }
}

#[test]
fn a_forked_message_is_one_hit_whatever_becomes_of_its_origin() {
    for (home, kept) in [(Home::new(PROGRAM), true), (Home::without_archive(PROGRAM), false)] {
        forked(&home);
        check_forks(&home, "at first");
        home.ok(&["rebuild", "--yes"]);
        check_forks(&home, "after a rebuild");
        home.remove(&path(SESSION));
        check_forks(&home, "without the origin's file");
        home.ok(&["rebuild", "--yes"]);
        if kept {
            check_forks(&home, "from the copy, after a rebuild");
        }
        assert_eq!(total(&home, "zebra"), 1, "kept: {kept}");
        assert_eq!(total(&home, "fork"), 1, "kept: {kept}");
    }
}

#[test]
fn a_message_its_origin_took_back_is_the_forks_own() {
    let home = Home::without_archive(PROGRAM);
    forked(&home);
    check_forks(&home, "at first");
    let whole = std::fs::read_to_string(home.path(&path(SESSION))).unwrap();
    home.write(&path(SESSION), whole.replace(whole.lines().nth(1).unwrap(), ""));
    let hits = ask(&home, "yak");
    assert_eq!(found(&hits).len(), 1, "{hits}");
    assert_eq!(hits["hits"][0]["session_id"], home.session(FORK)["id"]);
    let view = canonical_view(&home);
    home.ok(&["rebuild", "--yes"]);
    check_same("a rebuild", &canonical_view(&home), &view);
    assert_eq!(total(&home, "yak"), 1);
}

#[test]
fn what_its_origin_took_back_is_still_found_in_one_of_two_forks() {
    const THIRD: &str = "33333333-3333-4333-8333-333333333333";
    let home = Home::without_archive(PROGRAM);
    forked(&home);
    let fork = std::fs::read_to_string(home.path(&path(FORK))).unwrap();
    home.write(
        &path(THIRD),
        fork.replace(FORK, THIRD).replace("f-0", "t-0").replace("T11:", "T12:"),
    );
    assert_eq!(found(&ask(&home, "yak")).len(), 1);
    let whole = std::fs::read_to_string(home.path(&path(SESSION))).unwrap();
    home.write(&path(SESSION), whole.replace(whole.lines().nth(1).unwrap(), ""));
    let hits = found(&ask(&home, "yak"));
    assert_eq!(hits.len(), 1);
    home.ok(&["rebuild", "--yes"]);
    assert_eq!(found(&ask(&home, "yak")), hits);
}

#[test]
fn all_words_come_first_and_weak_matches_are_counted() {
    let home = Home::new(PROGRAM);
    let mut pieces = vec![
        Piece::Answer("zebra zebra zebra zebra".to_owned()),
        Piece::Prompt("a long way of saying that the yak met a zebra at the crossing".to_owned()),
    ];
    pieces.extend((0..14).map(|it| Piece::Answer(format!("yak number {it}"))));
    home.write(&path(SESSION), chats::claude(SESSION, "o", "/w/app", &pieces));
    let reply = ask(&home, "zebra crossing yak");
    let hits = reply["hits"].as_array().unwrap();
    let kinds: Vec<_> = hits.iter().map(|it| (word(it, "kind"), it["weak"] == true)).collect();
    let answer = |weak| ("assistant.message".to_owned(), weak);
    assert_eq!(kinds[..3], [("user.prompt".to_owned(), false), answer(false), answer(true)]);
    assert_eq!((hits.len(), &reply["weaker"]), (16, &Value::from(14)));
    let shown = home.run(&["search", "zebra", "crossing", "yak"]);
    assert_eq!(shown.stderr, "14 weaker matches: --all\n");
    assert!(!shown.stdout.contains("yak number"), "{}", shown.stdout);
    let all = home.run(&["search", "zebra", "crossing", "yak", "--all"]);
    assert_eq!(all.stdout.matches("yak number").count(), 14, "{}", all.stdout);
    assert_eq!(all.stderr, "");
}

/// Sets the age of a file in seconds; the latest is read first.
fn age(home: &Home, below: &str, seconds: u64) {
    let file = fs::metadata(home.path(below)).unwrap();
    let then = file.modified().unwrap() - Duration::from_secs(seconds);
    let times = FileTimes::new().set_modified(then);
    File::options().write(true).open(home.path(below)).unwrap().set_times(times).unwrap();
}

/// So many prompts that they take several batches.
fn filling(session: &str, count: u32) -> String {
    let line = |number: u32| {
        let uuid = format!("filler-{number}");
        Line { session, uuid: &uuid, parent: None, second: number % 3600 }.prompt("filler")
    };
    (0..count).map(line).collect()
}

#[test]
fn what_changes_hands_while_it_is_first_read_is_found_once() {
    let home = Home::new(PROGRAM);
    let prompt = |text: &str| [Piece::Prompt(text.to_owned())];
    let write = |id: &str, extra: &str, at: &str, seconds: u64| {
        let shared = chats::claude(id, "shared", "/w/app", &prompt("shared zebra"));
        let own = chats::claude(id, id, "/w/app", &prompt("own yak")).replace("10:00:00", at);
        home.write(&path(id), shared + extra + &own);
        age(&home, &path(id), seconds);
    };
    let [one, two, three, filler, other] =
        ["1", "2", "3", "4", "5"].map(|it| SESSION.replace('1', it));
    // The first counts as older than the second until the third is read, which shares its oldest
    // record.
    let oldest = |id: &str| {
        chats::claude(id, "oldest", "/w/app", &prompt("wolf")).replace("10:00:00", "10:00:01")
    };
    write(&one, &oldest(&one), "10:02:00", 10);
    write(&two, "", "10:01:00", 20);
    // Two are read at a time.
    for filler in [filler, other] {
        home.write(&path(&filler), filling(&filler, 14_000));
        age(&home, &path(&filler), 30);
    }
    write(&three, &oldest(&three), "10:03:00", 40);
    home.index();
    assert_eq!(commits(&home), 1);
    for (query, wanted) in [("zebra", 1), ("wolf", 1), ("yak", 3)] {
        assert_eq!(found(&ask(&home, query)).len(), wanted, "{query}");
    }
}

/// How many times search was committed since it was created.
fn commits(home: &Home) -> u64 {
    let meta = std::fs::read(home.path(".local/share/taffrail/search/meta.json")).unwrap();
    let meta: Value = serde_json::from_slice(&meta).unwrap();
    meta["payload"].as_str().unwrap().split(' ').nth(3).unwrap().parse().unwrap()
}

#[test]
fn many_small_steps_cost_few_commits() {
    let home = Home::new(PROGRAM);
    home.write(&path(SESSION), talk(SESSION, 0, 4));
    home.index();
    let before = commits(&home);
    let began = Instant::now();
    for step in 0..60 {
        home.append(&path(SESSION), talk(SESSION, 4 + step, 5 + step));
        home.index();
    }
    let minutes = began.elapsed().as_secs() / 60;
    let after = commits(&home);
    println!("{} commits for 60 steps in {:?}", after - before, began.elapsed());
    assert!(after - before <= 1 + minutes, "{before} commits became {after}");
    assert_eq!(total(&home, "number"), 64);
    let after = commits(&home);
    for _ in 0..5 {
        home.index();
        assert_eq!(total(&home, "number"), 64);
    }
    assert_eq!(commits(&home), after, "nothing was new");
}

#[test]
fn odd_questions_have_their_answers() {
    let home = Home::new(PROGRAM);
    let said = [
        Piece::Prompt("What is the name of it".to_owned()),
        Piece::Answer("The parser is".to_owned()),
    ];
    home.write(&path(SESSION), chats::claude(SESSION, "o", "/w/app", &said));
    let check = |query: &str, wanted: usize| {
        assert_eq!(found(&ask(&home, query)).len(), wanted, "{query:?}");
    };
    check("the", 2);
    check("the of", 2);
    check("the parser", 1);
    for nothing in ["", "  \t ", "*", "\"", "!? ..."] {
        assert_eq!(home.run(&["search", nothing]).status, 2, "{nothing:?}");
    }
    check("kind:prompt", 1);
    check("agent:claude-code", 2);
    check("agent:claude", 2);
    check("agent:codex", 0);
    check("project:app kind:message", 1);
    check("project:/w/app/", 2);
    check("since:2026-10-01T10:00:01Z", 1);
    check(&format!("in:{SESSION}"), 2);
    check(&format!("in:{SESSION} agent:codex"), 0);
    check("\"wher:ever\"", 0);
    check("agent:", 0);
}

#[test]
fn a_filter_that_means_nothing_is_an_error() {
    let home = Home::new(PROGRAM);
    home.write(&path(SESSION), talk(SESSION, 0, 2));
    let check = |query: &str, status: i32, kind: &str| {
        let output = home.run(&["search", query, "--json"]);
        assert_eq!(output.status, status, "{query}: {}{}", output.stdout, output.stderr);
        let told: Value = serde_json::from_str(&(output.stdout + &output.stderr)).unwrap();
        assert_eq!(word(&told["error"], "kind"), kind, "{query}");
    };
    check("x agent:nobody", 2, "usage");
    check("x in:ffffffff", 3, "not_found");
    check("x in:nonsense", 3, "not_found");
    check("x kind:nonsense", 2, "usage");
    check("x since:whenever", 2, "usage");
    check("x since:-3d", 2, "usage");
}

#[test]
fn while_another_writes_what_is_known_is_searched() {
    let home = Home::new(PROGRAM);
    home.write(&path(SESSION), talk(SESSION, 0, 4));
    home.index();
    let lock = File::open(home.path(".local/share/taffrail/writer.lock")).unwrap();
    lock.lock().unwrap();
    home.append(&path(SESSION), talk(SESSION, 4, 8));
    let reply = ask(&home, "number");
    assert_eq!((&reply["total"], &reply["partial"]), (&4.into(), &true.into()), "{reply}");
    lock.unlock().unwrap();
    assert_eq!(found(&ask(&home, "number")).len(), 8);
}

#[test]
fn while_another_writes_the_first_time_nothing_is_found_and_nothing_fails() {
    let home = Home::new(PROGRAM);
    home.write(&path(SESSION), talk(SESSION, 0, 4));
    home.write(".local/share/taffrail/writer.lock", "");
    let lock = File::open(home.path(".local/share/taffrail/writer.lock")).unwrap();
    lock.lock().unwrap();
    let reply = ask(&home, "number");
    assert_eq!((&reply["total"], &reply["partial"]), (&0.into(), &true.into()), "{reply}");
    lock.unlock().unwrap();
    assert_eq!(found(&ask(&home, "number")).len(), 4);
}

#[test]
fn a_line_begun_in_a_string_of_json_is_found_by_its_first_word() {
    let home = Home::new(PROGRAM);
    let input = serde_json::json!({"command": ["bash", "-lc", "cd /w\ncargo test\nzebra"]});
    let said = [Piece::Tool("shell".to_owned(), input, "done".to_owned())];
    let thread = "01a10000-0000-7000-8000-000000000002";
    home.write(&chats::codex_path(thread), chats::codex(thread, "/w/app", &said));
    assert_eq!(found(&ask(&home, "zebra")).len(), 1);
    assert_eq!(found(&ask(&home, "\"cargo test\"")).len(), 1);
}

#[test]
fn a_damaged_search_is_made_again() {
    let home = Home::new(PROGRAM);
    home.write(&path(SESSION), talk(SESSION, 0, 4));
    home.index();
    home.append(&path(SESSION), talk(SESSION, 4, 8));
    assert_eq!(total(&home, "number"), 8);
    let saved = home.save_data();
    let folder = home.path(".local/share/taffrail/search");
    let files = std::fs::read_dir(&folder).unwrap().map(|it| it.unwrap().path());
    let files: Vec<_> = files.filter(|it| it.metadata().unwrap().len() > 0).collect();
    assert!(files.len() > 5, "{files:?}");
    let damages: [fn(&Path); 3] = [
        |file| std::fs::remove_file(file).unwrap(),
        |file| std::fs::write(file, "").unwrap(),
        |file| {
            let garbled: Vec<_> = std::fs::read(file).unwrap().iter().map(|it| it ^ 0x55).collect();
            std::fs::write(file, garbled).unwrap();
        },
    ];
    let commands: [&[&str]; 3] = [&["index"], &["doctor"], &["search", "number"]];
    for (at, file) in files.iter().enumerate() {
        for (number, damage) in damages.iter().enumerate() {
            let command = commands[(at + number) % 3];
            home.restore_data(&saved);
            damage(file);
            home.ok(command);
            let found = found(&ask(&home, "\"answer number\"")).len();
            assert_eq!(found, 4, "{file:?}, damage {number}, {command:?}");
        }
    }
}

#[test]
fn what_was_said_in_other_words_is_found_and_marked_only_if_that_is_on() {
    let home = Home::new(PROGRAM);
    let pieces = [
        Piece::Prompt("The authentication of customers is broken since the upgrade".to_owned()),
        Piece::Answer("I painted the fence and fed the ducks in the pond".to_owned()),
    ];
    home.write(&path(SESSION), chats::claude(SESSION, "o", "/w/app", &pieces));
    let asked = |typed: &str| {
        let reply = ask(&home, typed);
        let hits = reply["hits"].as_array().unwrap().clone();
        hits.iter().map(|it| (word(it, "kind"), it["by_meaning"] == true)).collect::<Vec<_>>()
    };
    let question = "why can users not login";
    assert_eq!(asked(question), []);
    home.ok(&["config", "set", "search.meaning", "true"]);
    assert_eq!(asked(question), [("user.prompt".to_owned(), true)]);
    // A word that occurs finds the same event by itself.
    let both = "why can customers not login";
    assert_eq!(asked(both), [("user.prompt".to_owned(), false)]);
    assert_eq!(asked("\"can users\" not login"), []);
    assert_eq!(asked("why can users not login kind:message"), []);
    let shown = home.run(&["search", question]);
    assert!(shown.stdout.contains("since the upgrade (by meaning)"), "{}", shown.stdout);
    home.ok(&["config", "set", "search.meaning", "false"]);
    assert_eq!((asked(question), asked(both).len()), (Vec::new(), 1));
}
