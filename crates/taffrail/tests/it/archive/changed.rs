//! Sources that are cut, rewritten, rewound, moved, deleted and written again: while a source
//! exists it is the record, and its copy follows.

use super::{PROGRAM, SESSION, copies, lifecycle, stale, texts, total};
use serde_json::json;
use taffrail_testkit::chats::{self, Piece};
use taffrail_testkit::claude::{path, talk};
use taffrail_testkit::goose::{GooseDb, text};
use taffrail_testkit::{Home, canonical_view, check_same};

/// Checks the full history, also from a rebuilt index; then from the copy alone.
fn check(what: &str, home: &Home, session: &str, expected: &[&str], delete: &dyn Fn()) {
    let told = |when: &str| {
        let texts = texts(home, session);
        let said: Vec<_> = texts.iter().map(String::as_str).filter(|it| !it.is_empty()).collect();
        assert_eq!((said.as_slice(), stale(home)), (expected, 0), "{what}, {when}");
    };
    home.index();
    told("now");
    let view = canonical_view(home);
    home.ok(&["rebuild", "--yes"]);
    told("made anew");
    check_same(what, &canonical_view(home), &view);
    delete();
    home.index();
    assert_eq!(lifecycle(home, session), "archived", "{what}");
    told("deleted");
    check_same(&format!("{what}, deleted"), &canonical_view(home), &view);
    home.ok(&["rebuild", "--yes"]);
    told("deleted, made anew");
    check_same(&format!("{what}, deleted, made anew"), &canonical_view(home), &view);
}

fn with_talk(count: u32) -> Home {
    let home = Home::new(PROGRAM);
    home.write(&path(SESSION), talk(SESSION, 0, count));
    home.index();
    home
}

const FIRST: &str = "Prompt number 0000.";
const SECOND: &str = "Answer number 0001.";

#[test]
fn what_was_cut_away_is_not_shown() {
    let home = with_talk(8);
    home.write(&path(SESSION), talk(SESSION, 0, 2));
    home.index();
    assert_eq!(total(&home, "0005"), 0);
    check("cut", &home, SESSION, &[FIRST, SECOND], &|| home.remove(&path(SESSION)));
    assert_eq!(total(&home, "0005"), 0);
}

#[test]
fn what_was_rewritten_is_shown_as_it_is_now() {
    let home = with_talk(3);
    let other = talk(SESSION, 0, 3).replace("number 0001", "rewritten zebra");
    home.write(&path(SESSION), other);
    let now = [FIRST, "Answer rewritten zebra.", "Prompt number 0002."];
    home.index();
    assert_eq!((total(&home, "0001"), total(&home, "zebra")), (0, 1));
    check("rewritten", &home, SESSION, &now, &|| home.remove(&path(SESSION)));
    assert_eq!((total(&home, "0001"), total(&home, "zebra")), (0, 1));
}

#[test]
fn what_was_rewound_is_not_shown() {
    let home = Home::new(PROGRAM);
    let prompt = |text: &str| Piece::Prompt(text.to_owned());
    let file = chats::gemini_path(SESSION, "jsonl");
    home.write(".gemini/tmp/app/.project_root", "/w/app");
    home.write(&file, chats::gemini_lines(SESSION, &[prompt("first"), prompt("second zebra")]));
    home.index();
    home.append(&file, format!("{}\n", json!({"$rewindTo": "m1"})));
    home.append(&file, format!("{}\n", chats::gemini_message(2, &prompt("third"))));
    home.index();
    assert_eq!(total(&home, "zebra"), 0);
    check("rewound", &home, SESSION, &["first", "third"], &|| home.remove(&file));
    assert_eq!(total(&home, "zebra"), 0);
}

#[test]
fn a_document_is_shown_as_it_is_now() {
    let home = Home::new(PROGRAM);
    let prompt = |text: &str| Piece::Prompt(text.to_owned());
    let file = chats::gemini_path(SESSION, "json");
    for said in [["first", "second"], ["first", "other"], ["another", "other"]] {
        let pieces = said.map(prompt);
        home.write(&file, chats::gemini_document(SESSION, &pieces));
        home.index();
    }
    home.write(&file, chats::gemini_document(SESSION, &[prompt("last")]));
    check("document", &home, SESSION, &["last"], &|| home.remove(&file));
    assert_eq!(copies(&home).len(), 3, "the newest editions");
}

#[test]
fn an_edited_row_is_shown_as_it_is_now() {
    let home = Home::new(PROGRAM);
    let database = GooseDb::open(&home);
    database.session("20261001_1", "Named", "/w/app", None);
    let said = ["first", "second"].map(|it| Piece::Prompt(it.to_owned()));
    let rows = chats::goose(&database, "20261001_1", 0, &said);
    home.index();
    database.edit(rows[1], &json!([text("other")]));
    let now = ["first", "other"];
    check("edited", &home, "20261001_1", &now, &|| database.delete("20261001_1"));
}

#[test]
fn a_moved_file_keeps_its_copy() {
    let home = with_talk(2);
    let moved = path(SESSION).replace("-w-app", "-w-moved");
    home.rename(&path(SESSION), &moved);
    check("moved", &home, SESSION, &[FIRST, SECOND], &|| home.remove(&moved));
}

#[test]
fn a_file_moved_and_deleted_in_one_go_keeps_its_copy() {
    let home = with_talk(2);
    let view = canonical_view(&home);
    let moved = path(SESSION).replace("-w-app", "-w-moved");
    home.rename(&path(SESSION), &moved);
    home.index();
    home.remove(&moved);
    home.index();
    check_same("moved, then deleted", &canonical_view(&home), &view);
    assert_eq!((lifecycle(&home, SESSION).as_str(), stale(&home)), ("archived", 0));
}

#[test]
fn what_was_cut_away_after_a_move_does_not_come_back() {
    let home = with_talk(8);
    let moved = path(SESSION).replace("-w-app", "-w-moved");
    home.rename(&path(SESSION), &moved);
    home.index();
    home.write(&moved, talk(SESSION, 0, 2));
    check("moved and cut", &home, SESSION, &[FIRST, SECOND], &|| home.remove(&moved));
}

#[test]
fn a_move_leaves_one_copy() {
    let home = with_talk(4);
    let moved = path(SESSION).replace("-w-app", "-w-moved");
    home.rename(&path(SESSION), &moved);
    home.index();
    home.append(&moved, talk(SESSION, 4, 6));
    home.index();
    let copies = copies(&home);
    assert_eq!(copies.len(), 1, "{copies:?}");
    assert_eq!(copies[0].bytes, talk(SESSION, 0, 6).as_bytes());
}

#[test]
fn a_file_deleted_and_written_again_is_the_record() {
    let home = with_talk(4);
    home.remove(&path(SESSION));
    home.index();
    assert_eq!(texts(&home, SESSION).len(), 4);
    home.write(&path(SESSION), talk(SESSION, 0, 2));
    home.index();
    assert_eq!(lifecycle(&home, SESSION), "resumable");
    check("again, shorter", &home, SESSION, &[FIRST, SECOND], &|| home.remove(&path(SESSION)));
    home.write(&path(SESSION), talk(SESSION, 0, 4));
    home.index();
    assert_eq!((texts(&home, SESSION).len(), stale(&home)), (4, 0));
    assert_eq!(lifecycle(&home, SESSION), "resumable");
}
