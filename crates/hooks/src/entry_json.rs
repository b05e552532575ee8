//! Our MCP server in JSON, with or without comments.

use crate::Unfit;
use crate::edit::{Insertion, line_end};
use crate::entry_name::NAME;
use crate::json::Json;
use crate::json_tree::last;
use serde_json::Value;

/// What a text means.
pub(crate) fn meaning(text: &str) -> Result<Value, Unfit> {
    let json = Json::parse(unmarked(text))?;
    Ok(json.tree.to_serde_value().unwrap_or(Value::Null))
}

/// The insertions that add our entry.
pub(crate) fn insert(text: &str, list: &str, entry: &Value) -> Result<Vec<Insertion>, Unfit> {
    let body = unmarked(text);
    let json = Json::parse(body)?;
    let item = format!("\"{NAME}\": {}", line(entry));
    let (end, step) = (line_end(body), json.step());
    let mut pieces = match json.tree.object_value() {
        None => {
            let start = if body.is_empty() || body.ends_with('\n') { "" } else { end };
            let new = new_list(list, &item, (end, &step, &step));
            let text = format!("{start}{{{end}{step}{new}{end}}}{end}");
            vec![Insertion { at: body.len(), text }]
        }
        Some(root) => match last(&root, list) {
            Some(servers) => {
                let servers = servers.object_value();
                let what = || Unfit::shape(&format!("`{list}`"), "an object");
                json.append(&servers.ok_or_else(what)?.into(), &[item])
            }
            None => {
                let root = root.into();
                let new = new_list(list, &item, (end, &json.indent_in(&root), &step));
                json.append(&root, &[new])
            }
        },
    };
    let mark = text.len() - body.len();
    pieces.iter_mut().for_each(|it| it.at += mark);
    Ok(pieces)
}

fn new_list(list: &str, item: &str, (end, indent, step): (&str, &str, &str)) -> String {
    format!("\"{list}\": {{{end}{indent}{step}{item}{end}{indent}}}")
}

/// A value on one line, as people write it.
fn line(value: &Value) -> String {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            let field = |(name, it): (&String, &Value)| {
                format!("{}: {}", Value::from(name.as_str()), line(it))
            };
            format!("{{ {} }}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        Value::Array(list) => {
            format!("[{}]", list.iter().map(line).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// The text without our entry, and without the list if it is empty and ours.
pub(crate) fn strip(text: &str, list: &str, with_list: bool) -> Result<String, Unfit> {
    let body = unmarked(text);
    let mark = text.strip_suffix(body).unwrap_or_default();
    let json = Json::parse(body)?;
    let servers = json.tree.object_value().and_then(|root| last(&root, list));
    let Some(servers) = servers else { return Ok(text.to_owned()) };
    let entries = servers.object_value();
    if let Some(ours) = entries.as_ref().and_then(|it| last(it, NAME)) {
        ours.remove();
    }
    if with_list && entries.is_some_and(|it| it.properties().is_empty()) {
        servers.remove();
    }
    Ok(format!("{mark}{}", json.tree))
}

/// The text without the byte order mark with which some editors start a file.
fn unmarked(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}
