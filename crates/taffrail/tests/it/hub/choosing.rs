//! What is published to other devices, and what is not.

use crate::hub::world::{
    PROJECT, daemon, end, files, found, known, look, over_each, said, seen, team, word, write,
    write_in,
};
use serde_json::json;

/// Words in an answer of every session here.
const WORDS: &str = "\"Answer number 0003\"";

#[test]
fn a_session_is_seen_with_its_device_and_its_texts_stay_at_home() {
    over_each(|hub| {
        let [laptop, tower] = team(hub, ["laptop", "tower"]);
        write(&laptop, 1, 10);
        let _daemons = (daemon(&laptop), daemon(&tower));
        let session = seen(&tower, 1, 10);
        assert_eq!(word(&session, "device"), "laptop");
        assert_eq!(session["id"], seen(&laptop, 1, 10)["id"], "it is the same session");
        assert_eq!(session["project_path"], json!("app"), "a path is more than a name");
        let texts = |it: &serde_json::Value| it["text"] == "(text stays on laptop)";
        let all = said(&tower, &session);
        assert!(all.iter().all(texts), "{all:?}");
        assert_eq!((found(&laptop, WORDS), found(&tower, WORDS)), (1, 0));
    });
}

#[test]
fn with_bodies_on_it_is_found_by_its_words() {
    over_each(|hub| {
        let [laptop, tower] = team(hub, ["laptop", "tower"]);
        laptop.ok(&["config", "set", "sync.bodies", "true"]);
        write(&laptop, 1, 10);
        let _daemons = (daemon(&laptop), daemon(&tower));
        let session = seen(&tower, 1, 10);
        assert_eq!(session["project_path"], json!(PROJECT));
        look("the words", || (found(&tower, WORDS) == 1).then_some(()));
        let texts = |home| said(home, &session).iter().map(|it| it["text"].clone()).collect();
        let (there, here): (Vec<_>, Vec<_>) = (texts(&tower), texts(&laptop));
        assert_eq!(there, here);
        assert_eq!(found(&tower, &format!("{WORDS} device:laptop")), 1);
        assert_eq!(found(&tower, &format!("{WORDS} device:here")), 0);
    });
}

#[test]
fn a_project_that_is_left_out_is_never_told() {
    over_each(|hub| {
        let [laptop, tower] = team(hub, ["laptop", "tower"]);
        laptop.ok(&["config", "set", "sync.exclude", "[\"/w/secret-*\"]"]);
        write_in(&laptop, "/w/secret-api", 1, 10);
        write(&laptop, 2, 10);
        let _daemons = (daemon(&laptop), daemon(&tower));
        seen(&laptop, 1, 10);
        seen(&tower, 2, 10);
        // A later session has arrived, so these would have arrived, too.
        write(&laptop, 3, 10);
        seen(&tower, 3, 10);
        assert_eq!(known(&tower, 1), None);
        assert_eq!(laptop.json(&["hub", "status", "--json"])["waiting"], 0);
    });
}

#[test]
fn what_is_left_out_later_is_taken_back() {
    over_each(|hub| {
        let [laptop, tower] = team(hub, ["laptop", "tower"]);
        laptop.ok(&["config", "set", "sync.bodies", "true"]);
        write_in(&laptop, "/w/secret-api", 1, 10);
        write(&laptop, 2, 10);
        let (first, _other) = (daemon(&laptop), daemon(&tower));
        seen(&tower, 1, 10);
        seen(&tower, 2, 10);
        end(&laptop, first);
        laptop.ok(&["config", "set", "sync.exclude", "[\"/w/secret-*\"]"]);
        let _again = daemon(&laptop);
        look("its end", || known(&tower, 1).is_none().then_some(()));
        seen(&tower, 2, 10);
        look("its words' end", || (found(&tower, WORDS) == 1).then_some(()));
    });
}

#[test]
fn who_left_the_hub_tells_nothing_more() {
    over_each(|hub| {
        let [laptop, tower] = team(hub, ["laptop", "tower"]);
        write(&laptop, 1, 10);
        let (first, there) = (daemon(&laptop), daemon(&tower));
        seen(&tower, 1, 10);
        let told = laptop.run(&["hub", "leave"]);
        assert!(told.stderr.contains("taffrail daemon restart"), "{}", told.stderr);
        end(&laptop, first);
        // No other device writes, so every change on the hub would be the laptop's.
        end(&tower, there);
        let before = files(&hub.store());
        let _again = daemon(&laptop);
        write(&laptop, 2, 10);
        seen(&laptop, 2, 10);
        assert_eq!(laptop.json(&["hub", "status", "--json"])["hub"], json!(null));
        assert_eq!(laptop.run(&["teleport", "push", "@last"]).status, 6);
        assert_eq!(files(&hub.store()), before);
        let _there = daemon(&tower);
        write(&tower, 3, 10);
        seen(&tower, 3, 10);
        assert_eq!(known(&tower, 2), None);
        assert!(known(&tower, 1).is_some(), "what was told stays told");
    });
}
