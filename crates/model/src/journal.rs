//! The journal: reports from hooks, live registries and probes, one JSON object a line.

use crate::approval::Decision;
use crate::process::{Ancestor, Process};
use crate::{AgentId, ApprovalId, MessageId, Origin, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The scheme of the journal's locators.
pub const SCHEME: &str = "journal";
/// The journal's folder in our data directory.
pub const FOLDER: &str = "journal";
/// The longest payload kept, in bytes.
pub const PAYLOAD_LIMIT: usize = 64 * 1024;

/// The fields of an entry.
pub const FIELDS: &[&str] =
    &["at", "nonce", "agent", "via", "ancestors", "store", "shortened", "payload"];

/// One report, stamped by the process that recorded it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Entry<'a> {
    /// When it was recorded.
    pub at: Timestamp,
    /// Distinguishes it from every other entry, even an equal one.
    pub nonce: String,
    /// The agent that reported, or that the report is about.
    pub agent: AgentId,
    /// The kind of source: a hook, a registry, the process table.
    pub via: Origin,
    /// The ancestors of the recording process, the nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ancestors: Vec<Ancestor>,
    /// Where the agent keeps the session, if its ids are unique only there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<Store>,
    /// The payload was too long and was truncated.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shortened: bool,
    /// The report, unchanged.
    #[serde(borrow)]
    pub payload: &'a RawValue,
}

/// The file within which an agent's session ids are unique.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Store {
    /// Its real path, as the reporter's environment names it.
    pub path: String,
    /// The device it is on; the writer of the journal adds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
}

impl Entry<'_> {
    /// The scope of the session's id; `None` if the entry does not name its store and device.
    #[must_use]
    pub fn scope(&self) -> Option<String> {
        let store = self.store.as_ref()?;
        Some(scope_in(store.device.as_deref()?, &store.path))
    }
}

/// The scope of ids that are unique within one file of one device.
#[must_use]
pub fn scope_in(device: &str, path: &str) -> String {
    format!("{device}:{path}")
}

/// The payload of an entry from the process table (`via` is `process`): a session lost the process
/// that ran it. Only a process that observed the loss records it; for a process that is merely
/// absent, a probe shows as much.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gone {
    /// How the process was lost.
    pub gone: Loss,
    /// The runtime session.
    pub session: String,
    /// Its scope; empty where ids are unique everywhere.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scope: String,
    /// The process that ran it.
    pub process: Process,
}

/// The payload of one of our own entries (`via` is `ctm-input`): a request was decided here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// The request.
    pub approval: ApprovalId,
    /// The decision.
    pub decision: Decision,
    /// Its author.
    pub by: String,
    /// The runtime session that asked.
    pub session: String,
    /// Its scope; empty where ids are unique everywhere.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scope: String,
    /// The request, in one line.
    pub says: String,
    /// The input hash; empty while an equal request is open, because then it is ambiguous.
    pub input: String,
}

/// The payload of one of our own entries (`via` is `ctm-input`): a prompt was pasted into a
/// session's terminal. The agent's own record shows whether the agent accepted it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// The message.
    pub message: MessageId,
    /// The receiving runtime session.
    pub session: String,
    /// Its scope; empty where ids are unique everywhere.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scope: String,
    /// The text.
    pub says: String,
}

/// The payload of one of our own entries (`via` is `ctm-input`): an agent tried an action reserved
/// for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tried {
    /// The attempted action: one of our commands or an API route.
    pub tried: String,
    /// The agent's program.
    pub program: String,
    /// The request the attempt was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalId>,
    /// The runtime session the attempt came from.
    pub session: String,
    /// Its scope; empty where ids are unique everywhere.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scope: String,
}

/// The label of the resulting event.
pub const TRIED: &str = "tried";

/// The payload of an entry from a terminal that we run around an agent (`via` is `pty`): the screen
/// shows something else than before, or the program still prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Glimpse {
    /// The runtime session; a generated name if the id is not known.
    pub session: String,
    /// Its scope; empty where ids are unique everywhere.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scope: String,
    /// The process that runs the session.
    pub process: Process,
    /// The folder it was started in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The content of the screen.
    pub shows: Shows,
    /// The command that an approval dialog asks about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The screen showed the same before: the entry only records that the program printed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeats: bool,
}

/// What an agent's terminal shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shows {
    /// The agent accepts a prompt.
    Ready,
    /// The agent works.
    Working,
    /// An approval dialog is open.
    Approval,
    /// Another dialog is open.
    Question,
    /// Nothing recognizable.
    Unclear,
    /// A word from another version.
    #[serde(untagged)]
    Unknown(String),
}

/// The payload of an entry from our pipe between an editor and an agent (`via` is `registry`): the
/// agent reported something about a session in the Agent Client Protocol. The field's name marks
/// the entry, because agents write entries of their own under the same origin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piped {
    /// The report.
    pub acp: PipeReport,
}

/// One report of an agent in the Agent Client Protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PipeReport {
    /// The runtime session.
    pub session: String,
    /// Its scope; empty where ids are unique everywhere.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scope: String,
    /// The process that runs the session.
    pub process: Process,
    /// The folder that the editor opened the session in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// What is reported.
    pub event: PipeEvent,
    /// A title, a command, or a step of a plan.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub says: String,
    /// The state of a tool, the progress of a plan, or the reason for which a turn ended.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub status: String,
    /// The input hash of a request.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub input: String,
}

/// What an agent reports in the Agent Client Protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PipeEvent {
    /// The editor opened or resumed the session.
    Opened,
    /// The editor sent a prompt.
    Prompted,
    /// The agent asks for permission.
    Asked,
    /// The editor answered a request, or the agent withdrew it.
    Settled,
    /// A tool began, or its state changed.
    Tool,
    /// The plan changed.
    Plan,
    /// The turn is over.
    TurnOver,
    /// A word from another version.
    #[serde(untagged)]
    Unknown(String),
}

/// How a session lost its process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// The process ended.
    Died,
    /// The process is alive and switched to another session.
    Left,
}

/// The path of a day's segment in our data directory, without a compression suffix.
#[must_use]
pub fn segment(agent: &str, day: &str) -> String {
    format!("{FOLDER}/{agent}/{day}.jsonl")
}

/// The locator of a path in our data directory, if it is a segment of the journal.
#[must_use]
pub fn locator(path: &str) -> Option<String> {
    let below = path.strip_prefix(FOLDER)?.strip_prefix('/')?;
    let name = below.strip_suffix(".zst").unwrap_or(below);
    name.ends_with(".jsonl").then(|| format!("{SCHEME}:{below}"))
}

/// Whether a locator belongs to the journal.
#[must_use]
pub fn is_locator(locator: &str) -> bool {
    locator.strip_prefix(SCHEME).is_some_and(|rest| rest.starts_with(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_segments_have_locators() {
        let check = |path: &str, expected: Option<&str>| {
            assert_eq!(locator(path).as_deref(), expected, "{path}");
        };
        check("journal/a/2026-11-15.jsonl", Some("journal:a/2026-11-15.jsonl"));
        check("journal/a/2026-11-15.jsonl.zst", Some("journal:a/2026-11-15.jsonl.zst"));
        check("journal/spool/1.json", None);
        check("projects/a.jsonl", None);
        assert_eq!(segment("a", "2026-11-15"), "journal/a/2026-11-15.jsonl");
    }
}
