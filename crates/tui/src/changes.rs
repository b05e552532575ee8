//! What a tool's input would change in a file, and the to-do list in it. Both are recognised by
//! their shape, so this works for the tools of every agent.

use crate::terminal::{clean, shown};
use serde_json::Value;
use similar::{ChangeTag, TextDiff};

/// The longest text that is compared, in bytes.
const COMPARED: usize = 64 * 1024;
/// The most items of a to-do list.
const TASKS: usize = 20;

/// A line of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The line is only in the new text.
    Added(String),
    /// The line is only in the old text.
    Removed(String),
    /// The line is in both texts.
    Same(String),
}

impl Change {
    /// The line with its diff mark.
    pub fn marked(&self) -> String {
        match self {
            Self::Added(text) => format!("+{text}"),
            Self::Removed(text) => format!("-{text}"),
            Self::Same(text) => format!(" {text}"),
        }
    }

    /// The line without a mark.
    pub fn text(&self) -> &str {
        match self {
            Self::Added(text) | Self::Removed(text) | Self::Same(text) => text,
        }
    }
}

/// The lines that an input would change; empty if it changes nothing.
pub fn changes(input: &Value) -> Vec<Change> {
    if let Some(text) = input.as_str() {
        return patch(text);
    }
    if let Some(edits) = input.get("edits").and_then(Value::as_array) {
        return edits.iter().flat_map(changes).collect();
    }
    if let Some(text) = any(input, &["patch", "diff", "input"]).filter(|it| is_patch(it)) {
        return patch(text);
    }
    let old = any(input, &["old_string", "old_str", "oldText", "old"]);
    let new = any(input, &["new_string", "new_str", "newText", "new"]);
    match (old, new) {
        (Some(old), Some(new)) => compared(old, new),
        _ => written(input),
    }
}

/// An input that writes a whole file.
fn written(input: &Value) -> Vec<Change> {
    let names_file = any(input, &["file_path", "path", "filePath"]).is_some();
    let content = any(input, &["content", "file_text"]).filter(|_| names_file);
    content.map(|it| it.lines().map(|it| Change::Added(tidy(it))).collect()).unwrap_or_default()
}

fn any<'a>(input: &'a Value, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| input.get(name).and_then(Value::as_str))
}

fn compared(old: &str, new: &str) -> Vec<Change> {
    if old.len() + new.len() > COMPARED {
        let removed = old.lines().map(|it| Change::Removed(tidy(it)));
        return removed.chain(new.lines().map(|it| Change::Added(tidy(it)))).collect();
    }
    let diff = TextDiff::from_lines(old, new);
    let change = |it: similar::Change<&str>| {
        let text = tidy(it.value().trim_end_matches('\n'));
        match it.tag() {
            ChangeTag::Insert => Change::Added(text),
            ChangeTag::Delete => Change::Removed(text),
            ChangeTag::Equal => Change::Same(text),
        }
    };
    diff.iter_all_changes().map(change).collect()
}

fn is_patch(text: &str) -> bool {
    text.contains("*** Begin Patch") || text.contains("\n@@") || text.starts_with("--- ")
}

fn patch(text: &str) -> Vec<Change> {
    if !is_patch(text) {
        return Vec::new();
    }
    let is_head = |it: &str| ["+++", "---", "***"].iter().any(|mark| it.starts_with(mark));
    let change = |it: &str| match it.split_at_checked(1) {
        _ if is_head(it) => Change::Same(tidy(it)),
        Some(("+", rest)) => Change::Added(tidy(rest)),
        Some(("-", rest)) => Change::Removed(tidy(rest)),
        _ => Change::Same(tidy(it)),
    };
    text.lines().map(change).collect()
}

fn tidy(line: &str) -> String {
    clean(line).replace('\t', "    ")
}

/// The items of a to-do list, each with the mark of its status.
pub fn checklist(input: &Value) -> Vec<(char, String)> {
    let all = ["todos", "plan", "items"].iter().find_map(|it| input.get(it)?.as_array());
    let item = |it: &Value| {
        let text = any(it, &["content", "step", "text", "title"])?;
        let status = any(it, &["status", "state"])?;
        let mark = match status {
            "completed" | "done" => '☑',
            "in_progress" | "inProgress" => '◐',
            _ => '☐',
        };
        Some((mark, shown(text)))
    };
    all.into_iter().flatten().take(TASKS).filter_map(item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn changes_are_known_by_their_shape() {
        let check = |input: Value, expected: &str| {
            let got: Vec<_> = changes(&input).iter().map(Change::marked).collect();
            assert_eq!(got.join("|"), expected, "{input}");
        };
        check(json!({"old_string": "a\nb", "new_string": "a\nc"}), " a|-b|+c");
        check(json!({"edits": [{"old_str": "x", "new_str": "y"}]}), "-x|+y");
        check(json!({"file_path": "/x", "content": "a\nb"}), "+a|+b");
        check(json!({"content": "a"}), "");
        check(json!({"command": "ls"}), "");
        check(
            json!("*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n z"),
            " *** Begin Patch| *** Update File: a| @@|-x|+y|  z",
        );
        check(json!({"old_string": "a", "new_string": "\u{1b}[2Jb"}), "-a|+\u{fffd}[2Jb");
    }

    #[test]
    fn things_to_do_have_a_mark() {
        let input = json!({"todos": [
            {"content": "one", "status": "completed"},
            {"content": "two", "status": "in_progress"},
            {"content": "three", "status": "pending"},
            {"content": "no status"},
        ]});
        let expected = [('☑', "one"), ('◐', "two"), ('☐', "three")];
        assert_eq!(checklist(&input), expected.map(|(mark, it)| (mark, it.to_owned())));
        assert_eq!(checklist(&json!({"plan": [{"step": "a", "status": "done"}]}))[0].0, '☑');
        assert_eq!(checklist(&json!({"command": "ls"})), []);
    }
}
