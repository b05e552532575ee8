//! Words that mark something as unfinished, and paths that exist on one machine only.

use super::Finding;
use super::files::{File, Tree};

/// Written in halves, so that this file does not match itself.
const UNFINISHED: [&str; 5] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
    concat!("to", "do!("),
    concat!("unimple", "mented!("),
];
const ELSEWHERE: [&str; 2] = [concat!("/wo", "rk/"), concat!("../sha", "red")];

/// Every such word in any text of the repository.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files.iter().flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Finding> {
    // Text that agents and their models wrote is not ours to change.
    let foreign = file.path.contains("/fixtures/");
    let words: &[&str] = if foreign { &[] } else { &UNFINISHED };
    let mut out = Vec::new();
    for (line, number) in file.text.lines().zip(1..) {
        let unfinished = words.iter().filter(|word| stands_alone(line, word));
        let elsewhere = ELSEWHERE.iter().filter(|path| begins(line, path));
        out.extend(
            unfinished
                .chain(elsewhere)
                .map(|word| Finding::new(&file.path, number, format!("{word} has no place here"))),
        );
    }
    out
}

/// Whether the word has no letter, digit or underscore on either side.
fn stands_alone(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, found)| {
        let after = line.get(at + found.len()..);
        let after = after.and_then(|text| text.chars().next());
        let open = |next: Option<char>| !next.is_some_and(is_word);
        open(before(line, at)) && (open(after) || word.ends_with('('))
    })
}

/// Whether the path starts here, not in the middle of a longer one.
fn begins(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let inside = |c: char| is_word(c) || matches!(c, '.' | '-' | '~' | '}' | '>' | '*');
        !before(line, at).is_some_and(inside)
    })
}

fn before(line: &str, at: usize) -> Option<char> {
    line.get(..at).and_then(|text| text.chars().next_back())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfinished_words_and_local_paths_are_found() {
        let check = |text: &str, expected: &[&str]| {
            let got: Vec<_> = check(&Tree::of(&[("docs/a.md", text)]))
                .into_iter()
                .map(|finding| finding.message)
                .collect();
            let expected: Vec<_> =
                expected.iter().map(|word| format!("{word} has no place here")).collect();
            assert_eq!(got, expected, "{text}");
        };
        let [later, mend, cross, macro_later, macro_never] = UNFINISHED;
        let [here, shared] = ELSEWHERE;
        for word in [later, mend, cross, macro_later, macro_never] {
            check(&format!("// {word}"), &[word]);
            check(&format!("x{word}"), &[]);
        }
        check(&format!("{later}: {mend}"), &[later, mend]);
        check(&format!("{cross}{cross}"), &[]);
        check("a to-do list, TodoWrite", &[]);
        check(&format!("cd {here}main"), &[here]);
        check(&format!("file://{here}main"), &[here]);
        check(&format!("~{here}app and home{here}app"), &[]);
        check(&format!("see {shared}/x"), &[shared]);
    }

    #[test]
    fn what_others_wrote_keeps_its_words() {
        let [later, ..] = UNFINISHED;
        let tree = Tree::of(&[("crates/adapters/src/toy/fixtures/a/home/x.jsonl", later)]);
        assert_eq!(check(&tree), []);
    }
}
