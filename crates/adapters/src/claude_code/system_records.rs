//! Records of the program itself: system records, attachments, titles and costs.

use super::memory::{Chain, Memory};
use super::record::{Fault, Line};
use super::record_sink::RecordSink;
use super::{record_types, user};
use std::borrow::Cow;
use taffrail_kit::records;
use taffrail_model::{Detail, Kind, TitleRank};

/// Emits the events of a system record.
pub(super) fn emit_system<'r>(line: &'r Line<'r>, sink: &mut RecordSink<'r, '_>) {
    match line.subtype.as_deref() {
        Some("compact_boundary") => emit_compacted(line, sink),
        Some("api_error") => emit_failure(line, sink),
        Some("turn_duration") => emit_turn_end(line, sink),
        Some("local_command") => sink.notice(0, "command", content_of(line)),
        Some("informational") => sink.notice(0, "informational", content_of(line)),
        Some("away_summary") => sink.notice(0, "away_summary", content_of(line)),
        Some("memory_saved") => sink.notice(0, "memory_saved", content_of(line)),
        Some("scheduled_task_fire") => sink.notice(0, "scheduled_task", content_of(line)),
        Some(subtype) if record_types::is_silent_subtype(subtype) => {}
        subtype => sink.unknown("system", subtype),
    }
}

fn content_of<'r>(line: &'r Line<'r>) -> Option<Cow<'r, str>> {
    line.content.as_deref().map(Cow::Borrowed)
}

fn emit_compacted<'r>(line: &'r Line<'r>, sink: &mut RecordSink<'r, '_>) {
    let metadata = line.compact_metadata.as_ref();
    let trigger = metadata.and_then(|metadata| metadata.trigger.as_deref());
    let mut draft = sink.draft(0, Kind::ContextCompacted);
    draft.text = content_of(line);
    draft.detail = Detail::Compacted {
        trigger: trigger.map(Cow::Borrowed),
        tokens_before: metadata.and_then(|metadata| metadata.pre_tokens),
    };
    sink.emit(draft);
}

fn emit_failure<'r>(line: &'r Line<'r>, sink: &mut RecordSink<'r, '_>) {
    let fault = line.error.as_ref();
    let text = fault.and_then(|fault| fault.formatted.as_deref().or(fault.message.as_deref()));
    let mut draft = sink.draft(0, Kind::Error);
    draft.text = text.map(Cow::Borrowed);
    draft.detail = Detail::Failure {
        code: fault.and_then(code_of),
        retrying: line.retry_attempt.map(|_| true),
    };
    sink.emit(draft);
}

fn code_of<'r>(fault: &'r Fault<'r>) -> Option<Cow<'r, str>> {
    let connection = fault.connection.as_ref().and_then(|c| c.code.as_deref());
    let status = || fault.status.map(|status| Cow::Owned(status.to_string()));
    let message = || fault.message.as_deref().map(Cow::Borrowed);
    connection.map(Cow::Borrowed).or_else(status).or_else(message)
}

fn emit_turn_end<'r>(line: &'r Line<'r>, sink: &mut RecordSink<'r, '_>) {
    let mut draft = sink.draft(0, Kind::AgentStopped);
    draft.ends_turn = true;
    draft.detail = Detail::Stopped {
        reason: Some(Cow::Borrowed("turn_duration")),
        duration_ms: line.duration_ms,
    };
    sink.emit(draft);
}

/// Emits the events of an attachment; nearly all attachments are for the model alone.
pub(super) fn emit_attachment<'r>(line: &'r Line<'r>, sink: &mut RecordSink<'r, '_>) {
    let Some(attachment) = &line.attachment else {
        return sink.unknown("attachment", None);
    };
    match attachment.kind.as_deref() {
        Some("queued_command") => user::emit_queued(attachment, sink),
        Some(kind) if record_types::is_context(kind) => {}
        kind => sink.unknown("attachment", kind),
    }
}

/// Takes facts about the whole session from a record without an id.
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

/// Whether [`note`] handles records of this type.
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
