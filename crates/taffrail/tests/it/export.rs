//! Exports: transcript text stays text in every format, files are complete or absent, and many
//! sessions take no more memory than one. Trajectories and spans hold one session each.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::thread::JoinHandle;
use taffrail_testkit::Home;
use taffrail_testkit::claude::{Line, path, talk};

const SESSION: &str = "11111111-1111-4111-8111-111111111111";

/// All tags of our own pages.
const TAGS: [&str; 47] = [
    "<!doctype html>",
    "<html lang=\"en\">",
    "</html>",
    "<head>",
    "</head>",
    "<meta charset=\"utf-8\">",
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src \
     'unsafe-inline'\">",
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
    "<meta name=\"referrer\" content=\"no-referrer\">",
    "<meta name=\"color-scheme\" content=\"light dark\">",
    "<title>",
    "</title>",
    "<style>",
    "</style>",
    "<body>",
    "</body>",
    "<article>",
    "</article>",
    "<header>",
    "</header>",
    "<h1>",
    "</h1>",
    "<h2>",
    "</h2>",
    "<span>",
    "</span>",
    "<p>",
    "</p>",
    "<p class=\"note\">",
    "<p class=\"note bad\">",
    "<dl>",
    "</dl>",
    "<dt>",
    "</dt>",
    "<dd>",
    "</dd>",
    "<div class=\"prompt\">",
    "<div class=\"answer\">",
    "</div>",
    "<details class=\"tool\">",
    "<details class=\"thinking\">",
    "</details>",
    "<summary>",
    "</summary>",
    "<pre>",
    "</pre>",
    "<i class=\"bad\">",
];
const MORE_TAGS: [&str; 6] = ["<b>", "</b>", "<i>", "</i>", "<code>", "</code>"];

const HOSTILE: [&str; 14] = [
    "<script>alert(1)</script>",
    "</pre></details></article><img src=x onerror=alert(1)>",
    "\"' onmouseover='alert(1)' x=\"",
    "<!-- ]]> --> <![CDATA[",
    "&lt;b&gt; &amp;",
    "see https://evil.example/x?a=1//b and //evil.example",
    "url(//evil.example) src=//evil.example href=\"//evil.example\"",
    "![x](https://evil.example/p.png) [x](javascript:alert(1))",
    "```\n</pre>\n````\n```` `a` ``",
    "`code <b>` and \\`<b>\\`",
    "\u{1b}[31mred\u{1b}]8;;https://evil.example\u{7}link",
    "\u{202e}gnp.exe \u{2066}x\u{2069} \u{200b}",
    "a\u{0}b\u{7f}c\u{9b}31m",
    "</style><base href=//evil.example><meta http-equiv=refresh content=0>",
];

/// A session with this text in every place.
fn home_saying(said: &str) -> Home {
    let home = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    let line = |uuid, second| Line { session: SESSION, uuid, parent: None, second };
    let thinking = json!({"type": "assistant", "message": {"id": "t", "role": "assistant",
        "model": said, "content": [{"type": "thinking", "thinking": said}]}});
    let error = json!({"type": "assistant", "isApiErrorMessage": true, "error": said, "message": {
        "id": "e", "role": "assistant", "model": "<synthetic>",
        "content": [{"type": "text", "text": said}]}});
    let lines = [
        line("u1", 1).prompt(said),
        line("u2", 2).with(&thinking),
        line("u3", 3).answer(said),
        line("u4", 4).call("c1", said, &json!({"command": said, "more": {"x": said}})),
        line("u5", 5).result("c1", said),
        line("u6", 6).with(&error),
        line("u7", 7).with(&json!({"type": "custom-title", "customTitle": said})),
    ];
    let quoted = json!(said).to_string();
    home.write(&path(SESSION), lines.concat().replace("\"/w/app\"", &quoted));
    home
}

#[test]
fn a_page_holds_nothing_but_our_own_tags_and_fetches_nothing() {
    for said in HOSTILE {
        let home = home_saying(said);
        let page = home.ok(&["export", SESSION, "--format", "html"]);
        let mut rest = page.as_str();
        while let Some((_, after)) = rest.split_once('<') {
            let (tag, after) = after.split_once('>').unwrap();
            let tag = format!("<{tag}>");
            let ours = TAGS.iter().chain(&MORE_TAGS).any(|it| *it == tag);
            assert!(ours, "{said:?} becomes {tag}");
            rest = after;
        }
        assert!(!page.contains("//"), "{said:?}: something looks like an address");
        check_plain(&page, said);
    }
}

#[test]
fn markdown_holds_no_html_but_our_folds() {
    for said in HOSTILE {
        let home = home_saying(said);
        let text = home.ok(&["export", SESSION, "--format", "md"]);
        check_plain(&text, said);
        let mut fence: Option<String> = None;
        for line in text.lines().map(|line| line.trim_start_matches("> ")) {
            let ticks: String = line.chars().take_while(|it| *it == '`').collect();
            match &fence {
                Some(open) if line == open => fence = None,
                Some(_) => {}
                None if ticks.len() >= 3 => fence = Some(ticks),
                None => check_no_html(line, said),
            }
        }
        assert_eq!(fence, None, "{said:?} leaves a block open");
    }
}

/// Outside of blocks, tags occur only in code and in our collapsible sections.
fn check_no_html(line: &str, said: &str) {
    let fold = line.strip_prefix("<details><summary>").and_then(|it| it.strip_suffix("</summary>"));
    let said_plainly = fold.unwrap_or(line).replace("`code <b>`", "").replace("</details>", "");
    assert!(!said_plainly.contains('<'), "{said:?}: {line}");
    assert!(fold.is_some() || !line.contains("!["), "{said:?}: {line}");
}

fn check_plain(text: &str, said: &str) {
    let is_hostile = |it: char| {
        (it.is_control() && it != '\n' && it != '\t')
            || matches!(it, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert_eq!(text.chars().find(|it| is_hostile(*it)), None, "{said:?}");
}

/// Made-up secrets, recognized by themselves, by a name, and by a block of lines.
fn secrets() -> Vec<(String, String)> {
    let drawn = ["q8Zt4nWc0R", "jX2mLp7Vb1", "Hs6Dk9QyFe", "3aTu5G"].concat();
    let key = format!("{drawn}{drawn}{drawn}");
    let bare = |it: String| (it.clone(), it);
    vec![
        bare(format!("ghp_{drawn}")),
        bare(format!("sk-ant-api03-{key}")),
        (format!("DB_PASSWORD={drawn}"), drawn.clone()),
        (format!("postgres://app:{drawn}@db/x"), drawn.clone()),
        (format!("-----BEGIN PRIVATE KEY-----\n{key}\n-----END PRIVATE KEY-----"), key),
        (format!("Authorization: Bearer {drawn}"), drawn),
    ]
}

#[test]
fn redacted_files_hold_no_secret() {
    for (said, secret) in secrets() {
        let home = home_saying(&format!("before {said} after"));
        for format in ["jsonl", "md", "html", "atif"] {
            let plain = home.ok(&["export", SESSION, "--format", format]);
            assert!(plain.contains(&secret), "{format} without being asked: {said}");
            let redacted = home.ok(&["export", SESSION, "--format", format, "--redacted"]);
            assert!(!redacted.contains(&secret), "{format}: {said}: {redacted}");
            assert!(redacted.contains("redacted:"), "{format}: {said}");
            assert!(redacted.contains("before"), "{format}: {said}");
        }
    }
}

#[test]
fn redaction_leaves_the_rest_as_it_is() {
    let home = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    home.write(&path(SESSION), talk(SESSION, 0, 4));
    for format in ["jsonl", "md", "html", "atif"] {
        let plain = home.ok(&["export", SESSION, "--format", format]);
        assert_eq!(home.ok(&["export", SESSION, "--format", format, "--redacted"]), plain);
    }
}

#[test]
fn lines_are_those_of_events_and_a_page_keeps_every_word() {
    let home = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    let word = "supercalifragilistic".repeat(5_000);
    let line = |uuid, second| Line { session: SESSION, uuid, parent: None, second };
    home.write(&path(SESSION), line("u1", 1).prompt(&word) + &line("u2", 2).answer("Done."));
    let lines = home.ok(&["export", SESSION, "--format", "jsonl"]);
    assert_eq!(lines, home.ok(&["events", SESSION, "--json"]));
    assert_eq!(home.ok(&["export", "--since", "2026-01-01", "--format", "jsonl"]), lines);
    for format in ["md", "html"] {
        assert!(home.ok(&["export", SESSION, "--format", format]).contains(&word), "{format}");
    }
}

#[test]
fn a_trajectory_is_one_document_on_stdout_or_in_a_file() {
    let home = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    home.write(&path(SESSION), talk(SESSION, 0, 4));
    let document = home.json(&["export", SESSION, "--format", "atif"]);
    let known = (&document["schema_version"], &document["session_id"]);
    assert_eq!(known, (&json!("ATIF-v1.8"), &json!(SESSION)));
    assert_eq!(home.json(&["export", SESSION, "--format", "atif", "--json"]), document);
    home.ok(&["export", SESSION, "--format", "atif", "--out", "session.json"]);
    let file = fs::read(home.path("session.json")).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&file).unwrap(), document);
    let many = home.run(&["export", "--since", "2026-01-01", "--format", "atif"]);
    assert_eq!((many.status, many.stdout.as_str()), (2, ""), "{}", many.stderr);
}

/// A collector that takes one request, answers with a status, and gives the request back.
fn collector(status: &'static str) -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let taken = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut asked = String::new();
        let mut piece = [0; 64 * 1024];
        while !is_whole(&asked) {
            let count = stream.read(&mut piece).unwrap();
            assert!(count > 0, "the request broke off: {asked}");
            asked.push_str(std::str::from_utf8(&piece[..count]).unwrap());
        }
        write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 2\r\n\r\n{{}}").unwrap();
        asked
    });
    (address, taken)
}

fn is_whole(asked: &str) -> bool {
    let Some((head, body)) = asked.split_once("\r\n\r\n") else { return false };
    let lower = head.to_lowercase();
    let length = lower.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    body.len() >= length.trim().parse().unwrap()
}

#[test]
fn a_session_is_sent_to_a_collector_and_its_refusal_is_a_failure() {
    let (said, secret) = secrets().into_iter().next().unwrap();
    let home = home_saying(&format!("zzwick {said} after"));
    let check = |status, more: &[&str], expected: (i32, bool)| {
        let (address, taken) = collector(status);
        let mut words = vec!["export", SESSION, "--format", "otlp", "--to", &address];
        words.extend(more);
        let output = home.run(&words);
        let asked = taken.join().unwrap();
        assert!(asked.starts_with("POST /v1/traces HTTP/1.1\r\n"), "{asked}");
        assert!(!asked.contains(&secret), "{asked}");
        let has_text = asked.contains("gen_ai.output.messages");
        assert_eq!((output.status, has_text), expected, "{status}: {}", output.stderr);
    };
    check("200 OK", &[], (0, false));
    check("200 OK", &["--content"], (0, true));
    check("400 Bad Request", &[], (1, false));
    let refused = |words: &[&str]| {
        let output = home.run(&[&["export", SESSION, "--format"], words].concat());
        assert_eq!(output.status, 2, "{words:?}: {}", output.stderr);
    };
    refused(&["otlp"]);
    refused(&["otlp", "--to", "http://otel.example:4318"]);
    refused(&["md", "--to", "http://127.0.0.1:1"]);
}

#[test]
fn a_file_is_private_whole_and_never_replaced_unasked() {
    let home = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    home.write(&path(SESSION), talk(SESSION, 0, 4));
    let export = |more: &[&str]| {
        home.run(&[&["export", SESSION, "--format", "md", "--out", "a.md"], more].concat())
    };
    let first = export(&[]);
    assert_eq!((first.status, first.stdout.as_str()), (0, ""), "{}", first.stderr);
    assert_eq!(first.stderr, "wrote 1 session to a.md\n");
    let kept = fs::read_to_string(home.path("a.md")).unwrap();
    assert_eq!(kept, home.ok(&["export", SESSION, "--format", "md"]));
    assert_eq!(fs::metadata(home.path("a.md")).unwrap().permissions().mode() & 0o777, 0o600);
    home.write("a.md", "mine");
    let again = export(&[]);
    assert_eq!(again.status, 2, "{}", again.stderr);
    assert!(again.stderr.contains("a.md already exists"), "{}", again.stderr);
    assert_eq!(fs::read_to_string(home.path("a.md")).unwrap(), "mine");
    assert_eq!(export(&["--force"]).status, 0);
    assert_eq!(fs::read_to_string(home.path("a.md")).unwrap(), kept);
    fs::remove_file(home.path("a.md")).unwrap();
    symlink("/dev/null", home.path("a.md")).unwrap();
    assert_eq!(export(&["--force"]).status, 2, "a link is not followed");
    let left: Vec<_> =
        fs::read_dir(home.root()).unwrap().map(|it| it.unwrap().file_name()).collect();
    let left = left.iter().filter(|name| name.to_string_lossy().starts_with(".taffrail-"));
    assert_eq!(left.count(), 0, "nothing is left beside the file");
}

#[test]
fn a_file_that_failed_is_not_there() {
    let home = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    let output = home.run(&["export", "ffff", "--format", "html", "--out", "a.html"]);
    assert_eq!(output.status, 3, "{}", output.stderr);
    assert!(!home.path("a.html").exists());
    let output = home.run(&["export", "@last", "--format", "md", "--out", "gone/a.md"]);
    assert_eq!(output.status, 1);
    assert!(output.stderr.contains("gone/a.md: "), "{}", output.stderr);
}

/// The most memory a run may take beyond one a twentieth of its size.
const MORE_KIB: u64 = 6 * 1024;

#[test]
fn many_sessions_take_no_more_memory_than_few() {
    let home = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    let mut sessions = 0..;
    let mut peak_with = |count: usize| {
        for number in sessions.by_ref().take(count) {
            let session = format!("11111111-1111-4111-8111-{number:012}");
            let said = "A long answer. ".repeat(200);
            home.write(&path(&session), talk(&session, 0, 20).replace("Answer", &said));
        }
        home.index();
        let arguments = ["export", "--since", "2026-01-01", "--format", "html", "--out", "a.html"];
        let (status, peak) = home.spawn(&[&arguments[..], &["--force"]].concat()).peak_kib();
        let bytes = fs::metadata(home.path("a.html")).unwrap().len();
        println!("{count} more sessions: {bytes} bytes, {peak} KiB at most");
        assert!(status.success());
        (peak, bytes)
    };
    let (few, small) = peak_with(40);
    let (many, large) = peak_with(760);
    assert!(large > 19 * (small - 20_000), "{large} bytes are not twenty times {small}");
    assert!(many < few + MORE_KIB, "{many} KiB for many, {few} KiB for few");
}
