//! The pages of promises and of contracts name only tests that exist.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test they help")]

use std::fs;
use std::path::Path;

/// All source text below a folder.
fn code_below(folder: &Path, out: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            code_below(&path, out);
        } else if path.extension().is_some_and(|it| it == "rs") {
            *out += &fs::read_to_string(&path).unwrap();
        }
    }
}

#[test]
fn every_promise_of_security_names_a_test_that_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/security.md")).unwrap();
    let mut code = String::new();
    code_below(&root.join("crates"), &mut code);
    for row in page.lines().filter(|it| it.starts_with("| ") && !it.starts_with("| #")) {
        let cell = row.trim_end_matches('|').rsplit('|').next().unwrap();
        let names: Vec<_> = cell.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "no test holds {row}");
        for name in names {
            assert!(code.contains(&format!("fn {name}(")), "{name}");
        }
    }
}

/// Tests of the pages and of the extension for editors.
const SCRIPTS: [&str; 3] = [
    "web/tests/safety.spec.ts",
    "packaging/vscode/test/extension.test.mjs",
    "packaging/vscode/test/words.test.mjs",
];

#[test]
fn every_test_the_threat_model_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/threat-model.md")).unwrap();
    let mut code = String::new();
    code_below(&root.join("crates"), &mut code);
    let scripts = SCRIPTS.map(|it| fs::read_to_string(root.join(it)).unwrap()).join("\n");
    let rows = cells(&page, "test");
    assert!(rows.len() > 10, "the tables are not read");
    for (cell, row) in rows {
        let names: Vec<_> = cell.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "no test holds {row}");
        for name in names {
            let is_there =
                code.contains(&format!("fn {name}(")) || scripts.contains(&format!("('{name}', "));
            assert!(is_there, "{name}");
        }
    }
}

/// What proves a rule without being a test of ours.
const HELD: [&str; 2] = ["the suite", "a process among people"];

/// Rows that give a reason instead of a test.
const REASONED: [&str; 4] = ["| not yet |", "| answered |", "| open |", "| no |"];

/// The documents, and how many items each has.
const ITEMS: [(&str, usize); 5] =
    [("000", 85), ("001", 76), ("002", 90), ("003", 245), ("004", 88)];

/// The rows of the tables with this column: that cell, and the whole row.
fn cells<'a>(page: &'a str, column: &str) -> Vec<(&'a str, &'a str)> {
    let mut place = None;
    let mut out = Vec::new();
    for row in page.lines() {
        let cells: Vec<_> = row.split(" | ").map(|it| it.trim_matches(['|', ' '])).collect();
        match row.starts_with('|') {
            false => place = None,
            true if place.is_none() => place = cells.iter().position(|it| *it == column),
            true if row.starts_with("|-") => {}
            true => out.extend(place.and_then(|at| cells.get(at)).map(|cell| (*cell, row))),
        }
    }
    out
}

/// The file that a test's path names, if it exists.
fn file_of(path: &[&str]) -> Option<String> {
    let file = match path {
        [top @ ("directory" | "work" | "bindings"), file] => {
            let of = if *top == "directory" { "workspace" } else { "taffrail" };
            format!("{of}/tests/it/{top}/{file}.rs")
        }
        ["conformance"] => "workspace/tests/it/conformance.rs".to_owned(),
        ["ai_session", file, "tests"] => format!("contracts/src/ai_session/{file}.rs"),
        [file @ ("lock" | "history" | "feature"), "tests"] => format!("workspace/src/{file}.rs"),
        _ => return None,
    };
    Some(format!("crates/{file}"))
}

fn is_word(name: &str) -> bool {
    name.contains('_')
        && name.chars().all(|it| it.is_ascii_lowercase() || it == '_' || it.is_ascii_digit())
}

/// True if a name in a row is a test or a document that proves it; fails if it should be one.
fn holds(root: &Path, code: &str, name: &str) -> bool {
    if name.contains('/') && name.ends_with(".json") {
        let contracts = fs::read_dir(root.join("docs/conformance")).unwrap();
        let found = contracts.map(|it| it.unwrap().path().join(name)).any(|it| it.is_file());
        assert!(found, "no contract has {name}");
        return true;
    }
    if name.starts_with("bench/") {
        assert!(root.join(name).is_file(), "there is no {name}");
        return true;
    }
    let mut path: Vec<_> = name.split("::").collect();
    let last = path.pop().unwrap_or_default();
    if path.is_empty() {
        // Of the plain names, only those of tests are whole sentences.
        let is_test = is_word(last) && last.matches('_').count() > 2;
        assert!(!is_test || code.contains(&format!("fn {last}(")), "{name}");
        return is_test || (is_word(last) && code.contains(&format!("fn {last}(")));
    }
    let file = file_of(&path);
    assert!(file.is_some(), "{name} is in no known place");
    let file = file.unwrap();
    let text = fs::read_to_string(root.join(&file)).unwrap_or_default();
    assert!(text.contains(&format!("fn {last}(")), "{file} has no {last}");
    true
}

#[test]
fn every_rule_of_a_contract_names_a_test_that_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut code = String::new();
    code_below(&root.join("crates"), &mut code);
    code_below(&root.join("xtask/src"), &mut code);
    let items: usize = ITEMS.iter().map(|(_, last)| last).sum();
    for (name, least) in [
        ("docs/contracts.md", 100),
        ("docs/contracts-002.md", 40),
        ("docs/contracts-items.md", items),
    ] {
        let page = fs::read_to_string(root.join(name)).unwrap();
        let rows = cells(&page, "held by");
        assert!(rows.len() >= least, "{name} has {} rows", rows.len());
        for (cell, row) in rows {
            let names = cell.split('`').skip(1).step_by(2);
            let count = names.filter(|it| holds(&root, &code, it)).count();
            let is_reasoned = REASONED.iter().any(|it| row.contains(it));
            let is_held = count > 0 || HELD.iter().any(|it| cell.contains(it));
            assert!(is_held || is_reasoned, "{name}: no test holds {row}");
        }
    }
}

#[test]
fn every_item_of_the_documents_has_one_row() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/contracts-items.md")).unwrap();
    let numbered = |(document, last): (&'static str, usize)| {
        (1..=last).map(move |number| format!("{document}-{number}"))
    };
    let expected: Vec<_> = ITEMS.into_iter().flat_map(numbered).collect();
    let items: Vec<_> = cells(&page, "item").into_iter().map(|(item, _)| item).collect();
    assert_eq!(items, expected);
    assert_eq!(expected.len(), 584);
    for (word, row) in cells(&page, "holds") {
        assert!(["yes", "answered", "open", "no"].contains(&word), "{row}");
    }
    for (reason, row) in cells(&page, "held by") {
        assert!(!reason.is_empty(), "no reason is given: {row}");
    }
}
