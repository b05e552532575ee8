//! The shape of each document of the directory.

use super::acknowledgment::STATEMENT;
use super::documents::Model;
use super::time::{day, id, instants};
use crate::form::sha256;
use crate::report::{Level, Strictness};
use crate::schema::{DIALECT, of};
use crate::shape::{
    Field, Form, Shape, Switch, formed, list, may, must, object, or_null, strictly, text, word,
};
use serde_json::{Value, json};

const TASK_STATUSES: &[&str] = &["pending", "in_progress", "completed", "blocked"];
const FEATURE_STATUSES: &[&str] = &["active", "paused", "completed"];
const MODELS: &[&str] = &[Model::Gemini.as_str(), Model::Opus.as_str(), Model::Sonnet.as_str()];

/// A document of the directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `state.yaml`
    State,
    /// `active-features.yaml`
    ActiveFeatures,
    /// `implementation-plan.yaml`
    Plan,
    /// An error in the form that the contract requires.
    ErrorContext,
    /// A section of `contract-acknowledgment.md`, as fields.
    Acknowledgment,
    /// A line of `history.jsonl`
    HistoryLine,
}

impl Kind {
    /// All kinds, in the order in which a document is recognized.
    pub const ALL: [Self; 6] = [
        Self::State,
        Self::ActiveFeatures,
        Self::Plan,
        Self::ErrorContext,
        Self::Acknowledgment,
        Self::HistoryLine,
    ];

    /// Its name in the schema.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::ActiveFeatures => "active_features",
            Self::Plan => "plan",
            Self::ErrorContext => "error_context",
            Self::Acknowledgment => "acknowledgment",
            Self::HistoryLine => "history_line",
        }
    }

    /// The field that only this kind has.
    fn mark(self) -> &'static str {
        match self {
            Self::State => "current_state",
            Self::ActiveFeatures => "active_features",
            Self::Plan => "phases",
            Self::ErrorContext => "error_context",
            Self::Acknowledgment => "contract_version",
            Self::HistoryLine => "command",
        }
    }

    /// The shape.
    pub(super) fn shape(self) -> Shape {
        match self {
            Self::State => state(),
            Self::ActiveFeatures => object(vec![must("active_features", list(active_feature()))]),
            Self::Plan => plan(),
            Self::ErrorContext => object(vec![must("error_context", error_context())]),
            Self::Acknowledgment => acknowledgment(),
            Self::HistoryLine => history_line(),
        }
    }
}

/// The kind of a document, by the field that only it has.
#[must_use]
pub fn kind_of(value: &Value) -> Option<Kind> {
    Kind::ALL.into_iter().find(|kind| value.get(kind.mark()).is_some())
}

/// The JSON Schema of every document of the directory.
#[must_use]
pub fn schema(strictness: Strictness) -> Value {
    let defs = Kind::ALL.iter().map(|kind| (kind.name().to_owned(), of(&kind.shape(), strictness)));
    let defs: serde_json::Map<_, _> = defs.collect();
    let told_apart = Kind::ALL.iter().rev().fold(json!(false), |otherwise, kind| {
        json!({
            "if": { "type": "object", "required": [kind.mark()] },
            "then": { "$ref": format!("#/$defs/{}", kind.name()) },
            "else": otherwise,
        })
    });
    json!({
        "$schema": DIALECT,
        "title": ".ai-session 1.0: any document of the directory",
        "$defs": defs,
        "allOf": [told_apart],
    })
}

fn instant() -> Shape {
    Shape::Text(instants())
}

fn feature_id() -> Shape {
    formed(id())
}

fn state() -> Shape {
    // Unquoted in YAML, the version is a number.
    let version = Shape::Either(vec![word(&[super::VERSION]), Shape::Number(Some((1.0, 1.0)))]);
    object(vec![
        strictly("version", version),
        must("feature_id", feature_id()),
        may("implementation_plan", text()),
        may("history_log", text()),
        must(
            "current_state",
            object(vec![
                must("active_task", or_null(text())),
                must("model_in_use", word(MODELS)),
                must("started_at", instant()),
                must("last_updated", instant()),
            ]),
        ),
    ])
}

fn active_feature() -> Shape {
    object(vec![
        must("feature_id", feature_id()),
        must("started_at", instant()),
        must("last_active", instant()),
        must("status", word(FEATURE_STATUSES)),
    ])
}

fn plan() -> Shape {
    let task = object(vec![
        must("task_id", text()),
        must("description", text()),
        must("agent", text()),
        must("status", word(TASK_STATUSES)),
        must("started_at", or_null(instant())),
        must("completed_at", or_null(instant())),
        must("artifacts", list(text())),
    ]);
    let phase =
        object(vec![must("phase_id", text()), must("name", text()), must("tasks", list(task))]);
    let feature = object(vec![
        must("id", feature_id()),
        must("name", text()),
        must("description", text()),
        must("created_at", instant()),
    ]);
    object(vec![must("feature", feature), must("phases", list(phase))])
}

fn history_line() -> Shape {
    Shape::Switch(Box::new(Switch {
        field: "status",
        word: "failure",
        then: object(history_fields(must("error", text()))),
        otherwise: object(history_fields(may("error", or_null(text())))),
    }))
}

fn history_fields(error: Field) -> Vec<Field> {
    vec![
        must("timestamp", instant()),
        must("command", text()),
        must("arguments", text()),
        must("model", word(MODELS)),
        must("agent", text()),
        must("task_id", or_null(text())),
        must("status", word(&["success", "failure"])),
        must("duration_ms", Shape::Whole(Some(0))),
        error,
    ]
}

fn error_context() -> Shape {
    object(vec![
        must("operation", word(&["create", "read", "update", "delete"])),
        must("file", text()),
        may("feature_id", or_null(text())),
        must("timestamp", instant()),
        must("details", text()),
    ])
}

fn acknowledgment() -> Shape {
    let named = Form::new("empty", Level::Must, "[^ \t\r\n]", "Write who has read the contract.");
    object(vec![
        must("agent", formed(named)),
        must("date", formed(day())),
        must("contract_version", word(&[super::VERSION])),
        must("checksum", formed(sha256())),
        must("statement", word(&[STATEMENT])),
    ])
}
