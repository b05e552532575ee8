//! A file of lines that grows, shrinks, is rewritten, moves, is compressed, disappears and comes
//! back.

use super::{Files, OTHER, PROGRAM, SESSION, changes, cursor, ids, lifecycle, stale, texts, told};
use std::fs::{File, FileTimes};
use std::time::{Duration, SystemTime};
use taffrail_testkit::claude::{Line, path, talk};
use taffrail_testkit::{Home, canonical_view, check_same};

fn home_with(count: u32) -> (Home, String, Files) {
    written(Home::new(PROGRAM), count)
}

/// The same without an archive.
fn bare_home_with(count: u32) -> (Home, String, Files) {
    written(Home::without_archive(PROGRAM), count)
}

fn written(home: Home, count: u32) -> (Home, String, Files) {
    let file = path(SESSION);
    home.write(&file, talk(SESSION, 0, count));
    let before = told(&home, SESSION);
    assert_eq!(before.len(), count as usize);
    (home, file, before)
}

#[test]
fn half_a_line_is_silence_and_the_other_half_makes_it_an_event() {
    let (home, file, before) = home_with(6);
    let line = talk(SESSION, 6, 7);
    for at in [1, 40, line.len() - 1] {
        home.write(&file, talk(SESSION, 0, 6));
        home.append(&file, &line[..at]);
        assert_eq!(told(&home, SESSION), before, "torn at {at}");
        home.append(&file, &line[at..]);
        let after = told(&home, SESSION);
        assert_eq!((after.len(), &after[..6]), (7, before.as_slice()), "whole after {at}");
    }
}

#[test]
fn cut_short_removes_and_whole_again_brings_back() {
    let (home, file, before) = home_with(8);
    for left in [0, 3, 7] {
        home.write(&file, talk(SESSION, 0, left));
        assert_eq!(told(&home, SESSION), before[..left as usize], "cut to {left}");
        home.write(&file, talk(SESSION, 0, 8));
        assert_eq!(told(&home, SESSION), before, "whole after {left}");
    }
}

#[test]
fn a_follower_is_told_of_what_was_cut_away() {
    let (home, file, _) = home_with(4);
    let after = cursor(&home, SESSION);
    home.write(&file, talk(SESSION, 0, 3));
    home.index();
    let removed = ("event.removed".to_owned(), String::new(), 0);
    assert_eq!(changes(&home, SESSION, &after), [removed]);
}

#[test]
fn the_same_bytes_in_a_new_file_change_nothing() {
    let (home, file, before) = home_with(6);
    let after = cursor(&home, SESSION);
    home.write(&format!("{file}.new"), talk(SESSION, 0, 6));
    home.rename(&format!("{file}.new"), &file);
    assert_eq!(told(&home, SESSION), before);
    assert_eq!(changes(&home, SESSION, &after), []);
}

#[test]
fn a_line_rewritten_with_equal_length_is_noticed_by_the_time_of_the_file() {
    let (home, file, before) = home_with(6);
    let after = cursor(&home, SESSION);
    let whole = talk(SESSION, 0, 6);
    let other = whole.replace("Prompt number 0002.", "Prompt rewritten 2.");
    assert_eq!(whole.len(), other.len());
    home.write(&file, &other);
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    let times = FileTimes::new().set_modified(then);
    File::options().write(true).open(home.path(&file)).unwrap().set_times(times).unwrap();
    let now = told(&home, SESSION);
    assert_eq!(ids(&now), ids(&before));
    assert_eq!(texts(&now)[2], "Prompt rewritten 2.");
    let change = ("user.prompt".to_owned(), "Prompt rewritten 2.".to_owned(), 2);
    assert_eq!(changes(&home, SESSION, &after), [change]);
    home.write(&file, &whole);
    assert_eq!(told(&home, SESSION), before);
}

#[test]
fn a_line_rewritten_in_the_middle_and_a_new_end_are_both_seen() {
    let (home, file, before) = home_with(6);
    let whole = talk(SESSION, 0, 8).replace("Answer number 0003.", "Quite another answer.");
    home.write(&file, whole);
    let now = told(&home, SESSION);
    assert_eq!((ids(&now)[..6].to_vec(), now.len()), (ids(&before), 8));
    // A file that only grew is trusted as long as the last line read is still in its place.
    assert_eq!(texts(&now)[3], "Quite another answer.");
}

#[test]
fn a_file_moved_within_its_home_stays_the_same_session() {
    let (home, file, before) = home_with(6);
    let id = home.session(SESSION)["id"].clone();
    home.rename(&file, &file.replace("-w-app", "-w-moved"));
    assert_eq!(told(&home, SESSION), before);
    let session = home.session(SESSION);
    assert_eq!((&session["id"], &session["lifecycle"]), (&id, &"resumable".into()));
    let uri = format!("claude-jsonl:-w-moved/{SESSION}.jsonl");
    assert_eq!(session["source_uri"], uri.as_str());
    home.append(&file.replace("-w-app", "-w-moved"), talk(SESSION, 6, 8));
    assert_eq!(told(&home, SESSION).len(), 8);
    assert_eq!(stale(&home, SESSION), 0);
}

#[test]
fn a_file_moved_to_another_home_stays_the_same_session() {
    let (home, file, before) = home_with(6);
    home.ok(&["config", "set", "agents.claude-code.homes", r#"["~/elsewhere"]"#]);
    home.rename(&file, &file.replace(".claude", "elsewhere"));
    assert_eq!(told(&home, SESSION), before);
    assert_eq!((lifecycle(&home, SESSION), stale(&home, SESSION)), ("resumable".into(), 0));
}

#[test]
fn a_file_renamed_to_another_session_is_another_session() {
    let (home, file, before) = bare_home_with(4);
    home.rename(&file, &path(OTHER));
    home.index();
    assert_eq!(lifecycle(&home, SESSION), "lost");
    let now = told(&home, OTHER);
    assert_eq!(texts(&now), texts(&before));
    assert!(ids(&now).iter().all(|id| !ids(&before).contains(id)));
    let view = canonical_view(&home);
    home.ok(&["rebuild", "--yes"]);
    let kept = |view: Vec<String>| -> Vec<String> {
        view.into_iter().filter(|line| !line.contains(SESSION)).collect()
    };
    let live = |view: Vec<String>| kept(view).into_iter().filter(|it| it.contains(OTHER)).collect();
    let (after, before): (Vec<_>, Vec<_>) = (live(canonical_view(&home)), live(view));
    check_same("a rebuild after a rename", &after, &before);
}

#[test]
fn a_deleted_file_leaves_a_lost_session_that_comes_back() {
    let (home, file, before) = bare_home_with(6);
    let after = cursor(&home, SESSION);
    home.remove(&file);
    let lost = told(&home, SESSION);
    assert_eq!(lost, before, "excerpts stand in");
    assert_eq!((lifecycle(&home, SESSION), stale(&home, SESSION)), ("lost".into(), 6));
    assert!(home.ok(&["show", SESSION]).contains("(excerpt: "));
    home.write(&file, talk(SESSION, 0, 6));
    assert_eq!(told(&home, SESSION), before);
    assert_eq!((lifecycle(&home, SESSION), stale(&home, SESSION)), ("resumable".into(), 0));
    assert_eq!(changes(&home, SESSION, &after), []);
}

#[test]
fn a_rebuild_after_a_deletion_still_lists_the_session() {
    let (home, file, _) = bare_home_with(6);
    let id = home.session(SESSION)["id"].clone();
    home.remove(&file);
    home.ok(&["rebuild", "--yes"]);
    let session = home.session(SESSION);
    assert_eq!((&session["id"], &session["lifecycle"]), (&id, &"lost".into()));
    assert_eq!(session["project_path"], "/w/app");
    assert_eq!(home.events(SESSION).len(), 0);
}

#[test]
fn a_packed_rollout_is_the_same_session() {
    const THREAD: &str = "01a10000-0000-7000-8000-000000000002";
    let home = Home::new(PROGRAM);
    let file = format!(".codex/sessions/2026/10/01/rollout-2026-10-01T10-00-00-{THREAD}.jsonl");
    let lines = rollout(THREAD);
    home.write(&file, &lines);
    let before = told(&home, THREAD);
    assert_eq!(before.len(), 4);
    let id = home.session(THREAD)["id"].clone();
    home.write(&format!("{file}.zst"), zstd::encode_all(lines.as_bytes(), 3).unwrap());
    assert_eq!(told(&home, THREAD), before, "both side by side");
    home.remove(&file);
    assert_eq!(told(&home, THREAD), before, "packed only");
    assert_eq!((stale(&home, THREAD), &home.session(THREAD)["id"]), (0, &id));
    let view = canonical_view(&home);
    home.ok(&["rebuild", "--yes"]);
    check_same("a rebuild from the packed file", &canonical_view(&home), &view);
    home.write(&file, &lines);
    home.remove(&format!("{file}.zst"));
    assert_eq!((told(&home, THREAD), stale(&home, THREAD)), (before, 0), "unpacked again");
}

fn rollout(thread: &str) -> String {
    let line = |second: u32, kind: &str, payload: &str| {
        format!(
            "{{\"timestamp\":\"2026-10-01T10:00:{second:02}.000Z\",\"type\":\"{kind}\",\
             \"payload\":{payload}}}\n"
        )
    };
    let meta =
        format!(r#"{{"id":"{thread}","cwd":"/w/app","cli_version":"0.98.0","source":"cli"}}"#);
    let call = r#"{"type":"function_call","name":"shell","arguments":"{}","call_id":"c1"}"#;
    let output = r#"{"type":"function_call_output","call_id":"c1","output":"done"}"#;
    let prompt = r#"{"type":"user_message","message":"Fix it"}"#;
    line(1, "session_meta", &meta)
        + &line(2, "event_msg", prompt)
        + &line(3, "response_item", call)
        + &line(4, "response_item", output)
}

#[test]
fn a_record_without_a_time_takes_one_whenever_it_is_read() {
    let home = Home::new(PROGRAM);
    let file = path(SESSION);
    let untimed = Line { session: SESSION, uuid: "u0", parent: None, second: 0 }
        .prompt("No time.")
        .replace("\"timestamp\":\"2026-10-01T10:00:00.000Z\",", "");
    home.write(&file, &untimed);
    home.index();
    home.append(&file, talk(SESSION, 2, 6));
    home.index();
    let view = canonical_view(&home);
    home.ok(&["rebuild", "--yes"]);
    check_same("a rebuild with a record without a time", &canonical_view(&home), &view);
}
