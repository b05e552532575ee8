//! What hooks, live registries and probes said, as the journal keeps it: one JSON object a line.

use crate::approval::Decision;
use crate::process::{Ancestor, Process};
use crate::{AgentId, ApprovalId, MessageId, Origin, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The locators of the journal begin with this.
pub const SCHEME: &str = "journal";
/// The folder of the journal, below our data.
pub const FOLDER: &str = "journal";
/// The most bytes of a payload that are kept.
pub const PAYLOAD_LIMIT: usize = 64 * 1024;

/// The fields of an entry.
pub const FIELDS: &[&str] = &["at", "nonce", "agent", "via", "ancestors", "shortened", "payload"];

/// One thing that was said, stamped by whoever wrote it down.
#[derive(Debug, Serialize, Deserialize)]
pub struct Entry<'a> {
    /// When it was written down.
    pub at: Timestamp,
    /// Tells it from every other, however alike.
    pub nonce: String,
    /// The agent that said it, or of which it was said.
    pub agent: AgentId,
    /// Who said it: a hook, a registry, the process table.
    pub via: Origin,
    /// The processes above the one that wrote it down, the nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ancestors: Vec<Ancestor>,
    /// The payload was too long and was shortened.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shortened: bool,
    /// What was said, as it was said.
    #[serde(borrow)]
    pub payload: &'a RawValue,
}

/// The payload of an entry said by the process table (`via` is `process`): a session lost the process
/// that ran it. Only who saw it happen writes it down; a process that is merely not there any more
/// needs no entry, because looking tells as much.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gone {
    /// How it was lost.
    pub gone: Loss,
    /// The runtime session.
    pub session: String,
    /// Its scope; empty where ids are unique everywhere.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scope: String,
    /// The process that ran it.
    pub process: Process,
}

/// The payload of an entry of our own (`via` is `ctm-input`): a request was decided here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// The request.
    pub approval: ApprovalId,
    /// What was decided.
    pub decision: Decision,
    /// By whom.
    pub by: String,
    /// The runtime session that asked.
    pub session: String,
    /// Its scope; empty where ids are unique everywhere.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scope: String,
    /// What was asked for, in a line.
    pub says: String,
    /// The mark of the input; empty while an equal request is open, because then it says nothing.
    pub input: String,
}

/// The payload of an entry of our own (`via` is `ctm-input`): a prompt was put into a session's
/// terminal. That its agent took it, its own record says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// The message.
    pub message: MessageId,
    /// The runtime session it was for.
    pub session: String,
    /// Its scope; empty where ids are unique everywhere.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scope: String,
    /// What it says.
    pub says: String,
}

/// The payload of an entry of our own (`via` is `ctm-input`): an agent tried what only a person may.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tried {
    /// What it tried: a command of ours, or a route of the API.
    pub tried: String,
    /// The agent's program.
    pub program: String,
    /// The request it was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalId>,
    /// The runtime session it came from.
    pub session: String,
    /// Its scope; empty where ids are unique everywhere.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scope: String,
}

/// The label of the event that is made of it.
pub const TRIED: &str = "tried";

/// The payload of an entry said by a terminal of ours around an agent (`via` is `pty`): what stands
/// on it says something else than before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Glimpse {
    /// The runtime session; one of our own naming where nothing tells which it is.
    pub session: String,
    /// Its scope; empty where ids are unique everywhere.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scope: String,
    /// The process that runs it.
    pub process: Process,
    /// The folder it was started in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// What stands there.
    pub shows: Shows,
    /// The command that is asked about, where one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

/// What stands on an agent's terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shows {
    /// A prompt can be typed.
    Ready,
    /// The agent works.
    Working,
    /// A request to be allowed something is open.
    Approval,
    /// Another dialog is open.
    Question,
    /// Nothing that is known.
    Unclear,
    /// A word of another version.
    #[serde(untagged)]
    Unknown(String),
}

/// How a session lost its process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// The process ended.
    Died,
    /// The process lives and went on to another session.
    Left,
}

/// The path of a day's segment below our data, and whether it is compressed.
#[must_use]
pub fn segment(agent: &str, day: &str) -> String {
    format!("{FOLDER}/{agent}/{day}.jsonl")
}

/// The locator of a path below our data, if it is a segment of the journal.
#[must_use]
pub fn locator(path: &str) -> Option<String> {
    let below = path.strip_prefix(FOLDER)?.strip_prefix('/')?;
    let name = below.strip_suffix(".zst").unwrap_or(below);
    name.ends_with(".jsonl").then(|| format!("{SCHEME}:{below}"))
}

/// A locator of the journal.
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
