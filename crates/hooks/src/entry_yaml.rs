//! Our MCP server in YAML: a block below the list's own line.

use crate::Unfit;
use crate::edit::{Insertion, line_end};
use crate::entry_name::NAME;
use serde_json::Value;

/// The default indentation, if the list shows none.
const STEP: &str = "  ";

/// The insertion that adds our entry as the first of the list.
pub(crate) fn insert(text: &str, list: &str, entry: &Value) -> Result<Vec<Insertion>, Unfit> {
    let end = line_end(text);
    let Some((head, after)) = head_of(text, list) else {
        let start = if text.is_empty() || text.ends_with('\n') { "" } else { end };
        let block = block(STEP, entry, end);
        return Ok(vec![Insertion { at: text.len(), text: format!("{start}{list}:{end}{block}") }]);
    };
    let rest = head.trim_end().strip_prefix(&format!("{list}:")).unwrap_or_default().trim();
    if !rest.is_empty() && !rest.starts_with('#') {
        return Err(Unfit::shape(&format!("`{list}`"), "a list with one entry a line"));
    }
    let below = text.get(after..).unwrap_or_default();
    let start = if head.ends_with('\n') { "" } else { end };
    let text = format!("{start}{}", block(&indent_of(below), entry, end));
    Ok(vec![Insertion { at: after, text }])
}

/// The line of a key at the start of a line, and where the next line starts.
fn head_of<'a>(text: &'a str, list: &str) -> Option<(&'a str, usize)> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        if line.strip_prefix(list).is_some_and(|it| it.starts_with(':')) {
            return Some((line, at));
        }
    }
    None
}

/// The indentation of the entries that follow.
fn indent_of(below: &str) -> String {
    let is_entry = |it: &&str| !it.trim().is_empty() && !it.trim_start().starts_with('#');
    let first = below.lines().find(is_entry).unwrap_or_default();
    let indent: String = first.chars().take_while(|it| *it == ' ').collect();
    if indent.is_empty() { STEP.to_owned() } else { indent }
}

/// Our entry, one field a line. A value of JSON is a value of YAML.
fn block(indent: &str, entry: &Value, end: &str) -> String {
    let fields = entry.as_object().into_iter().flatten();
    let lines = fields.map(|(name, value)| format!("{indent}{STEP}{name}: {value}{end}"));
    format!("{indent}{NAME}:{end}{}", lines.collect::<String>())
}

/// The text without the lines of our entry.
pub(crate) fn strip(text: &str, list: &str) -> String {
    let Some((_, from)) = head_of(text, list) else { return text.to_owned() };
    let (before, below) = text.split_at_checked(from).unwrap_or((text, ""));
    let own = format!("{}{NAME}:", indent_of(below));
    let (mut out, mut is_ours) = (before.to_owned(), false);
    for line in below.split_inclusive('\n') {
        let depth = line.len() - line.trim_start().len();
        let is_deeper = line.trim().is_empty() || depth > own.len() - NAME.len() - 1;
        is_ours = line.trim_end() == own || (is_ours && is_deeper);
        if !is_ours {
            out += line;
        }
    }
    out
}
