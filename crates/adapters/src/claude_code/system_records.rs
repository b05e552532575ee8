//! Records of the program itself: system records, attachments, titles and costs.

use super::reader::unknown;
use super::record::{Fault, Line};
use super::{record_types, user};
use std::borrow::Cow;
use taffrail_kit::{Speaker, TurnEdge, records};
use taffrail_model::{Detail, Kind, TitleRank};

/// Emits the events of a system record.
pub(super) fn emit_system(line: &Line<'_>, speaker: &mut Speaker<'_, '_>) {
    let content = line.content.as_deref();
    match line.subtype.as_deref() {
        Some("compact_boundary") => emit_compacted(line, speaker),
        Some("api_error") => emit_failure(line, speaker),
        Some("turn_duration") => emit_turn_end(line, speaker),
        Some("local_command") => speaker.notice("command", content),
        Some("informational") => speaker.notice("informational", content),
        Some("away_summary") => speaker.notice("away_summary", content),
        Some("memory_saved") => speaker.notice("memory_saved", content),
        Some("scheduled_task_fire") => speaker.notice("scheduled_task", content),
        Some(subtype) if record_types::is_silent_subtype(subtype) => {}
        subtype => unknown("system", subtype, line, speaker),
    }
}

fn emit_compacted(line: &Line<'_>, speaker: &mut Speaker<'_, '_>) {
    let metadata = line.compact_metadata.as_ref();
    let trigger = metadata.and_then(|metadata| metadata.trigger.as_deref());
    let detail = Detail::Compacted {
        trigger: trigger.map(Cow::Borrowed),
        tokens_before: metadata.and_then(|metadata| metadata.pre_tokens),
    };
    let text = line.content.as_deref().map(Cow::Borrowed);
    speaker.event(Kind::ContextCompacted, text, detail, TurnEdge::Within);
}

fn emit_failure(line: &Line<'_>, speaker: &mut Speaker<'_, '_>) {
    let fault = line.error.as_ref();
    let text = fault.and_then(|fault| fault.formatted.as_deref().or(fault.message.as_deref()));
    let detail = Detail::Failure {
        code: fault.and_then(code_of),
        retrying: line.retry_attempt.map(|_| true),
    };
    speaker.event(Kind::Error, text.map(Cow::Borrowed), detail, TurnEdge::Within);
}

fn code_of<'r>(fault: &'r Fault<'r>) -> Option<Cow<'r, str>> {
    let connection = fault.connection.as_ref().and_then(|c| c.code.as_deref());
    let status = || fault.status.map(|status| Cow::Owned(status.to_string()));
    let message = || fault.message.as_deref().map(Cow::Borrowed);
    connection.map(Cow::Borrowed).or_else(status).or_else(message)
}

fn emit_turn_end(line: &Line<'_>, speaker: &mut Speaker<'_, '_>) {
    let reason = Some(Cow::Borrowed("turn_duration"));
    let detail = Detail::Stopped { reason, duration_ms: line.duration_ms };
    speaker.event(Kind::AgentStopped, None, detail, TurnEdge::Ends);
}

/// Emits the events of an attachment; nearly all attachments are for the model alone.
pub(super) fn emit_attachment(line: &Line<'_>, speaker: &mut Speaker<'_, '_>) {
    let Some(attachment) = &line.attachment else {
        return unknown("attachment", None, line, speaker);
    };
    match attachment.kind.as_deref() {
        Some("queued_command") => user::emit_queued(attachment, speaker),
        Some(kind) if record_types::is_context(kind) => {}
        kind => unknown("attachment", kind, line, speaker),
    }
}

/// Takes facts about the whole session from a record without an id.
pub(super) fn note(kind: &str, line: &Line<'_>, speaker: &mut Speaker<'_, '_>) {
    let is_ours = line.leaf_uuid.as_deref().is_some_and(|leaf| speaker.has_passed(leaf));
    speaker.main_chain();
    match kind {
        // The program also writes summaries of other sessions, which name records of theirs.
        "summary" if is_ours => speaker.title(TitleRank::Summary, line.summary.as_deref()),
        "custom-title" => speaker.title(TitleRank::Given, line.custom_title.as_deref()),
        "ai-title" => speaker.title(TitleRank::Generated, line.ai_title.as_deref()),
        "cost-state" => {
            let started = line.start_time.and_then(|ms| i64::try_from(ms).ok());
            let facts = speaker.facts();
            facts.cost_microdollars = microdollars_of(line);
            facts.note_uncopied(started.and_then(records::time_ms));
        }
        "queue-operation" => {
            let at = line.timestamp.as_deref().and_then(records::time);
            speaker.facts().note_uncopied(at);
        }
        _ => {}
    }
}

/// Whether [`note`] handles records of this type.
pub(super) fn is_noted(kind: &str) -> bool {
    matches!(kind, "summary" | "custom-title" | "ai-title" | "cost-state" | "queue-operation")
}

/// The cost of the whole session so far, unless a model's price was not known to the program.
fn microdollars_of(line: &Line<'_>) -> Option<i64> {
    let dollars = line.total_cost_usd.filter(|dollars| *dollars >= 0.0)?;
    // The cast saturates, so that no cost can overflow.
    (line.has_unknown_model_cost != Some(true)).then_some((dollars * 1e6).round() as i64)
}
