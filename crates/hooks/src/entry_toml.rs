//! Our MCP server in TOML: a table of its own at the end of the file.

use crate::edit::{Insertion, line_end};
use crate::entry_name::NAME;
use serde_json::Value;

/// The insertion that adds our entry.
pub(crate) fn insert(text: &str, list: &str, entry: &Value) -> Vec<Insertion> {
    let end = line_end(text);
    let start = match text {
        "" => String::new(),
        _ if text.ends_with('\n') => end.to_owned(),
        _ => end.repeat(2),
    };
    let mut table = format!("{start}[{list}.{NAME}]{end}");
    for (name, value) in entry.as_object().into_iter().flatten() {
        // A string or a list of strings is written in TOML as in JSON, but for two letters.
        let value = value.to_string().replace("\\/", "/").replace('\u{7f}', "\\u007f");
        table += &format!("{name} = {value}{end}");
    }
    vec![Insertion { at: text.len(), text: table }]
}

/// The text without our table and the tables below it.
pub(crate) fn strip(text: &str, list: &str) -> String {
    let (own, below) = (format!("[{list}.{NAME}]"), format!("[{list}.{NAME}."));
    let (mut out, mut is_ours) = (String::with_capacity(text.len()), false);
    for line in text.split_inclusive('\n') {
        let head = line.trim();
        if head.starts_with('[') {
            let is_own = head.strip_prefix(own.as_str()).is_some_and(is_remark);
            is_ours = is_own || head.starts_with(below.as_str());
        }
        if !is_ours {
            out += line;
        }
    }
    out
}

fn is_remark(rest: &str) -> bool {
    rest.trim().is_empty() || rest.trim_start().starts_with('#')
}
