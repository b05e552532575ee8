//! Approvals: what an agent asks to be allowed, and its one decision.
//!
//! A request is a row that moves by what happens to it. At most one decision is ever let out, and
//! what is said of its outcome is only what the agent's own record says.

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

/// The longest command that is kept with a request, in bytes; its mark speaks for the whole.
pub const COMMAND_BYTES: usize = 64 * 1024;

words! {
    /// How a request stands.
    State {
        /// Its hook is connected and waits.
        Pending = "pending",
        /// It was decided, by whomever.
        Decided = "decided",
        /// Its hook is gone; only the agent's own dialog, if it is still open, can answer.
        DialogOnly = "dialog_only",
        /// Nobody will answer it any more.
        Expired = "expired",
    }
}

words! {
    /// What became of a decision, as far as it is known.
    Outcome {
        /// The agent says that it followed ours.
        Taken = "taken",
        /// The agent says that somebody at the agent decided.
        Overtaken = "overtaken",
        /// It was handed over, and the agent has not said what it did.
        Unconfirmed = "unconfirmed",
        /// There was none: the session ended, or the time was up.
        Void = "void",
    }
}

words! {
    /// What was decided.
    Decision {
        /// It may be done.
        Allow = "allow",
        /// It may not.
        Deny = "deny",
    }
}

/// A decision, and who stands for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// What was decided.
    pub decision: Decision,
    /// By whom: a face of ours, a rule, or somebody at the agent.
    pub by: String,
    /// Why, if anybody said.
    pub why: Option<String>,
    /// The rule, if it was one.
    pub rule: Option<String>,
    /// When.
    pub at: Timestamp,
    /// Who that was, as far as it was seen; none for a rule and for what the agent itself says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub who: Option<Who>,
}

impl Verdict {
    /// It says what was decided.
    #[must_use]
    pub fn is_known(&self) -> bool {
        matches!(self.decision, Decision::Allow | Decision::Deny)
    }
}

/// A request by an agent to be allowed something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// Its name.
    pub id: ApprovalId,
    /// The session that asks; a worker's own.
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
    /// The command, or what else is asked for in a line.
    pub command: String,
    /// It is longer than what is kept of it: nobody has seen all of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// A mark of the exact input.
    pub input_hash: String,
    /// How risky it looks.
    pub risk: String,
    /// How it stands.
    pub state: State,
    /// What became of it, where it is over.
    pub outcome: Option<Outcome>,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// When the agent stops waiting for an answer from here.
    pub expires_at: Timestamp,
    /// Who told of it, the first one first.
    pub sources: Vec<String>,
    /// The agent's own id of the call, once it is known.
    pub call: Option<String>,
    /// The decision, if there is one.
    pub verdict: Option<Verdict>,
}

impl Approval {
    /// It may still be answered, here or at the agent.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.state, State::Pending | State::DialogOnly)
    }

    /// What becomes of it may still be learned.
    #[must_use]
    pub fn is_followed(&self) -> bool {
        self.is_open() || self.outcome == Some(Outcome::Unconfirmed) || self.lacks_decision()
    }

    /// It was decided at the agent, and the agent has not said how.
    #[must_use]
    pub fn lacks_decision(&self) -> bool {
        self.outcome == Some(Outcome::Overtaken)
            && self.verdict.as_ref().is_some_and(|it| !it.is_known())
    }
}

/// Equal for the same tool with the same input, however its fields are ordered. What a request adds
/// to explain itself is not a part of it.
#[must_use]
pub fn input_mark(tool: &str, mut input: Value) -> String {
    if let Value::Object(fields) = &mut input {
        fields.remove("description");
    }
    let mark = hash::digest("tool-input", &[tool.as_bytes(), input.to_string().as_bytes()]);
    hash::to_hex(&mark)
}
