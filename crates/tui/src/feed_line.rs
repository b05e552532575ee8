//! One line of the feed: an event that matters across all sessions.

use crate::phrases::{decider, is_refusal, with_tool};
use crate::terminal::line;
use serde_json::Value;
use std::collections::HashMap;
use taffrail_model::{Event, EventId, Kind as EventKind, SessionId, Timestamp};

/// The longest text of a line, in characters.
const LONGEST: usize = 400;
/// The input fields in which tools name the file they change.
const FILES: [&str; 5] = ["file_path", "filePath", "path", "notebook_path", "target_file"];
/// A call with one of these fields changes the file, instead of only reading it.
const CHANGING: [&str; 8] = [
    "old_string",
    "new_string",
    "old_str",
    "new_str",
    "content",
    "file_text",
    "edits",
    "new_source",
];

/// What kind of thing happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The user gave a prompt.
    Prompt,
    /// The agent called a tool.
    Called,
    /// The agent changed a file.
    Changed,
    /// The agent asks for approval.
    Asked,
    /// A request was allowed.
    Decided,
    /// A request was denied.
    Refused,
    /// A turn ended.
    Finished,
    /// The agent reported an error.
    Failed,
    /// The session started.
    Began,
    /// The session exited.
    Ended,
}

impl Kind {
    /// The kind as a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Called => "call",
            Self::Changed => "changed",
            Self::Asked => "asks",
            Self::Decided => "allowed",
            Self::Refused => "denied",
            Self::Finished => "finished",
            Self::Failed => "failed",
            Self::Began => "began",
            Self::Ended => "ended",
        }
    }

    /// The kind as a symbol.
    pub fn shape(self) -> char {
        match self {
            Self::Prompt => '›',
            Self::Called => '▸',
            Self::Changed => '±',
            Self::Asked => '●',
            Self::Decided | Self::Finished => '✓',
            Self::Failed | Self::Refused => '✕',
            Self::Began => '◐',
            Self::Ended => '○',
        }
    }
}

/// Something that happened in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedLine {
    /// The event of the line.
    pub event_id: EventId,
    /// The session of the event.
    pub session_id: SessionId,
    /// When it happened.
    pub at: Timestamp,
    /// What kind of thing.
    pub kind: Kind,
    /// The text, sanitized and on one line.
    pub text: String,
}

/// The line of an event; `None` for most events.
pub fn of(event: &Event) -> Option<FeedLine> {
    let text = event.text.as_deref().unwrap_or_default();
    let (kind, text) = match &event.kind {
        EventKind::UserPrompt => (Kind::Prompt, text.to_owned()),
        EventKind::ToolCall => match changed(event) {
            Some(file) => (Kind::Changed, file),
            None => (Kind::Called, with_tool(event)),
        },
        EventKind::ApprovalRequested => (Kind::Asked, with_tool(event)),
        EventKind::ApprovalResolved => {
            let kind = if is_refusal(event) { Kind::Refused } else { Kind::Decided };
            (kind, format!("by {}", decider(event)))
        }
        EventKind::AgentStopped => (Kind::Finished, stopped(event)),
        EventKind::Error => (Kind::Failed, text.to_owned()),
        EventKind::SessionStarted => (Kind::Began, text.to_owned()),
        EventKind::SessionExited => (Kind::Ended, text.to_owned()),
        _ => return None,
    };
    let text = line(&text).chars().take(LONGEST).collect();
    let (event_id, session_id, at) = (event.id, event.session_id, event.created_at);
    Some(FeedLine { event_id, session_id, at, kind, text })
}

/// The latest lines of each session, so that one fact from several sources gives one line.
#[derive(Debug, Default)]
pub struct FeedLines {
    sessions: HashMap<SessionId, Progress>,
}

#[derive(Debug, Default)]
struct Progress {
    /// Requests without a decision.
    open: usize,
    /// The latest line.
    last: Option<Kind>,
}

impl FeedLines {
    /// The line of an event, unless there is one already. A hook and a transcript report the same
    /// decision and the same end of a turn.
    pub fn take(&mut self, event: &Event) -> Option<FeedLine> {
        let line_of = of(event)?;
        let told = self.sessions.entry(line_of.session_id).or_default();
        let kind = line_of.kind;
        let decides = |it: Kind| matches!(it, Kind::Decided | Kind::Refused);
        let is_known = match kind {
            Kind::Finished => told.last == Some(Kind::Finished),
            _ if decides(kind) => told.open == 0 && told.last.is_some_and(decides),
            _ => false,
        };
        match kind {
            Kind::Asked => told.open += 1,
            Kind::Prompt | Kind::Finished | Kind::Ended => told.open = 0,
            _ if decides(kind) => told.open = told.open.saturating_sub(1),
            _ => {}
        }
        told.last = Some(kind);
        (!is_known).then_some(line_of)
    }
}

/// The reason a turn ended, if the user interrupted it.
fn stopped(event: &Event) -> String {
    let reason = event.data.get("reason").and_then(Value::as_str).unwrap_or_default();
    if reason == "interrupted" { reason.to_owned() } else { String::new() }
}

/// The file a call changes, by the shape of the tool's input.
fn changed(event: &Event) -> Option<String> {
    let input = event.data.get("input")?;
    if let Some(patch) = input.as_str().or_else(|| input.get("input").and_then(Value::as_str)) {
        return patched(patch);
    }
    let file = FILES.iter().find_map(|name| input.get(name).and_then(Value::as_str))?;
    CHANGING.iter().any(|name| input.get(name).is_some()).then(|| file.to_owned())
}

/// The files a patch names.
fn patched(patch: &str) -> Option<String> {
    let marks = ["*** Update File: ", "*** Add File: ", "*** Delete File: "];
    let named =
        |line: &str| marks.iter().find_map(|mark| line.strip_prefix(mark).map(str::to_owned));
    let files: Vec<String> = patch.lines().filter_map(named).collect();
    (!files.is_empty()).then(|| files.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use serde_json::json;

    fn event(number: usize, kind: &str, text: &str, data: &Value) -> Event {
        let at = format!("2026-11-15T10:00:{number:02}Z");
        serde_json::from_value(json!({
            "id": format!("{number:032x}"), "sessionId": samples::approval().id,
            "provider": "claude-code", "providerSessionId": "r1", "source": "hook", "kind": kind,
            "createdAt": at, "observedAt": at, "sequence": 1, "generation": "g", "revision": 1,
            "text": text, "data": data, "confidence": "high",
            "provenance": {"source_kind": "runtime_hook", "backend": "claude-code",
                "runtime_session_id": "r1", "runtime_source_uri": "file:///x",
                "source_cursor": {"byte_offset": 0, "length": 1}, "source_event_id": null,
                "observed_by_peer_id": "d", "observed_at": at},
        }))
        .unwrap()
    }

    #[test]
    fn one_decision_and_one_end_of_a_turn_are_one_line_each() {
        let tool = json!({"tool": "Write"});
        let by = |decision: &str, by: &str| json!({"decision": decision, "decided_by": by});
        let said = [
            ("user.prompt", "write it", json!({})),
            ("approval.requested", "Write /tmp/NOTES.md", tool.clone()),
            ("approval.resolved", "", by("deny", "rule")),
            ("approval.resolved", "", by("reject", "hook")),
            ("approval.requested", "/tmp/NOTES.md", tool),
            ("approval.resolved", "", by("allow", "cli")),
            ("approval.resolved", "", by("accept", "hook")),
            ("agent.stopped", "", json!({"reason": "stop_hook_summary"})),
            ("agent.stopped", "", json!({"reason": "turn_duration"})),
        ];
        let mut telling = FeedLines::default();
        let events =
            said.iter().enumerate().map(|(at, (kind, text, data))| event(at, kind, text, data));
        let told = events.filter_map(|it| telling.take(&it));
        let told: Vec<_> =
            told.map(|it| format!("{} {} {}", it.kind.shape(), it.kind.word(), it.text)).collect();
        assert_eq!(
            told,
            [
                "› prompt write it",
                "● asks Write /tmp/NOTES.md",
                "✕ denied by a rule",
                "● asks Write /tmp/NOTES.md",
                "✓ allowed by cli",
                "✓ finished ",
            ]
        );
    }
}
