//! What a session is about, in three lines.

use super::beginning::Moment;
use crate::live::Handle;
use crate::{DaemonError, Target};
use taffrail_api::{SCHEMA_VERSION, Session, Summary};
use taffrail_model::Kind;
use taffrail_model::status::Status;
use taffrail_model::text::excerpt;
use taffrail_store::EventRow;

/// The latest events that are looked at.
const LOOK: usize = 400;
/// The most things named as done of late.
const DEEDS: usize = 5;

/// Sums a session up.
pub(super) fn summed_up(handle: &Handle, target: &Target) -> Result<Summary, DaemonError> {
    let moment = Moment::of(handle.settings(), target)?;
    let rows = moment.reader.last_events(moment.row.row, LOOK)?;
    let current = current(&moment.session(handle), &rows);
    let recent = recent(&rows);
    let last_prompt = last(&rows, &Kind::UserPrompt).unwrap_or_default();
    let text = format!("Current: {current}\nRecent: {recent}\nLast prompt: \"{last_prompt}\"");
    let (schema_version, session_id) = (SCHEMA_VERSION, moment.row.id);
    Ok(Summary { schema_version, session_id, current, recent, last_prompt, text })
}

fn current(session: &Session, rows: &[EventRow]) -> String {
    let about = session.waiting_for.as_ref().map(|it| excerpt(&it.text)).unwrap_or_default();
    match (session.status, about.is_empty()) {
        (Status::WaitingApproval, false) => format!("waiting for approval of {about}"),
        (Status::WaitingApproval, true) => "waiting for approval".to_owned(),
        (Status::Waiting, false) => format!("waiting: {about}"),
        (Status::Waiting, true) => "waiting for a prompt".to_owned(),
        (Status::Running, _) => match last(rows, &Kind::ToolCall) {
            Some(call) => format!("running {call}"),
            None => "running".to_owned(),
        },
        (other, _) => other.as_str().to_owned(),
    }
}

fn recent(rows: &[EventRow]) -> String {
    let mut deeds: Vec<&str> = Vec::new();
    for row in rows.iter().rev().filter(|it| it.kind == Kind::ToolCall) {
        let deed = row.label.as_deref().unwrap_or(&row.excerpt);
        if deeds.len() < DEEDS && !deeds.contains(&deed) {
            deeds.push(deed);
        }
    }
    match (deeds.is_empty(), last(rows, &Kind::AssistantMessage)) {
        (_, Some(said)) => said,
        (false, None) => deeds.join(", "),
        (true, None) => "nothing yet".to_owned(),
    }
}

fn last(rows: &[EventRow], kind: &Kind) -> Option<String> {
    rows.iter().rev().find(|it| it.kind == *kind).map(|it| it.excerpt.clone())
}
