//! Deleted sources: their sessions stay complete, also in a rebuilt index.

use super::{PROGRAM, SESSION, lifecycle, stale, total};
use serde_json::json;
use std::fs;
use taffrail_testkit::chats::{self, Piece};
use taffrail_testkit::corpus::Corpus;
use taffrail_testkit::goose::{DATABASE, GooseDb};
use taffrail_testkit::{Home, canonical_view, check_same};

/// A conversation whose texts are longer than any excerpt; the searched words are at their ends.
fn long() -> Vec<Piece> {
    let text = |end: &str| format!("{}{end}", "so many words ".repeat(40));
    vec![
        Piece::Prompt(text("zebra")),
        Piece::Answer(text("yak")),
        Piece::Tool("Bash".to_owned(), json!({"command": text("wolf")}), text("lynx")),
        Piece::Answer(text("end")),
    ]
}

/// Reads a session, deletes its source, and compares the history before, after, and after a
/// rebuild.
fn check(agent: &str, home: &Home, session: &str, delete: &dyn Fn()) {
    home.index();
    let whole = canonical_view(home);
    let words = ["zebra", "yak", "wolf", "lynx", "\"words end\"", "kind:tool"];
    let totals: Vec<_> = words.iter().map(|word| total(home, word)).collect();
    assert!(totals.iter().all(|it| *it > 0), "{agent}: {totals:?}");
    let shown = home.ok(&["show", session]);
    delete();
    for when in ["deleted", "made anew", "made anew again"] {
        home.index();
        let told = format!("{agent}, {when}");
        assert_eq!((lifecycle(home, session).as_str(), stale(home)), ("archived", 0), "{told}");
        check_same(&told, &canonical_view(home), &whole);
        let now: Vec<_> = words.iter().map(|word| total(home, word)).collect();
        assert_eq!(now, totals, "{told}");
        let now = home.ok(&["show", session]);
        assert!(now.contains("zebra") && now.contains("yak"), "{told}: {now}");
        assert_eq!(now.replace("archived", "resumable"), shown, "{told}");
        home.ok(&["rebuild", "--yes"]);
    }
}

#[test]
fn a_deleted_transcript_stays_whole() {
    let home = Home::new(PROGRAM);
    home.write(&chats::claude_path(SESSION), chats::claude(SESSION, "u", "/w/app", &long()));
    check("claude", &home, SESSION, &|| home.remove(&chats::claude_path(SESSION)));
}

#[test]
fn a_deleted_home_leaves_its_sessions_whole() {
    let home = Home::new(PROGRAM);
    home.write(&chats::claude_path(SESSION), chats::claude(SESSION, "u", "/w/app", &long()));
    check("claude", &home, SESSION, &|| fs::remove_dir_all(home.path(".claude")).unwrap());
}

#[test]
fn a_deleted_rollout_stays_whole() {
    let home = Home::new(PROGRAM);
    home.write(&chats::codex_path(SESSION), chats::codex(SESSION, "/w/app", &long()));
    check("codex", &home, SESSION, &|| home.remove(&chats::codex_path(SESSION)));
}

#[test]
fn a_deleted_packed_rollout_stays_whole() {
    let home = Home::new(PROGRAM);
    let path = chats::codex_path(SESSION) + ".zst";
    let lines = chats::codex(SESSION, "/w/app", &long());
    home.write(&path, zstd::encode_all(lines.as_bytes(), 3).unwrap());
    check("codex, packed", &home, SESSION, &|| home.remove(&path));
}

#[test]
fn a_deleted_chat_stays_whole() {
    let home = Home::new(PROGRAM);
    home.write(".gemini/tmp/app/.project_root", "/w/app");
    home.write(&chats::gemini_path(SESSION, "jsonl"), chats::gemini_lines(SESSION, &long()));
    check("gemini lines", &home, SESSION, &|| fs::remove_dir_all(home.path(".gemini")).unwrap());
}

#[test]
fn a_deleted_document_stays_whole() {
    let home = Home::new(PROGRAM);
    home.write(".gemini/tmp/app/.project_root", "/w/app");
    home.write(&chats::gemini_path(SESSION, "json"), chats::gemini_document(SESSION, &long()));
    let delete = || home.remove(&chats::gemini_path(SESSION, "json"));
    check("gemini document", &home, SESSION, &delete);
}

fn goose() -> (Home, GooseDb) {
    let home = Home::new(PROGRAM);
    let database = GooseDb::open(&home);
    database.session("20261001_1", "Named", "/w/app", None);
    chats::goose(&database, "20261001_1", 0, &long());
    (home, database)
}

#[test]
fn a_deleted_row_leaves_its_session_whole() {
    let (home, database) = goose();
    database.session("20261001_2", "Other", "/w/app", None);
    chats::goose(&database, "20261001_2", 0, &[Piece::Prompt("stays".to_owned())]);
    check("goose row", &home, "20261001_1", &|| database.delete("20261001_1"));
    assert_eq!(lifecycle(&home, "20261001_2"), "resumable");
}

#[test]
fn a_deleted_database_leaves_its_sessions_whole() {
    let (home, database) = goose();
    drop(database);
    check("goose database", &home, "20261001_1", &|| home.remove(DATABASE));
}

#[test]
fn a_whole_history_outlives_its_files() {
    let home = Home::new(PROGRAM);
    let written = Corpus { seed: 5, bytes: 1_500_000 }.write(&home);
    home.index();
    let ids: Vec<_> =
        home.sessions().iter().map(|it| it["id"].as_str().unwrap().to_owned()).collect();
    let totals = || -> Vec<u64> {
        ids.iter().map(|id| total(&home, &format!("größe \"parser drops\" in:{id}"))).collect()
    };
    let (whole, found) = (canonical_view(&home), totals());
    let half = written.files.len() / 2;
    for (files, when) in [(&written.files[..half], "half"), (&written.files[half..], "all")] {
        files.iter().for_each(|path| home.remove(path));
        home.index();
        check_same(&format!("{when} deleted"), &canonical_view(&home), &whole);
        assert_eq!((totals(), stale(&home)), (found.clone(), 0), "{when} deleted");
        home.ok(&["rebuild", "--yes"]);
        check_same(&format!("{when} deleted, made anew"), &canonical_view(&home), &whole);
        assert_eq!((totals(), stale(&home)), (found.clone(), 0), "{when} deleted, made anew");
    }
    let lives = home.sessions();
    let lives: Vec<_> = lives.iter().filter(|it| it["lifecycle"] != "archived").collect();
    assert!(lives.is_empty(), "{lives:?}");
    println!(
        "{} sessions, {} lines of view, {} files",
        ids.len(),
        whole.len(),
        written.files.len()
    );
}
