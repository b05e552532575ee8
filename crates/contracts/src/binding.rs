//! The session binding and its provenance: it links a session, a runtime session, an executor and a
//! source, and points to the evidence.

use crate::form::{locator, moment, named};
use crate::report::{Level, step};
use crate::rule::Rule;
use crate::serde_helpers::{nullable, words};
use crate::shape::{Shape, formed, list, map, must, object, or_null, strictly, text, word};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::sync::LazyLock;
use taffrail_model::{Lifecycle, Timestamp};

/// The most characters of a string that is not a body.
pub const LONGEST_HINT: usize = 1000;
/// The source kind of an agent whose history is not accessible.
pub const UNAVAILABLE: &str = "runtime_unavailable";

words! {
    /// The lifecycle state of a binding.
    Status, STATUSES {
        /// A live executor is attached.
        Active = "active",
        /// The runtime session exists, without an executor.
        Detached = "detached",
        /// There is enough information to try to resume.
        Resumable = "resumable",
        /// Kept for history only.
        Archived = "archived",
        /// Its history cannot be found any more.
        Lost = "lost",
        /// A newer binding replaced it.
        Superseded = "superseded",
    }
}

impl From<&Lifecycle> for Status {
    fn from(lifecycle: &Lifecycle) -> Self {
        match lifecycle {
            Lifecycle::Active => Self::Active,
            Lifecycle::Detached => Self::Detached,
            Lifecycle::Resumable => Self::Resumable,
            // The contract has no word for a session of which only prompts are left.
            Lifecycle::Archived | Lifecycle::PromptsOnly => Self::Archived,
            Lifecycle::Lost => Self::Lost,
            Lifecycle::Superseded => Self::Superseded,
            Lifecycle::Unknown(word) => Self::Unknown(word.clone()),
        }
    }
}

/// A binding as a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Binding {
    /// The durable session.
    pub repowire_session_id: String,
    /// The last known executor.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub peer_id: Option<Option<String>>,
    /// The executor attached now.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub current_executor_peer_id: Option<Option<String>>,
    /// The agent.
    pub backend: String,
    /// The working directory.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub project_path: Option<Option<String>>,
    /// The agent's own session id.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub runtime_session_id: Option<Option<String>>,
    /// The source's locator.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub runtime_source_uri: Option<Option<String>>,
    /// The last position read.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub source_cursor: Option<Option<Map<String, Value>>>,
    /// The evidence: one pointer, or several.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Option<Pointers>>,
    /// Whether and how the session can be resumed.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub resume_capability: Option<Option<Map<String, Value>>>,
    /// When the binding was made.
    pub created_at: String,
    /// When it was last confirmed.
    pub last_seen_at: String,
    /// The lifecycle state.
    pub status: Status,
    /// Small hints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// One pointer, or several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Pointers {
    /// One.
    One(Box<Provenance>),
    /// Several.
    Several(Vec<Provenance>),
}

/// A pointer to the evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// `runtime_transcript`, `runtime_unavailable`, or another kind of source.
    pub source_kind: String,
    /// The agent.
    pub backend: String,
    /// The agent's own session id.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub runtime_session_id: Option<Option<String>>,
    /// The source's locator.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub runtime_source_uri: Option<Option<String>>,
    /// The position in the source.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub source_cursor: Option<Option<Map<String, Value>>>,
    /// The agent's own id of the record.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub source_event_id: Option<Option<String>>,
    /// The device that observed it.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub observed_by_peer_id: Option<Option<String>>,
    /// The time of observation.
    pub observed_at: String,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Converts a binding into a document. An unknown value is `null`, never absent.
#[must_use]
pub fn of(binding: &taffrail_model::Binding) -> Binding {
    let uri = Some(binding.runtime_source_uri.clone()).filter(|it| !it.is_empty());
    let cursor = binding.source_cursor.as_ref().filter(|_| uri.is_some());
    let cursor = cursor.and_then(|it| generation_of(it, binding.source_generation));
    Binding {
        repowire_session_id: binding.session_id.to_string(),
        peer_id: Some(binding.peer_id.clone()),
        current_executor_peer_id: Some(binding.current_executor_peer_id.clone()),
        backend: binding.backend.to_string(),
        project_path: Some(binding.project_path.clone()),
        runtime_session_id: Some(Some(binding.runtime_session_id.to_string())),
        runtime_source_uri: Some(uri),
        source_cursor: Some(cursor),
        provenance: Some(Some(pointers(binding))),
        resume_capability: Some(Some(capability(&binding.resume_capability))),
        created_at: binding.created_at.to_string(),
        last_seen_at: binding.last_seen_at.to_string(),
        status: Status::from(&binding.status),
        metadata: Some(binding.metadata.clone()),
        rest: Map::new(),
    }
}

/// A cursor with the generation of its source: a smaller position of a later generation is later.
fn generation_of(cursor: &taffrail_model::Cursor, generation: u64) -> Option<Map<String, Value>> {
    let mut fields = serde_json::to_value(cursor).ok()?.as_object()?.clone();
    fields.insert("generation".to_owned(), generation.into());
    Some(fields)
}

fn capability(it: &taffrail_model::binding::ResumeCapability) -> Map<String, Value> {
    let fields = [
        ("by_runtime_id", json!(it.by_runtime_id)),
        ("support", json!(it.support())),
        ("command", json!(it.command)),
        ("cwd", json!(it.cwd)),
        ("reason", json!(it.reason)),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The pointers of a binding: one object, or a list once sessions were joined.
fn pointers(binding: &taffrail_model::Binding) -> Pointers {
    let mut all: Vec<_> = binding.provenance.iter().map(pointer_of).collect();
    match all.len() {
        0 => Pointers::One(Box::new(unavailable(binding))),
        1 => Pointers::One(Box::new(all.remove(0))),
        _ => Pointers::Several(all),
    }
}

fn pointer_of(pointer: &taffrail_model::binding::SourcePointer) -> Provenance {
    let provenance = &pointer.provenance;
    let has_source = !provenance.runtime_source_uri.is_empty();
    let cursor = generation_of(&provenance.source_cursor, pointer.generation);
    Provenance {
        source_kind: provenance.source_kind.clone(),
        backend: provenance.backend.to_string(),
        runtime_session_id: Some(Some(provenance.runtime_session_id.to_string())),
        runtime_source_uri: Some(has_source.then(|| provenance.runtime_source_uri.clone())),
        // A position without a source leads nowhere.
        source_cursor: Some(cursor.filter(|_| has_source)),
        source_event_id: Some(provenance.source_event_id.clone()),
        observed_by_peer_id: Some(Some(provenance.observed_by_peer_id.to_string())),
        observed_at: provenance.observed_at.to_string(),
        rest: Map::new(),
    }
}

/// The provenance of an agent whose history is not accessible.
fn unavailable(binding: &taffrail_model::Binding) -> Provenance {
    let has_source = !binding.runtime_source_uri.is_empty();
    let kind = if has_source { "runtime_transcript" } else { UNAVAILABLE };
    let cursor = binding.source_cursor.as_ref().filter(|_| has_source);
    Provenance {
        source_kind: kind.to_owned(),
        backend: binding.backend.to_string(),
        runtime_session_id: Some(Some(binding.runtime_session_id.to_string())),
        runtime_source_uri: Some(has_source.then(|| binding.runtime_source_uri.clone())),
        source_cursor: Some(cursor.and_then(|it| generation_of(it, binding.source_generation))),
        source_event_id: Some(None),
        observed_by_peer_id: Some(binding.peer_id.clone()),
        observed_at: binding.last_seen_at.to_string(),
        rest: Map::new(),
    }
}

/// The shape of a binding.
#[must_use]
pub fn shape() -> &'static Shape {
    static SHAPE: LazyLock<Shape> = LazyLock::new(|| {
        object(vec![
            must("repowire_session_id", formed(named())),
            strictly("peer_id", or_null(text())),
            strictly("current_executor_peer_id", or_null(text())),
            must("backend", formed(named())),
            strictly("project_path", or_null(text())),
            strictly("runtime_session_id", or_null(text())),
            strictly("runtime_source_uri", or_null(formed(locator()))),
            strictly("source_cursor", or_null(cursor())),
            strictly(
                "provenance",
                Shape::Either(vec![provenance(), list(provenance()), Shape::Null]),
            ),
            strictly("resume_capability", or_null(map(Shape::Any))),
            must("created_at", formed(moment())),
            must("last_seen_at", formed(moment())),
            must("status", word(STATUSES)),
            strictly("metadata", map(Shape::Any)),
        ])
    });
    &SHAPE
}

/// The shape of a pointer to a source.
pub(crate) fn provenance() -> Shape {
    object(vec![
        must("source_kind", formed(named())),
        must("backend", formed(named())),
        strictly("runtime_session_id", or_null(text())),
        strictly("runtime_source_uri", or_null(formed(locator()))),
        strictly("source_cursor", or_null(cursor())),
        strictly("source_event_id", or_null(text())),
        strictly("observed_by_peer_id", or_null(text())),
        must("observed_at", formed(moment())),
    ])
}

/// A position: names with plain values.
fn cursor() -> Shape {
    map(Shape::Either(vec![Shape::Number(None), text(), Shape::Null]))
}

/// The rules that involve several fields of a binding.
pub static RULES: &[Rule] = &[
    Rule {
        name: "status.active",
        level: Level::Must,
        broken: active_alone,
        hint: "Name the executor, or write detached or resumable.",
        schema: Some(|| needs("active", &["current_executor_peer_id"])),
    },
    Rule {
        name: "status.resumable",
        level: Level::Must,
        broken: resumable_from_nothing,
        hint: "Name the runtime session and its source, or write detached.",
        schema: Some(|| needs("resumable", &["runtime_session_id", "runtime_source_uri"])),
    },
    Rule {
        name: "status.lost",
        level: Level::Strict,
        broken: lost_without_trace,
        hint: "Keep the locator of the source that can no longer be found.",
        schema: Some(|| needs("lost", &["runtime_source_uri"])),
    },
    Rule {
        name: "provenance.unavailable",
        level: Level::Must,
        broken: unavailable_with_source,
        hint: "A source that cannot be had has no locator: write null.",
        schema: None,
    },
    Rule {
        name: "last_seen_at.order",
        level: Level::Strict,
        broken: seen_before_made,
        hint: "Write the later of the two moments.",
        schema: None,
    },
    Rule {
        name: "document.body",
        level: Level::Strict,
        broken: long_strings,
        hint: "Point to the source instead; a binding never holds text of a transcript.",
        schema: None,
    },
];

fn needs(status: &str, fields: &[&str]) -> Value {
    let strings: Map<_, _> =
        fields.iter().map(|it| ((*it).to_owned(), json!({ "type": "string" }))).collect();
    json!({
        "if": { "required": ["status"], "properties": { "status": { "const": status } } },
        "then": { "required": fields, "properties": strings },
    })
}

fn lacking(value: &Value, status: &str, fields: &[&str]) -> Vec<(String, String)> {
    if value.get("status").and_then(Value::as_str) != Some(status) {
        return Vec::new();
    }
    let lacking = fields.iter().filter(|field| !value.get(**field).is_some_and(Value::is_string));
    lacking
        .map(|field| (step("", field), format!("A binding that is {status} needs `{field}`.")))
        .collect()
}

fn active_alone(value: &Value) -> Vec<(String, String)> {
    lacking(value, "active", &["current_executor_peer_id"])
}

fn resumable_from_nothing(value: &Value) -> Vec<(String, String)> {
    lacking(value, "resumable", &["runtime_session_id", "runtime_source_uri"])
}

fn lost_without_trace(value: &Value) -> Vec<(String, String)> {
    lacking(value, "lost", &["runtime_source_uri"])
}

fn unavailable_with_source(value: &Value) -> Vec<(String, String)> {
    let Some(provenance) = value.get("provenance") else { return Vec::new() };
    let several = provenance.as_array().into_iter().flatten().enumerate();
    let several = several.map(|(index, it)| (format!("/provenance/{index}"), it));
    let all = several.chain(std::iter::once(("/provenance".to_owned(), provenance)));
    let wrong = all.filter(|(_, it)| {
        let kind = it.get("source_kind").and_then(Value::as_str);
        kind == Some(UNAVAILABLE) && it.get("runtime_source_uri").is_some_and(Value::is_string)
    });
    let message = "The source is said to be unavailable and has a locator.";
    wrong.map(|(at, _)| (step(&at, "runtime_source_uri"), message.to_owned())).collect()
}

fn seen_before_made(value: &Value) -> Vec<(String, String)> {
    let moment = |name: &str| value.get(name)?.as_str()?.parse::<Timestamp>().ok();
    match (moment("created_at"), moment("last_seen_at")) {
        (Some(made), Some(seen)) if seen < made => {
            let message = format!("It was last seen at {seen}, before it was made at {made}.");
            vec![("/last_seen_at".to_owned(), message)]
        }
        (_, _) => Vec::new(),
    }
}

fn long_strings(value: &Value) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut open = vec![(String::new(), value)];
    while let Some((at, value)) = open.pop() {
        match value {
            Value::String(text) if text.chars().count() > LONGEST_HINT && !is_locator(&at) => {
                let message = format!("A string of {} bytes is a body.", text.len());
                out.push((at, message));
            }
            Value::Array(all) => {
                let inner = all.iter().enumerate().rev();
                open.extend(inner.map(|(index, it)| (step(&at, &index.to_string()), it)));
            }
            Value::Object(all) => {
                open.extend(all.iter().rev().map(|(name, it)| (step(&at, name), it)));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    out
}

/// Paths may be long and have their own limit.
fn is_locator(pointer: &str) -> bool {
    let ends = ["/runtime_source_uri", "/project_path", "/resume_capability/cwd"];
    ends.iter().any(|it| pointer.ends_with(it))
        || pointer.starts_with("/resume_capability/command/")
}
