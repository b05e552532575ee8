//! A note that Taffrail writes about a commit, in the form of git-ai.

use super::{SCHEMA, digits, session_key};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A line of a commit that a session wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotedLine {
    /// The path in the commit.
    pub path: String,
    /// The number of the line in the commit, from 1.
    pub line: usize,
    /// The agent's name in git-ai's notes.
    pub tool: String,
    /// The agent's own id of the session.
    pub conversation: String,
    /// The model of the session.
    pub model: Option<String>,
    /// The turn, from 1.
    pub turn: Option<usize>,
}

/// The lines of one commit that sessions wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoteDraft {
    /// The commit.
    pub commit: String,
    /// The lines, in any order.
    pub lines: Vec<NotedLine>,
}

impl NoteDraft {
    /// The text of the note; `None` if it would say nothing.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        let mut files: BTreeMap<&str, BTreeMap<String, Vec<usize>>> = BTreeMap::new();
        let mut sessions = Map::new();
        for it in self.lines.iter().filter(|it| is_plain(&it.path)) {
            let key = format!("s_{}", session_key(&it.tool, &it.conversation));
            let part = format!("{key}::{}", self.part(it));
            files.entry(&it.path).or_default().entry(part).or_default().push(it.line);
            sessions.entry(key).or_insert_with(|| session(it));
        }
        if files.is_empty() {
            return None;
        }
        let mut out = String::new();
        for (path, entries) in files {
            out.push_str(&quoted(path));
            for (key, lines) in entries {
                out.push_str(&format!("\n  {key} {}", ranges(lines)));
            }
            out.push('\n');
        }
        let metadata = json!({
            "schema_version": SCHEMA,
            "base_commit_sha": self.commit,
            "prompts": {},
            "sessions": sessions,
        });
        Some(format!("{out}---\n{metadata:#}\n"))
    }

    /// The key of what one turn did in this commit: the same each time.
    fn part(&self, line: &NotedLine) -> String {
        let turn = line.turn.unwrap_or_default();
        format!("t_{}", digits(&format!("{}:{turn}:{}", line.conversation, self.commit)))
    }
}

fn session(line: &NotedLine) -> Value {
    let model = line.model.as_deref().unwrap_or("unknown");
    json!({
        "agent_id": { "tool": line.tool, "id": line.conversation, "model": model },
        "custom_attributes": { "written_by": "taffrail" },
    })
}

/// The form has no way to write a path with these characters.
fn is_plain(path: &str) -> bool {
    !path.contains(['"', '\n', '\r'])
}

fn quoted(path: &str) -> String {
    if path.contains(char::is_whitespace) { format!("\"{path}\"") } else { path.to_owned() }
}

/// Lines as `1-3,7`.
fn ranges(mut lines: Vec<usize>) -> String {
    lines.sort_unstable();
    lines.dedup();
    let mut out: Vec<(usize, usize)> = Vec::new();
    for line in lines {
        match out.last_mut() {
            Some((_, to)) if *to + 1 == line => *to = line,
            _ => out.push((line, line)),
        }
    }
    let word = |(from, to): (usize, usize)| match from == to {
        true => from.to_string(),
        false => format!("{from}-{to}"),
    };
    out.into_iter().map(word).collect::<Vec<_>>().join(",")
}
