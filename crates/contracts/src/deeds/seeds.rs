//! What a session was given to begin with: the paths its first prompt names, and, for a worker, the
//! call that began it.

use super::calls::Call;
use crate::captured::Seen;
use std::collections::BTreeSet;

/// The most paths that are told.
const MOST: usize = 20;
/// Where tools are told which file.
const PATH: [&str; 4] = ["file_path", "path", "absolute_path", "notebook_path"];

/// The paths the first prompt names: those it marks with `@`, and those a tool was then given.
#[must_use]
pub fn seeds(seen: &Seen, calls: &[Call<'_>]) -> Vec<String> {
    let prompt = seen.first_prompt().unwrap_or_default();
    let touched: BTreeSet<&str> = calls.iter().filter_map(|call| call.field(&PATH)).collect();
    let given = |path: &str| {
        touched
            .iter()
            .any(|it| *it == path || it.strip_suffix(path).is_some_and(|it| it.ends_with('/')))
    };
    let mut out: Vec<String> = Vec::new();
    for word in prompt.split_whitespace() {
        let word = word
            .trim_matches(|it: char| matches!(it, '`' | '"' | '\'' | '(' | ')' | ',' | ';' | ':'));
        let word = word.trim_end_matches(['.', '?', '!']);
        let marked = word.strip_prefix('@');
        let path = marked.unwrap_or(word).trim_start_matches("./");
        let named = (marked.is_some() && is_path(path)) || (is_path(path) && given(path));
        if named && out.len() < MOST && !out.iter().any(|it| it == path) {
            out.push(path.to_owned());
        }
    }
    out
}

fn is_path(word: &str) -> bool {
    let plain = !word.is_empty() && !word.contains("://") && !word.contains('@');
    plain
        && (word.contains('/')
            || word.split_once('.').is_some_and(|(_, ending)| !ending.is_empty()))
}

/// What a worker is for: the kind its parent asked for, else its agent.
#[must_use]
pub fn kind_of_worker(worker: &Seen, parent: &[Call<'_>]) -> String {
    let prompt = worker.first_prompt().map(str::trim);
    let began = |call: &&Call<'_>| {
        let asked = call.field(&["prompt", "message"]).map(str::trim);
        let named = call.field(&["description"]).is_some()
            && call.field(&["description"]) == worker.title.as_deref();
        named || (asked.is_some() && asked == prompt)
    };
    let kind = parent.iter().find(began).and_then(|it| it.field(&["subagent_type", "agent_type"]));
    kind.map_or_else(|| worker.agent.to_string(), str::to_owned)
}
