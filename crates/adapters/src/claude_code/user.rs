//! Records under the user's name: prompts, interruptions and tool results.

use super::prompts::{self, Circumstances, Meaning};
use super::record::{Attachment, Block, Content, Line, ToolUseResult};
use super::record_sink::RecordSink;
use serde_json::value::RawValue;
use std::borrow::Cow;
use taffrail_model::{Detail, EventId, Kind};

/// The first part number of results: the decision about a call comes before its result.
const RESULT_PARTS: u32 = 1000;
/// What precedes the user's own words in the result of a refused call.
const WORDS_FOLLOW: &str = "the user said:\n";

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
    let own = line.tool_use_result.as_ref().filter(|_| blocks.len() == 1);
    for (part, block) in (0..).zip(blocks) {
        if is_result(block) {
            let call = sink.calls.close(block.tool_use_id.as_deref().unwrap_or_default());
            emit_decision(line, part, block, call, sink);
            emit_result(part, block, (call, own), sink);
        } else if let Some(text) = block.text.as_deref().filter(|t| prompts::is_interrupt(t)) {
            sink.interrupted(part, Cow::Borrowed(text));
        }
    }
}

/// Emits a tool result: the event of the call, and the program's own copy of the result.
pub(super) fn emit_result<'r>(
    part: u32,
    block: &'r Block<'r>,
    (call, own): (Option<EventId>, Option<&'r ToolUseResult<'r>>),
    sink: &mut RecordSink<'r, '_>,
) {
    let text = block.content.as_deref().unwrap_or_default();
    let mut draft = sink.draft(RESULT_PARTS + part, Kind::ToolResult);
    draft.parent = call;
    draft.detail = result_detail(block, text, own);
    draft.text = Some(Cow::Borrowed(text));
    sink.emit(draft);
}

fn result_detail<'r>(
    block: &'r Block<'r>,
    text: &str,
    own: Option<&'r ToolUseResult<'r>>,
) -> Detail<'r> {
    let call_id = Cow::Borrowed(block.tool_use_id.as_deref().unwrap_or_default());
    let failed = block.is_error;
    let duration_ms = own.and_then(|own| own.duration_ms.or(own.total_duration_ms));
    if let Some((original, is_amended)) = own.and_then(change_of) {
        return Detail::FileResult { call_id, failed, duration_ms, original, is_amended };
    }
    let exit_code = exit_code_of(text).filter(|_| failed == Some(true));
    Detail::ToolResult { call_id, failed, exit_code, duration_ms }
}

/// The content of a file before its change, `None` inside for a new file, and whether the user
/// changed the proposal.
fn change_of<'r>(own: &'r ToolUseResult<'r>) -> Option<(Option<&'r RawValue>, bool)> {
    let is_text = |it: &&RawValue| it.get().starts_with('"');
    let original = own.original_file.or(own.original_file_contents).filter(is_text);
    let is_new = original.is_none() && own.kind.as_deref() == Some("create");
    (original.is_some() || is_new).then_some((original, own.user_modified == Some(true)))
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
        reason: words_in(block).map(Cow::Borrowed),
    };
    sink.emit(draft);
}

/// The user's own words beside a refusal.
fn words_in<'r>(block: &'r Block<'r>) -> Option<&'r str> {
    let (_, words) = block.content.as_deref()?.split_once(WORDS_FOLLOW)?;
    Some(words.trim()).filter(|words| !words.is_empty())
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
