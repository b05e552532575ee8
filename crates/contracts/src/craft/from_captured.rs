//! Makes a session state from a captured session. All values derive from the capture; the document or
//! its metadata marks unknown values as unknown.

use super::{
    AgentState, AgentStatus, Artifacts, ContextUsage, Decision, Failure, FileAction, FileChange,
    Mode, SCHEMA_URL, State, Storage, SyncStatus, Teleportation, VERSION,
};
use crate::captured::{AgentSession, Captured, Carried};
use crate::derived::{
    self, Call, Changes, Tasks, calls, changes, choices, goal, kind_of_worker, plan, tasks,
    work_failure,
};
use crate::form;
use crate::prose::{said, summary};
use crate::status_table::{Role, Shown, Words, Work, words};
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
    let main = &captured.main;
    let tasks = tasks(main, done.first().map_or(&[], Vec::as_slice));
    let (goal, goal_from) = goal_of(main);
    let choices = decisions(&all, &done);
    let mut metadata = metadata(captured, (goal_from, tasks.from), &changes);
    note_assumed(&mut metadata, &choices);
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
        status: words(main, Role::Main, work(main, done.first(), &tasks)).craft,
        progress: portion(tasks.progress()),
        agents: agents(&all, &done, &changes),
        completed_work: tasks.done,
        pending_tasks: tasks.open,
        decisions_made: Some(choices.into_iter().map(decision).collect()),
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
fn goal_of(main: &AgentSession) -> (String, &'static str) {
    goal(main).map_or_else(|| (NO_GOAL.to_owned(), "none"), |it| (it.text, it.from))
}

/// What became of an agent's work.
fn work(session: &AgentSession, calls: Option<&Vec<Call<'_>>>, tasks: &Tasks) -> Work {
    let calls = calls.map_or(&[][..], Vec::as_slice);
    Work {
        is_done: tasks.are_done(),
        is_left: !tasks.open.is_empty(),
        shown: derived::shown(session, calls),
    }
}

fn decisions(all: &[&AgentSession], done: &[Vec<Call<'_>>]) -> Vec<derived::Choice> {
    let made = all.iter().zip(done).flat_map(|(session, calls)| choices(session, calls));
    let mut made: Vec<_> = made.collect();
    made.sort_by_key(|it| it.at);
    made
}

/// Names the decisions of which nothing records who made them.
fn note_assumed(metadata: &mut Map<String, Value>, choices: &[derived::Choice]) {
    let assumed: Vec<_> = choices.iter().filter(|it| it.is_assumed).map(|it| &it.context).collect();
    let own = metadata.get_mut("taffrail").and_then(Value::as_object_mut);
    if let Some(own) = own.filter(|_| !assumed.is_empty()) {
        own.insert("decisions_author_assumed".to_owned(), json!(assumed));
    }
}

fn agents(all: &[&AgentSession], done: &[Vec<Call<'_>>], changes: &Changes) -> Vec<AgentState> {
    let parent = done.first().map_or(&[][..], Vec::as_slice);
    let agents = all.iter().zip(done).enumerate();
    let mut agents: Vec<AgentState> = agents
        .map(|(place, (session, calls))| {
            let (role, kind) = match place {
                0 => (Role::Main, session.agent.to_string()),
                _ => (Role::Worker, kind_of_worker(session, parent)),
            };
            let mut work = work(session, Some(calls), &tasks(session, calls));
            let artifacts = artifacts(place, changes);
            let has_result = has_results(&artifacts) || was_answered(session, role, parent);
            if has_result && work.shown == Shown::Nothing {
                work.shown = Shown::Success;
            }
            let words = words(session, role, work);
            agent((id_of(place, session), kind), (session, calls), words, artifacts)
        })
        .collect();
    let awaited = awaited(all, parent, &agents);
    if let Some(main) = agents.first_mut().filter(|it| it.status == AgentStatus::Running) {
        main.blocking_on = Some(awaited);
    }
    agents
}

/// Files that changed show that an agent did something.
fn has_results(artifacts: &Artifacts) -> bool {
    let Artifacts { files_created, files_modified, files_deleted, .. } = artifacts;
    [files_created, files_modified, files_deleted].into_iter().flatten().any(|it| !it.is_empty())
}

/// The parent of a sub-agent recorded its answer, and not as a failure.
fn was_answered(session: &AgentSession, role: Role, parent: &[Call<'_>]) -> bool {
    role == Role::Worker && derived::began_by(session, parent).is_some_and(Call::is_done)
}

/// Whether an agent has more to do.
fn is_open(status: &AgentStatus) -> bool {
    matches!(status, AgentStatus::Pending | AgentStatus::Running)
}

/// The sub-agent whose result the main agent waits for: its call has no answer.
fn awaited(all: &[&AgentSession], parent: &[Call<'_>], agents: &[AgentState]) -> Option<String> {
    let workers = all.iter().zip(agents).skip(1);
    let mut awaited = workers.filter(|(worker, state)| {
        let call = derived::began_by(worker, parent);
        let is_unanswered = call.is_some_and(|call| call.answer.is_none());
        is_unanswered && is_open(&state.status)
    });
    awaited.next().map(|(_, state)| state.id.clone())
}

fn id_of(place: usize, session: &AgentSession) -> String {
    if place == 0 { MAIN.to_owned() } else { session.runtime_id.to_string() }
}

fn agent(
    (id, kind): (String, String),
    (session, calls): (&AgentSession, &[Call<'_>]),
    words: Words,
    artifacts: Artifacts,
) -> AgentState {
    let is_over = !is_open(&words.agent);
    let ended = session.turns.last().map(|turn| turn.last_at).filter(|_| is_over);
    let took = |(from, to): (Timestamp, Timestamp)| to.as_millisecond() - from.as_millisecond();
    let took = session.began().zip(ended).map(|span| took(span) / 1000);
    let has_failed = words.agent == AgentStatus::Error || session.stopped_at_timeout();
    AgentState {
        id,
        kind,
        started_at: Some(session.began().map(written)),
        completed_at: Some(ended.map(written)),
        duration_seconds: Some(took.map(|it| it.max(0).into())),
        progress: Some(progress(session, calls, &words).map(portion)),
        status: words.agent,
        result: Some(words.result),
        blocking_on: Some(None),
        error: Some(has_failed.then(|| error(session, calls)).flatten()),
        output_summary: Some(session.last_answer().map(|it| summary(it, 3))),
        artifacts: Some(artifacts),
        rest: Map::new(),
    }
}

/// An agent's progress: the share of its tasks, 1 once it is completed; unknown without tasks.
fn progress(session: &AgentSession, calls: &[Call<'_>], words: &Words) -> Option<f64> {
    if words.agent == AgentStatus::Completed && plan(calls).is_none() {
        return Some(1.0);
    }
    let tasks = tasks(session, calls);
    Some(tasks.progress()).filter(|_| tasks.from != "none")
}

/// The last error, else the command that failed.
fn error(session: &AgentSession, calls: &[Call<'_>]) -> Option<Failure> {
    let work = || {
        let failed = work_failure(session, calls)?;
        let category = crate::vocabulary::Category::Logical;
        let (message, retries, last_retry) = (failed.message, 0, None);
        Some(derived::Trouble { category, message, retries, last_retry })
    };
    work().or_else(|| derived::trouble(session)).map(failure)
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
        reasoning: Some(choice.reasoning),
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

/// The size of each agent's context, by its latest request; else what it used, each token once.
fn context_usage(all: &[&AgentSession]) -> ContextUsage {
    let used = |session: &AgentSession| {
        session.context.map_or_else(|| without_rereads(session.tokens), context_size)
    };
    let agents = all.iter().enumerate();
    let by_agent: Vec<(String, u64)> =
        agents.map(|(place, session)| (id_of(place, session), used(session))).collect();
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

/// The tokens of one request and its answer; reasoning is part of the output.
fn context_size(tokens: Tokens) -> u64 {
    without_rereads(tokens).saturating_add(tokens.cache_read)
}

/// A cache is read again with every request, so its reads count one context many times.
fn without_rereads(tokens: Tokens) -> u64 {
    let parts = [tokens.input, tokens.cache_write, tokens.output];
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
    (goal, tasks): (&str, &str),
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
        "progress_from": tasks,
        // No agent records one of the contract's modes.
        "mode_from": "none",
        "project_known": main.project_path.is_some(),
        "files_outside_project": changes.outside,
        "files_action_assumed": assumed(changes),
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

/// The files of which nothing shows whether they were there before.
fn assumed(changes: &Changes) -> Vec<&str> {
    let assumed = changes.files.iter().filter(|it| it.is_assumed);
    assumed.map(|it| it.path.as_str()).collect()
}

fn portion(part: f64) -> Number {
    // A value from 0 to 1 is always a JSON number.
    Number::from_f64((part * 10_000.0).round() / 10_000.0).unwrap_or_else(|| 0.into())
}

/// UTC with milliseconds, as the contract requires.
fn written(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}
