//! Worn-out turns that a reader has to translate; STYLE.md lists what to write instead.

use super::Finding;
use super::files::{File, Tree};

/// The turns, with the words after and before them that make them good English.
const WORN: [(&str, &[&str], &[&str]); 7] = [
    ("anew", &[], &[]),
    ("of late", &[], &[]),
    ("is no", &["longer", "more"], &["there", "There"]),
    ("stands", &["for"], &[]),
    ("what is told", &[], &[]),
    ("Say how", &[], &[]),
    ("Say what", &[], &[]),
];

/// Pages that quote the turns, texts of others, and a contract that files on disk are compared
/// with.
const QUOTING: [&str; 4] = ["STYLE.md", "/fixtures/", "bench/questions/", "ai_session/contract.md"];

/// Every worn-out turn on a page.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let pages = tree.files.iter().filter(|it| it.path.ends_with(".md"));
    pages.filter(|it| !QUOTING.iter().any(|part| it.path.contains(part))).flat_map(page).collect()
}

fn page(file: &File) -> Vec<Finding> {
    let (mut is_code, mut out) = (false, Vec::new());
    for (line, number) in file.text.lines().zip(1..) {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        let words: Vec<&str> = prose.split_whitespace().collect();
        let worn = WORN.iter().filter(|it| !is_code && is_in(&words, it));
        let found = |turn: &str| Finding::new(&file.path, number, format!("says \"{turn}\""));
        out.extend(worn.map(|(turn, ..)| found(turn)));
    }
    out
}

fn is_in(words: &[&str], (turn, after, before): &(&str, &[&str], &[&str])) -> bool {
    let turn: Vec<&str> = turn.split(' ').collect();
    let bare = |word: &&str| word.trim_matches(|it: char| !it.is_alphanumeric()).to_owned();
    let bare: Vec<String> = words.iter().map(bare).collect();
    (0..bare.len()).any(|at| {
        let is_turn = bare.get(at..at + turn.len()).is_some_and(|it| it == turn);
        let is = |at: Option<usize>, good: &[&str]| {
            at.and_then(|at| bare.get(at)).is_some_and(|it| good.contains(&it.as_str()))
        };
        is_turn && !is(Some(at + turn.len()), after) && !is(at.checked_sub(1), before)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worn_out_turns_are_found_in_prose() {
        let check = |text: &str, expected: &[&str]| {
            let found = super::check(&Tree::of(&[("docs/a.md", text)]));
            let found: Vec<_> = found.iter().map(ToString::to_string).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("It is made anew.\n", &["docs/a.md:1: says \"anew\""]);
        check("a\nThat is no file.\n", &["docs/a.md:2: says \"is no\""]);
        check("There is no file, and it is no longer read.\n", &[]);
        check("`*` stands for anything.\n", &[]);
        check(
            "How it stands, of late\n",
            &["docs/a.md:1: says \"of late\"", "docs/a.md:1: says \"stands\""],
        );
        check("The folder `stands` is data.\n```\nanew\n```\n", &[]);
    }

    #[test]
    fn a_page_may_quote_them_where_it_teaches() {
        let tree = Tree::of(&[("STYLE.md", "anew"), ("crates/a/src/x/fixtures/b.md", "anew")]);
        assert_eq!(check(&tree), []);
    }
}
