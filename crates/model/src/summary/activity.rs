//! The current and the recent activity of a session.

use super::Subject;
use super::line::{fitted, plain, prose, sentence};
use crate::Signal;
use crate::evidence::Evidence;
use crate::status::{Reading, Status, WaitingFor, WaitingKind};
use crate::turn::{Turn, TurnStatus};

/// A hook and a transcript report one call at most this many milliseconds apart.
const TWIN_MS: i64 = 10_000;
/// The longest description of one turn, in characters.
const PART_CHARS: usize = 60;
/// Verbs with which an answer reports what was done.
const DONE: [&str; 30] = [
    "added",
    "all",
    "built",
    "changed",
    "checked",
    "cleaned",
    "committed",
    "created",
    "deleted",
    "deployed",
    "done",
    "extracted",
    "fixed",
    "found",
    "implemented",
    "improved",
    "installed",
    "merged",
    "moved",
    "ported",
    "ran",
    "refactored",
    "removed",
    "renamed",
    "replaced",
    "resolved",
    "rewrote",
    "tests",
    "updated",
    "wrote",
];
/// Phrases that introduce such a report.
const LEADS: [&str; 9] =
    ["i've ", "i have ", "i also ", "i ", "now ", "we ", "successfully ", "just ", "also "];

/// The current activity, or what the session waits for, and the latest finding about it.
pub(super) fn current(turns: &[Turn], subject: &Subject<'_>) -> String {
    let state = state(turns.last(), subject.reading, subject.evidence);
    match subject.remark {
        Some(remark) => format!("{state}; {}", plain(remark)),
        None => state,
    }
}

fn state(last: Option<&Turn>, reading: &Reading, evidence: &[Evidence]) -> String {
    match reading.status {
        Status::WaitingApproval => asked("waiting for approval", reading.waiting_for.as_ref()),
        Status::Waiting => waiting(reading.waiting_for.as_ref(), last),
        Status::Running => running(last, evidence),
        Status::Idle => with_end("idle", last),
        Status::Exited => with_end("over", last),
        Status::Unknown => "not known whether it runs".to_owned(),
    }
}

fn waiting(what: Option<&WaitingFor>, last: Option<&Turn>) -> String {
    match what.map(|it| it.kind) {
        Some(WaitingKind::Question) => asked("waiting for an answer", what),
        Some(WaitingKind::Approval) => asked("waiting for approval", what),
        Some(WaitingKind::Prompt) | None => with_end("waiting for a prompt", last),
    }
}

pub(super) fn asked(state: &str, what: Option<&WaitingFor>) -> String {
    let text = what.map(|it| plain(&it.text)).unwrap_or_default();
    let runs = what.is_some_and(|it| it.kind == WaitingKind::Approval) && is_command(&text);
    match (text.is_empty(), runs) {
        (true, _) => state.to_owned(),
        (false, true) => format!("{state} to run {text}"),
        (false, false) => format!("{state}: {text}"),
    }
}

/// Whether a text starts with a lower-case word, as commands do and paths and sentences do not.
fn is_command(text: &str) -> bool {
    let first = text.split(' ').next().unwrap_or_default();
    first.starts_with(|it: char| it.is_ascii_lowercase()) && !first.contains(['/', ':', '.'])
}

/// The latest call that has not returned, or else the prompt.
fn running(last: Option<&Turn>, evidence: &[Evidence]) -> String {
    if let Some(open) = open_call(evidence) {
        return open;
    }
    let prompt = last.map(|it| plain(&it.prompt)).filter(|it| !it.is_empty());
    prompt.map_or_else(|| "working".to_owned(), |it| format!("working on: {it}"))
}

/// The latest call of the turn that has not returned, or the compaction that runs.
pub(super) fn open_call(evidence: &[Evidence]) -> Option<String> {
    let begins = evidence.iter().rposition(|it| it.says == Signal::Prompted).unwrap_or(0);
    let turn = evidence.get(begins..).unwrap_or_default();
    if turn.iter().rev().any(|it| it.says == Signal::Compacting) && !is_compacted(turn) {
        return Some("compacting context".to_owned());
    }
    let calls = turn.iter().rev().filter(|it| matches!(it.says, Signal::Called { .. }));
    let open = calls.filter(|it| !it.detail.is_empty()).find(|it| !has_returned(it, turn));
    open.map(|it| format!("running {}", plain(&it.detail)))
}

fn is_compacted(turn: &[Evidence]) -> bool {
    let last =
        turn.iter().rev().find(|it| matches!(it.says, Signal::Compacting | Signal::Compacted));
    last.is_some_and(|it| it.says == Signal::Compacted)
}

/// Whether a call returned. A hook and a transcript report the same call under ids of their own, so
/// that a call also returned if its twin did: the same text, from the other source, at about the
/// same time.
fn has_returned(called: &Evidence, turn: &[Evidence]) -> bool {
    let answered = |it: &Evidence| match &it.says {
        Signal::Called { call, .. } => {
            turn.iter().any(|it| matches!(&it.says, Signal::Answered { call: id } if id == call))
        }
        _ => false,
    };
    let is_twin = |it: &Evidence| {
        let apart = it.at.as_millisecond() - called.at.as_millisecond();
        it.source != called.source && it.detail == called.detail && apart.abs() <= TWIN_MS
    };
    answered(called) || turn.iter().any(|it| is_twin(it) && answered(it))
}

fn with_end(state: &str, last: Option<&Turn>) -> String {
    match last {
        Some(it) if it.status == TurnStatus::Interrupted && it.errors > 0 => {
            format!("{state}, after an error")
        }
        Some(it) if it.status == TurnStatus::Interrupted => {
            format!("{state}, after being broken off")
        }
        Some(_) | None => state.to_owned(),
    }
}

/// What was done, the latest last: as many of the latest turns as fit.
pub(super) fn recent(turns: &[Turn], room: usize) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut left = room;
    for turn in turns.iter().rev() {
        let Some(part) = part(turn).filter(|it| !parts.contains(it)) else { continue };
        let size = part.chars().count() + 2;
        if size > left + 2 {
            break;
        }
        left = left.saturating_sub(size);
        parts.push(part);
    }
    parts.reverse();
    // Completed actions form one sentence; other texts stay separate.
    let between = if parts.iter().all(|it| is_done(it)) { ", " } else { "; " };
    if parts.is_empty() { "nothing yet".to_owned() } else { fitted(&parts.join(between), room) }
}

/// What a turn did: the action its answer reports, else its last sentence, else its tools.
fn part(turn: &Turn) -> Option<String> {
    let text = crate::redact::redact(&turn.text);
    let said = text.lines().map(|it| lowered(&plain(sentence(&plain(&prose(it))))));
    let mut said = said.filter(|it| it.len() > 2);
    let done = said.clone().rfind(|it| is_done(it));
    let words = done.or_else(|| said.next_back()).map(|it| fitted(&it, PART_CHARS));
    let part = words.or_else(|| tools(turn))?;
    Some(if turn.failed_calls > 2 {
        format!("{part} ({} calls failed)", turn.failed_calls)
    } else {
        part
    })
}

fn is_done(text: &str) -> bool {
    let first = text.split(' ').next().unwrap_or_default();
    DONE.contains(&first)
}

/// An action without its introduction and in lower case; any other text unchanged.
fn lowered(text: &str) -> String {
    let done = without_leads(text).to_owned();
    let mut chars = done.chars();
    let first = chars.next().map(|it| it.to_ascii_lowercase());
    let small: String = first.into_iter().chain(chars).collect();
    if is_done(&small) { small } else { text.to_owned() }
}

fn without_leads(mut text: &str) -> &str {
    let after = |text: &str| {
        let small = text.to_ascii_lowercase();
        LEADS.iter().find(|it| small.starts_with(**it)).map(|it| it.len())
    };
    while let Some(rest) = after(text).and_then(|lead| text.get(lead..)) {
        text = rest;
    }
    text
}

fn tools(turn: &Turn) -> Option<String> {
    let mut by_use: Vec<_> = turn.tools.iter().collect();
    by_use.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), (*name).clone()));
    let names: Vec<String> = by_use.iter().take(3).map(|(name, _)| plain(name)).collect();
    (!names.is_empty()).then(|| fitted(&format!("used {}", names.join(" and ")), PART_CHARS))
}
