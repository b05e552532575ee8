//! The initial input of a session: the paths in its first prompt, and for a sub-agent the call that
//! started it.

use super::calls::Call;
use crate::captured::AgentSession;
use std::collections::BTreeSet;

/// The most paths that are reported.
const MOST: usize = 20;
/// Input fields that name the file.
const PATH: [&str; 4] = ["file_path", "path", "absolute_path", "notebook_path"];

/// The paths in the first prompt: those marked with `@`, and those that a tool then received.
#[must_use]
pub fn seeds(session: &AgentSession, calls: &[Call<'_>]) -> Vec<String> {
    let prompt = session.first_prompt().unwrap_or_default();
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

/// The purpose of a sub-agent: the kind that its parent requested, else its agent.
#[must_use]
pub fn kind_of_worker(worker: &AgentSession, parent: &[Call<'_>]) -> String {
    let call = began_by(worker, parent);
    let kind = call.and_then(|it| it.field(&["subagent_type", "agent_type"]));
    kind.map_or_else(|| worker.agent.to_string(), str::to_owned)
}

/// The call of the parent that started a sub-agent.
#[must_use]
pub fn began_by<'c, 'e>(worker: &AgentSession, parent: &'c [Call<'e>]) -> Option<&'c Call<'e>> {
    let prompt = worker.first_prompt().map(str::trim);
    let began = |call: &&Call<'_>| {
        let asked = call.field(&["prompt", "message"]).map(str::trim);
        let named = call.field(&["description"]).is_some()
            && call.field(&["description"]) == worker.title.as_deref();
        named || (asked.is_some() && asked == prompt)
    };
    parent.iter().find(began)
}
