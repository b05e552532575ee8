//! Random histories and random queries: search finds what a plain scan of all texts finds.

use super::oracle::{Question, everything};
use super::{PROGRAM, ask, found};
use serde_json::json;
use taffrail_testkit::chats::{self, Piece};
use taffrail_testkit::goose::GooseDb;
use taffrail_testkit::{Chance, Home, Scale};

/// The vocabulary of texts: words, identifiers, paths, scripts, noise.
const WORDS: [&str; 32] = [
    "parser",
    "Parser",
    "PARSER",
    "parse_conf",
    "getName",
    "getname",
    "HTTPServer",
    "sha256Sum",
    "src/lib.rs",
    "x.y:12",
    "größe",
    "GRÖSSE",
    "Äpfel",
    "漢字",
    "東京",
    "漢",
    "한글",
    "ЖУК",
    "жук",
    "the",
    "of",
    "a",
    "don't",
    "retry-after",
    "🎉",
    "--",
    "3F2a",
    "fooBarBaz",
    "name",
    "カタカナ",
    "caches",
    "Caching",
];
/// Words that queries use besides those.
const ASKED: [&str; 13] = [
    "absent", "cache", "conf", "server", "sum", "sha256", "foo", "baz", "字", "lib", "grösse",
    "not", "apfel",
];
const PROJECTS: [&str; 3] = ["/w/app", "/w/app/deep", "/w/größe"];
const KINDS: [&str; 8] = [
    "prompt",
    "tool",
    "tool.call",
    "tool.result",
    "assistant",
    "message",
    "user.prompt",
    "started",
];

#[test]
fn what_is_found_is_what_is_said() {
    let scale = Scale::from_env();
    let (histories, questions) = scale.pick((3, 60), (60, 150));
    let (mut hits, mut empty) = (0, 0);
    for history in 0..histories {
        let mut chance = scale.chance(&format!("history {history}"));
        let home = Home::new(PROGRAM);
        write(&home, &mut chance);
        if chance.one_in(2) {
            home.index();
        }
        let all = everything(&home);
        for number in 0..questions {
            let question = question(&mut chance, &all);
            let typed = question.typed();
            if question.asks_nothing() {
                assert_eq!(home.run(&["search", &typed]).status, 2, "{typed:?}");
                continue;
            }
            let reply = ask(&home, &typed);
            let wanted = question.answer(&all);
            let got = found(&reply);
            assert_eq!(got, wanted, "history {history}, question {number}: {typed:?}");
            let marks = |hit: &serde_json::Value| !hit["matches"].as_array().unwrap().is_empty();
            if question.has_words() {
                assert!(reply["hits"].as_array().unwrap().iter().all(marks), "{typed:?}: {reply}");
            }
            (hits, empty) = (hits + got.len(), empty + usize::from(got.is_empty()));
        }
    }
    println!("{histories} histories, {questions} questions each: {hits} hits, {empty} without any");
    assert!(hits > histories * questions, "the questions ask for too little");
}

fn text(chance: &mut Chance) -> String {
    let mut out = String::new();
    for _ in 0..chance.between(1, 8) {
        out += *chance.pick(&WORDS);
        out += *chance.pick(&[" ", " ", ", ", "\n", " (", ". "]);
    }
    if chance.one_in(12) {
        out += &format!("{} after", "longword".repeat(9));
    }
    out.trim().to_owned()
}

fn pieces(chance: &mut Chance) -> Vec<Piece> {
    let mut out = vec![Piece::Prompt(text(chance))];
    for _ in 0..chance.between(2, 12) {
        out.push(match chance.below(3) {
            0 => Piece::Prompt(text(chance)),
            1 => Piece::Answer(text(chance)),
            _ => {
                let tool = *chance.pick(&["Bash", "readFile", "apply_patch"]);
                let input = json!({"a": text(chance), "b": [text(chance), 7, null],
                    "c": {"d": text(chance)}});
                Piece::Tool(tool.to_owned(), input, text(chance))
            }
        });
    }
    out
}

/// Sessions of every agent, one of them forked.
fn write(home: &Home, chance: &mut Chance) {
    for _ in 0..2 {
        let (session, project) = (chance.uuid(), chance.pick(&PROJECTS));
        let said = pieces(chance);
        home.write(
            &chats::claude_path(&session),
            chats::claude(&session, &session, project, &said),
        );
        if chance.one_in(2) {
            let fork = chance.uuid();
            let shared = chats::claude(&fork, &session, project, &said[..said.len() / 2]);
            let own = chats::claude(&fork, &fork, project, &pieces(chance)).replace("T10:", "T11:");
            home.write(&chats::claude_path(&fork), shared + &own);
        }
        let thread = chance.uuid();
        let project: &str = chance.pick::<&str>(&PROJECTS);
        let rollout = chats::codex(&thread, project, &pieces(chance));
        home.write(&chats::codex_path(&thread), rollout);
    }
    home.write(".gemini/tmp/app/.project_root", "/w/app");
    let chat = chance.uuid();
    home.write(&chats::gemini_path(&chat, "jsonl"), chats::gemini_lines(&chat, &pieces(chance)));
    let chat = chance.uuid();
    home.write(&chats::gemini_path(&chat, "json"), chats::gemini_document(&chat, &pieces(chance)));
    let database = GooseDb::open(home);
    for session in ["20261001_1", "20261001_2"] {
        let project = chance.pick(&PROJECTS);
        database.session(session, "Named", project, None);
        chats::goose(&database, session, 0, &pieces(chance));
    }
}

fn asked_word(chance: &mut Chance) -> String {
    let word = match chance.below(3) {
        0 => *chance.pick(&ASKED),
        _ => *chance.pick(&WORDS),
    };
    // A word that begins with a dash would be an option.
    match chance.below(4) {
        _ if word.starts_with('-') => format!("漢{word}"),
        0 => word.to_uppercase(),
        1 => word.to_lowercase(),
        _ => word.to_owned(),
    }
}

fn question(chance: &mut Chance, all: &[super::oracle::Said]) -> Question {
    let mut out = Question::default();
    if chance.one_in(2) {
        out.words = (0..chance.between(1, 3)).map(|_| asked_word(chance)).collect();
    }
    if chance.one_in(3) {
        out.phrases.push(phrase(chance, all));
    }
    if chance.one_in(4) {
        let word: Vec<char> = asked_word(chance).chars().collect();
        out.prefixes.push(word[..chance.between(1, word.len())].iter().collect());
    }
    out.agent = maybe(chance, &["claude-code", "codex", "gemini-cli", "goose"]);
    out.project = maybe(chance, &["app", "/w/app", "/w", "größe", "/w/nothing", "deep"]);
    out.kind = maybe(chance, &KINDS);
    out.since = maybe(chance, &["2026-10-01T10:00:07Z", "2026-10-01T10:00:20Z", "2026-10-02"]);
    if chance.one_in(8) {
        let of = chance.pick(all);
        out.session = Some(of.session[..chance.between(12, of.session.len())].to_owned());
    }
    out
}

fn maybe(chance: &mut Chance, from: &[&str]) -> Option<String> {
    chance.one_in(5).then(|| (*chance.pick(from)).to_owned())
}

/// A few words as they occur somewhere, or as they occur nowhere.
fn phrase(chance: &mut Chance, all: &[super::oracle::Said]) -> String {
    if chance.one_in(3) {
        return format!("{} {}", asked_word(chance), asked_word(chance));
    }
    let said: Vec<&str> = chance.pick(all).text.split_whitespace().collect();
    if said.is_empty() {
        return "nothing at all".to_owned();
    }
    let first = chance.below(said.len());
    let end = (first + chance.between(1, 4)).min(said.len());
    said[first..end].join(" ").replace('"', " ")
}
