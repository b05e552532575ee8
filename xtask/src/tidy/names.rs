//! No code names an agent outside its adapter's folder.

use super::Finding;
use super::agents::{self, LISTS};
use super::files::Tree;
use super::tokens::{Kind, Token, tokens};
use std::collections::BTreeSet;

/// External contracts bring their own words; dialects are shared by agents, and lists of agents name them.
/// Sellers of models may be called like an agent.
const EXEMPT: [&str; 6] = [
    "crates/contracts/",
    "crates/agents/src/dialects/",
    "crates/adapters/src/maturity.rs",
    "crates/adapters/src/callers.rs",
    "crates/prices/src/built_in.rs",
    "crates/exports/src/otlp/names.rs",
];
/// Names of agents that are words of the language or of this program.
const WORDS: [&str; 4] = ["amp", "continue", "cursor", "pi"];
/// Lines of a string that show how to use a command.
const EXAMPLE: &str = "taffrail ";

/// Every place that names an agent it should not know.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut names = agents::names(tree);
    names.retain(|it| !WORDS.contains(&it.as_str()));
    let homes: Vec<_> = agents::folders(tree).iter().map(|folder| format!("{folder}/")).collect();
    let outside = tree.shipped().filter(|(path, _)| {
        !EXEMPT.iter().any(|it| path.starts_with(it))
            && !homes.iter().any(|home| path.starts_with(home))
    });
    outside.flat_map(|(path, text)| check_file(path, text, &names)).collect()
}

fn check_file(path: &str, text: &str, names: &BTreeSet<String>) -> Vec<Finding> {
    let list = list_lines(path, text);
    let spoken = tokens(text).into_iter();
    let spoken = spoken.filter(|token| token.kind != Kind::Doc && !list.contains(&token.line));
    let named = spoken.filter_map(|token| Some((token.line, named(&token, names)?)));
    named.map(|(line, name)| Finding::new(path, line, format!("names an agent: {name}"))).collect()
}

/// The lines of the list that contains every adapter of a crate.
fn list_lines(path: &str, text: &str) -> std::ops::Range<usize> {
    let list = LISTS.iter().find(|(place, _)| path == format!("{place}/lib.rs"));
    let Some((_, list)) = list else {
        return 0..0;
    };
    let Some(start) = text.lines().position(|line| line.starts_with(list)) else {
        return 0..0;
    };
    let length = text.lines().skip(start).position(|line| line.contains('}'));
    start + 1..start + 2 + length.unwrap_or_default()
}

fn named<'a>(token: &Token<'_>, names: &'a BTreeSet<String>) -> Option<&'a str> {
    let lines = token.text.split('\n').flat_map(|line| line.split("\\n"));
    let lines = lines.filter(|line| !is_example(token.kind, line));
    let lines: Vec<_> = lines.map(split_camel_case).collect();
    let mut names = names.iter().map(String::as_str);
    names.find(|name| lines.iter().any(|line| has_word(line, name)))
}

fn is_example(kind: Kind, line: &str) -> bool {
    let line = line.trim_start_matches(['"', ' ', '$']);
    kind == Kind::Text && line.starts_with(EXAMPLE)
}

/// Converts to lowercase, with `ToyReader` as `toy_reader`.
fn split_camel_case(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut after_small = false;
    for c in line.chars() {
        if after_small && c.is_uppercase() {
            out.push('_');
        }
        after_small = c.is_lowercase();
        out.extend(c.to_lowercase());
    }
    out
}

fn has_word(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, found)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        let after = line.get(at + found.len()..);
        let after = after.and_then(|text| text.chars().next());
        let open = |next: Option<char>| !next.is_some_and(char::is_alphanumeric);
        open(before) && open(after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIB: &str = "//! Toy.\nadapters! { toy,\n  big_toy }\n";
    const TOY: &str = r#"static D: Descriptor = Descriptor { id: "toy", label: "Toy Agent" };"#;

    #[test]
    fn an_agent_is_named_in_its_folder_only() {
        let check = |path: &str, text: &str, expected: &[&str]| {
            let tree = Tree::of(&[
                ("crates/adapters/src/lib.rs", LIB),
                ("crates/adapters/src/toy/mod.rs", TOY),
                (path, text),
            ]);
            let got: Vec<_> = check(&tree).iter().map(ToString::to_string).collect();
            assert_eq!(got, expected, "{text}");
        };
        let a = "crates/daemon/src/a.rs";
        let found = |name: &str| format!("crates/daemon/src/a.rs:1: names an agent: {name}");
        check(a, "let stoy = toys;", &[]);
        check(a, "/// As toy does.\n//! toy", &[]);
        check(a, "let x = \"taffrail ls --agent toy\";", &[]);
        check(a, "let x = \"Examples:\\n  taffrail ls --agent toy\";", &[]);
        check(a, "let x = \"Examples:\n  taffrail ls --agent toy\n\";", &[]);
        check(a, "#[cfg(test)]\nmod tests { toy }", &[]);
        check(a, "if id == \"toy\" {}", &[&found("toy")]);
        check(a, "// toy is special", &[&found("toy")]);
        check(a, "struct ToyReader;", &[&found("toy")]);
        check(a, "fn read_toy() {}", &[&found("toy")]);
        check(a, "\"the TOY agent\"", &[&found("toy")]);
        check(a, "big_toy::x()", &[&found("big_toy")]);
        check(a, "\"see\\ntaffrail ls\\ntoy\"", &[&found("toy")]);
        check("crates/contracts/src/a.rs", "toy", &[]);
        check("crates/testkit/src/a.rs", "toy", &[]);
        check("crates/daemon/tests/a.rs", "toy", &[]);
        check("crates/adapters/src/toy/reader.rs", "toy", &[]);
        check(
            "crates/adapters/src/records.rs",
            "toy",
            &["crates/adapters/src/records.rs:1: names an agent: toy"],
        );
    }
}
