//! The sessions of every adapter's fixtures, as their adapters read them.

use crate::session::bare_event;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use taffrail_exports::{Amount, ModelAnswer, Recorded};
use taffrail_model::{
    AgentId, Event, EventId, Kind, RuntimeSessionId, SessionId, Timestamp, Tokens, TurnId,
};

/// The sessions of a fixture by the agent's own ids, each with its parent.
type Sessions = BTreeMap<String, (Recorded, Option<String>)>;

/// Every session of every fixture, with the name of its fixture.
pub(crate) fn sessions() -> Vec<(String, Recorded)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let agents = ["adapters/src", "agents/src"].iter().flat_map(|it| folders(&crates.join(it)));
    agents.flat_map(|agent| of_agent(&agent)).collect()
}

fn of_agent(agent: &Path) -> Vec<(String, Recorded)> {
    let name = |it: &Path| it.file_name().unwrap().to_string_lossy().into_owned();
    let mut out = Vec::new();
    for case in folders(&agent.join("fixtures")) {
        let text = std::fs::read_to_string(case.join("expected.jsonl")).unwrap_or_default();
        let label = format!("{}/{}", name(agent), name(&case));
        out.extend(read(&name(agent), &text).into_iter().map(|it| (label.clone(), it)));
    }
    out
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(path) else { return Vec::new() };
    let mut out: Vec<_> = entries.map(|it| it.unwrap().path()).filter(|it| it.is_dir()).collect();
    out.sort();
    out
}

/// The sessions of one fixture: sub-agents are in the session that started them.
fn read(agent: &str, text: &str) -> Vec<Recorded> {
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut sessions = Sessions::new();
    for line in lines.iter().filter(|line| line.get("facts").is_some()) {
        let parent = word(&line["facts"]["parent"], "id");
        sessions.insert(word(line, "runtime").unwrap(), (session(agent, line), parent));
    }
    let mut answers = BTreeMap::new();
    for line in &lines {
        let Some(id) = word(line, "in") else { continue };
        let Some((session, _)) = sessions.get_mut(&id) else { continue };
        if line.get("event").is_some() {
            let event = event(session, line);
            // The same id is the same event, revised.
            session.events.retain(|it| it.id != event.id);
            session.events.push(event);
        } else if line.get("usage").is_some() {
            // The latest snapshot of an answer counts; the index keeps the largest.
            answers.insert((id, word(line, "key")), answer(line));
        } else if let Some(gone) = word(line, "removed").and_then(|it| EventId::parse(&it)) {
            session.events.retain(|event| event.id != gone);
        }
    }
    for ((id, _), answer) in answers {
        sessions.get_mut(&id).unwrap().0.answers.push(answer);
    }
    for (session, _) in sessions.values_mut() {
        session.events.sort_by_key(|event| event.created_at);
        session.answers.sort_by_key(|answer| answer.at);
    }
    nested(sessions)
}

fn nested(mut sessions: Sessions) -> Vec<Recorded> {
    let children = sessions.iter().filter_map(|(id, (_, it))| Some((id.clone(), it.clone()?)));
    let children: Vec<_> = children.filter(|(_, it)| sessions.contains_key(it)).collect();
    for (id, parent) in children {
        let Some((child, _)) = sessions.remove(&id) else { continue };
        if let Some((above, _)) = sessions.get_mut(&parent) {
            above.workers.push(child);
        }
    }
    sessions.into_values().map(|(session, _)| session).collect()
}

fn session(agent: &str, line: &Value) -> Recorded {
    let facts = &line["facts"];
    Recorded {
        id: SessionId::parse(&word(line, "session").unwrap()).unwrap(),
        agent: AgentId::new(agent),
        agent_version: word(facts, "agent_version"),
        runtime_id: RuntimeSessionId::new(word(line, "runtime").unwrap()),
        title: word(&facts["title"], "text"),
        project_path: word(facts, "project_path"),
        git_branch: word(facts, "git_branch"),
        model: word(facts, "model"),
        events: Vec::new(),
        questions: BTreeSet::new(),
        answers: Vec::new(),
        workers: Vec::new(),
    }
}

fn event(session: &Recorded, line: &Value) -> Event {
    let kind = Kind::from(word(line, "event").unwrap().as_str());
    Event {
        id: EventId::parse(&word(line, "id").unwrap()).unwrap(),
        turn_id: word(line, "turn").and_then(|it| TurnId::parse(&it)),
        parent_id: word(line, "parent").and_then(|it| EventId::parse(&it)),
        text: word(line, "text"),
        data: line["data"].as_object().cloned().unwrap_or_default(),
        ..bare_event(session, kind, time(line).unwrap_or_default())
    }
}

fn answer(line: &Value) -> ModelAnswer {
    let tokens: Tokens = serde_json::from_value(line["usage"].clone()).unwrap();
    let cost = line["cost_microdollars"].as_i64().map(Amount::Reported);
    ModelAnswer { at: time(line), model: word(line, "model"), tokens, cost }
}

fn time(line: &Value) -> Option<Timestamp> {
    word(line, "at")?.parse().ok()
}

fn word(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().map(str::to_owned)
}
