//! The edits of a tool call: what an edit or write tool, or a patch, does to files.

use super::calls::Call;
use super::patch::{self, Hunk, Section};
use serde_json::Value;

/// Parts of the names of tools that change files.
const CHANGING: [&str; 6] = ["edit", "write", "patch", "replace", "create", "notebook"];
/// Input fields that name the file.
pub(super) const PATH: [&str; 5] =
    ["file_path", "path", "absolute_path", "notebook_path", "filename"];
const CONTENT: [&str; 3] = ["content", "file_text", "contents"];
const OLD: [&str; 2] = ["old_string", "old_str"];
const NEW: [&str; 2] = ["new_string", "new_str"];

/// What a tool does to a file.
pub(super) enum Edit {
    Write {
        path: String,
        content: String,
    },
    Replace {
        path: String,
        to: Option<String>,
        hunks: Vec<Hunk>,
        everywhere: bool,
    },
    Add {
        path: String,
        content: String,
    },
    Delete {
        path: String,
    },
    /// A change whose content is unknown.
    Unknown {
        path: String,
    },
}

/// The edits of a call, in order.
pub(super) fn edits(call: &Call<'_>) -> Vec<Edit> {
    if let Some(text) = patch_in(&call.input) {
        return patch::sections(text).into_iter().map(from_section).collect();
    }
    if !changes_files(call) {
        return Vec::new();
    }
    let listed = by_file(&call.input);
    if !listed.is_empty() {
        return listed;
    }
    let path = call.field(&PATH).filter(|_| call.field(&["command"]) != Some("view"));
    path.map(|path| edit_of(call, path.to_owned())).into_iter().collect()
}

/// Whether the tool's name says that it changes files.
pub(super) fn changes_files(call: &Call<'_>) -> bool {
    let tool = call.tool.to_ascii_lowercase();
    CHANGING.iter().any(|part| tool.contains(part))
}

fn edit_of(call: &Call<'_>, path: String) -> Edit {
    let mut hunks = Vec::new();
    let mut everywhere = is_everywhere(&call.input);
    for pair in call.input.get("edits").and_then(Value::as_array).into_iter().flatten() {
        hunks.extend(hunk_of(pair));
        everywhere |= is_everywhere(pair);
    }
    hunks.extend(hunk_of(&call.input));
    match (hunks.is_empty(), call.field(&CONTENT)) {
        (false, _) => Edit::Replace { path, to: None, hunks, everywhere },
        (true, Some(content)) => Edit::Write { path, content: content.to_owned() },
        (true, None) => Edit::Unknown { path },
    }
}

fn is_everywhere(input: &Value) -> bool {
    input.get("replace_all").and_then(Value::as_bool) == Some(true)
}

fn hunk_of(pair: &Value) -> Option<Hunk> {
    let field = |names: [&str; 2]| names.iter().find_map(|name| pair.get(*name)?.as_str());
    let (old, new) = (field(OLD)?.to_owned(), field(NEW)?.to_owned());
    Some(Hunk { old, new, has_whole_lines: false })
}

/// The text of a patch, wherever it is in the input.
fn patch_in(input: &Value) -> Option<&str> {
    match input {
        Value::String(text) => Some(text.as_str()).filter(|text| text.contains(patch::BEGIN)),
        Value::Array(all) => all.iter().find_map(patch_in),
        Value::Object(all) => {
            let fields = ["input", "patch", "command", "cmd"];
            fields.iter().find_map(|name| patch_in(all.get(*name)?))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn from_section(section: Section) -> Edit {
    match section {
        Section::Add { path, content } => Edit::Add { path, content },
        Section::Delete { path } => Edit::Delete { path },
        Section::Update { path, to, hunks } => Edit::Replace { path, to, hunks, everywhere: false },
    }
}

/// A patch as an object: the change to each file, by path.
fn by_file(input: &Value) -> Vec<Edit> {
    let Some(files) = input.as_object() else { return Vec::new() };
    let edit = |(path, change): (&String, &Value)| {
        let path = path.clone();
        let text = |name: &str| change.get(name).and_then(Value::as_str).map(str::to_owned);
        match change.get("type").and_then(Value::as_str)? {
            "add" => Some(Edit::Add { path, content: text("content")? }),
            "delete" => Some(Edit::Delete { path }),
            "update" => {
                let hunks = text("unified_diff").map(|it| patch::hunks(&it)).unwrap_or_default();
                let to = text("move_path");
                Some(Edit::Replace { path, to, hunks, everywhere: false })
            }
            _ => None,
        }
    };
    files.iter().filter_map(edit).collect()
}
