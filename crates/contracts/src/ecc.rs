//! `ecc.session.v1`: the canonical snapshot of a session.

pub mod dmux;
pub mod history;
mod of;

pub use of::{ADAPTER, of};

use crate::contract::Rule;
use crate::form::named;
use crate::report::{Level, step};
use crate::shape::{
    Object, Shape, Unknown, formed, list, map, may, must, object, or_null, text, word,
};
use crate::told::told;
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
    /// Who made it.
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
    /// Stable within the adapter.
    pub id: String,
    /// Its family, such as `orchestrated` or `history`.
    pub kind: String,
    /// Its state; any word is valid.
    pub state: String,
    /// The root of its repository or worktree.
    #[serde(default, deserialize_with = "told", skip_serializing_if = "Option::is_none")]
    pub repo_root: Option<Option<String>>,
    /// What was asked for.
    pub source_target: SourceTarget,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// The target that opened a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceTarget {
    /// How it was looked up.
    #[serde(rename = "type")]
    pub kind: String,
    /// The target as it was given, or the path it led to.
    pub value: String,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// A worker of a snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Worker {
    /// Stable within the adapter.
    pub id: String,
    /// For people.
    pub label: String,
    /// Its state; any word is valid.
    pub state: String,
    /// Its branch.
    #[serde(default, deserialize_with = "told", skip_serializing_if = "Option::is_none")]
    pub branch: Option<Option<String>>,
    /// Its worktree.
    #[serde(default, deserialize_with = "told", skip_serializing_if = "Option::is_none")]
    pub worktree: Option<Option<String>>,
    /// What runs it.
    pub runtime: Runtime,
    /// Why it exists.
    pub intent: Intent,
    /// What came of it.
    pub outputs: Outputs,
    /// Files and references, by names of the adapter's own.
    pub artifacts: Map<String, Value>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// What runs a worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Runtime {
    /// Its family, such as `tmux-pane`.
    pub kind: String,
    /// The command that runs.
    #[serde(default, deserialize_with = "told", skip_serializing_if = "Option::is_none")]
    pub command: Option<Option<String>>,
    /// Its process.
    #[serde(default, deserialize_with = "told", skip_serializing_if = "Option::is_none")]
    pub pid: Option<Option<Number>>,
    /// It is active now.
    pub active: bool,
    /// It is known to be over.
    pub dead: bool,
    /// What the adapter adds.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Why a worker exists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Intent {
    /// What it is to do.
    pub objective: String,
    /// The paths it was given.
    pub seed_paths: Vec<String>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// What came of a worker.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outputs {
    /// What it did.
    pub summary: Vec<String>,
    /// How that was checked.
    pub validation: Vec<String>,
    /// What is left.
    pub remaining_risks: Vec<String>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Counts derived from the workers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Aggregates {
    /// How many there are.
    pub worker_count: Number,
    /// How many are in each state.
    pub states: BTreeMap<String, Number>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

impl Aggregates {
    /// The counts of these workers.
    #[must_use]
    pub fn of(workers: &[Worker]) -> Self {
        let mut states: BTreeMap<String, u64> = BTreeMap::new();
        for worker in workers {
            *states.entry(worker.state.clone()).or_default() += 1;
        }
        let states = states.into_iter().map(|(state, count)| (state, count.into())).collect();
        Self { worker_count: (workers.len() as u64).into(), states, rest: Map::new() }
    }
}

impl Snapshot {
    /// A snapshot with its counts derived.
    #[must_use]
    pub fn new(adapter: &str, session: Session, workers: Vec<Worker>) -> Self {
        let aggregates = Aggregates::of(&workers);
        let schema_version = VERSION.to_owned();
        let adapter_id = adapter.to_owned();
        Self { schema_version, adapter_id, session, workers, aggregates, rest: Map::new() }
    }
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
    ])
}

/// The rules that join several places of a snapshot.
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
    let told = value.pointer("/aggregates/states").and_then(Value::as_object);
    let (Some(workers), Some(told)) = (workers_of(value), told) else { return Vec::new() };
    let mut true_ones: BTreeMap<&str, u64> = BTreeMap::new();
    for state in workers.iter().filter_map(|worker| worker.get("state")?.as_str()) {
        *true_ones.entry(state).or_default() += 1;
    }
    let names: BTreeSet<&str> =
        true_ones.keys().copied().chain(told.keys().map(String::as_str)).collect();
    let lies = names.into_iter().filter_map(|state| {
        let truth = true_ones.get(state).copied();
        let said = told.get(state);
        let equal = match (truth, said.and_then(Value::as_f64)) {
            (Some(truth), Some(said)) => truth as f64 == said,
            (None, _) | (_, None) => false,
        };
        (!equal).then(|| {
            let said = said.map_or("nothing".to_owned(), Value::to_string);
            let truth = truth.unwrap_or_default();
            let message = format!("{truth} workers are in state {state:?}, and {said} is said.");
            (step("/aggregates/states", state), message)
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
