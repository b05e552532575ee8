//! `ecc.session.v1`: the canonical snapshot of a session.

pub mod dmux;
mod from_captured;
mod from_state;
mod health;
pub mod history;

pub use from_captured::{ADAPTER, of};
pub use from_state::{ImportedSession, of_state};

use crate::digest;
use crate::form::named;
use crate::report::{Level, step};
use crate::rule::Rule;
use crate::serde_helpers::nullable;
use crate::shape::{
    Object, Shape, Unknown, formed, list, map, may, must, object, or_null, text, word,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// The version of every snapshot, and the only gate between versions.
pub const VERSION: &str = "ecc.session.v1";

/// A snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// [`VERSION`].
    pub schema_version: String,
    /// The adapter that made it.
    pub adapter_id: String,
    /// The session.
    pub session: Session,
    /// Its workers.
    pub workers: Vec<Worker>,
    /// Counts derived from the workers.
    pub aggregates: Aggregates,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// The session of a snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// Its id, stable within the adapter.
    pub id: String,
    /// Its family, such as `orchestrated` or `history`.
    pub kind: String,
    /// Its state; any word is valid.
    pub state: String,
    /// The root of its repository or worktree.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub repo_root: Option<Option<String>>,
    /// The target that was requested.
    pub source_target: SourceTarget,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// The target that opened a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceTarget {
    /// How the target was resolved.
    #[serde(rename = "type")]
    pub kind: String,
    /// The target as given, or the path that it led to.
    pub value: String,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// A worker of a snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Worker {
    /// Its id, stable within the adapter.
    pub id: String,
    /// The display name.
    pub label: String,
    /// Its state; any word is valid.
    pub state: String,
    /// Its health: `healthy`, `stale`, `degraded` or `unknown`; any word is valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health: Option<String>,
    /// Its branch.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub branch: Option<Option<String>>,
    /// Its worktree.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub worktree: Option<Option<String>>,
    /// The runtime that executes it.
    pub runtime: Runtime,
    /// Its task.
    pub intent: Intent,
    /// Its results.
    pub outputs: Outputs,
    /// Files and references, under names of the adapter.
    pub artifacts: Map<String, Value>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// The runtime of a worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Runtime {
    /// Its family, such as `tmux-pane`.
    pub kind: String,
    /// The command that runs.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub command: Option<Option<String>>,
    /// Its process.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub pid: Option<Option<Number>>,
    /// Whether it is active now.
    pub active: bool,
    /// Whether it is known to have ended.
    pub dead: bool,
    /// Additional fields of the adapter.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// The task of a worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Intent {
    /// The task in words.
    pub objective: String,
    /// The paths it received.
    pub seed_paths: Vec<String>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// The results of a worker.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outputs {
    /// What it did.
    pub summary: Vec<String>,
    /// How its work was checked.
    pub validation: Vec<String>,
    /// Open points.
    pub remaining_risks: Vec<String>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Counts derived from the workers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Aggregates {
    /// The number of workers.
    pub worker_count: Number,
    /// The number of workers in each state.
    pub states: BTreeMap<String, Number>,
    /// The number of workers of each health.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub healths: Option<BTreeMap<String, Number>>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

impl Aggregates {
    /// The counts of these workers.
    #[must_use]
    pub fn of(workers: &[Worker]) -> Self {
        let states = counts(workers.iter().map(|it| it.state.as_str()));
        let unknown = health::UNKNOWN;
        let healths = workers.iter().map(|it| it.health.as_deref().unwrap_or(unknown));
        let healths = Some(counts(healths));
        Self { worker_count: (workers.len() as u64).into(), states, healths, rest: Map::new() }
    }
}

fn counts<'w>(words: impl Iterator<Item = &'w str>) -> BTreeMap<String, Number> {
    let mut out: BTreeMap<String, u64> = BTreeMap::new();
    for word in words {
        *out.entry(word.to_owned()).or_default() += 1;
    }
    out.into_iter().map(|(word, count)| (word, count.into())).collect()
}

impl Snapshot {
    /// A snapshot with derived counts.
    #[must_use]
    pub fn new(adapter: &str, session: Session, workers: Vec<Worker>) -> Self {
        let aggregates = Aggregates::of(&workers);
        let schema_version = VERSION.to_owned();
        let adapter_id = adapter.to_owned();
        Self { schema_version, adapter_id, session, workers, aggregates, rest: Map::new() }
    }
}

/// A digest of the whole snapshot: equal bodies have equal digests, so a history keeps each body once.
#[must_use]
pub fn mark(snapshot: &Snapshot) -> String {
    // A snapshot is plain data and always serializes.
    serde_json::to_value(snapshot).map(|it| digest::sha256(&it.to_string())).unwrap_or_default()
}

/// The shape of a snapshot.
#[must_use]
pub fn shape() -> &'static Shape {
    static SHAPE: LazyLock<Shape> = LazyLock::new(|| {
        let fields = vec![
            must("schemaVersion", word(&[VERSION])),
            must("adapterId", formed(named())),
            must("session", session()),
            must("workers", list(worker())),
            must("aggregates", aggregates()),
        ];
        Shape::Object(Object { fields, unknown: Unknown::Refused(Level::Strict) })
    });
    &SHAPE
}

fn session() -> Shape {
    let target = vec![must("type", formed(named())), must("value", formed(named()))];
    object(vec![
        must("id", formed(named())),
        must("kind", formed(named())),
        must("state", formed(named())),
        may("repoRoot", or_null(text())),
        must("sourceTarget", object(target)),
    ])
}

fn worker() -> Shape {
    object(vec![
        must("id", formed(named())),
        must("label", formed(named())),
        must("state", formed(named())),
        may("health", formed(named())),
        may("branch", or_null(text())),
        may("worktree", or_null(text())),
        must("runtime", runtime()),
        must("intent", object(vec![must("objective", text()), must("seedPaths", list(text()))])),
        must(
            "outputs",
            object(vec![
                must("summary", list(text())),
                must("validation", list(text())),
                must("remainingRisks", list(text())),
            ]),
        ),
        must("artifacts", map(Shape::Any)),
    ])
}

fn runtime() -> Shape {
    object(vec![
        must("kind", formed(named())),
        may("command", or_null(text())),
        may("pid", or_null(Shape::Number(None))),
        must("active", Shape::Flag),
        must("dead", Shape::Flag),
    ])
}

fn aggregates() -> Shape {
    object(vec![
        must("workerCount", Shape::Whole(Some(0))),
        must("states", map(Shape::Whole(Some(0)))),
        may("healths", map(Shape::Whole(Some(0)))),
    ])
}

/// The rules that involve several fields of a snapshot.
pub static RULES: &[Rule] = &[
    Rule {
        name: "aggregates.workerCount.derived",
        level: Level::Must,
        broken: count_lies,
        hint: "Write the length of `workers`.",
        schema: None,
    },
    Rule {
        name: "aggregates.states.derived",
        level: Level::Must,
        broken: states_lie,
        hint: "Count the states of `workers`; leave out a state that no worker is in.",
        schema: None,
    },
    Rule {
        name: "aggregates.healths.derived",
        level: Level::Must,
        broken: healths_lie,
        hint: "Count the healths of `workers`; one without a health counts as `unknown`.",
        schema: None,
    },
    Rule {
        name: "workers.id.unique",
        level: Level::Advice,
        broken: ids_repeat,
        hint: "Give every worker an id of its own.",
        schema: None,
    },
];

fn workers_of(value: &Value) -> Option<&Vec<Value>> {
    value.get("workers").and_then(Value::as_array)
}

fn count_lies(value: &Value) -> Vec<(String, String)> {
    let count = value.pointer("/aggregates/workerCount").and_then(Value::as_f64);
    let (Some(workers), Some(count)) = (workers_of(value), count) else { return Vec::new() };
    if count == workers.len() as f64 {
        return Vec::new();
    }
    let message = format!("The count is {count}, and there are {} workers.", workers.len());
    vec![("/aggregates/workerCount".to_owned(), message)]
}

fn states_lie(value: &Value) -> Vec<(String, String)> {
    counts_lie(value, ("/aggregates/states", "in state"), |worker| worker.get("state")?.as_str())
}

fn healths_lie(value: &Value) -> Vec<(String, String)> {
    counts_lie(value, ("/aggregates/healths", "of health"), |worker| match worker.get("health") {
        None => Some(health::UNKNOWN),
        Some(health) => health.as_str(),
    })
}

/// The counts that differ from those of the workers; none if there are no counts.
fn counts_lie(
    value: &Value,
    (place, relation): (&str, &str),
    word: fn(&Value) -> Option<&str>,
) -> Vec<(String, String)> {
    let written = value.pointer(place).and_then(Value::as_object);
    let (Some(workers), Some(written)) = (workers_of(value), written) else { return Vec::new() };
    let true_ones = counts(workers.iter().filter_map(word));
    let names: BTreeSet<&String> = true_ones.keys().chain(written.keys()).collect();
    let lies = names.into_iter().filter_map(|name| {
        let truth = true_ones.get(name).and_then(Number::as_f64);
        let said = written.get(name);
        (truth.is_none() || truth != said.and_then(Value::as_f64)).then(|| {
            let said = said.map_or("nothing".to_owned(), Value::to_string);
            let truth = truth.unwrap_or_default();
            let message =
                format!("{truth} workers are {relation} {name:?}, and {said} is written.");
            (step(place, name), message)
        })
    });
    lies.collect()
}

fn ids_repeat(value: &Value) -> Vec<(String, String)> {
    let mut seen = BTreeSet::new();
    let ids = workers_of(value).into_iter().flatten().enumerate();
    ids.filter_map(|(index, worker)| Some((index, worker.get("id")?.as_str()?)))
        .filter(|(_, id)| !seen.insert(*id))
        .map(|(index, id)| {
            (format!("/workers/{index}/id"), format!("{id:?} is the id of another."))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_body_has_the_same_mark_and_another_has_another() {
        let place = dmux::by_name("mend", &["/w".to_owned()]).remove(0);
        let now = taffrail_model::Timestamp::UNIX_EPOCH;
        let worker = dmux::WorkerFiles { name: "a".to_owned(), ..dmux::WorkerFiles::default() };
        let one = dmux::snapshot(&place, &[], &[], now);
        let other = dmux::snapshot(&place, &[worker], &[], now);
        assert_eq!(mark(&one), mark(&one.clone()));
        assert_ne!(mark(&one), mark(&other));
        assert_eq!(mark(&one).len(), 64);
    }
}
