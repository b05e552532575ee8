//! Records under the user's name: prompts, interruptions and tool results.

use super::prompts::{self, Circumstances, Meaning};
use super::record::{Attachment, Block, Content, Line};
use super::record_sink::RecordSink;
use std::borrow::Cow;
use taffrail_model::{Detail, EventId, Kind};

/// The first part number of results: the decision about a call comes before its result.
const RESULT_PARTS: u32 = 1000;

/// Emits the events of a user record.
pub(super) fn emit<'r>(line: &'r Line<'r>, sink: &mut RecordSink<'r, '_>) {
    let Some(content) = line.message.as_ref().and_then(|m| m.content.as_ref()) else {
        return;
    };
    count_unknown(content, sink);
    match content {
        Content::Blocks(blocks) if blocks.iter().any(is_result) => {
            emit_results(line, blocks, sink);
        }
        Content::Blocks(_) | Content::Text(_) => {
            let circumstances = Circumstances::of_user(line);
            emit_words(content, circumstances, line.prompt_source.as_deref(), sink);
        }
    }
}

/// Emits a prompt that was queued while the agent worked.
pub(super) fn emit_queued<'r>(attachment: &'r Attachment<'r>, sink: &mut RecordSink<'r, '_>) {
    let Some(content) = &attachment.prompt else {
        return;
    };
    let origin = attachment.origin.as_ref();
    let circumstances = Circumstances::of_queued(
        attachment.is_meta == Some(true),
        attachment.command_mode.as_deref(),
        origin.and_then(|origin| origin.kind.as_deref()),
    );
    emit_words(content, circumstances, Some("queued"), sink);
}

fn emit_words<'r>(
    content: &'r Content<'r>,
    circumstances: Circumstances<'r>,
    asked_by: Option<&'r str>,
    sink: &mut RecordSink<'r, '_>,
) {
    let Some((part, text)) = prompts::words_of(content) else {
        return;
    };
    match circumstances.meaning_of(&text) {
        Meaning::Prompt => sink.prompt(part, text, asked_by),
        Meaning::Interrupt => sink.interrupted(part, text),
        // The agent continues with the notification of a background task.
        Meaning::Notice(label @ prompts::NEWS) => sink.news(part, label, text),
        Meaning::Notice(label) => sink.notice(part, label, Some(text)),
        Meaning::Nothing => {}
    }
}

fn count_unknown(content: &Content<'_>, sink: &mut RecordSink<'_, '_>) {
    let Content::Blocks(blocks) = content else {
        return;
    };
    for block in blocks {
        let is_plain = matches!(block.kind.as_deref(), Some("text" | "image" | "document"));
        if !is_plain && !is_result(block) {
            sink.unknown("user", block.kind.as_deref());
        }
    }
}

/// Whether a block is a tool result, from the user's machine or from the provider.
pub(super) fn is_result(block: &Block<'_>) -> bool {
    let kind = block.kind.as_deref();
    kind.is_some_and(|kind| kind.ends_with("tool_result"))
}

fn emit_results<'r>(line: &'r Line<'r>, blocks: &'r [Block<'r>], sink: &mut RecordSink<'r, '_>) {
    let times = line.tool_use_result.as_ref().filter(|_| blocks.len() == 1);
    let took = times.and_then(|times| times.duration_ms.or(times.total_duration_ms));
    for (part, block) in (0..).zip(blocks) {
        if is_result(block) {
            let call = sink.calls.close(block.tool_use_id.as_deref().unwrap_or_default());
            emit_decision(line, part, block, call, sink);
            emit_result(part, block, (call, took), sink);
        } else if let Some(text) = block.text.as_deref().filter(|t| prompts::is_interrupt(t)) {
            sink.interrupted(part, Cow::Borrowed(text));
        }
    }
}

/// Emits a tool result: the event of the call, and how long it took.
pub(super) fn emit_result<'r>(
    part: u32,
    block: &'r Block<'r>,
    (call, duration_ms): (Option<EventId>, Option<u64>),
    sink: &mut RecordSink<'r, '_>,
) {
    let call_id = block.tool_use_id.as_deref().unwrap_or_default();
    let text = block.content.as_deref().unwrap_or_default();
    let failed = block.is_error;
    let mut draft = sink.draft(RESULT_PARTS + part, Kind::ToolResult);
    draft.parent = call;
    draft.detail = Detail::ToolResult {
        call_id: Cow::Borrowed(call_id),
        failed,
        exit_code: exit_code_of(text).filter(|_| failed == Some(true)),
        duration_ms,
    };
    draft.text = Some(Cow::Borrowed(text));
    sink.emit(draft);
}

/// The output of a failed command starts with its exit code on its own line.
fn exit_code_of(output: &str) -> Option<i64> {
    let line = output.lines().next()?;
    line.strip_prefix("Exit code ")?.parse().ok()
}

fn emit_decision<'r>(
    line: &'r Line<'r>,
    part: u32,
    block: &'r Block<'r>,
    call: Option<EventId>,
    sink: &mut RecordSink<'r, '_>,
) {
    // An answered question was not an approval request.
    if line.tool_use_result.as_ref().is_some_and(|it| it.answers.is_some()) {
        return;
    }
    let Some((decision, decided_by)) = decision_of(line) else {
        return;
    };
    let mut draft = sink.draft(part, Kind::ApprovalResolved);
    draft.parent = call;
    draft.detail = Detail::Approval {
        call_id: Cow::Borrowed(block.tool_use_id.as_deref().unwrap_or_default()),
        decision: Cow::Borrowed(decision),
        decided_by: decided_by.map(Cow::Borrowed),
    };
    sink.emit(draft);
}

/// The decision and its author, if anyone was asked: settings decide without asking.
fn decision_of<'r>(line: &'r Line<'r>) -> Option<(&'r str, Option<&'r str>)> {
    match &line.permission_decision {
        Some(made) => {
            let source = made.source.as_deref();
            made.decision
                .as_deref()
                .filter(|_| source != Some("config"))
                .map(|decision| (decision, source))
        }
        // The agent records a refusal in its own dialog without a decision.
        None => line
            .tool_denial_kind
            .as_deref()
            .filter(|kind| *kind == "user-rejected")
            .map(|kind| ("reject", Some(kind))),
    }
}
