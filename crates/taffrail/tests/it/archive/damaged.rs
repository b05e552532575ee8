//! Damaged copies: either an excerpt, marked stale, or the correct text; never another text, and
//! never a crash.

use super::{PROGRAM, SESSION, files};
use serde_json::Value;
use std::collections::HashMap;
use std::fs::{self, File, FileTimes};
use std::path::{Path, PathBuf};
use std::time::Duration;
use taffrail_testkit::chats::{self, Piece};
use taffrail_testkit::claude::{path, talk};
use taffrail_testkit::copies::{ARCHIVE, newest};
use taffrail_testkit::corpus::Corpus;
use taffrail_testkit::goose::GooseDb;
use taffrail_testkit::{Chance, Home, SavedData, Scale, canonical_view, check_same};

/// A session of every shape, read and then deleted; only the copies remain.
struct Deleted {
    home: Home,
    saved: SavedData,
    /// The full text of every event by its id.
    texts: HashMap<String, String>,
    copies: Vec<PathBuf>,
}

fn deleted() -> Deleted {
    let home = Home::new(PROGRAM);
    let text = |word: &str| format!("{word} {}", "and many more words ".repeat(30));
    let said: Vec<_> = ["zebra", "yak", "wolf"].iter().map(|it| Piece::Prompt(text(it))).collect();
    let [one, two, three] = [1, 2, 3].map(|it: usize| SESSION.replace('1', &it.to_string()));
    home.write(&chats::claude_path(&one), chats::claude(&one, "u", "/w/app", &said));
    home.write(&chats::codex_path(&two), chats::codex(&two, "/w/app", &said));
    home.write(&chats::gemini_path(&three, "json"), chats::gemini_document(&three, &said));
    let database = GooseDb::open(&home);
    database.session("20261001_1", "Named", "/w/app", None);
    chats::goose(&database, "20261001_1", 0, &said);
    home.index();
    let texts = all_events(&home).into_iter();
    let texts = texts.map(|it| (word(&it, "id"), word(&it, "text"))).collect();
    for folder in [".claude", ".codex", ".gemini", ".local/share/goose"] {
        fs::remove_dir_all(home.path(folder)).unwrap();
    }
    home.index();
    let copies = files(&home);
    assert_eq!(copies.len(), 4);
    let saved = home.save_data();
    Deleted { home, saved, texts, copies }
}

fn all_events(home: &Home) -> Vec<Value> {
    let sessions = home.sessions();
    sessions.iter().flat_map(|it| home.events(it["id"].as_str().unwrap())).collect()
}

fn word(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_owned()
}

impl Deleted {
    /// Checks that every event is complete or a stale excerpt; returns the counts.
    fn check(&self, what: &str) -> (usize, usize) {
        let events = all_events(&self.home);
        let mut stale = 0;
        for event in &events {
            let Some(whole) = self.texts.get(&word(event, "id")) else {
                panic!("{what}: an event nobody wrote: {event}");
            };
            let text = word(event, "text");
            if event["data"]["stale"] == true {
                stale += 1;
                let beginning = text.trim_end_matches('…').trim_end();
                assert!(whole.starts_with(beginning), "{what}: {text:?} for {whole:?}");
            } else {
                assert_eq!(&text, whole, "{what}");
            }
        }
        for query in ["zebra", "words", "kind:prompt"] {
            let reply = self.home.json(&["search", query, "--json"]);
            for hit in reply["hits"].as_array().unwrap() {
                let whole = &self.texts[&word(hit, "event_id")];
                let snippet = word(hit, "snippet");
                let snippet = snippet.trim_end_matches('…');
                assert!(whole.contains(snippet), "{what}: {snippet:?}");
            }
        }
        (events.len(), stale)
    }
}

fn damage(chance: &mut Chance, bytes: &mut Vec<u8>) -> String {
    let at = chance.below(bytes.len());
    match chance.below(5) {
        0 => {
            bytes.truncate(at);
            format!("cut at {at}")
        }
        1 => {
            let end = (at + chance.between(1, 64)).min(bytes.len());
            bytes[at..end].fill(0);
            format!("zeros from {at} to {end}")
        }
        2 => {
            bytes.extend_from_within(at..);
            format!("repeated from {at}")
        }
        _ => {
            bytes[at] ^= 1 << chance.below(8);
            format!("a bit of {at} flipped")
        }
    }
}

#[test]
fn a_damaged_copy_shows_its_excerpts_and_never_another_text() {
    let scale = Scale::from_env();
    let mut chance = scale.chance("damage");
    let whole = deleted();
    let count = whole.texts.len();
    assert_eq!(whole.check("whole"), (count, 0));
    let (mut stale, mut lost) = (0, 0);
    let rounds = scale.pick(12, 300);
    for round in 0..rounds {
        whole.home.restore_data(&whole.saved);
        let mut what = format!("round {round}");
        for copy in &whole.copies {
            let mut bytes = fs::read(copy).unwrap();
            what += &format!(", {}", damage(&mut chance, &mut bytes));
            fs::write(copy, bytes).unwrap();
        }
        let (shown, from_memory) = whole.check(&what);
        assert_eq!(shown, count, "{what}");
        whole.home.ok(&["rebuild", "--yes"]);
        let (left, again) = whole.check(&format!("{what}, made anew"));
        assert_eq!(again, 0, "{what}: what cannot be read is not known");
        assert_eq!(left, shown - from_memory, "{what}");
        (stale, lost) = (stale + from_memory, lost + count - left);
    }
    println!("{rounds} rounds: {stale} events from memory, {lost} lost with the index");
    assert!(stale > 0, "nothing was damaged");
}

#[test]
fn a_damaged_copy_is_made_anew_from_its_source() {
    let home = Home::new(PROGRAM);
    let said: Vec<_> = (0..3).map(|it| Piece::Prompt(format!("number {it}"))).collect();
    let file = chats::claude_path(SESSION);
    let whole = chats::claude(SESSION, "u", "/w/app", &said);
    home.write(&file, &whole);
    home.index();
    for damage in [&b""[..], b"nonsense"] {
        fs::write(&super::copies(&home)[0].file, damage).unwrap();
        home.append(&file, "\n");
        home.index();
        let files = files(&home);
        let good =
            files.iter().filter_map(|it| zstd::decode_all(fs::read(it).unwrap().as_slice()).ok());
        let source = fs::read(home.path(&file)).unwrap();
        assert!(good.into_iter().any(|it| it == source), "after {damage:?}");
        fs::remove_dir_all(home.path(ARCHIVE)).unwrap();
        home.append(&file, "\n");
        home.index();
    }
}

/// What a power cut leaves of a copy.
#[derive(Debug, Clone, Copy)]
enum Cut {
    Empty,
    Gone,
    Half,
    WithoutItsEnd,
}

impl Cut {
    fn make(self, copy: &Path) {
        let length = fs::metadata(copy).unwrap().len();
        let left = match self {
            Self::Gone => return fs::remove_file(copy).unwrap(),
            Self::Empty => 0,
            Self::Half => length / 2,
            Self::WithoutItsEnd => length - 1,
        };
        File::options().write(true).open(copy).unwrap().set_len(left).unwrap();
    }
}

fn old(path: &Path) {
    let then = fs::metadata(path).unwrap().modified().unwrap() - Duration::from_secs(3600);
    let times = FileTimes::new().set_modified(then);
    File::options().write(true).open(path).unwrap().set_times(times).unwrap();
}

#[test]
fn after_a_start_what_a_power_cut_took_is_copied_again() {
    for cut in [Cut::Empty, Cut::Gone, Cut::Half, Cut::WithoutItsEnd] {
        let home = Home::new(PROGRAM);
        let written = Corpus { seed: 9, bytes: 300_000 }.write(&home);
        home.index();
        let whole: Vec<_> =
            newest(&home).into_iter().map(|it| (it.source, it.key, it.bytes)).collect();
        let view = canonical_view(&home);
        files(&home).iter().for_each(|copy| cut.make(copy));
        home.index();
        home.start_anew();
        home.index();
        let mut now = newest(&home);
        now.sort_by_key(|it| {
            whole.iter().position(|was| (&was.0, &was.1) == (&it.source, &it.key))
        });
        let now: Vec<_> = now.into_iter().map(|it| (it.source, it.key, it.bytes)).collect();
        assert!(now == whole, "{cut:?}: {} copies for {}", now.len(), whole.len());
        assert_eq!(home.index()["bytes_read"], 0, "{cut:?}");
        written.files.iter().for_each(|path| home.remove(path));
        home.index();
        check_same(&format!("{cut:?}"), &canonical_view(&home), &view);
        assert_eq!(super::stale(&home), 0, "{cut:?}");
    }
}

#[test]
fn after_a_start_a_search_looks_at_the_copies_too() {
    let home = Home::new(PROGRAM);
    home.write(&path(SESSION), talk(SESSION, 0, 4));
    home.ok(&["search", "number"]);
    for command in [&["search", "number"][..], &["ls"]] {
        files(&home).iter().for_each(|copy| Cut::Half.make(copy));
        home.start_anew();
        home.ok(command);
        assert_eq!(newest(&home)[0].bytes, talk(SESSION, 0, 4).as_bytes(), "{command:?}");
    }
}

#[test]
fn after_a_start_what_was_written_long_before_is_not_looked_at() {
    let home = Home::new(PROGRAM);
    let other = SESSION.replace('1', "2");
    for session in [SESSION, &other] {
        home.write(&path(session), talk(session, 0, 4));
    }
    old(&home.path(&path(SESSION)));
    home.index();
    let copy = super::copies(&home).into_iter().find(|it| it.source == home.path(&path(SESSION)));
    let copy = copy.unwrap().file;
    Cut::Half.make(&copy);
    old(&copy);
    home.start_anew();
    assert_eq!(home.index()["bytes_read"], 0);
}

#[test]
fn a_session_whose_file_and_copy_are_gone_is_lost() {
    let home = Home::new(PROGRAM);
    home.write(&path(SESSION), talk(SESSION, 0, 4));
    home.index();
    home.remove(&path(SESSION));
    home.index();
    assert_eq!(super::lifecycle(&home, SESSION), "archived");
    files(&home).iter().for_each(|copy| Cut::Empty.make(copy));
    home.start_anew();
    home.index();
    assert_eq!((super::lifecycle(&home, SESSION).as_str(), super::stale(&home)), ("lost", 4));
}
