//! A call's edits to a file, in a form that reveals when one undoes another.

use crate::hash::{self, Digest16};
use serde_json::Value;

/// Input fields that hold the file's path.
const PATH: [&str; 5] = ["file_path", "path", "absolute_path", "notebook_path", "filename"];
const OLD: [&str; 3] = ["old_string", "old_str", "old_source"];
const NEW: [&str; 3] = ["new_string", "new_str", "new_source"];
/// The most edits tracked per call.
const MOST: usize = 8;

/// A change from one text to another in one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Edit {
    /// The file.
    pub(super) file: Digest16,
    /// The hash of the old text.
    pub(super) from: Digest16,
    /// The hash of the new text.
    pub(super) to: Digest16,
}

impl Edit {
    /// Whether this edit restores what the other replaced.
    pub(super) fn undoes(&self, other: &Self) -> bool {
        self.file == other.file && self.from == other.to && self.to == other.from
    }
}

/// The edits of a call, as far as its input has old and new text.
pub(super) fn edits_of(input: &Value) -> Vec<Edit> {
    let path = field(input, &PATH).unwrap_or_default();
    if let Some(edit) = one(path, input) {
        return vec![edit];
    }
    let several = input.get("edits").and_then(Value::as_array);
    if let Some(several) = several {
        return several.iter().filter_map(|it| one(path, it)).take(MOST).collect();
    }
    let patch = input.as_str().or_else(|| field(input, &["patch", "input", "patchText"]));
    patch.map(of_patch).unwrap_or_default()
}

fn one(path: &str, input: &Value) -> Option<Edit> {
    let (old, new) = (field(input, &OLD)?, field(input, &NEW)?);
    (old != new).then(|| edit(path, old, new))
}

fn edit(path: &str, old: &str, new: &str) -> Edit {
    let [file, from, to] = [path, old, new].map(|it| hash::checksum(it.as_bytes()));
    Edit { file, from, to }
}

/// The hunks of a patch: removed lines and the lines that replace them.
fn of_patch(patch: &str) -> Vec<Edit> {
    let mut out = Vec::new();
    let (mut path, mut old, mut new) = (String::new(), String::new(), String::new());
    for line in patch.lines().chain(std::iter::once("@@")) {
        let file = line.strip_prefix("*** Update File: ").or_else(|| line.strip_prefix("+++ "));
        let begins = file.is_some() || line.starts_with("@@") || line.starts_with("--- ");
        if begins && old != new && out.len() < MOST {
            out.push(edit(&path, &old, &new));
        }
        if begins {
            old.clear();
            new.clear();
        }
        match (file, line.get(..1)) {
            (Some(file), _) => file.clone_into(&mut path),
            (None, Some("-")) if !begins => push(&mut old, line),
            (None, Some("+")) if !begins => push(&mut new, line),
            _ => {}
        }
    }
    out
}

fn push(text: &mut String, line: &str) {
    text.push_str(line.get(1..).unwrap_or_default());
    text.push('\n');
}

fn field<'v>(input: &'v Value, names: &[&str]) -> Option<&'v str> {
    names.iter().find_map(|name| input.get(*name)?.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn undoing_is_seen_however_a_change_is_written() {
        let change =
            |old: &str, new: &str| json!({"file_path": "a", "old_string": old, "new_string": new});
        let patch = |old: &str, new: &str| json!({"input": format!("*** Begin Patch\n*** Update File: a\n@@\n ctx\n-{old}\n+{new}\n*** End Patch")});
        let many = |old: &str, new: &str| json!({"path": "a", "edits": [{"old_str": old, "new_str": new}]});
        let check = |one: &Value, other: &Value, expected: bool| {
            let (one, other) = (edits_of(one), edits_of(other));
            assert_eq!((one.len(), other.len()), (1, 1));
            assert_eq!(one[0].undoes(&other[0]), expected);
        };
        check(&change("x", "y"), &change("y", "x"), true);
        check(&change("x", "y"), &change("x", "y"), false);
        check(&patch("x", "y"), &patch("y", "x"), true);
        check(&patch("x", "y"), &patch("y", "z"), false);
        check(&many("x", "y"), &many("y", "x"), true);
        assert_eq!(edits_of(&json!({"file_path": "a", "content": "x"})), []);
        assert_eq!(edits_of(&json!({"command": "ls"})), []);
    }
}
