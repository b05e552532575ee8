//! Exports, as the tools that define or read their formats take them: every recording goes to the
//! validator of ATIF, and one to a collector of OpenTelemetry.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use taffrail_testkit::{Collector, Home, ReceivedSpan, atif};

/// The fewest recordings: none may disappear unnoticed.
const FEWEST: usize = 8;

/// What was said: only with `--content`.
const CONTENT: [&str; 4] = [
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.tool.call.arguments",
    "gen_ai.tool.call.result",
];

fn recordings() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../daemon/tests/recordings");
    let mut all: Vec<_> = fs::read_dir(root).unwrap().map(|it| it.unwrap().path()).collect();
    all.sort();
    assert!(all.len() >= FEWEST, "{all:?}");
    all
}

/// A home with the files of a recording. A database is recorded as its SQL statements.
fn home_of(recording: &Path) -> Home {
    let home = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    lay(&home, &recording.join("home"), &recording.join("home"));
    home
}

fn lay(home: &Home, root: &Path, folder: &Path) {
    for entry in fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()) {
        let below = entry.strip_prefix(root).unwrap().to_str().unwrap();
        if entry.is_dir() {
            lay(home, root, &entry);
        } else if let Some(database) = below.strip_suffix(".sql") {
            fs::create_dir_all(home.path(below).parent().unwrap()).unwrap();
            let database = rusqlite::Connection::open(home.path(database)).unwrap();
            database.execute_batch(&fs::read_to_string(&entry).unwrap()).unwrap();
        } else {
            home.write(below, fs::read(&entry).unwrap());
        }
    }
}

/// The sessions of a home, with sub-agents if `more` asks for them.
fn sessions(home: &Home, more: &[&str]) -> Vec<String> {
    let list = home.json(&[&["ls", "--json"], more].concat());
    let all = list["sessions"].as_array().unwrap().iter();
    all.map(|it| it["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_validator_of_atif_accepts_every_recording() {
    let mut documents: Vec<Value> = Vec::new();
    for recording in recordings() {
        let home = home_of(&recording);
        let all = sessions(&home, &["--all"]);
        assert!(!all.is_empty(), "{recording:?}");
        documents.extend(all.iter().map(|it| home.json(&["export", it, "--format", "atif"])));
    }
    let mut expected = vec!["ok"; documents.len()];
    assert_eq!(atif::verdicts(&documents), expected);
    // It does refuse what the format does not know.
    documents[0]["steps"][0]["mood"] = "calm".into();
    expected.remove(0);
    let verdicts = atif::verdicts(&documents);
    assert!(verdicts[0].contains("mood"), "{verdicts:?}");
    assert_eq!(verdicts[1..], expected);
}

/// The attributes of each kind of span, from the table in the documentation: those that it always
/// has, and those that it may have.
fn documented(operation: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/exports.md");
    let text = fs::read_to_string(file).unwrap();
    let (mut always, mut maybe) = (BTreeSet::new(), BTreeSet::new());
    for line in text.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, name, on, when, _] = cells.as_slice() else { continue };
        let name = name.trim_matches('`');
        let is_on = *on == "all" || on.contains(&format!("`{operation}`"));
        if is_on && (name.starts_with("gen_ai.") || name == "error.type") {
            maybe.insert(name.to_owned());
            always.extend((*when == "always").then(|| name.to_owned()));
        }
    }
    assert!(!always.is_empty(), "docs/exports.md has no table of {operation}");
    (always, maybe)
}

/// Every span has what the documentation says of its kind, and all are one tree.
fn check(spans: &[ReceivedSpan]) {
    let kinds: BTreeSet<&str> = spans.iter().map(operation).collect();
    assert_eq!(kinds, BTreeSet::from(["chat", "execute_tool", "invoke_agent", "session"]));
    let ids: BTreeSet<&str> = spans.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ids.len(), spans.len(), "{spans:?}");
    for span in spans {
        let operation = operation(span);
        let (always, maybe) = documented(operation);
        let names = names(span);
        assert!(always.is_subset(&names), "{span:?} lacks some of {always:?}");
        assert!(names.is_subset(&maybe), "{span:?} has more than {maybe:?}");
        let is_root = operation == "session";
        assert_eq!(is_root, span.parent.is_empty(), "{span:?}");
        assert!(is_root || ids.contains(span.parent.as_str()), "{span:?}");
        let kind = if operation == "chat" { "SPAN_KIND_CLIENT" } else { "SPAN_KIND_INTERNAL" };
        assert_eq!(span.kind, kind, "{span:?}");
    }
}

fn operation(span: &ReceivedSpan) -> &str {
    span.name.split(' ').next().unwrap()
}

fn names(span: &ReceivedSpan) -> BTreeSet<String> {
    span.attributes.iter().map(|it| it.split_once(": ").unwrap().0.to_owned()).collect()
}

#[test]
fn a_collector_takes_every_span_with_the_attributes_of_the_documentation() {
    let home = home_of(&recordings().into_iter().find(|it| it.ends_with("claude_worker")).unwrap());
    let session = &sessions(&home, &[])[0];
    let received = |more: &[&str]| {
        let collector = Collector::start();
        let address = collector.address();
        let words = ["export", session, "--format", "otlp", "--to", &address, "--json"];
        let count = home.json(&[&words, more].concat())["spans"].as_u64().unwrap();
        let spans = collector.spans(usize::try_from(count).unwrap());
        check(&spans);
        assert_eq!(spans.len() as u64, count);
        spans
    };
    let (plain, whole) = (received(&[]), received(&["--content"]));
    let all =
        |spans: &[ReceivedSpan]| -> BTreeSet<String> { spans.iter().flat_map(names).collect() };
    let more: BTreeSet<String> = all(&whole).difference(&all(&plain)).cloned().collect();
    assert_eq!(more, CONTENT.map(str::to_owned).into());
    let without = |it: &ReceivedSpan| {
        let is_said = |it: &String| CONTENT.iter().any(|name| it.starts_with(name));
        let attributes = it.attributes.iter().filter(|it| !is_said(it)).cloned().collect();
        ReceivedSpan { attributes, ..it.clone() }
    };
    // The same spans with the same ids, and what was said besides.
    assert_eq!(whole.iter().map(without).collect::<Vec<_>>(), plain);
}

#[test]
fn sessions_are_records_of_comma_separated_values() {
    let empty = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    let head = empty.ok(&["ls", "--csv"]);
    assert!(head.starts_with("id,device,agent,") && head.lines().count() == 1, "{head}");
    let home = home_of(&recordings().into_iter().find(|it| it.ends_with("claude_worker")).unwrap());
    let list = home.json(&["ls", "--all", "--json"]);
    let text = home.ok(&["ls", "--all", "--csv"]);
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows[0], head.trim_end());
    let all = list["sessions"].as_array().unwrap();
    assert_eq!(rows.len(), all.len() + 1, "{text}");
    for (row, session) in rows[1..].iter().zip(all) {
        let tokens =
            format!(",{},{},", session["usage"]["input_tokens"], session["usage"]["output_tokens"]);
        let id = format!("\"{}\",", session["id"].as_str().unwrap());
        assert!(row.starts_with(&id) && row.contains(&tokens), "{row}: {session}");
    }
    assert_eq!(home.run(&["ls", "--csv", "--json"]).status, 2);
}
