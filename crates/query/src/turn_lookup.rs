//! The turn and the call of an event that its own source does not name.

use taffrail_model::{EventId, Kind, Origin, Signal, Timestamp, TurnId};
use taffrail_store::{EventRow, IndexReader};

/// The daemon notes the start of a turn at most this many milliseconds before the transcript
/// records its prompt.
const PROMPT_LAG_MS: i64 = 5_000;

/// The turn of an event: its own, or that of the latest prompt before it.
pub(crate) fn turn_of(reader: &IndexReader, session: i64, row: &EventRow) -> Option<TurnId> {
    if row.turn.is_some() || row.origin == Origin::Transcript || !has_turn(&row.kind) {
        return row.turn;
    }
    let lag = if row.kind == Kind::TurnStarted { PROMPT_LAG_MS } else { 0 };
    let until = Timestamp::from_millisecond(row.at.as_millisecond().saturating_add(lag)).ok()?;
    // A turn that cannot be looked up stays unknown.
    let prompt = reader.last_of_kind(session, &Kind::UserPrompt, until.max(row.at)).ok()??;
    prompt.turn
}

/// The call that a request for approval is about, where a hook announced it.
pub(crate) fn call_of(
    reader: &IndexReader,
    session: i64,
    row: &EventRow,
) -> Option<(EventId, String)> {
    let Some(Signal::AskedApproval { input }) = &row.signal else { return None };
    if row.kind != Kind::ApprovalRequested || input.is_empty() {
        return None;
    }
    // A call that cannot be looked up stays unknown.
    reader.announced_call(session, input, row.at).ok()?
}

/// Whether events of this kind happen inside a turn.
fn has_turn(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::ApprovalRequested
            | Kind::ApprovalResolved
            | Kind::ToolCall
            | Kind::ToolResult
            | Kind::AssistantMessage
            | Kind::TurnStarted
            | Kind::TurnCompleted
    )
}
