//! Records under the user's name: prompts, interruptions and tool results.

use super::prompts::{self, Circumstances, Meaning};
use super::reader::unknown;
use super::record::{Attachment, Block, Content, Line, ToolUseResult};
use serde_json::value::RawValue;
use std::borrow::Cow;
use taffrail_kit::{Speaker, TurnEdge};
use taffrail_model::{Detail, Kind, Signal};

/// The first part number of results: the decision about a call comes before its result.
const RESULT_PARTS: u32 = 1000;
/// Why a turn ended that the user interrupted.
const INTERRUPTED: &str = "interrupted";
/// The decision of somebody who refuses a call.
const REJECTED: &str = "reject";
/// How the results of refused calls begin.
const REFUSALS: [&str; 2] = [
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
];
/// What precedes the user's own words in the result of a refused call.
const WORDS_FOLLOW: &str = "the user said:\n";

/// Emits the events of a user record.
pub(super) fn emit(line: &Line<'_>, speaker: &mut Speaker<'_, '_>) {
    let Some(content) = line.message.as_ref().and_then(|m| m.content.as_ref()) else {
        return;
    };
    count_unknown(content, line, speaker);
    match content {
        Content::Blocks(blocks) if blocks.iter().any(is_result) => {
            emit_results(line, blocks, speaker);
        }
        Content::Blocks(_) | Content::Text(_) => {
            let circumstances = Circumstances::of_user(line);
            emit_words(content, circumstances, line.prompt_source.as_deref(), speaker);
        }
    }
}

/// Emits a prompt that was queued while the agent worked.
pub(super) fn emit_queued(attachment: &Attachment<'_>, speaker: &mut Speaker<'_, '_>) {
    let Some(content) = &attachment.prompt else { return };
    let origin = attachment.origin.as_ref();
    let circumstances = Circumstances::of_queued(
        attachment.is_meta == Some(true),
        attachment.command_mode.as_deref(),
        origin.and_then(|origin| origin.kind.as_deref()),
    );
    emit_words(content, circumstances, Some("queued"), speaker);
}

fn emit_words(
    content: &Content<'_>,
    circumstances: Circumstances<'_>,
    asked_by: Option<&str>,
    speaker: &mut Speaker<'_, '_>,
) {
    let Some((part, text)) = prompts::words_of(content) else { return };
    speaker.part(part);
    match circumstances.meaning_of(&text) {
        Meaning::Prompt => {
            let detail = Detail::Prompt { asked_by: asked_by.map(Cow::Borrowed) };
            speaker.event(Kind::UserPrompt, Some(text), detail, TurnEdge::Opens);
        }
        Meaning::Interrupt => speaker.stopped(INTERRUPTED, Some(&text)),
        Meaning::Notice(label) => {
            // The agent continues with the notification of a background task.
            speaker.signal((label == prompts::NEWS).then_some(Signal::Busy));
            speaker.notice(label, Some(&text));
        }
        Meaning::Nothing => {}
    }
}

fn count_unknown(content: &Content<'_>, line: &Line<'_>, speaker: &mut Speaker<'_, '_>) {
    let Content::Blocks(blocks) = content else { return };
    for block in blocks {
        let is_plain = matches!(block.kind.as_deref(), Some("text" | "image" | "document"));
        if !is_plain && !is_result(block) {
            unknown("user", block.kind.as_deref(), line, speaker);
        }
    }
}

/// Whether a block is a tool result, from the user's machine or from the provider.
pub(super) fn is_result(block: &Block<'_>) -> bool {
    let kind = block.kind.as_deref();
    kind.is_some_and(|kind| kind.ends_with("tool_result"))
}

fn emit_results(line: &Line<'_>, blocks: &[Block<'_>], speaker: &mut Speaker<'_, '_>) {
    let own = line.tool_use_result.as_ref().filter(|_| blocks.len() == 1);
    for (part, block) in (0..).zip(blocks) {
        speaker.part(part);
        if is_result(block) {
            emit_decision(line, block, speaker);
            emit_result(part, block, (own, is_denied(line, block)), speaker);
        } else if let Some(text) = block.text.as_deref().filter(|t| prompts::is_interrupt(t)) {
            speaker.stopped(INTERRUPTED, Some(text));
        }
    }
}

/// Emits a tool result, with the details of the program's own copy of it.
pub(super) fn emit_result(
    part: u32,
    block: &Block<'_>,
    (own, denied): (Option<&ToolUseResult<'_>>, bool),
    speaker: &mut Speaker<'_, '_>,
) {
    let text = block.content.as_deref().unwrap_or_default();
    let detail = result_detail(block, text, (own, denied));
    speaker.part(RESULT_PARTS + part);
    speaker.event(Kind::ToolResult, Some(text.into()), detail, TurnEdge::Within);
}

fn result_detail<'r>(
    block: &'r Block<'r>,
    text: &str,
    (own, denied): (Option<&'r ToolUseResult<'r>>, bool),
) -> Detail<'r> {
    let call_id = Cow::Borrowed(block.tool_use_id.as_deref().unwrap_or_default());
    let failed = block.is_error;
    let duration_ms = own.and_then(|own| own.duration_ms.or(own.total_duration_ms));
    if let Some((original, is_amended)) = own.and_then(change_of) {
        return Detail::FileResult { call_id, failed, duration_ms, original, is_amended };
    }
    let exit_code = exit_code_of(text).filter(|_| failed == Some(true));
    Detail::ToolResult { call_id, failed, denied, exit_code, duration_ms }
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

fn emit_decision(line: &Line<'_>, block: &Block<'_>, speaker: &mut Speaker<'_, '_>) {
    let Some((decision, decided_by)) = decision_of(line) else { return };
    let detail = Detail::Approval {
        call_id: Cow::Borrowed(block.tool_use_id.as_deref().unwrap_or_default()),
        decision: Cow::Borrowed(decision),
        decided_by: decided_by.map(Cow::Borrowed),
        reason: words_in(block).map(Cow::Borrowed),
    };
    speaker.event(Kind::ApprovalResolved, None, detail, TurnEdge::Within);
}

/// Whether the call of a result was refused and did not run. Older versions wrote only the text.
fn is_denied(line: &Line<'_>, block: &Block<'_>) -> bool {
    let said = block.content.as_deref().unwrap_or_default();
    block.is_error == Some(true)
        && (decision_of(line).is_some_and(|it| it.0 == REJECTED) || is_refusal(said))
}

fn is_refusal(text: &str) -> bool {
    REFUSALS.iter().any(|it| text.starts_with(it))
}

/// The user's own words beside a refusal.
fn words_in<'r>(block: &'r Block<'r>) -> Option<&'r str> {
    let (_, words) = block.content.as_deref()?.split_once(WORDS_FOLLOW)?;
    Some(words.trim()).filter(|words| !words.is_empty())
}

/// The decision and its author, if anyone was asked: settings decide without asking.
fn decision_of<'r>(line: &'r Line<'r>) -> Option<(&'r str, Option<&'r str>)> {
    // An answered question was not an approval request.
    if line.tool_use_result.as_ref().is_some_and(|it| it.answers.is_some()) {
        return None;
    }
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
            .map(|kind| (REJECTED, Some(kind))),
    }
}
