//! Approvals: an agent's requests for permission, each with its one decision.
//!
//! A request is a row that changes with each happening. Taffrail sends at most one decision, and it
//! reports an outcome only as the agent's own record shows it.

mod attach;
mod moves;

pub use crate::ids::ApprovalId;
pub use attach::{Call, attach};
pub use moves::{Happening, Settler};

use crate::caller::Who;
use crate::words::words;
use crate::{AgentId, RuntimeSessionId, SessionId, Timestamp, hash};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The longest command stored with a request, in bytes; the input hash covers the whole command.
pub const COMMAND_BYTES: usize = 64 * 1024;

words! {
    /// The state of a request.
    State {
        /// The hook is connected and waits.
        Pending = "pending",
        /// The request was decided, here or at the agent.
        Decided = "decided",
        /// The hook is gone; only the agent's own dialog, if it is still open, can answer.
        DialogOnly = "dialog_only",
        /// The request can no longer be answered.
        Expired = "expired",
    }
}

words! {
    /// What happened to a decision, as far as it is known.
    Outcome {
        /// The agent reports that it followed our decision.
        Taken = "taken",
        /// The agent reports that someone decided at the agent.
        Overtaken = "overtaken",
        /// We delivered the decision, and the agent has not reported what it did.
        Unconfirmed = "unconfirmed",
        /// There was no decision: the session ended or the request timed out.
        Void = "void",
    }
}

words! {
    /// A decision about a request.
    Decision {
        /// The request is allowed.
        Allow = "allow",
        /// The request is denied.
        Deny = "deny",
    }
}

/// Whether a word for a decision, ours or an agent's, refuses what was asked for, and no rule of the
/// agent did.
#[must_use]
pub fn is_denial(decision: &str) -> bool {
    let word = decision.to_ascii_lowercase();
    let refuses = ["deny", "denied", "reject", "declin"].iter().any(|it| word.starts_with(it));
    refuses && !word.contains("rule")
}

/// A decision and its author.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The decision.
    pub decision: Decision,
    /// The author: one of our surfaces, a rule, or someone at the agent.
    pub by: String,
    /// The reason, if one was given.
    pub why: Option<String>,
    /// The rule, if a rule decided.
    pub rule: Option<String>,
    /// When.
    pub at: Timestamp,
    /// The caller, as far as it is known; `None` for a rule and for a decision the agent reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub who: Option<Who>,
}

impl Verdict {
    /// Whether the verdict contains a decision.
    #[must_use]
    pub fn is_known(&self) -> bool {
        matches!(self.decision, Decision::Allow | Decision::Deny)
    }
}

/// An agent's request for permission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// The id of the request.
    pub id: ApprovalId,
    /// The session that asks; a sub-agent has its own.
    pub session_id: SessionId,
    /// The agent.
    pub agent: AgentId,
    /// The agent's own id of the session.
    pub runtime_session_id: RuntimeSessionId,
    /// The scope of that id; empty where ids are unique everywhere.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scope: String,
    /// The tool, as the agent names it.
    pub tool: String,
    /// The command, or a one-line description of the request.
    pub command: String,
    /// The stored command was cut, so nobody saw all of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// A hash of the exact input.
    pub input_hash: String,
    /// The estimated risk.
    pub risk: String,
    /// The state of the request.
    pub state: State,
    /// The outcome, once the request is closed.
    pub outcome: Option<Outcome>,
    /// When the agent asked.
    pub asked_at: Timestamp,
    /// When the agent stops waiting for our answer.
    pub expires_at: Timestamp,
    /// The sources that reported the request, the first one first.
    pub sources: Vec<String>,
    /// The agent's own id of the call, once it is known.
    pub call: Option<String>,
    /// The decision, if there is one.
    pub verdict: Option<Verdict>,
}

impl Approval {
    /// Whether the request can still be answered, here or at the agent.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.state, State::Pending | State::DialogOnly)
    }

    /// Whether the outcome can still become known.
    #[must_use]
    pub fn is_followed(&self) -> bool {
        self.is_open() || self.outcome == Some(Outcome::Unconfirmed) || self.lacks_decision()
    }

    /// Whether someone decided at the agent and the agent has not reported the decision.
    #[must_use]
    pub fn lacks_decision(&self) -> bool {
        self.outcome == Some(Outcome::Overtaken)
            && self.verdict.as_ref().is_some_and(|it| !it.is_known())
    }
}

/// A hash that is equal for the same tool and input, whatever the order of the fields. A field that
/// only explains the request does not count.
#[must_use]
pub fn input_mark(tool: &str, mut input: Value) -> String {
    if let Value::Object(fields) = &mut input {
        fields.remove("description");
    }
    let mark = hash::digest("tool-input", &[tool.as_bytes(), input.to_string().as_bytes()]);
    hash::to_hex(&mark)
}
