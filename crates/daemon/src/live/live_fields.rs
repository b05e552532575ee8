//! What a session's row says while the session lives: its latest prompt and output, its open turn,
//! its open request, and what was found about it.

use super::Handle;
use taffrail_api::Session;
use taffrail_model::evidence::Evidence;
use taffrail_model::status::Status;
use taffrail_model::{Kind, SessionId, Signal, Timestamp};
use taffrail_store::{IndexReader, StoreError};

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
        session.active_turn_id = active_turn(index, session)?;
        let request = requests.iter().find(|it| it.session_id == session.id);
        session.pending_approval_id = request.map(|it| it.id.as_str().to_owned());
        session.findings = found(handle, session.id);
    }
    Ok(())
}

/// Whether evidence is the agent's own work.
fn is_output(it: &Evidence) -> bool {
    matches!(it.says, Signal::Busy | Signal::Called { .. } | Signal::TurnOver | Signal::WorkingOn)
}

/// The turn that is open, while one is.
fn active_turn(index: &IndexReader, session: &Session) -> Result<Option<String>, StoreError> {
    if !matches!(session.status, Status::Running | Status::WaitingApproval) {
        return Ok(None);
    }
    let Some(row) = index.session_by_id(session.id)? else { return Ok(None) };
    let prompt = index.last_of_kind(row.row, &Kind::UserPrompt, Timestamp::MAX)?;
    Ok(prompt.and_then(|it| it.turn).map(|it| it.to_string()))
}

/// The kinds of findings about a session, each once.
fn found(handle: &Handle, session: SessionId) -> Vec<String> {
    let found = handle.live().findings_of(session);
    let mut kinds: Vec<String> = found.iter().map(|it| it.kind.as_str().to_owned()).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}
