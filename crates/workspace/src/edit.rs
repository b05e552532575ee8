//! Edits a YAML text only where necessary: keys, comments, order and line ends of other tools
//! are preserved.
//!
//! Each way of writing an edit is tried and parsed again; only a text with exactly the intended value is
//! returned. If no way works, the edit is refused.

use crate::render::{block, entry, flow};
use crate::tree::{Kind, Node, Style, tree};
use crate::yaml::read;
use serde_json::Value;

/// One edit. Paths are JSON pointers.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// Replaces a value, or adds it to its map.
    Set(String, Value),
    /// Appends an element to a list.
    Push(String, Value),
    /// Removes an element from a list.
    Remove(String, usize),
}

/// The text cannot be edited without touching other content.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0} cannot be changed without touching what others wrote there; change it by hand")]
pub struct Unfit(pub String);

/// The text after all edits.
///
/// # Errors
/// No known way of writing one of the edits works.
pub fn edited(text: &str, edits: &[Edit]) -> Result<String, Unfit> {
    edits.iter().try_fold(text.to_owned(), |text, edit| one(&text, edit))
}

fn one(text: &str, edit: &Edit) -> Result<String, Unfit> {
    let unfit = || Unfit(edit.path().to_owned());
    let before = read(text).map_err(|_| unfit())?;
    let meant = meant(before.clone(), edit).ok_or_else(unfit)?;
    if meant == before {
        return Ok(text.to_owned());
    }
    let root = tree(text).ok_or_else(unfit)?;
    let means = |new: &String| read(new).is_ok_and(|value| value == meant);
    ways(text, &root, edit).into_iter().find(means).ok_or_else(unfit)
}

impl Edit {
    fn path(&self) -> &str {
        let (Self::Set(path, _) | Self::Push(path, _) | Self::Remove(path, _)) = self;
        path
    }
}

/// The value of the document after the edits.
fn meant(mut document: Value, edit: &Edit) -> Option<Value> {
    match edit {
        Edit::Set(path, value) => {
            let (above, name) = path.rsplit_once('/')?;
            match document.pointer_mut(above)? {
                Value::Object(fields) => drop(fields.insert(name.to_owned(), value.clone())),
                Value::Array(items) => *items.get_mut(name.parse::<usize>().ok()?)? = value.clone(),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
            }
        }
        Edit::Push(path, value) => match document.pointer_mut(path)? {
            Value::Array(items) => items.push(value.clone()),
            nothing @ Value::Null => *nothing = Value::Array(vec![value.clone()]),
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => return None,
        },
        Edit::Remove(path, index) => {
            let items = document.pointer_mut(path)?.as_array_mut()?;
            (*index < items.len()).then(|| items.remove(*index))?;
        }
    }
    Some(document)
}

/// Candidate texts for an edit, the most natural first.
fn ways(text: &str, root: &Node, edit: &Edit) -> Vec<String> {
    let parts: Vec<&str> = edit.path().split('/').skip(1).collect();
    let found = match edit {
        Edit::Set(_, value) => match root.at(&parts) {
            Some(node) => Some(vec![replaced(text, node, value)]),
            None => parts
                .split_last()
                .and_then(|(name, above)| added(text, root.at(above)?, name, value)),
        },
        Edit::Push(_, value) => root.at(&parts).map(|node| {
            let above = parts.split_last().and_then(|(_, above)| root.at(above));
            pushed(text, node, above, value)
        }),
        Edit::Remove(_, index) => root.at(&parts).and_then(|node| removed(text, node, *index)),
    };
    found.unwrap_or_default()
}

fn replaced(text: &str, node: &Node, value: &Value) -> String {
    let new = flow(value);
    let gap = if node.range.is_empty() { " " } else { "" };
    splice(text, node.range.start, node.range.end, &format!("{gap}{new}"))
}

fn added(text: &str, map: &Node, name: &str, value: &Value) -> Option<Vec<String>> {
    let Kind::Map(style, entries, first) = &map.kind else { return None };
    match style {
        Style::Block => {
            let indent = column(text, (*first)?);
            let new = format!("{}{}", " ".repeat(indent), entry(name, value, indent));
            Some(vec![with_line(text, map.range.end, &new)])
        }
        Style::Flow => {
            let comma = if entries.is_empty() { "" } else { ", " };
            let new = format!("{comma}{}: {}", flow(&Value::from(name)), flow(value));
            let close = map.range.end.checked_sub(1)?;
            Some(vec![splice(text, close, close, &new)])
        }
    }
}

fn pushed(text: &str, list: &Node, above: Option<&Node>, value: &Value) -> Vec<String> {
    let item = |indent: usize| format!("{}- {}", " ".repeat(indent), block(value, indent + 2));
    match &list.kind {
        Kind::List(Style::Block, items) => {
            let Some(dash) = items.first().and_then(|it| dash(text, it)) else { return Vec::new() };
            vec![with_line(text, list.range.end, &item(column(text, dash)))]
        }
        Kind::List(Style::Flow, items) if !items.is_empty() => {
            let close = list.range.end.saturating_sub(1);
            vec![splice(text, close, close, &format!(", {}", flow(value)))]
        }
        // The list is missing, or empty on one line.
        Kind::List(Style::Flow, _) | Kind::Scalar => {
            let flowing =
                splice(text, list.range.start, list.range.end, &format!(" [{}]", flow(value)));
            let above = above.and_then(|it| match &it.kind {
                Kind::Map(Style::Block, _, Some(first)) => Some(column(text, *first)),
                Kind::Map(..) | Kind::List(..) | Kind::Scalar => None,
            });
            let Some(indent) = above else { return vec![flowing] };
            let begin =
                text.get(..list.range.start).unwrap_or_default().trim_end_matches(' ').len();
            let emptied = splice(text, begin, list.range.end, "");
            vec![with_line(&emptied, begin, &item(indent + 2)), flowing]
        }
        Kind::Map(..) => Vec::new(),
    }
}

fn removed(text: &str, list: &Node, index: usize) -> Option<Vec<String>> {
    let Kind::List(style, items) = &list.kind else { return None };
    let item = items.get(index)?;
    let next = items.get(index + 1);
    match style {
        Style::Flow => {
            let before = index.checked_sub(1).and_then(|it| items.get(it));
            let begin =
                before.filter(|_| next.is_none()).map_or(item.range.start, |it| it.range.end);
            let end = next.map_or(item.range.end, |it| it.range.start);
            Some(vec![splice(text, begin, end, "")])
        }
        Style::Block => {
            let dash = dash(text, item)?;
            if items.len() == 1 {
                return Some(vec![
                    splice(text, dash, item.range.end, "[]"),
                    splice(text, dash, item.range.end, "  []"),
                ]);
            }
            let begin = dash - column(text, dash);
            let end = (line_end(text, item.range.end) + 1).min(text.len());
            let after = text.get(line_end(text, item.range.end)..).unwrap_or_default();
            let end = if after.starts_with("\r\n") { end + 1 } else { end };
            Some(vec![splice(text, begin, end, "")])
        }
    }
}

/// The dash before an element of a block list.
fn dash(text: &str, item: &Node) -> Option<usize> {
    let before = text.get(..item.range.start)?.trim_end();
    before.ends_with('-').then(|| before.len() - 1)
}

/// The column of a byte.
fn column(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    at - before.rfind('\n').map_or(0, |it| it + 1)
}

/// The end of a byte's line, before the line end.
fn line_end(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let line = rest.split('\n').next().unwrap_or_default();
    at + line.trim_end_matches('\r').len()
}

/// The text with a line inserted after the line of a byte.
fn with_line(text: &str, at: usize, line: &str) -> String {
    let end = line_end(text, at);
    let mark = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let line = line.replace('\n', mark);
    splice(text, end, end, &format!("{mark}{line}"))
}

fn splice(text: &str, begin: usize, end: usize, new: &str) -> String {
    let (before, after) = (text.get(..begin), text.get(end..));
    format!("{}{new}{}", before.unwrap_or_default(), after.unwrap_or_default())
}

#[cfg(test)]
mod tests;
