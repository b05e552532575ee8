//! Agent Trace (0.1.0): records of which conversation wrote which lines, one JSON document a line.

use crate::noted::{NotedAuthor, NotedBy};
use serde_json::Value;

/// Where the reference implementation keeps its records, in a working tree.
pub const FILE: &str = ".agent-trace/traces.jsonl";

/// What one conversation wrote into one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// The commit whose line numbers the ranges have; `None` if the record names no commit of git.
    pub revision: Option<String>,
    /// The path in the repository.
    pub path: String,
    /// The first and the last line, from 1.
    pub lines: (usize, usize),
    /// Who wrote them.
    pub author: NotedAuthor,
}

/// The records of a text, in order. A line that is not a record is left out.
#[must_use]
pub fn traces(text: &str) -> Vec<Trace> {
    let records = text.lines().filter_map(|it| serde_json::from_str::<Value>(it).ok());
    records.flat_map(|it| of_record(&it)).collect()
}

fn of_record(record: &Value) -> Vec<Trace> {
    let word = |value: &Value, name: &str| Some(value.get(name)?.as_str()?.to_owned());
    let vcs = record.get("vcs");
    let is_git = |it: &&Value| it.get("type").and_then(Value::as_str) == Some("git");
    let revision = vcs.filter(is_git).and_then(|it| word(it, "revision"));
    let tool = record.get("tool").and_then(|it| word(it, "name"));
    let mut out = Vec::new();
    for file in list(record, "files") {
        let Some(path) = word(file, "path") else { continue };
        for conversation in list(file, "conversations") {
            for range in list(conversation, "ranges") {
                let Some(lines) = lines(range) else { continue };
                let author = author(conversation, range, tool.clone());
                out.push(Trace { revision: revision.clone(), path: path.clone(), lines, author });
            }
        }
    }
    out
}

fn list<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn lines(range: &Value) -> Option<(usize, usize)> {
    let number = |name: &str| usize::try_from(range.get(name)?.as_u64()?).ok();
    Some((number("start_line")?, number("end_line")?))
}

/// A range may name a contributor of its own.
fn author(conversation: &Value, range: &Value, tool: Option<String>) -> NotedAuthor {
    let contributor = range.get("contributor").or_else(|| conversation.get("contributor"));
    let word = |name: &str| contributor?.get(name)?.as_str();
    let by = match word("type") {
        Some("ai") => NotedBy::Agent,
        Some("human") => NotedBy::Human,
        Some("mixed") => NotedBy::Mixed,
        Some(_) | None => NotedBy::Unknown,
    };
    let conversation = conversation.get("url").and_then(Value::as_str).map(str::to_owned);
    NotedAuthor {
        tool,
        model: word("model_id").map(str::to_owned),
        conversation,
        ..NotedAuthor::new(by)
    }
}
