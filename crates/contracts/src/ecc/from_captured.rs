//! A captured session as a snapshot: its workers are the main agent and its sub-agents. An unknown
//! value is `null` or empty, never absent.

use super::health::{DEGRADED, HEALTHY, STALE, UNKNOWN};
use super::{Intent, Outputs, Runtime, Session, Snapshot, SourceTarget, Worker};
use crate::captured::{AgentSession, Captured};
use crate::derived::{self, Call, Changes, Tasks, calls, changes, kind_of_worker, tasks};
use crate::prose::{said, summary};
use crate::status_table::{Role, Work, words};
use crate::vocabulary::FileAction;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use taffrail_model::Timestamp;
use taffrail_model::status::Status;

/// The adapter's id in our own snapshots.
pub const ADAPTER: &str = "taffrail";
const KIND: &str = "captured";
/// A running worker that was silent for longer is stale, in seconds.
const STALE_AFTER: i64 = 5 * 60;

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
        worker((session, calls), (place, &kind), &changes, captured.here.now)
    });
    let workers = distinct(workers.collect());
    let main = tasks(&captured.main, parent);
    Snapshot::new(ADAPTER, session(captured, work((&captured.main, parent), &main)), workers)
}

/// Labels that several workers share are told apart by the ids.
fn distinct(mut workers: Vec<Worker>) -> Vec<Worker> {
    let mut seen = BTreeSet::new();
    for worker in &mut workers {
        if !seen.insert(worker.label.clone()) {
            let short: String = worker.id.chars().take(8).collect();
            worker.label = format!("{} ({short})", worker.label);
        }
    }
    workers
}

fn work((session, calls): (&AgentSession, &[Call<'_>]), tasks: &Tasks) -> Work {
    Work {
        is_done: tasks.are_done(),
        is_left: !tasks.open.is_empty(),
        shown: derived::shown(session, calls),
    }
}

fn session(captured: &Captured, work: Work) -> Session {
    let main = &captured.main;
    let id = main.id.to_string();
    let (kind, value) =
        captured.target.clone().unwrap_or_else(|| ("session".to_owned(), id.clone()));
    Session {
        id,
        kind: KIND.to_owned(),
        state: words(main, Role::Main, work).ecc_session.to_owned(),
        repo_root: Some(captured.here.repo_root.clone()),
        source_target: SourceTarget { kind, value, rest: Map::new() },
        rest: Map::new(),
    }
}

fn worker(
    (session, calls): (&AgentSession, &[Call<'_>]),
    (place, kind): (usize, &str),
    changes: &Changes,
    now: Timestamp,
) -> Worker {
    let role = if place == 0 { Role::Main } else { Role::Worker };
    let tasks = tasks(session, calls);
    let words = words(session, role, work((session, calls), &tasks));
    let title = session.listed_as.as_deref().or(session.title.as_deref());
    let label = title.map(said).filter(|it| !it.is_empty());
    Worker {
        id: session.id.to_string(),
        label: label.unwrap_or_else(|| kind.to_owned()),
        state: words.ecc_worker.to_owned(),
        health: Some(health(words.ecc_worker, session, now).to_owned()),
        branch: Some(session.git_branch.clone()),
        worktree: Some(session.project_path.clone()),
        runtime: runtime(session, kind),
        intent: intent(session, calls),
        outputs: outputs(session, calls, tasks),
        artifacts: artifacts(session, place, changes),
        rest: Map::new(),
    }
}

/// The health of a worker: silence makes one that runs stale, and what failed or broke off is
/// degraded.
fn health(state: &str, session: &AgentSession, now: Timestamp) -> &'static str {
    let silent = session.moved().map(|it| now.as_second() - it.as_second());
    match state {
        "failed" | "timeout" | "aborted" => DEGRADED,
        "running" if silent.is_none_or(|it| it > STALE_AFTER) => STALE,
        "running" | "completed" | "waiting" | "waiting_approval" | "idle" => HEALTHY,
        _ => UNKNOWN,
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
        command: Some(session.command.as_deref().map(said).filter(|_| !is_over)),
        pid: Some(pid),
        active,
        dead: is_over,
        rest: fields(own),
    }
}

fn intent(session: &AgentSession, calls: &[Call<'_>]) -> Intent {
    let asked = derived::asked(session).or_else(|| derived::goal(session));
    Intent {
        objective: asked.map(|it| it.text).unwrap_or_default(),
        seed_paths: derived::seeds(session, calls),
        rest: Map::new(),
    }
}

fn outputs(session: &AgentSession, calls: &[Call<'_>], tasks: Tasks) -> Outputs {
    let answer = session.last_answer().map(|it| summary(it, 3)).filter(|it| !it.is_empty());
    let checks = derived::checks(calls);
    let failed = checks.iter().filter(|it| it.has_failed()).map(derived::Check::told);
    let mut risks = tasks.open;
    risks.extend(failed);
    risks.extend(denied(session, calls));
    risks.extend(derived::answered_points(session).risks);
    risks.extend(derived::trouble(session).filter(|_| has_failed(session)).map(|it| it.message));
    let waits = session.waiting_for.as_ref().filter(|it| !it.text.is_empty());
    risks.extend(waits.map(|it| format!("Waits for: {}", said(&it.text))));
    let done = if tasks.from == "plan" { tasks.done } else { Vec::new() };
    Outputs {
        summary: done.into_iter().chain(answer).collect(),
        validation: checks.iter().map(derived::Check::told).collect(),
        remaining_risks: risks,
        rest: Map::new(),
    }
}

/// The calls that the user denied, as sentences.
fn denied(session: &AgentSession, calls: &[Call<'_>]) -> Vec<String> {
    let denied = derived::denied(session, calls).into_iter();
    denied.map(|call| format!("The user denied: {}", said(&derived::subject(call)))).collect()
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
