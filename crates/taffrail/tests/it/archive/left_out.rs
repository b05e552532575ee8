//! Excluded data is not archived.

use super::{PROGRAM, SESSION, copies, lifecycle, stale};
use taffrail_testkit::Home;
use taffrail_testkit::chats::{self, Piece};
use taffrail_testkit::claude::{path, talk};
use taffrail_testkit::copies::ARCHIVE;
use taffrail_testkit::goose::GooseDb;

/// A session of every shape, all in one project.
fn filled() -> Home {
    let home = Home::new(PROGRAM);
    home.write(&path(SESSION), talk(SESSION, 0, 2));
    let said = [Piece::Prompt("secret".to_owned())];
    home.write(".gemini/tmp/app/.project_root", "/w/app");
    home.write(&chats::gemini_path("abcd1234", "json"), chats::gemini_document("abcd1234", &said));
    home.write(&chats::codex_path(SESSION), chats::codex(SESSION, "/w/app/deep", &said));
    let database = GooseDb::open(&home);
    database.session("20261001_1", "Named", "/w/app", None);
    chats::goose(&database, "20261001_1", 0, &said);
    home
}

#[test]
fn an_excluded_project_is_not_kept() {
    let home = filled();
    home.ok(&["config", "set", "archive.exclude", r#"["/w/app"]"#]);
    home.index();
    assert_eq!(copies(&home).len(), 0, "{:?}", copies(&home));
    home.append(&path(SESSION), talk(SESSION, 2, 4));
    home.index();
    assert_eq!(copies(&home).len(), 0, "{:?}", copies(&home));
    assert_eq!(home.events("abcd1234").len(), 1, "it is read all the same");
    home.remove(&path(SESSION));
    home.index();
    let claude = home.sessions();
    let claude = claude.iter().find(|it| it["agent"] == "claude-code").unwrap();
    assert_eq!(claude["lifecycle"], "lost");
}

#[test]
fn what_was_kept_goes_when_its_excluded_project_is_read_next() {
    let home = filled();
    home.index();
    assert_eq!(copies(&home).len(), 4);
    home.ok(&["config", "set", "archive.exclude", r#"["/w/app"]"#]);
    home.append(&path(SESSION), talk(SESSION, 2, 3));
    let said = ["secret", "more"].map(|it| Piece::Prompt(it.to_owned()));
    home.write(&chats::gemini_path("abcd1234", "json"), chats::gemini_document("abcd1234", &said));
    let rollout = chats::codex(SESSION, "/w/app/deep", &said);
    home.write(&chats::codex_path(SESSION), rollout);
    let database = GooseDb::open(&home);
    chats::goose(&database, "20261001_1", 1, &said[1..]);
    home.index();
    assert_eq!(copies(&home).len(), 0, "{:?}", copies(&home));
}

#[test]
fn what_was_kept_goes_when_its_project_is_excluded_and_the_index_is_made_anew() {
    let home = filled();
    home.index();
    home.ok(&["config", "set", "archive.exclude", r#"["/w/app"]"#]);
    home.ok(&["rebuild", "--yes"]);
    assert_eq!(copies(&home).len(), 0, "{:?}", copies(&home));
}

#[test]
fn a_project_that_is_not_read_is_not_kept() {
    let home = filled();
    home.ok(&["config", "set", "exclude", r#"["/w/app"]"#]);
    home.index();
    assert_eq!(copies(&home).len(), 0, "{:?}", copies(&home));
}

#[test]
fn without_an_archive_what_is_deleted_is_lost() {
    let home = Home::without_archive(PROGRAM);
    home.write(&path(SESSION), talk(SESSION, 0, 4));
    home.index();
    assert!(!home.path(ARCHIVE).exists());
    home.remove(&path(SESSION));
    home.index();
    assert_eq!((lifecycle(&home, SESSION).as_str(), stale(&home)), ("lost", 4));
    home.ok(&["rebuild", "--yes"]);
    assert_eq!(lifecycle(&home, SESSION), "lost");
}
