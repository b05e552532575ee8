//! One line of the feed: what of an event is worth telling across all sessions.

use crate::terminal::line;
use crate::wording::word;
use serde_json::Value;
use taffrail_model::{Event, EventId, Kind as EventKind, SessionId, Timestamp};

/// The longest text of a line, in characters.
const LONGEST: usize = 400;
/// Under these names tools are told of the file they change.
const FILES: [&str; 5] = ["file_path", "filePath", "path", "notebook_path", "target_file"];
/// With these beside it the file is changed, not only read.
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
pub(crate) enum Kind {
    Prompt,
    Called,
    Changed,
    Asked,
    Decided,
    Finished,
    Failed,
    Began,
    Ended,
}

impl Kind {
    /// In a word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Called => "call",
            Self::Changed => "changed",
            Self::Asked => "asks",
            Self::Decided => "decided",
            Self::Finished => "finished",
            Self::Failed => "failed",
            Self::Began => "began",
            Self::Ended => "ended",
        }
    }

    /// In a shape.
    pub(crate) fn shape(self) -> char {
        match self {
            Self::Prompt => '›',
            Self::Called => '▸',
            Self::Changed => '±',
            Self::Asked => '●',
            Self::Decided | Self::Finished => '✓',
            Self::Failed => '✕',
            Self::Began => '◐',
            Self::Ended => '○',
        }
    }
}

/// Something that happened in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Happening {
    pub(crate) event_id: EventId,
    pub(crate) session_id: SessionId,
    pub(crate) at: Timestamp,
    pub(crate) kind: Kind,
    /// Harmless, on one line.
    pub(crate) text: String,
}

/// What of an event is worth telling; most of what is said is not.
pub(crate) fn of(event: &Event) -> Option<Happening> {
    let text = event.text.as_deref().unwrap_or_default();
    let (kind, text) = match &event.kind {
        EventKind::UserPrompt => (Kind::Prompt, text.to_owned()),
        EventKind::ToolCall => match changed(event) {
            Some(file) => (Kind::Changed, file),
            None => (Kind::Called, format!("{} {text}", word(event, "tool"))),
        },
        EventKind::ApprovalRequested => (Kind::Asked, format!("{} {text}", word(event, "tool"))),
        EventKind::ApprovalResolved => {
            (Kind::Decided, format!("{} by {}", word(event, "decision"), word(event, "decided_by")))
        }
        EventKind::AgentStopped => (Kind::Finished, stopped(event)),
        EventKind::Error => (Kind::Failed, text.to_owned()),
        EventKind::SessionStarted => (Kind::Began, text.to_owned()),
        EventKind::SessionExited => (Kind::Ended, text.to_owned()),
        _ => return None,
    };
    let text = line(&text).chars().take(LONGEST).collect();
    let (event_id, session_id, at) = (event.id, event.session_id, event.created_at);
    Some(Happening { event_id, session_id, at, kind, text })
}

fn stopped(event: &Event) -> String {
    event.data.get("reason").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The file a call changes, told by the shape of what the tool is given.
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
