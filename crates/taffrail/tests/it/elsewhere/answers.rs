//! A request is answered on another device, at most once, by a device that may.

use crate::elsewhere::{LOOK, PRIVATE, SESSION, World, asks, requests, wait_for};
use serde_json::json;
use std::thread;
use taffrail_testkit::{Home, Scale, until_every};

const ANN: &str = "ann@x.org";

/// The decisions in the laptop's log, each with its author.
fn decided(home: &Home, id: &str) -> Vec<(String, String)> {
    let log = home.json(&["approvals", "log", "--json"]);
    let all = log["decisions"].as_array().unwrap().iter().filter(|it| it["approval_id"] == *id);
    let word = |it: &serde_json::Value| it.as_str().unwrap().to_owned();
    all.map(|it| (word(&it["by"]), word(&it["decision"]))).collect()
}

#[test]
fn what_is_asked_here_is_answered_there_and_the_log_names_the_device() {
    let world = World::new(&[("tower", ANN)]);
    let (laptop, tower) = (&world.laptop, &world.others[0]);
    for (command, verb, word) in [("npm test", "approve", "allow"), ("rm -rf x", "deny", "deny")] {
        let (hook, id) = asks(laptop, SESSION, command);
        let told = wait_for(tower, command);
        assert_eq!(
            (&told["id"], &told["device"], &told["state"], &told["agent"]),
            (&json!(id), &json!("laptop"), &json!("pending"), &json!("claude-code"))
        );
        tower.ok(&[verb, &id]);
        assert_eq!(hook.answer(), word);
        assert_eq!(decided(laptop, &id), [("tower (cli)".to_owned(), word.to_owned())]);
        assert_eq!(decided(tower, &id), decided(laptop, &id), "the log where it was decided");
        assert_eq!(requests(tower), [] as [serde_json::Value; 0]);
        let late = tower.run(&["approve", &id]);
        assert_eq!(late.status, 6, "{}{}", late.stdout, late.stderr);
        assert!(late.stderr.contains("decided on laptop, by tower (cli)"), "{}", late.stderr);
    }
}

#[test]
fn only_devices_of_the_same_user_see_it_and_only_where_that_was_allowed() {
    let world = World::new(&[("tower", ANN), ("bobs", "bob@x.org")]);
    let (laptop, tower, bobs) = (&world.laptop, &world.others[0], &world.others[1]);
    let (_closed, closed) = asks(laptop, PRIVATE, "cat secret");
    let (_open, open) = asks(laptop, SESSION, "npm test");
    let seen = wait_for(tower, "npm test");
    let ids: Vec<_> = requests(tower).into_iter().map(|it| it["id"].clone()).collect();
    assert_eq!(ids, [seen["id"].clone()]);
    assert_eq!(tower.run(&["approve", &closed]).status, 3);
    // A later item has arrived, so these would have arrived, too.
    laptop.ok(&["share", SESSION, "--with", "bob@x.org"]);
    until_every(LOOK, "what is shared", || (!bobs.sessions().is_empty()).then_some(()));
    assert_eq!(requests(bobs), [] as [serde_json::Value; 0]);
    assert_eq!(bobs.run(&["approve", &open]).status, 3);
}

#[test]
fn who_sits_at_the_device_is_first_and_the_other_is_told() {
    let world = World::new(&[("tower", ANN)]);
    let (laptop, tower) = (&world.laptop, &world.others[0]);
    let (hook, id) = asks(laptop, SESSION, "npm test");
    wait_for(tower, "npm test");
    laptop.ok(&["deny", &id]);
    assert_eq!(hook.answer(), "deny");
    let late = tower.run(&["approve", &id]);
    assert_eq!(late.status, 6, "{}{}", late.stdout, late.stderr);
    assert_eq!(decided(laptop, &id), [("cli".to_owned(), "deny".to_owned())]);
    until_every(LOOK, "it to be gone", || requests(tower).is_empty().then_some(()));
}

/// The end of the agent's own wait is published, too.
#[test]
fn what_nobody_waits_for_any_more_is_no_longer_offered() {
    let world = World::new(&[("tower", ANN)]);
    let (laptop, tower) = (&world.laptop, &world.others[0]);
    let (hook, id) = asks(laptop, SESSION, "npm test");
    wait_for(tower, "npm test");
    drop(hook);
    until_every(LOOK, "it to be gone", || requests(tower).is_empty().then_some(()));
    let late = tower.run(&["approve", &id]);
    assert_eq!(late.status, 6, "{}{}", late.stdout, late.stderr);
}

#[test]
fn of_three_who_answer_at_once_one_decides() {
    let world = World::new(&[("tower", ANN), ("phone", ANN)]);
    let (laptop, others) = (&world.laptop, &world.others);
    for round in 0..Scale::from_env().pick(5, 200) {
        let command = format!("make {round}");
        let (hook, id) = asks(laptop, SESSION, &command);
        others.iter().for_each(|it| drop(wait_for(it, &command)));
        let answers = [(laptop, "deny"), (&others[0], "approve"), (&others[1], "deny")];
        let won = thread::scope(|scope| {
            let all = answers.map(|(home, verb)| scope.spawn(|| home.run(&[verb, &id]).status));
            all.map(|it| it.join().unwrap())
        });
        let log = decided(laptop, &id);
        assert_eq!(log.len(), 1, "{log:?}");
        let who = ["cli", "tower (cli)", "phone (cli)"];
        let winner = who.iter().position(|it| **it == log[0].0).unwrap();
        let expected: Vec<_> = (0..3).map(|it| if it == winner { 0 } else { 6 }).collect();
        assert_eq!(won.to_vec(), expected, "{log:?}");
        assert_eq!(hook.answer(), log[0].1);
    }
}
