//! An imported session state as a snapshot: its workers are the agents of the document. Nothing of it
//! runs here, so no worker is active.

use super::{ADAPTER, Intent, Outputs, Runtime, Session, Snapshot, SourceTarget, Worker, health};
use crate::craft::{AgentState, AgentStatus, State, Status};
use crate::prose::{first_sentences, said};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

const KIND: &str = "imported";
const RUNTIME: &str = "imported-agent";

/// The session of an imported state.
#[derive(Debug, Clone, Copy)]
pub struct ImportedSession<'a> {
    /// Our id of the session.
    pub id: &'a str,
    /// The locator of the document.
    pub source_uri: &'a str,
}

/// A snapshot of an imported session state.
#[must_use]
pub fn of_state(state: &State, of: ImportedSession<'_>) -> Snapshot {
    let mut seen = BTreeMap::new();
    let workers = state.agents.iter().map(|agent| {
        let id = unique(&agent.id, &mut seen);
        worker(state, agent, (id, of.source_uri))
    });
    let workers = workers.collect();
    Snapshot::new(ADAPTER, session(state, of.id), workers)
}

/// Ids are unique in a snapshot; a document may repeat one.
fn unique(id: &str, seen: &mut BTreeMap<String, usize>) -> String {
    let count = seen.entry(id.to_owned()).or_default();
    *count += 1;
    if *count == 1 { id.to_owned() } else { format!("{id}#{count}") }
}

fn session(state: &State, id: &str) -> Session {
    let own = json!({
        "imported": {
            "status": state.status.as_str(),
            "progress": state.progress,
            "goal": state.goal,
            "completedWork": state.completed_work,
            "pendingTasks": state.pending_tasks,
        },
    });
    let (kind, value) = ("session".to_owned(), id.to_owned());
    Session {
        id: id.to_owned(),
        kind: KIND.to_owned(),
        state: session_state(&state.status).to_owned(),
        repo_root: Some(None),
        source_target: SourceTarget { kind, value, rest: Map::new() },
        rest: fields(own),
    }
}

/// Work that goes on, by its document, is idle here.
fn session_state(status: &Status) -> &'static str {
    match status {
        Status::Completed => "completed",
        Status::Error => "failed",
        Status::InProgress | Status::Paused | Status::Aborted | Status::Unknown(_) => "idle",
    }
}

fn worker(state: &State, agent: &AgentState, (id, source_uri): (String, &str)) -> Worker {
    let branch = state.metadata.as_ref().and_then(|it| it.get("git_branch"));
    Worker {
        id,
        label: label(agent),
        state: agent.status.as_str().to_owned(),
        health: Some(health_of(&agent.status).to_owned()),
        branch: Some(branch.and_then(Value::as_str).map(str::to_owned)),
        worktree: Some(Some(state.project.clone())),
        runtime: runtime(agent),
        intent: Intent {
            objective: first_sentences(&state.goal, 3),
            seed_paths: Vec::new(),
            rest: Map::new(),
        },
        outputs: outputs(agent),
        artifacts: artifacts(agent, source_uri),
        rest: Map::new(),
    }
}

/// Nothing of a document that says "running" shows whether the agent still does.
fn health_of(status: &AgentStatus) -> &'static str {
    match status {
        AgentStatus::Completed => health::HEALTHY,
        AgentStatus::Error | AgentStatus::Timeout => health::DEGRADED,
        AgentStatus::Pending | AgentStatus::Running | AgentStatus::Unknown(_) => health::UNKNOWN,
    }
}

/// The type of an agent, which a document may leave empty.
fn label(agent: &AgentState) -> String {
    let kind = said(&agent.kind);
    if kind.is_empty() { "agent".to_owned() } else { kind }
}

fn runtime(agent: &AgentState) -> Runtime {
    let dead = match agent.status {
        AgentStatus::Completed | AgentStatus::Error | AgentStatus::Timeout => true,
        AgentStatus::Pending | AgentStatus::Running | AgentStatus::Unknown(_) => false,
    };
    let own = json!({
        "type": agent.kind,
        "progress": agent.progress,
        "result": agent.result,
        "startedAt": agent.started_at,
        "completedAt": agent.completed_at,
    });
    Runtime {
        kind: RUNTIME.to_owned(),
        command: Some(None),
        pid: Some(None),
        active: false,
        dead,
        rest: fields(own),
    }
}

fn outputs(agent: &AgentState) -> Outputs {
    let summary = agent.output_summary.clone().flatten();
    let failed = agent.error.as_ref().and_then(|it| it.as_ref()?.message.clone());
    let blocked = agent.blocking_on.clone().flatten().map(|it| format!("Waits for agent {it}"));
    Outputs {
        summary: summary.into_iter().collect(),
        validation: Vec::new(),
        remaining_risks: failed.into_iter().chain(blocked).collect(),
        rest: Map::new(),
    }
}

fn artifacts(agent: &AgentState, source_uri: &str) -> Map<String, Value> {
    let known = agent.artifacts.clone().unwrap_or_default();
    fields(json!({
        "sourceUri": source_uri,
        "filesCreated": known.files_created.unwrap_or_default(),
        "filesModified": known.files_modified.unwrap_or_default(),
        "filesDeleted": known.files_deleted.unwrap_or_default(),
    }))
}

fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Map::new()
        }
    }
}
