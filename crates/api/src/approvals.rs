//! Requests to be allowed something, as they are asked, listed and decided.

use crate::schema;
use serde::{Deserialize, Serialize};
use taffrail_model::approval::{Approval, ApprovalId, Decision, Outcome, State};
use taffrail_model::{AgentId, Confidence, SessionId, Timestamp};
use utoipa::{IntoParams, ToSchema};

/// A request, as a hook hands it to the desk.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DeskBody {
    /// Tells this call of the hook from every other.
    pub nonce: String,
    /// When it was made.
    #[schema(value_type = schema::Instant)]
    pub asked_at: Timestamp,
    /// The agent.
    pub agent: String,
    /// The runtime session.
    pub session: String,
    /// Its scope.
    pub scope: String,
    /// The tool.
    pub tool: String,
    /// The shell command, if the tool runs one.
    pub command: Option<String>,
    /// What is asked for, in a line.
    pub says: String,
    /// The mark of the exact input.
    pub input_hash: String,
    /// The folder it works in.
    pub project: Option<String>,
    /// Files the tool names.
    pub files: Vec<String>,
    /// Nobody sits at the agent.
    pub unattended: bool,
}

/// What a hook is told: a decision, or nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeskReply {
    /// What was decided, if anything.
    #[schema(value_type = Option<String>)]
    pub decision: Option<Decision>,
    /// What the agent is told with a refusal.
    pub reason: Option<String>,
}

/// Which requests are wanted.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ApprovalsQuery {
    /// Those that are over, too.
    #[serde(default)]
    pub all: bool,
}

/// A decision on a request.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DecisionBody {
    /// `allow` or `deny`.
    pub decision: Allowed,
    /// Why; an agent that is refused is told.
    #[serde(default)]
    pub reason: Option<String>,
    /// The face it was decided on.
    #[serde(default)]
    pub by: Option<String>,
}

/// What may be decided from outside; there is no third word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Allowed {
    /// It may be done.
    Allow,
    /// It may not.
    Deny,
}

impl From<Allowed> for Decision {
    fn from(it: Allowed) -> Self {
        match it {
            Allowed::Allow => Self::Allow,
            Allowed::Deny => Self::Deny,
        }
    }
}

/// Requests to be allowed something.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Approvals {
    /// The version of this document.
    pub schema_version: u32,
    /// The oldest first.
    pub approvals: Vec<ApprovalRow>,
}

/// A request to be allowed something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ApprovalRow {
    /// Its name.
    #[schema(value_type = String)]
    pub id: ApprovalId,
    /// The session that asks; a worker's own.
    #[schema(value_type = schema::SessionId)]
    pub session_id: SessionId,
    /// The agent.
    #[schema(value_type = String)]
    pub agent: AgentId,
    /// The tool, as the agent names it.
    pub tool: String,
    /// The command, or what else is asked for in a line.
    pub command: String,
    /// A mark of the exact input.
    pub input_hash: String,
    /// How risky it looks: `low`, `medium` or `high`.
    pub risk: String,
    /// `pending`, `decided`, `dialog_only` or `expired`.
    #[schema(value_type = String)]
    pub state: State,
    /// `taken`, `overtaken`, `unconfirmed` or `void`, where it is over.
    #[schema(value_type = Option<String>)]
    pub outcome: Option<Outcome>,
    /// When it was asked.
    #[schema(value_type = schema::Instant)]
    pub asked_at: Timestamp,
    /// When the agent stops waiting for an answer from here.
    #[schema(value_type = schema::Instant)]
    pub expires_at: Timestamp,
    /// Who told of it, the first one first; `pty` for what was only read from a screen.
    pub sources: Vec<String>,
    /// How sure it is that this is asked; nothing is decided by what is low.
    #[schema(value_type = schema::Confidence)]
    pub confidence: Confidence,
    /// The other device that asks; none for this one.
    #[serde(default)]
    pub device: Option<String>,
}

impl From<Approval> for ApprovalRow {
    fn from(it: Approval) -> Self {
        Self {
            id: it.id,
            session_id: it.session_id,
            agent: it.agent,
            tool: it.tool,
            command: it.command,
            input_hash: it.input_hash,
            risk: it.risk,
            state: it.state,
            outcome: it.outcome,
            asked_at: it.asked_at,
            expires_at: it.expires_at,
            sources: it.sources,
            confidence: Confidence::High,
            device: None,
        }
    }
}

/// Every decision there was.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Decisions {
    /// The version of this document.
    pub schema_version: u32,
    /// The oldest first.
    pub decisions: Vec<DecisionRow>,
}

/// A decision, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DecisionRow {
    /// The request.
    #[schema(value_type = String)]
    pub approval_id: ApprovalId,
    /// The session that asked.
    #[schema(value_type = schema::SessionId)]
    pub session_id: SessionId,
    /// What was asked for.
    pub command: String,
    /// `allow`, `deny`, or the agent's own word.
    #[schema(value_type = String)]
    pub decision: Decision,
    /// By whom.
    pub by: String,
    /// Why, if anybody said.
    pub why: Option<String>,
    /// The rule, if it was one.
    pub rule: Option<String>,
    /// When.
    #[schema(value_type = schema::Instant)]
    pub at: Timestamp,
    /// The mark of the exact input.
    pub input_hash: String,
    /// What became of it, as far as it is known.
    #[schema(value_type = Option<String>)]
    pub outcome: Option<Outcome>,
}

impl DecisionRow {
    /// The decision on a request, if there is one.
    #[must_use]
    pub fn of(it: Approval) -> Option<Self> {
        let verdict = it.verdict?;
        Some(Self {
            approval_id: it.id,
            session_id: it.session_id,
            command: it.command,
            decision: verdict.decision,
            by: verdict.by,
            why: verdict.why,
            rule: verdict.rule,
            at: verdict.at,
            input_hash: it.input_hash,
            outcome: it.outcome,
        })
    }
}
