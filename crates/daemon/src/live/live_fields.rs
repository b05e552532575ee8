//! What a session's row says while the session lives: its latest prompt and output, its open turn,
//! its open request, and what was found about it.

use super::Handle;
use taffrail_api::Session;
use taffrail_context::LiveStatus;
use taffrail_model::evidence::Evidence;
use taffrail_model::status::{Status, WaitingKind};
use taffrail_model::summary::auto_title;
use taffrail_model::{Kind, Origin, SessionId, Signal, Timestamp};
use taffrail_store::{EventRow, IndexReader, StoreError};

/// Fills in what is known of living sessions; rows of other sessions stay as they are.
///
/// # Errors
/// When the index cannot be read.
pub fn add_live_fields(
    handle: &Handle,
    index: &IndexReader,
    sessions: &mut [Session],
) -> Result<(), StoreError> {
    let requests = handle.broker().open_requests();
    for session in sessions {
        let Some(card) = handle.live().status(session.id) else { continue };
        let last = |is_it: fn(&Evidence) -> bool| card.evidence.iter().rfind(|it| is_it(it));
        session.last_user_prompt_at = last(|it| it.says == Signal::Prompted).map(|it| it.at);
        session.last_assistant_output_at = last(is_output).map(|it| it.at);
        let prompt = last_prompt(index, session.id)?;
        session.active_turn_id = active_turn(session, prompt.as_ref());
        session.auto_title = auto_title_of(session, prompt.as_ref(), &card);
        let request = requests.iter().find(|it| it.session_id == session.id);
        session.pending_approval_id = request.map(|it| it.id.as_str().to_owned());
        session.findings = found(handle, session.id);
    }
    Ok(())
}

/// Whether evidence is the agent's own work. A list of processes that are busy shows no output.
fn is_output(it: &Evidence) -> bool {
    let is_work = matches!(
        it.says,
        Signal::Busy | Signal::Called { .. } | Signal::TurnOver | Signal::WorkingOn
    );
    is_work && matches!(it.source, Origin::Transcript | Origin::Hook | Origin::Telemetry)
}

/// Whether the status rests on a turn that is open. An agent that asks continues when it is answered.
fn is_in_turn(session: &Session) -> bool {
    let asks = session.waiting_for.as_ref().is_some_and(|it| it.kind == WaitingKind::Question);
    match session.status {
        Status::Running | Status::WaitingApproval => true,
        Status::Waiting => asks,
        Status::Idle | Status::Exited | Status::Unknown => false,
    }
}

/// The latest prompt of a session.
fn last_prompt(index: &IndexReader, id: SessionId) -> Result<Option<EventRow>, StoreError> {
    let Some(row) = index.session_by_id(id)? else { return Ok(None) };
    index.last_of_kind(row.row, &Kind::UserPrompt, Timestamp::MAX)
}

/// The turn that is open, while one is.
fn active_turn(session: &Session, prompt: Option<&EventRow>) -> Option<String> {
    let turn = prompt.and_then(|it| it.turn).filter(|_| is_in_turn(session))?;
    Some(turn.to_string())
}

/// A name for a session of ours whose agent gives it none.
fn auto_title_of(
    session: &Session,
    prompt: Option<&EventRow>,
    card: &LiveStatus,
) -> Option<String> {
    let is_named = session.title.is_some() && !session.title_derived;
    if is_named || session.imported.is_some() {
        return None;
    }
    let prompt = prompt.map(|it| it.excerpt.as_str()).unwrap_or_default();
    auto_title(prompt, &card.reading, &card.evidence)
}

/// The kinds of findings about a session, each once.
fn found(handle: &Handle, session: SessionId) -> Vec<String> {
    let found = handle.live().findings_of(session);
    let mut kinds: Vec<String> = found.iter().map(|it| it.kind.as_str().to_owned()).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}
