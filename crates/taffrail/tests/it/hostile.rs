//! Transcript text never makes a terminal do anything, wherever it occurs.
#![expect(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use taffrail_testkit::Home;
use taffrail_testkit::claude::{Line, path};
use taffrail_testkit::goose::{GooseDb, Message, text};

const SESSION: &str = "11111111-1111-4111-8111-111111111111";
const THREAD: &str = "01a10000-0000-7000-8000-000000000002";
const CHAT: &str = "abcd1234-0000-4000-8000-000000000000";

/// What terminals obey or people do not see.
const PAYLOADS: [(&str, &str); 20] = [
    ("colour", "\u{1b}[31m"),
    ("clear the screen", "\u{1b}[2J\u{1b}[H"),
    ("link", "\u{1b}]8;;https://evil.example\u{1b}\\click\u{1b}]8;;\u{1b}\\"),
    ("clipboard", "\u{1b}]52;c;cm0gLXJmIC8=\u{7}"),
    ("title", "\u{1b}]0;owned\u{7}"),
    ("device control", "\u{1b}P$q\"p\u{1b}\\"),
    ("reset", "\u{1b}c"),
    ("8-bit CSI", "\u{9b}31m"),
    ("8-bit OSC", "\u{9d}52;c;eA==\u{9c}"),
    ("bell and backspaces", "\u{7}\u{8}\u{8}\u{8}"),
    ("carriage return", "safe\rrm -rf"),
    ("null and delete", "a\u{0}b\u{7f}c"),
    ("form feed and vertical tab", "\u{c}\u{b}"),
    ("right to left override", "\u{202e}gnp.exe\u{202c}"),
    ("isolates", "\u{2066}a\u{2067}b\u{2069}"),
    ("marks of direction", "\u{200e}\u{200f}\u{61c}"),
    ("zero width", "\u{200b}\u{200c}\u{200d}\u{2060}\u{feff}"),
    ("tags", "\u{e0001}\u{e0041}\u{e007f}"),
    ("annotations", "\u{fff9}x\u{fffa}y\u{fffb}"),
    ("shift out", "\u{e}\u{f}\u{1a}"),
];

/// Where a text can occur. Each place has its own word, so that it can be found again.
const PLACES: [&str; 16] = [
    "prompt",
    "answer",
    "tool",
    "input",
    "output",
    "folder",
    "branch",
    "model",
    "title",
    "rawtype",
    "codexsays",
    "geminisays",
    "goosename",
    "gooseroot",
    "filename",
    "error",
];

#[test]
fn nothing_a_terminal_obeys_reaches_the_screen() {
    let mut combinations = 0;
    for (name, payload) in PAYLOADS {
        let screens = screens(&home_with(payload));
        for place in PLACES {
            let word = format!("zz{place}");
            assert!(screens.contains(&word), "{name}: {place} is shown nowhere");
            combinations += 1;
        }
        if let Some((at, character)) = screens.char_indices().find(|(_, it)| is_hostile(*it)) {
            let line = screens[..at].lines().last();
            panic!("{name}: {character:?} reaches the screen after {line:?}");
        }
    }
    println!("{combinations} combinations of payload and place");
    assert!(combinations >= 150);
}

fn is_hostile(character: char) -> bool {
    let plain_control = matches!(character, '\n' | '\t');
    let hidden = matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{61c}' | '\u{180e}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    (character.is_control() && !plain_control) || hidden
}

/// Everything that is shown to people, on stdout and stderr.
fn screens(home: &Home) -> String {
    let out = std::cell::RefCell::new(String::new());
    let show = |arguments: &[&str]| {
        let output = home.run(arguments);
        *out.borrow_mut() += &output.stdout;
        *out.borrow_mut() += &output.stderr;
    };
    let styled = |arguments: &[&str]| {
        let looks = ["--color", "always", "--hyperlink", "always"];
        let output = home.run(&[arguments, &looks].concat());
        *out.borrow_mut() += &without_our_own(&output.stdout);
    };
    show(&["ls", "--all"]);
    styled(&["ls", "--all"]);
    styled(&["search", "--all", "end"]);
    show(&["stats"]);
    show(&["index"]);
    show(&["doctor"]);
    show(&["agents"]);
    show(&["events", "no\u{1b}[31msuch"]);
    for session in home.sessions() {
        let id = session["id"].as_str().unwrap();
        for command in ["show", "events", "tail"] {
            show(&[command, id]);
        }
        styled(&["show", id]);
        show(&["export", id, "--format", "md"]);
        show(&["export", id, "--format", "html"]);
    }
    out.into_inner()
}

/// A text without the colours that our themes have, and without links to files.
fn without_our_own(text: &str) -> String {
    let ours = ["0", "1", "2", "3", "4", "32", "33", "34", "35", "36", "91"];
    let ours = ours.map(|it| format!("\u{1b}[{it}m"));
    let mut out = ours.iter().fold(text.to_owned(), |text, it| text.replace(it, ""));
    let link = "\u{1b}]8;;file://";
    while let Some(at) = out.find(link) {
        let end = out[at..].find("\u{1b}\\").map_or(out.len(), |end| at + end + 2);
        let address = out[at + link.len()..end - 2].to_owned();
        let is_plain = |it: char| it.is_ascii_alphanumeric() || "/-_.~%".contains(it);
        assert!(address.chars().all(is_plain), "{address:?}");
        out.replace_range(at..end, "");
        out = out.replacen("\u{1b}]8;;\u{1b}\\", "", 1);
    }
    out
}

/// A home with the payload in every place.
fn home_with(payload: &str) -> Home {
    let home = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    let at = |place: &str| format!("zz{place} {payload} end");
    home.write(&path(SESSION), claude(&at));
    home.write(
        &format!(".codex/sessions/2026/10/01/rollout-2026-10-01T10-00-00-{THREAD}.jsonl"),
        codex(&at("codexsays")),
    );
    home.write(
        ".gemini/tmp/app/chats/session-2026-10-01T10-00-abcd1234.jsonl",
        gemini(&at("geminisays")),
    );
    let database = GooseDb::open(&home);
    database.session("20261001_1", &at("goosename"), &at("gooseroot"), None);
    let content = json!([text("hello")]);
    database.message(&Message { session: "20261001_1", role: "user", content, at: 1_790_848_800 });
    // A file name cannot contain everything that a text can.
    let name = at("filename").replace(['/', '\0'], ":");
    symlink("/nowhere", home.path(&path(&name))).unwrap();
    home
}

fn claude(at: &dyn Fn(&str) -> String) -> String {
    let line = |uuid, second| Line { session: SESSION, uuid, parent: None, second };
    let error = json!({"type": "assistant", "isApiErrorMessage": true, "error": "x", "message": {
        "id": "e", "role": "assistant", "model": "<synthetic>",
        "content": [{"type": "text", "text": at("error")}]}});
    let quoted = |text: String| json!(text).to_string();
    [
        line("u1", 1).prompt(&at("prompt")),
        line("u2", 2).answer(&at("answer")),
        line("u3", 3).call("c1", &at("tool"), &json!({"command": at("input")})),
        line("u4", 4).result("c1", &at("output")),
        line("u5", 5).with(&error),
        line("u6", 6).with(&json!({"type": "custom-title", "customTitle": at("title")})),
        line("u7", 7).with(&json!({"type": at("rawtype"), "version": at("rawtype")})),
    ]
    .concat()
    .replace("\"claude-x-1\"", &quoted(at("model")))
    .replace("\"/w/app\"", &quoted(at("folder")))
    .replace("\"main\"", &quoted(at("branch")))
}

fn codex(said: &str) -> String {
    let line = |second: u32, kind: &str, payload: Value| {
        let time = format!("2026-10-01T10:00:{second:02}.000Z");
        format!("{}\n", json!({"timestamp": time, "type": kind, "payload": payload}))
    };
    line(1, "session_meta", json!({"id": THREAD, "cwd": said, "git": {"branch": said}}))
        + &line(2, "event_msg", json!({"type": "user_message", "message": said}))
}

fn gemini(said: &str) -> String {
    let (time, content) = ("2026-10-01T10:00:01.000Z", json!([{"text": said}]));
    let head = json!({"sessionId": CHAT, "startTime": time, "kind": "main"});
    let prompt = json!({"id": "m1", "timestamp": time, "type": "user", "content": content});
    format!("{head}\n{prompt}\n")
}
