//! What is written under the user's name: prompts, interrupts, and results of tools.

use super::prompts::{self, Circumstances, Meaning};
use super::record::{Attachment, Block, Content, Line};
use super::telling::Telling;
use std::borrow::Cow;
use taffrail_model::{Detail, EventId, Kind};

/// Where the parts of results begin: what was decided about a call comes before its result.
const RESULT_PARTS: u32 = 1000;

/// Tells what a user record says.
pub(super) fn tell<'r>(line: &'r Line<'r>, telling: &mut Telling<'r, '_>) {
    let Some(content) = line.message.as_ref().and_then(|m| m.content.as_ref()) else {
        return;
    };
    count_unknown(content, telling);
    match content {
        Content::Blocks(blocks) if blocks.iter().any(is_result) => {
            tell_results(line, blocks, telling);
        }
        Content::Blocks(_) | Content::Text(_) => {
            let circumstances = Circumstances::of_user(line);
            tell_words(content, circumstances, line.prompt_source.as_deref(), telling);
        }
    }
}

/// Tells a prompt that was given while the agent worked.
pub(super) fn tell_queued<'r>(attachment: &'r Attachment<'r>, telling: &mut Telling<'r, '_>) {
    let Some(content) = &attachment.prompt else {
        return;
    };
    let origin = attachment.origin.as_ref();
    let circumstances = Circumstances::of_queued(
        attachment.is_meta == Some(true),
        attachment.command_mode.as_deref(),
        origin.and_then(|origin| origin.kind.as_deref()),
    );
    tell_words(content, circumstances, Some("queued"), telling);
}

fn tell_words<'r>(
    content: &'r Content<'r>,
    circumstances: Circumstances<'r>,
    asked_by: Option<&'r str>,
    telling: &mut Telling<'r, '_>,
) {
    let Some((part, text)) = prompts::words_of(content) else {
        return;
    };
    match circumstances.meaning_of(&text) {
        Meaning::Prompt => telling.prompt(part, text, asked_by),
        Meaning::Interrupt => telling.interrupted(part, text),
        // News of a background task is what the agent goes on with.
        Meaning::Notice(label @ prompts::NEWS) => telling.news(part, label, text),
        Meaning::Notice(label) => telling.notice(part, label, Some(text)),
        Meaning::Nothing => {}
    }
}

fn count_unknown(content: &Content<'_>, telling: &mut Telling<'_, '_>) {
    let Content::Blocks(blocks) = content else {
        return;
    };
    for block in blocks {
        let is_plain = matches!(block.kind.as_deref(), Some("text" | "image" | "document"));
        if !is_plain && !is_result(block) {
            telling.unknown("user", block.kind.as_deref());
        }
    }
}

/// The block is a tool's answer: the user's machine ran it, or the provider did.
pub(super) fn is_result(block: &Block<'_>) -> bool {
    let kind = block.kind.as_deref();
    kind.is_some_and(|kind| kind.ends_with("tool_result"))
}

fn tell_results<'r>(line: &'r Line<'r>, blocks: &'r [Block<'r>], telling: &mut Telling<'r, '_>) {
    let times = line.tool_use_result.as_ref().filter(|_| blocks.len() == 1);
    let took = times.and_then(|times| times.duration_ms.or(times.total_duration_ms));
    for (part, block) in (0..).zip(blocks) {
        if is_result(block) {
            let call = telling.calls.close(block.tool_use_id.as_deref().unwrap_or_default());
            tell_decision(line, part, block, call, telling);
            tell_result(part, block, (call, took), telling);
        } else if let Some(text) = block.text.as_deref().filter(|t| prompts::is_interrupt(t)) {
            telling.interrupted(part, Cow::Borrowed(text));
        }
    }
}

/// Tells a tool's answer: which event called the tool, and how long it took.
pub(super) fn tell_result<'r>(
    part: u32,
    block: &'r Block<'r>,
    (call, duration_ms): (Option<EventId>, Option<u64>),
    telling: &mut Telling<'r, '_>,
) {
    let call_id = block.tool_use_id.as_deref().unwrap_or_default();
    let text = block.content.as_deref().unwrap_or_default();
    let failed = block.is_error;
    let mut draft = telling.draft(RESULT_PARTS + part, Kind::ToolResult);
    draft.parent = call;
    draft.detail = Detail::ToolResult {
        call_id: Cow::Borrowed(call_id),
        failed,
        exit_code: exit_code_of(text).filter(|_| failed == Some(true)),
        duration_ms,
    };
    draft.text = Some(Cow::Borrowed(text));
    telling.tell(draft);
}

/// A failed command's output begins with its exit code on a line of its own.
fn exit_code_of(output: &str) -> Option<i64> {
    let line = output.lines().next()?;
    line.strip_prefix("Exit code ")?.parse().ok()
}

fn tell_decision<'r>(
    line: &'r Line<'r>,
    part: u32,
    block: &'r Block<'r>,
    call: Option<EventId>,
    telling: &mut Telling<'r, '_>,
) {
    // An answered question was no request to be allowed anything.
    if line.tool_use_result.as_ref().is_some_and(|it| it.answers.is_some()) {
        return;
    }
    let Some((decision, decided_by)) = decision_of(line) else {
        return;
    };
    let mut draft = telling.draft(part, Kind::ApprovalResolved);
    draft.parent = call;
    draft.detail = Detail::Approval {
        call_id: Cow::Borrowed(block.tool_use_id.as_deref().unwrap_or_default()),
        decision: Cow::Borrowed(decision),
        decided_by: decided_by.map(Cow::Borrowed),
    };
    telling.tell(draft);
}

/// What was decided, and by whom, if anyone was asked: settings decide without asking.
fn decision_of<'r>(line: &'r Line<'r>) -> Option<(&'r str, Option<&'r str>)> {
    match &line.permission_decision {
        Some(made) => {
            let source = made.source.as_deref();
            made.decision
                .as_deref()
                .filter(|_| source != Some("config"))
                .map(|decision| (decision, source))
        }
        // A refusal at the agent's own dialog is written without a decision.
        None => line
            .tool_denial_kind
            .as_deref()
            .filter(|kind| *kind == "user-rejected")
            .map(|kind| ("reject", Some(kind))),
    }
}
