//! The commands of a page: every line of its fences that a shell reads. Pure.

use std::iter::Peekable;

/// The labels of fences that hold commands.
const SHELLS: [&str; 6] = ["sh", "bash", "zsh", "fish", "elvish", "powershell"];
/// How a line begins that would be a command if its fence had such a label.
const HIDDEN: [&str; 5] = ["taffrail ", "$ ", "cargo ", "git ", "npm "];

/// A command of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Command {
    /// The number of its first line.
    pub(crate) line: usize,
    /// Its text without a comment; a here-document and continued lines belong to it.
    pub(crate) text: String,
}

/// What a page holds.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Extract {
    /// The commands, in order.
    pub(crate) commands: Vec<Command>,
    /// Fences that could hide a command.
    pub(crate) faults: Vec<(usize, String)>,
}

/// Reads a page.
pub(crate) fn extract(page: &str) -> Extract {
    let mut out = Extract::default();
    let mut lines = page.lines().zip(1..).peekable();
    while let Some((line, number)) = lines.next() {
        let Some(label) = line.trim_start().strip_prefix("```") else { continue };
        let inside = body(&mut lines);
        match label {
            "" => out.faults.push((number, "this fence has no label".to_owned())),
            _ if SHELLS.contains(&label) => out.commands.extend(commands(&inside)),
            _ => out.faults.extend(inside.iter().filter_map(hidden)),
        }
    }
    out
}

/// The commands of ours that the prose of a page names, without what a shell does with them, and
/// without the marks of parts that may be left out.
pub(crate) fn named(page: &str) -> Vec<Command> {
    let (mut out, mut is_prose) = (Vec::new(), true);
    for (line, number) in page.lines().zip(1..) {
        is_prose ^= line.trim_start().starts_with("```");
        let spans = line.split('`').skip(1).step_by(2).filter(|_| is_prose);
        let ours = spans.filter(|it| it.starts_with("taffrail "));
        out.extend(ours.map(|it| Command { line: number, text: plain(it) }));
    }
    out
}

/// `taffrail a [--b C\|D] | e` is `taffrail a --b C`.
fn plain(span: &str) -> String {
    let words = span.replace("\\|", "|").replace(['[', ']', '…'], "").replace("...", "");
    let words = words.split_whitespace().take_while(|it| !["|", "&&", ">", ">>"].contains(it));
    let words = words.map(|it| it.split('|').next().unwrap_or(it));
    words.collect::<Vec<_>>().join(" ")
}

type Line<'a> = (&'a str, usize);

/// The lines up to the end of the fence.
fn body<'a>(lines: &mut impl Iterator<Item = Line<'a>>) -> Vec<Line<'a>> {
    lines.take_while(|(line, _)| !line.trim_start().starts_with("```")).collect()
}

fn hidden((line, number): &Line<'_>) -> Option<(usize, String)> {
    let is_command = HIDDEN.iter().any(|it| line.starts_with(it));
    is_command.then(|| (*number, format!("`{line}` is in a fence that is not run: label it `sh`")))
}

fn commands(lines: &[Line<'_>]) -> Vec<Command> {
    let mut out = Vec::new();
    let mut lines = lines.iter().copied().peekable();
    while let Some((first, line)) = lines.next() {
        let mut text = without_comment(first).to_owned();
        while text.ends_with('\\') {
            let Some((next, _)) = lines.next() else { break };
            text = format!("{text}\n{}", without_comment(next));
        }
        if let Some(word) = here_document(&text) {
            text += &document(&mut lines, &word);
        }
        if !text.is_empty() {
            out.push(Command { line, text });
        }
    }
    out
}

/// The lines of a here-document, with the word that ends it.
fn document<'a>(lines: &mut Peekable<impl Iterator<Item = Line<'a>>>, word: &str) -> String {
    let mut out = String::new();
    for (line, _) in lines.by_ref() {
        out += &format!("\n{line}");
        if line == word {
            break;
        }
    }
    out
}

/// The word that ends the here-document of a command.
fn here_document(text: &str) -> Option<String> {
    let (_, after) = text.split_once("<<")?;
    let word = after.trim_start_matches('-').split_whitespace().next()?;
    let word = word.trim_matches(['\'', '"']);
    word.chars().all(|it| it.is_ascii_uppercase()).then(|| word.to_owned())
}

/// A line without its comment and the blanks around it. A `#` begins a comment at the start of a
/// word, outside of quotes.
fn without_comment(line: &str) -> &str {
    let (mut quote, mut before) = (None, ' ');
    for (at, it) in line.char_indices() {
        match (quote, it) {
            (None, '#') if before == ' ' => return line.get(..at).unwrap_or(line).trim(),
            (None, '\'' | '"') => quote = Some(it),
            (Some(open), _) if open == it => quote = None,
            _ => {}
        }
        before = it;
    }
    line.trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(page: &str, commands: &[(usize, &str)], faults: &[usize]) {
        let out = extract(page);
        let got: Vec<_> = out.commands.iter().map(|it| (it.line, it.text.as_str())).collect();
        assert_eq!(got, commands, "{page}");
        assert_eq!(out.faults.iter().map(|it| it.0).collect::<Vec<_>>(), faults, "{page}");
    }

    #[test]
    fn every_line_of_a_shell_is_a_command() {
        check(
            "a\n```sh\ntaffrail ls\n\ngit pull\n```\nb\n",
            &[(3, "taffrail ls"), (5, "git pull")],
            &[],
        );
        check("```fish\nx | source\n```\n```bash\ny\n```\n", &[(2, "x | source"), (5, "y")], &[]);
        check("```toml\na = 1\n```\n```sh\nx", &[(5, "x")], &[]);
        check("Run `taffrail ls`.\n", &[], &[]);
    }

    #[test]
    fn comments_are_no_part_of_a_command() {
        check("```sh\nx y   # z\n# all of it\n      # and this\n```", &[(2, "x y")], &[]);
        check("```sh\nx '# y' \"a # b\" c#d # e\n```", &[(2, "x '# y' \"a # b\" c#d")], &[]);
    }

    #[test]
    fn a_command_may_have_several_lines() {
        check("```sh\nx \\\n  y \\\n  z\nw\n```", &[(2, "x \\\ny \\\nz"), (5, "w")], &[]);
        check(
            "```sh\ncat <<'END' | jq\n# a\n  b\nEND\nw\n```",
            &[(2, "cat <<'END' | jq\n# a\n  b\nEND"), (6, "w")],
            &[],
        );
        check("```sh\nsource <(x)\ny < z\n```", &[(2, "source <(x)"), (3, "y < z")], &[]);
    }

    #[test]
    fn no_command_hides() {
        check("```\ntaffrail ls\n```\n", &[], &[1]);
        check("```text\na\ntaffrail ls\ntaffrail: no session\n$ x\n```\n", &[], &[3, 5]);
    }

    #[test]
    fn commands_in_prose_are_found() {
        let check = |page: &str, expected: &[(usize, &str)]| {
            let found = named(page);
            let found: Vec<_> = found.iter().map(|it| (it.line, it.text.as_str())).collect();
            assert_eq!(found, expected, "{page}");
        };
        check("a\nRun `taffrail ls` or `x`.\n", &[(2, "taffrail ls")]);
        check("```sh\n`taffrail ls`\n```\n`taffrail a`", &[(4, "taffrail a")]);
        check("`taffrail a [ID] [--b c\\|d]`", &[(1, "taffrail a ID --b c")]);
        check(
            "`taffrail a 'b c' | d` `taffrail e > f`",
            &[(1, "taffrail a 'b c'"), (1, "taffrail e")],
        );
    }
}
