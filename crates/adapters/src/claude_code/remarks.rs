//! What the program itself remarks: system records, attachments, titles and costs.

use super::memory::{Chain, Memory};
use super::record::{Fault, Line};
use super::telling::Telling;
use super::{known, user};
use crate::records;
use std::borrow::Cow;
use taffrail_model::{Detail, Kind, TitleRank};

/// Tells what a system record says.
pub(super) fn tell_system<'r>(line: &'r Line<'r>, telling: &mut Telling<'r, '_>) {
    match line.subtype.as_deref() {
        Some("compact_boundary") => tell_compacted(line, telling),
        Some("api_error") => tell_failure(line, telling),
        Some("turn_duration") => tell_turn_end(line, telling),
        Some("local_command") => telling.notice(0, "command", content_of(line)),
        Some("informational") => telling.notice(0, "informational", content_of(line)),
        Some("away_summary") => telling.notice(0, "away_summary", content_of(line)),
        Some("memory_saved") => telling.notice(0, "memory_saved", content_of(line)),
        Some("scheduled_task_fire") => telling.notice(0, "scheduled_task", content_of(line)),
        Some(subtype) if known::is_silent_remark(subtype) => {}
        subtype => telling.unknown("system", subtype),
    }
}

fn content_of<'r>(line: &'r Line<'r>) -> Option<Cow<'r, str>> {
    line.content.as_deref().map(Cow::Borrowed)
}

fn tell_compacted<'r>(line: &'r Line<'r>, telling: &mut Telling<'r, '_>) {
    let metadata = line.compact_metadata.as_ref();
    let trigger = metadata.and_then(|metadata| metadata.trigger.as_deref());
    let mut draft = telling.draft(0, Kind::ContextCompacted);
    draft.text = content_of(line);
    draft.detail = Detail::Compacted {
        trigger: trigger.map(Cow::Borrowed),
        tokens_before: metadata.and_then(|metadata| metadata.pre_tokens),
    };
    telling.tell(draft);
}

fn tell_failure<'r>(line: &'r Line<'r>, telling: &mut Telling<'r, '_>) {
    let fault = line.error.as_ref();
    let text = fault.and_then(|fault| fault.formatted.as_deref().or(fault.message.as_deref()));
    let mut draft = telling.draft(0, Kind::Error);
    draft.text = text.map(Cow::Borrowed);
    draft.detail = Detail::Failure {
        code: fault.and_then(code_of),
        retrying: line.retry_attempt.map(|_| true),
    };
    telling.tell(draft);
}

fn code_of<'r>(fault: &'r Fault<'r>) -> Option<Cow<'r, str>> {
    let connection = fault.connection.as_ref().and_then(|c| c.code.as_deref());
    let status = || fault.status.map(|status| Cow::Owned(status.to_string()));
    let message = || fault.message.as_deref().map(Cow::Borrowed);
    connection.map(Cow::Borrowed).or_else(status).or_else(message)
}

fn tell_turn_end<'r>(line: &'r Line<'r>, telling: &mut Telling<'r, '_>) {
    let mut draft = telling.draft(0, Kind::AgentStopped);
    draft.ends_turn = true;
    draft.detail = Detail::Stopped {
        reason: Some(Cow::Borrowed("turn_duration")),
        duration_ms: line.duration_ms,
    };
    telling.tell(draft);
}

/// Tells what an attachment says; nearly all of them speak to the model alone.
pub(super) fn tell_attachment<'r>(line: &'r Line<'r>, telling: &mut Telling<'r, '_>) {
    let Some(attachment) = &line.attachment else {
        return telling.unknown("attachment", None);
    };
    match attachment.kind.as_deref() {
        Some("queued_command") => user::tell_queued(attachment, telling),
        Some(kind) if known::is_context(kind) => {}
        kind => telling.unknown("attachment", kind),
    }
}

/// Takes over what a record without an id says of the whole session.
pub(super) fn note(kind: &str, line: &Line<'_>, memory: &mut Memory) {
    let is_ours = line.leaf_uuid.as_deref().is_some_and(|leaf| memory.passed(leaf));
    let Some(own) = &mut memory.own else {
        return;
    };
    match kind {
        // The program also writes summaries of other sessions, which name records of theirs.
        "summary" if is_ours => own.offer_title(TitleRank::Summary, line.summary.as_deref()),
        "custom-title" => own.offer_title(TitleRank::Given, line.custom_title.as_deref()),
        "ai-title" => own.offer_title(TitleRank::Generated, line.ai_title.as_deref()),
        "cost-state" => {
            own.facts.cost_microdollars = microdollars_of(line);
            let started = line.start_time.and_then(|ms| i64::try_from(ms).ok());
            own.facts.note_uncopied(started.and_then(records::time_ms));
        }
        "queue-operation" => {
            own.facts.note_uncopied(line.timestamp.as_deref().and_then(records::time));
        }
        _ => {}
    }
}

/// The record is one that [`note`] knows what to make of.
pub(super) fn is_noted(kind: &str) -> bool {
    matches!(kind, "summary" | "custom-title" | "ai-title" | "cost-state" | "queue-operation")
}

impl Chain {
    fn offer_title(&mut self, rank: TitleRank, text: Option<&str>) {
        self.facts.offer_title(rank, text.unwrap_or_default());
    }
}

/// The cost of the whole session so far, unless a model's price was not known to the program.
fn microdollars_of(line: &Line<'_>) -> Option<i64> {
    let dollars = line.total_cost_usd.filter(|dollars| *dollars >= 0.0)?;
    // The cast saturates, so that no cost can overflow.
    (line.has_unknown_model_cost != Some(true)).then_some((dollars * 1e6).round() as i64)
}
