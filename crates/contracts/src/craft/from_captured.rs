//! Makes a session state from a captured session. All values derive from the capture; the document or
//! its metadata marks unknown values as unknown.

use super::{
    AgentState, Artifacts, ContextUsage, Decision, Failure, FileAction, FileChange, GOAL_SENTENCES,
    Mode, SCHEMA_URL, State, Status, Storage, SyncStatus, Teleportation, VERSION,
};
use crate::captured::{AgentSession, Captured, Carried};
use crate::derived::{self, Call, Changes, Plan, calls, changes, choices, kind_of_worker, plan};
use crate::form;
use crate::prose::{first_sentences, said};
use crate::status_table::{Role, Words, words};
use serde_json::{Map, Number, Value, json};
use taffrail_model::{Kind, Timestamp, Tokens};

/// The main agent's id in a document.
const MAIN: &str = "main";
/// The goal of a session without a known goal.
const NO_GOAL: &str = "No goal was recorded.";

/// Makes the session state of a captured session.
#[must_use]
pub fn of(captured: &Captured) -> State {
    let all = captured.all();
    let done: Vec<Vec<Call<'_>>> = all.iter().map(|session| calls(session)).collect();
    let changes = changes(captured);
    let plan = done.first().and_then(|calls| plan(calls));
    let main = &captured.main;
    let (goal, goal_from) = goal(main);
    let metadata = metadata(captured, (goal_from, plan.is_some()), &changes);
    let plan = plan.unwrap_or_default();
    let began = main.began().unwrap_or(captured.here.now);
    let moved = all.iter().filter_map(|session| session.moved()).max().unwrap_or(captured.here.now);
    State {
        schema: Some(SCHEMA_URL.to_owned()),
        schema_version: VERSION.to_owned(),
        session_id: main.id.to_string(),
        created_at: written(began),
        updated_at: written(moved.max(began)),
        device: captured.here.device.clone(),
        project: project(main),
        goal,
        mode: Mode::Default,
        status: status(main, &plan),
        progress: portion(plan.progress()),
        agents: agents(&all, &done, &changes),
        completed_work: plan.done,
        pending_tasks: plan.open,
        decisions_made: Some(done.iter().flat_map(|calls| choices(calls)).map(decision).collect()),
        files_modified: changes.files.iter().map(|it| file(it, &all)).collect(),
        context_usage: context_usage(&all),
        teleportation: teleportation(captured),
        metadata: Some(metadata),
        rest: Map::new(),
    }
}

/// The project. If it is unknown, the value is `/` and the metadata says so.
fn project(main: &AgentSession) -> String {
    let known = main.project_path.clone().filter(|it| form::absolute().fits(it));
    known.unwrap_or_else(|| "/".to_owned())
}

/// The goal, and its origin.
fn goal(main: &AgentSession) -> (String, &'static str) {
    let titled = main.title.as_deref().map(|it| (it, "title"));
    let told = titled.or_else(|| main.first_prompt().map(|it| (it, "first_prompt")));
    let told = told.map(|(text, from)| (first_sentences(text, GOAL_SENTENCES), from));
    told.filter(|(text, _)| !text.is_empty()).unwrap_or_else(|| (NO_GOAL.to_owned(), "none"))
}

/// Ended work with open tasks is paused, not completed.
fn status(main: &AgentSession, plan: &Plan) -> Status {
    let status = words(main, Role::Main).craft;
    if status == Status::Completed && !plan.open.is_empty() { Status::Paused } else { status }
}

fn agents(all: &[&AgentSession], done: &[Vec<Call<'_>>], changes: &Changes) -> Vec<AgentState> {
    let parent = done.first().map_or(&[][..], Vec::as_slice);
    let agents = all.iter().zip(done).enumerate();
    agents
        .map(|(place, (session, calls))| {
            let (role, kind) = match place {
                0 => (Role::Main, session.agent.to_string()),
                _ => (Role::Worker, kind_of_worker(session, parent)),
            };
            let artifacts = artifacts(place, changes);
            agent(
                (id_of(place, session), kind),
                session,
                (words(session, role), plan(calls)),
                artifacts,
            )
        })
        .collect()
}

fn id_of(place: usize, session: &AgentSession) -> String {
    if place == 0 { MAIN.to_owned() } else { session.runtime_id.to_string() }
}

fn agent(
    (id, kind): (String, String),
    session: &AgentSession,
    (words, plan): (Words, Option<Plan>),
    artifacts: Artifacts,
) -> AgentState {
    let is_over = words.result.is_some();
    let ended = session.turns.last().map(|turn| turn.last_at).filter(|_| is_over);
    let took = |(from, to): (Timestamp, Timestamp)| to.as_millisecond() - from.as_millisecond();
    let took = session.began().zip(ended).map(|span| took(span) / 1000);
    let progress = plan.map(|plan| plan.progress());
    let finished = (words.agent == super::AgentStatus::Completed).then_some(1.0);
    let failed = words.agent == super::AgentStatus::Error;
    AgentState {
        id,
        kind,
        status: words.agent,
        started_at: Some(session.began().map(written)),
        completed_at: Some(ended.map(written)),
        duration_seconds: Some(took.map(|it| it.max(0).into())),
        progress: Some(progress.or(finished).map(portion)),
        result: Some(words.result),
        blocking_on: Some(None),
        error: Some(derived::trouble(session).filter(|_| failed).map(failure)),
        output_summary: Some(session.last_answer().map(|it| first_sentences(it, 3))),
        artifacts: Some(artifacts),
        rest: Map::new(),
    }
}

fn failure(trouble: derived::Trouble) -> Failure {
    Failure {
        category: Some(trouble.category),
        message: Some(trouble.message),
        retry_count: Some(trouble.retries.into()),
        last_retry_at: Some(trouble.last_retry.map(written)),
        rest: Map::new(),
    }
}

fn artifacts(place: usize, changes: &Changes) -> Artifacts {
    let files = |action: &FileAction| {
        let own = changes.files.iter().filter(|it| it.agent == place && it.action == *action);
        Some(own.map(|it| it.path.clone()).collect())
    };
    Artifacts {
        files_created: files(&FileAction::Created),
        files_modified: files(&FileAction::Modified),
        files_deleted: files(&FileAction::Deleted),
        rest: Map::new(),
    }
}

fn decision(choice: derived::Choice) -> Decision {
    Decision {
        timestamp: Some(written(choice.at)),
        context: Some(choice.context),
        options: Some(choice.options),
        chosen: Some(choice.chosen),
        reasoning: Some(None),
        rest: Map::new(),
    }
}

fn file(fact: &derived::FileFact, all: &[&AgentSession]) -> FileChange {
    FileChange {
        path: fact.path.clone(),
        action: fact.action.clone(),
        agent_id: all.get(fact.agent).map(|session| id_of(fact.agent, session)),
        timestamp: Some(written(fact.at)),
        lines_added: Some(fact.added.map(Into::into)),
        lines_removed: Some(fact.removed.map(Into::into)),
        hash_before: Some(fact.before.clone()),
        hash_after: Some(fact.after.clone()),
        rest: Map::new(),
    }
}

fn context_usage(all: &[&AgentSession]) -> ContextUsage {
    let by_agent: Vec<(String, u64)> = all
        .iter()
        .enumerate()
        .map(|(place, session)| (id_of(place, session), total(session.tokens)))
        .collect();
    let sum = by_agent.iter().fold(0_u64, |sum, (_, tokens)| sum.saturating_add(*tokens));
    let folded = all.iter().flat_map(|session| session.spoken());
    let folded: Vec<Timestamp> = folded
        .filter(|event| event.kind == Kind::ContextCompacted)
        .map(|event| event.created_at)
        .collect();
    ContextUsage {
        estimated_tokens: Some(sum.into()),
        compression_count: Some((folded.len() as u64).into()),
        last_compression: Some(folded.into_iter().max().map(written)),
        by_agent: Some(by_agent.into_iter().map(|(id, tokens)| (id, tokens.into())).collect()),
        rest: Map::new(),
    }
}

/// Input and output tokens; reasoning is part of the output.
fn total(tokens: Tokens) -> u64 {
    let parts = [tokens.input, tokens.cache_read, tokens.cache_write, tokens.output];
    parts.into_iter().fold(0, u64::saturating_add)
}

fn teleportation(captured: &Captured) -> Teleportation {
    let Carried { enabled, last_sync, waiting, error, devices, store, sealed, shared_with } =
        &captured.carried;
    let mut all = vec![captured.here.device.clone()];
    all.extend(devices.iter().filter(|it| **it != captured.here.device).cloned());
    let status = match (error, last_sync) {
        (Some(_), _) => Some(SyncStatus::Error),
        (None, Some(_)) if !waiting => Some(SyncStatus::Success),
        (None, _) => enabled.then_some(SyncStatus::Pending),
    };
    Teleportation {
        enabled: *enabled,
        last_sync: Some(last_sync.map(written)),
        sync_status: Some(status),
        sync_error: Some(error.as_deref().map(said)),
        devices: Some(all),
        storage_backend: storage(store.as_deref()),
        encrypted: *sealed,
        shared_with: Some(addresses(shared_with)),
        rest: Map::new(),
    }
}

/// The contract identifies people by e-mail address; users with another kind of name are left out.
fn addresses(users: &[String]) -> Option<Vec<String>> {
    let form = form::email();
    let known: Vec<_> = users.iter().filter(|it| form.fits(it)).cloned().collect();
    (!known.is_empty()).then_some(known)
}

/// The contract's word for a store; the metadata holds the actual one.
#[must_use]
pub fn storage(store: Option<&str>) -> Storage {
    match store {
        None | Some("local" | "directory" | "nats") => Storage::Local,
        Some("claude-desktop") => Storage::ClaudeDesktop,
        Some(_) => Storage::S3,
    }
}

fn metadata(
    captured: &Captured,
    (goal, has_plan): (&str, bool),
    changes: &Changes,
) -> Map<String, Value> {
    let main = &captured.main;
    let is_sha1 = |it: &&String| it.len() == 40 && it.bytes().all(|b| b.is_ascii_hexdigit());
    let commit = captured.here.git_commit.as_ref();
    let own = json!({
        "version": captured.here.version,
        "agent": main.agent.as_str(),
        "model": main.model,
        "runtime_session_id": main.runtime_id.as_str(),
        "runtime_source_uri": main.source_uri,
        "status": main.status.as_str(),
        "lifecycle": main.lifecycle.as_str(),
        "goal_from": goal,
        "progress_from": if has_plan { "plan" } else { "none" },
        "project_known": main.project_path.is_some(),
        "files_outside_project": changes.outside,
        "storage": captured.carried.store,
        "git_commit": commit.filter(|it| !is_sha1(it)),
    });
    let all = json!({
        "git_branch": main.git_branch,
        "git_commit": commit.filter(is_sha1),
        "tags": captured.remarks.tags,
        "notes": captured.remarks.notes,
        "taffrail": own,
    });
    all.as_object().cloned().unwrap_or_default()
}

fn portion(part: f64) -> Number {
    // A value from 0 to 1 is always a JSON number.
    Number::from_f64((part * 10_000.0).round() / 10_000.0).unwrap_or_else(|| 0.into())
}

/// UTC with milliseconds, as the contract requires.
fn written(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}
