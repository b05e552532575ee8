//! Session state 1.0.0: the portable state of a piece of work.

mod from_captured;
mod types;

pub use crate::vocabulary::{
    AgentStatus, Category, FileAction, Mode, Outcome, Status, Storage, SyncStatus,
};
pub use from_captured::{of, storage};

pub use types::{
    AgentState, Artifacts, ContextUsage, Decision, Failure, FileChange, State, Teleportation,
};

use crate::form::{
    absolute, email, moment, moment_ms, relative, semver, sha1, sha256, stated, uuid_v4,
};
use crate::report::Level;
use crate::rule::Rule;
use crate::shape::{
    Form, Shape, formed, list, map, may, must, object, or_null, strictly, text, word,
};
use crate::vocabulary::{
    ACTIONS, AGENT_STATUSES, BACKENDS, CATEGORIES, MODES, OUTCOMES, STATUSES, SYNC_STATUSES,
};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::LazyLock;
use taffrail_model::Timestamp;

/// The version that we write; we read every minor version of the same major version.
pub const VERSION: &str = "1.0.0";
/// The URL that documents name as their schema.
pub const SCHEMA_URL: &str = "https://data-wise.github.io/craft/schemas/session-state-v1.json";
/// The most sentences of a goal.
pub const GOAL_SENTENCES: usize = 3;

/// The shape of a state.
#[must_use]
pub fn shape() -> &'static Shape {
    static SHAPE: LazyLock<Shape> = LazyLock::new(|| {
        object(vec![
            may("$schema", text()),
            must("schema_version", Shape::Text(vec![semver(Level::Must), major()])),
            must("session_id", formed(uuid_v4())),
            must("created_at", Shape::Text(vec![moment(), moment_ms()])),
            must("updated_at", Shape::Text(vec![moment(), moment_ms()])),
            must("device", text()),
            must("project", formed(absolute())),
            must("goal", formed(stated())),
            must("mode", word(MODES)),
            must("status", word(STATUSES)),
            must("progress", portion()),
            must("agents", list(agent())),
            must("completed_work", list(text())),
            must("pending_tasks", list(text())),
            strictly("decisions_made", list(decision())),
            must("files_modified", list(file())),
            must("context_usage", context_usage()),
            must("teleportation", teleportation()),
            may("metadata", metadata()),
        ])
    });
    &SHAPE
}

fn major() -> Form {
    let hint = "This reads version 1; have the document written in it.";
    Form::new("major", Level::Must, r"^1\.", hint)
}

fn portion() -> Shape {
    Shape::Number(Some((0.0, 1.0)))
}

fn count() -> Shape {
    Shape::Whole(Some(0))
}

fn when() -> Shape {
    or_null(formed(moment()))
}

fn agent() -> Shape {
    let error = object(vec![
        strictly("category", word(CATEGORIES)),
        strictly("message", text()),
        strictly("retry_count", count()),
        may("last_retry_at", when()),
    ]);
    let artifacts = object(vec![
        may("files_created", list(text())),
        may("files_modified", list(text())),
        may("files_deleted", list(text())),
    ]);
    object(vec![
        must("id", text()),
        must("type", text()),
        must("status", word(AGENT_STATUSES)),
        may("started_at", when()),
        may("completed_at", when()),
        may("duration_seconds", or_null(count())),
        may("progress", or_null(portion())),
        may("result", or_null(word(OUTCOMES))),
        may("blocking_on", or_null(text())),
        may("error", or_null(error)),
        may("output_summary", or_null(text())),
        may("artifacts", artifacts),
    ])
}

fn decision() -> Shape {
    object(vec![
        strictly("timestamp", formed(moment())),
        strictly("context", text()),
        strictly("options", list(text())),
        strictly("chosen", text()),
        strictly("reasoning", or_null(text())),
    ])
}

fn file() -> Shape {
    object(vec![
        must("path", formed(relative())),
        must("action", word(ACTIONS)),
        may("agent_id", text()),
        may("timestamp", formed(moment())),
        may("lines_added", or_null(count())),
        may("lines_removed", or_null(count())),
        may("hash_before", or_null(formed(sha256()))),
        may("hash_after", or_null(formed(sha256()))),
    ])
}

fn context_usage() -> Shape {
    object(vec![
        may("estimated_tokens", count()),
        may("compression_count", count()),
        may("last_compression", when()),
        may("by_agent", map(count())),
    ])
}

fn teleportation() -> Shape {
    object(vec![
        must("enabled", Shape::Flag),
        may("last_sync", when()),
        may("sync_status", or_null(word(SYNC_STATUSES))),
        may("sync_error", or_null(text())),
        may("devices", list(text())),
        must("storage_backend", word(BACKENDS)),
        must("encrypted", Shape::Flag),
        may("shared_with", or_null(list(formed(email())))),
    ])
}

fn metadata() -> Shape {
    object(vec![
        may("git_branch", or_null(text())),
        may("git_commit", or_null(formed(sha1()))),
        may("craft_version", formed(semver(Level::Strict))),
        may("tags", list(text())),
        may("notes", or_null(text())),
    ])
}

/// The rules that involve several fields of a state.
pub static RULES: &[Rule] = &[
    Rule {
        name: "goal.sentences",
        level: Level::Advice,
        broken: long_goal,
        hint: "Say it in at most three sentences.",
        schema: None,
    },
    Rule {
        name: "updated_at.order",
        level: Level::Advice,
        broken: updated_before_created,
        hint: "Write the moment of the last change.",
        schema: None,
    },
    Rule {
        name: "agents.id.unique",
        level: Level::Advice,
        broken: ids_repeat,
        hint: "Give every agent an id of its own.",
        schema: None,
    },
    Rule {
        name: "agents.blocking_on.known",
        level: Level::Advice,
        broken: blocked_by_nobody,
        hint: "Name an agent of this document, or write null.",
        schema: None,
    },
    Rule {
        name: "files_modified.agent_id.known",
        level: Level::Advice,
        broken: changed_by_nobody,
        hint: "Name an agent of this document.",
        schema: None,
    },
];

fn long_goal(value: &Value) -> Vec<(String, String)> {
    let goal = value.get("goal").and_then(Value::as_str).unwrap_or_default();
    let count = crate::prose::sentences(goal).count();
    if count <= GOAL_SENTENCES {
        return Vec::new();
    }
    vec![("/goal".to_owned(), format!("The goal has {count} sentences."))]
}

fn updated_before_created(value: &Value) -> Vec<(String, String)> {
    let moment = |name: &str| value.get(name)?.as_str()?.parse::<Timestamp>().ok();
    match (moment("created_at"), moment("updated_at")) {
        (Some(created), Some(updated)) if updated < created => {
            let message = format!("It was updated at {updated}, before it was created.");
            vec![("/updated_at".to_owned(), message)]
        }
        (_, _) => Vec::new(),
    }
}

fn items<'v>(value: &'v Value, list: &str, field: &'static str) -> Vec<(String, &'v str)> {
    let all = value.get(list).and_then(Value::as_array).into_iter().flatten().enumerate();
    all.filter_map(|(index, item)| {
        Some((format!("/{list}/{index}/{field}"), item.get(field)?.as_str()?))
    })
    .collect()
}

fn ids_repeat(value: &Value) -> Vec<(String, String)> {
    let mut seen = BTreeSet::new();
    let ids = items(value, "agents", "id").into_iter();
    ids.filter(|(_, id)| !seen.insert(*id))
        .map(|(at, id)| (at, format!("{id:?} is the id of another.")))
        .collect()
}

fn blocked_by_nobody(value: &Value) -> Vec<(String, String)> {
    unknown_agents(value, items(value, "agents", "blocking_on"))
}

fn changed_by_nobody(value: &Value) -> Vec<(String, String)> {
    unknown_agents(value, items(value, "files_modified", "agent_id"))
}

fn unknown_agents(value: &Value, named: Vec<(String, &str)>) -> Vec<(String, String)> {
    let known: BTreeSet<_> = items(value, "agents", "id").into_iter().map(|(_, id)| id).collect();
    let unknown = named.into_iter().filter(|(_, id)| !known.contains(id));
    unknown.map(|(at, id)| (at, format!("No agent of this document is called {id:?}."))).collect()
}
