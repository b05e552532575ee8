//! The events of a session, as the fold of its answers needs them.

use serde_json::{Map, Value};
use std::collections::HashMap;
use taffrail_capture::Sources;
use taffrail_context::Settings;
use taffrail_ingest::{reference, sources};
use taffrail_model::answer::{Side, Step};
use taffrail_model::hash::{Digest16, digest};
use taffrail_model::observed::Marks;
use taffrail_model::turn::{TurnInput, turns};
use taffrail_model::{EventId, Kind, Timestamp};
use taffrail_store::{EventRow, SessionRow};

/// The events of a session, with the size of each text and the input of each call.
pub(crate) struct Conversation {
    rows: Vec<EventRow>,
    read: Vec<Read>,
}

/// What only the source of an event says.
#[derive(Default)]
struct Read {
    bytes: u64,
    tool: Option<String>,
    call: Option<Digest16>,
}

impl Conversation {
    pub(crate) fn read(settings: &Settings, session: &SessionRow, rows: Vec<EventRow>) -> Self {
        let mut sources = sources(settings);
        let mut calls = HashMap::new();
        let read = rows.iter().map(|row| read(&mut sources, &mut calls, (session, row))).collect();
        Self { rows, read }
    }

    /// When its turns began.
    pub(crate) fn turns(&self) -> Vec<Timestamp> {
        let inputs = self.rows.iter().map(|row| TurnInput {
            kind: &row.kind,
            at: row.at,
            turn: row.turn,
            marks: row.marks,
            text: "",
            label: row.label.as_deref(),
            signal: row.signal.as_ref(),
        });
        turns(inputs, None).into_iter().map(|it| it.started_at).collect()
    }

    pub(crate) fn steps(&self) -> Vec<Step<'_>> {
        let steps = self.rows.iter().zip(&self.read).map(|(row, read)| Step {
            at: row.at,
            side: side(row),
            kind: &row.kind,
            tool: read.tool.as_deref(),
            bytes: read.bytes,
            call: read.call,
            is_failed: row.marks.has(Marks::FAILED),
        });
        steps.collect()
    }
}

/// An answer that was inherited is not an answer of this session, but what it was sent is sent again.
fn side(row: &EventRow) -> Side {
    match Side::of(&row.origin, &row.kind) {
        Side::Model if row.inherited_from.is_some() => Side::Aside,
        side => side,
    }
}

/// The tool and the input of each call.
type Calls = HashMap<EventId, (Option<String>, Option<Digest16>)>;

fn read(
    sources: &mut Sources<'_>,
    calls: &mut Calls,
    (session, row): (&SessionRow, &EventRow),
) -> Read {
    let is_wanted = matches!(row.kind, Kind::UserPrompt | Kind::ToolCall | Kind::ToolResult);
    if !is_wanted || Side::of(&row.origin, &row.kind) == Side::Aside {
        return Read::default();
    }
    // A text that is gone counts as its excerpt.
    let body = sources.body(&reference(&session.agent, row)).unwrap_or_default();
    let text = body.text.as_deref().unwrap_or(&row.excerpt);
    let whole = body.data.get("full_bytes").and_then(Value::as_u64);
    let (tool, call) = match row.kind {
        Kind::ToolCall => {
            let made = (row.label.clone(), call_key(row, &body.data));
            calls.insert(row.id, made.clone());
            made
        }
        _ => row.parent.and_then(|it| calls.get(&it).cloned()).unwrap_or_default(),
    };
    Read { bytes: whole.unwrap_or(text.len() as u64), tool, call }
}

/// Equal for calls of one tool with the same input; `None` if the input is unknown.
fn call_key(row: &EventRow, data: &Map<String, Value>) -> Option<Digest16> {
    let input = data.get("input")?.to_string();
    Some(digest("repeated-call", &[row.label.as_deref()?.as_bytes(), input.as_bytes()]))
}
