//! Agents that write the transcripts of Claude Code in another place.

use super::reader::TranscriptReader;
use serde_json::Value;
use taffrail_kit::{Agent, Descriptor, Encoding, Reader, Reads, Shape, Source, Store};
use taffrail_model::{AgentId, TitleRank};

/// An agent with these stores of transcripts, to start from.
pub(crate) const fn agent(descriptor: &'static Descriptor, stores: &'static [Store]) -> Agent {
    Agent { known: super::SPOKEN_OF, ..Agent::new(descriptor, stores) }
}

/// A store of transcripts. Sub-agents are unique within their parent only, so that their pattern
/// names `{parent}` and no `{session}`.
pub(crate) const fn store(path: &'static str) -> Store {
    Store::of(path, Shape::Lines(Encoding::Plain), Reads::Foreign(reader))
}

/// A reader of one transcript. Its path is that of Claude Code, below a `.claude` of its own or not.
fn reader(program: &str, source: &Source<'_>, saved: Option<&str>) -> Box<dyn Reader> {
    let path = source.path.rsplit_once("/.claude/").map_or(source.path, |(_, below)| below);
    let below = Source { path, ..*source };
    let mut reader = TranscriptReader::of(AgentId::new(program), &below, saved);
    if let Some(meta) = desktop_meta(source) {
        learn(&meta, &mut reader);
    }
    Box::new(reader)
}

/// The side file in which the desktop program describes a session.
fn desktop_meta(source: &Source<'_>) -> Option<Value> {
    let is_meta = |path: &str| path.rsplit('/').next().is_some_and(|it| it.starts_with("local_"));
    let found = source.beside.iter().find(|(path, _)| is_meta(path))?;
    serde_json::from_slice(&found.1).ok()
}

fn learn(meta: &Value, reader: &mut TranscriptReader) {
    let Some(own) = reader.own() else { return };
    let text = |pointer: &str| meta.pointer(pointer).and_then(Value::as_str);
    if let Some(folder) = text("/userSelectedFolders/0") {
        own.settle(folder);
    }
    if own.facts.parent.is_none() {
        own.facts.offer_title(TitleRank::Generated, text("/title").unwrap_or_default());
    }
    let began = meta.get("createdAt").and_then(taffrail_kit::json::time_of);
    own.facts.started_at = own.facts.started_at.or(began);
}

#[cfg(test)]
mod tests {
    use super::super::place;
    use super::*;

    #[test]
    fn a_twin_keeps_its_own_identity() {
        let path = "a/local_1/.claude/projects/-w/s1/subagents/agent-a1.jsonl";
        let source = Source { path, key: "", scope: "", beside: &[], written: None };
        let mut reader = TranscriptReader::of(
            AgentId::new("twin"),
            &Source { path: "projects/-w/s1/subagents/agent-a1.jsonl", ..source },
            None,
        );
        let own = reader.own().unwrap();
        assert_eq!(own.who, place::worker_of(&AgentId::new("twin"), "s1", "a1"));
        assert_eq!(own.facts.parent, Some(place::session_of(&AgentId::new("twin"), "s1")));
    }
}
