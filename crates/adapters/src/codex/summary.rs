//! Describes a tool's input in one line, and reads the few facts in a tool's output.

use super::record::parse;
use serde::Deserialize;
use serde::de::{IgnoredAny, SeqAccess};
use std::borrow::Cow;
use std::collections::BTreeMap;
use taffrail_kit::lenient::{Hope, Lenient, Prose, Raw, Text, lenient, made_of_objects, value_in};
use taffrail_model::text::excerpt;

/// The most lines of an output's heading.
const HEADING_LINES: usize = 6;

/// The most descriptive arguments of any tool.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Arguments<'a> {
    #[serde(borrow, deserialize_with = "lenient")]
    cmd: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    command: Option<Words<'a>>,
    #[serde(borrow, deserialize_with = "lenient")]
    file_path: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    path: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    query: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pattern: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    url: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    message: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    prompt: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    input: Text<'a>,
}

made_of_objects! { Arguments<'de> }

/// Summarizes arguments written as JSON.
pub(super) fn arguments(json: &str) -> Option<String> {
    let known = value_in(json).and_then(telling);
    let line = known.unwrap_or_else(|| excerpt(json));
    Some(line).filter(|line| !line.is_empty())
}

fn telling(arguments: Arguments<'_>) -> Option<String> {
    if let Some(command) = arguments.command {
        return Some(command.line());
    }
    let place = arguments.file_path.or(arguments.path);
    let search = arguments.query.or(arguments.pattern).or(arguments.url);
    let words = arguments.message.or(arguments.prompt).or(arguments.input);
    let text = arguments.cmd.or(place).or(search).or(words)?;
    Some(excerpt(&text))
}

/// A command: a list of words, or one text.
#[derive(Debug)]
pub(super) struct Words<'a>(Vec<Cow<'a, str>>);

impl Words<'_> {
    /// The command on one line, without its shell.
    pub(super) fn line(&self) -> String {
        match self.0.as_slice() {
            [shell, flag, script]
                if shell.ends_with("sh") && matches!(flag.as_ref(), "-lc" | "-c") =>
            {
                excerpt(script)
            }
            words => excerpt(&words.join(" ")),
        }
    }
}

impl<'de> Lenient<'de> for Words<'de> {
    fn of_text(text: Cow<'de, str>) -> Option<Self> {
        Some(Self(vec![text]))
    }

    fn of_list<A: SeqAccess<'de>>(mut list: A) -> Result<Option<Self>, A::Error> {
        let mut out = Vec::new();
        while let Some(word) = list.next_element_seed(Hope::default())? {
            out.extend(word.map(|Prose(word)| word));
        }
        Ok(Some(Self(out)))
    }
}

/// Summarizes an input that is not JSON: the files of a patch, or the beginning of a script.
pub(super) fn free_text(input: &str) -> String {
    let marks = ["*** Add File: ", "*** Update File: ", "*** Delete File: "];
    let file = |line| marks.iter().find_map(|mark| str::strip_prefix(line, mark));
    let files: Vec<_> = input.lines().filter_map(file).collect();
    if files.is_empty() {
        return excerpt(input);
    }
    excerpt(&files.join(", "))
}

/// Names the files of a change.
pub(super) fn changed_files(changes: Raw<'_>) -> Option<String> {
    let files: BTreeMap<Cow<'_, str>, IgnoredAny> = parse(changes)?;
    let names: Vec<_> = files.into_keys().collect();
    Some(excerpt(&names.join(", ")))
}

/// Puts a text on one line.
pub(super) fn one_line(text: &str) -> String {
    excerpt(text)
}

/// Finds the exit code in the heading that Codex puts above a command's output.
pub(super) fn exit_code(output: &str) -> Option<i64> {
    let heading = output.lines().take(HEADING_LINES);
    let mut heading = heading.take_while(|line| *line != "Output:");
    heading.find_map(|line| {
        let code = line.strip_prefix("Exit code: ");
        let code = code.or_else(|| line.strip_prefix("Process exited with code "));
        code?.trim().parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_summed_up_on_one_line() {
        let check = |json: &str, expected: &str| {
            assert_eq!(arguments(json).as_deref(), Some(expected), "{json}");
        };
        check(r#"{"cmd":"ls\n -l","workdir":"/w"}"#, "ls -l");
        check(r#"{"command":["bash","-lc","cargo test"]}"#, "cargo test");
        check(r#"{"command":["git","status"]}"#, "git status");
        check(r#"{"path":"/w/a.rs"}"#, "/w/a.rs");
        check(r#"{"type":"search","query":"rust"}"#, "rust");
        check(r#"{"plan":[]}"#, r#"{"plan":[]}"#);
        check("not json", "not json");
        assert_eq!(arguments(""), None);
    }

    #[test]
    fn a_patch_is_summed_up_by_its_files() {
        let patch = "*** Begin Patch\n*** Add File: a.txt\n+x\n*** Update File: b.txt\n";
        assert_eq!(free_text(patch), "a.txt, b.txt");
        assert_eq!(free_text("const x = 1;\nrun(x)"), "const x = 1; run(x)");
    }

    #[test]
    fn an_exit_code_counts_only_in_the_heading() {
        assert_eq!(exit_code("Exit code: 3\nOutput:\n"), Some(3));
        assert_eq!(exit_code("Chunk ID: 1\nProcess exited with code 0\nOutput:\n"), Some(0));
        assert_eq!(exit_code("Output:\nExit code: 3"), None);
        assert_eq!(exit_code("Exit code: many"), None);
    }
}
