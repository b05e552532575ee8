//! A captured session as a snapshot: its workers are the main agent and its sub-agents. An unknown
//! value is `null` or empty, never absent.

use super::{Intent, Outputs, Runtime, Session, Snapshot, SourceTarget, Worker};
use crate::captured::{AgentSession, Captured};
use crate::derived::{self, Call, Changes, calls, changes, kind_of_worker, plan};
use crate::prose::{first_sentences, said};
use crate::status_table::{Role, words};
use crate::vocabulary::FileAction;
use serde_json::{Map, Value, json};
use taffrail_model::status::Status;

/// The adapter's id in our own snapshots.
pub const ADAPTER: &str = "taffrail";
const KIND: &str = "captured";

/// A snapshot of a captured session.
#[must_use]
pub fn of(captured: &Captured) -> Snapshot {
    let all = captured.all();
    let done: Vec<Vec<Call<'_>>> = all.iter().map(|session| calls(session)).collect();
    let changes = changes(captured);
    let parent = done.first().map_or(&[][..], Vec::as_slice);
    let workers = all.iter().zip(&done).enumerate();
    let workers = workers.map(|(place, (session, calls))| {
        let kind = match place {
            0 => session.agent.to_string(),
            _ => kind_of_worker(session, parent),
        };
        worker(session, calls, (place, &kind), &changes)
    });
    Snapshot::new(ADAPTER, session(captured), workers.collect())
}

fn session(captured: &Captured) -> Session {
    let main = &captured.main;
    let id = main.id.to_string();
    let (kind, value) =
        captured.target.clone().unwrap_or_else(|| ("session".to_owned(), id.clone()));
    Session {
        id,
        kind: KIND.to_owned(),
        state: words(main, Role::Main).ecc_session.to_owned(),
        repo_root: Some(captured.here.repo_root.clone()),
        source_target: SourceTarget { kind, value, rest: Map::new() },
        rest: Map::new(),
    }
}

fn worker(
    session: &AgentSession,
    calls: &[Call<'_>],
    (place, kind): (usize, &str),
    changes: &Changes,
) -> Worker {
    let role = if place == 0 { Role::Main } else { Role::Worker };
    let words = words(session, role);
    let label = session.title.as_deref().map(said).filter(|it| !it.is_empty());
    Worker {
        id: session.id.to_string(),
        label: label.unwrap_or_else(|| kind.to_owned()),
        state: words.ecc_worker.to_owned(),
        branch: Some(session.git_branch.clone()),
        worktree: Some(session.project_path.clone()),
        runtime: runtime(session, kind),
        intent: intent(session, calls),
        outputs: outputs(session, calls),
        artifacts: artifacts(session, place, changes),
        rest: Map::new(),
    }
}

fn runtime(session: &AgentSession, kind: &str) -> Runtime {
    let is_over = session.status == Status::Exited;
    let active = match session.status {
        Status::Running | Status::WaitingApproval | Status::Waiting | Status::Idle => true,
        Status::Exited | Status::Unknown => false,
    };
    let pid = session.process.as_ref().filter(|_| !is_over).map(|it| it.pid.into());
    let own = json!({
        "agent": session.agent.as_str(),
        "type": kind,
        "model": session.model,
        "runtimeSessionId": session.runtime_id.as_str(),
        "status": session.status.as_str(),
        "lifecycle": session.lifecycle.as_str(),
        "executor": session.executor,
    });
    Runtime {
        kind: format!("{}-session", session.agent),
        command: Some(None),
        pid: Some(pid),
        active,
        dead: is_over,
        rest: fields(own),
    }
}

fn intent(session: &AgentSession, calls: &[Call<'_>]) -> Intent {
    let asked = session.first_prompt().or(session.title.as_deref()).unwrap_or_default();
    Intent {
        objective: first_sentences(asked, 3),
        seed_paths: derived::seeds(session, calls),
        rest: Map::new(),
    }
}

fn outputs(session: &AgentSession, calls: &[Call<'_>]) -> Outputs {
    let plan = plan(calls).unwrap_or_default();
    let answer = session.last_answer().map(|it| first_sentences(it, 3));
    let mut summary = plan.done;
    summary.extend(answer.filter(|it| !it.is_empty()));
    let mut risks = plan.open;
    risks.extend(derived::trouble(session).filter(|_| has_failed(session)).map(|it| it.message));
    let waits = session.waiting_for.as_ref().filter(|it| !it.text.is_empty());
    risks.extend(waits.map(|it| format!("Waits for: {}", said(&it.text))));
    Outputs {
        summary,
        validation: derived::checks(calls),
        remaining_risks: risks,
        rest: Map::new(),
    }
}

fn has_failed(session: &AgentSession) -> bool {
    session.ending() == crate::captured::Ending::Failed
}

fn artifacts(session: &AgentSession, place: usize, changes: &Changes) -> Map<String, Value> {
    let files = |action: &FileAction| {
        let own = changes.files.iter().filter(|it| it.agent == place && it.action == *action);
        own.map(|it| it.path.as_str()).collect::<Vec<_>>()
    };
    fields(json!({
        "sourceUri": session.source_uri,
        "filesCreated": files(&FileAction::Created),
        "filesModified": files(&FileAction::Modified),
        "filesDeleted": files(&FileAction::Deleted),
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
