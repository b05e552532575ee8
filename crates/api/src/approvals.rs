//! Requests for approval, as they are asked, listed and decided.

use crate::schema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use taffrail_model::approval::{Approval, ApprovalId, Decision, Outcome, State};
use taffrail_model::caller::{Caller, Who};
use taffrail_model::{AgentId, Confidence, SessionId, Timestamp};
use utoipa::{IntoParams, ToSchema};

/// A request, as a hook hands it to the desk.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = DeskBody)]
#[serde(deny_unknown_fields)]
pub struct ApprovalRequestBody {
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
    /// What the tool would be given.
    #[serde(default)]
    pub input: Option<ToolInput>,
    /// The pipe that asks, where an editor shows the dialog; none for a hook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipe: Option<PipeBody>,
}

/// The pipe between an editor and an agent, through which a request came and is answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PipeBody {
    /// Its process.
    pub pid: u32,
    /// When that process started, in the system's ticks.
    pub start: u64,
    /// The agent's own id of the call.
    pub call: Option<String>,
    /// Whether the agent offers to be allowed and denied once; else only the editor can answer.
    pub is_answerable: bool,
}

/// A pipe tells that a request is over for its agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PipeSettledBody {
    /// The nonce of the request.
    pub nonce: String,
    /// `editor`, `agent`, or `gone` if the agent ended.
    #[schema(value_type = String)]
    pub by: PipeSettler,
    /// What was decided, if it is known.
    #[schema(value_type = Option<String>)]
    pub decision: Option<Decision>,
}

/// Who settled a request at a pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PipeSettler {
    /// A person in the editor.
    Editor,
    /// The agent withdrew the request.
    Agent,
    /// The agent ended.
    Gone,
}

/// What a tool would be given, for a person to judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = AskedInput)]
pub struct ToolInput {
    /// The fields, by the agent's own names.
    #[schema(value_type = Object)]
    pub fields: Value,
    /// Something was too long and is not all here.
    pub cut: bool,
}

/// The answer to a hook: a decision, or nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = DeskReply)]
pub struct ApprovalReply {
    /// What was decided, if anything.
    #[schema(value_type = Option<String>)]
    pub decision: Option<Decision>,
    /// The reason that the agent receives with a denial.
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
    /// The reason; an agent whose request is denied receives it.
    #[serde(default)]
    pub reason: Option<String>,
    /// The face it was decided on.
    #[serde(default)]
    pub by: Option<String>,
    /// Allow it although not all of it is shown here.
    #[serde(default)]
    pub blind: bool,
}

/// What may be decided from outside: one of two words.
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

/// Where a request or a decision belongs: its session, that session's history, and its executor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ControlProvenance {
    /// The session, by the binding contract's name for it.
    #[schema(value_type = schema::SessionId)]
    pub repowire_session_id: SessionId,
    /// The agent's own session id.
    pub runtime_session_id: String,
    /// The locator of the session's history; none where its agent shows no history.
    pub runtime_source_uri: Option<String>,
    /// The executor that runs the session, or ran it last; none where it is not known.
    pub peer_id: Option<String>,
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
    /// The folder the session works in, where it is known.
    #[serde(default)]
    pub project_path: Option<String>,
    /// The agent.
    #[schema(value_type = String)]
    pub agent: AgentId,
    /// The tool, as the agent names it.
    pub tool: String,
    /// The command, or what else is asked for in a line.
    pub command: String,
    /// The command is longer than what is here.
    #[serde(default)]
    pub truncated: bool,
    /// Something in the command is hidden here: it looked like a secret on the device that asks.
    #[serde(default)]
    pub redacted: bool,
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
    /// Who reported it, the first one first; `pty` for what was only read from a screen.
    pub sources: Vec<String>,
    /// How sure it is that this is asked; nothing is decided by what is low.
    #[schema(value_type = schema::Confidence)]
    pub confidence: Confidence,
    /// The other device that asks; none for this one.
    #[serde(default)]
    pub device: Option<String>,
    /// What the tool would be given; only while the request is open, and not for another device's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<ToolInput>,
    /// The session's history and executor; none where the session is not indexed.
    #[serde(default)]
    pub provenance: Option<ControlProvenance>,
}

impl From<Approval> for ApprovalRow {
    fn from(it: Approval) -> Self {
        Self {
            id: it.id,
            session_id: it.session_id,
            project_path: None,
            agent: it.agent,
            tool: it.tool,
            command: it.command,
            truncated: it.truncated,
            redacted: false,
            input_hash: it.input_hash,
            risk: it.risk,
            state: it.state,
            outcome: it.outcome,
            asked_at: it.asked_at,
            expires_at: it.expires_at,
            sources: it.sources,
            confidence: Confidence::High,
            device: None,
            input: None,
            provenance: None,
        }
    }
}

/// Something that a program of ours refused to do.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AttemptBody {
    /// What was tried, in a word.
    pub what: String,
    /// The request it was about.
    #[serde(default)]
    pub approval_id: Option<String>,
}

/// Something that somebody tried and may not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AttemptRow {
    /// What was tried: a command of ours, or a route of the API.
    pub what: String,
    /// `agent` or `unknown`.
    #[schema(value_type = String)]
    pub caller: Caller,
    /// The request it was about.
    #[schema(value_type = Option<String>)]
    pub approval_id: Option<ApprovalId>,
    /// The session it came from, where that is known.
    #[schema(value_type = Option<schema::SessionId>)]
    pub session_id: Option<SessionId>,
    /// The process that called.
    pub pid: Option<u32>,
    /// The agent's program, or else that of the process.
    pub program: String,
    /// The programs above it with their processes, the nearest first.
    pub chain: Vec<String>,
    /// Why it was taken for that.
    pub because: String,
    /// When.
    #[schema(value_type = schema::Instant)]
    pub at: Timestamp,
}

/// Whether the log is what was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogCheck {
    /// The version of this document.
    pub schema_version: u32,
    /// Every entry follows from the one before it, and the end is the one that was written down.
    pub valid: bool,
    /// The entries that are good, from the first on.
    pub entries: u64,
    /// The first entry that is not what was written.
    pub broken_at: Option<u64>,
    /// Requests whose decision is another than the log has.
    pub differing: Vec<String>,
    /// The end has a signature that is not this device's.
    pub forged: bool,
    /// The device that signed the end, where one did and its signature holds.
    pub signed_by: Option<String>,
}

/// Every decision there was.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Decisions {
    /// The version of this document.
    pub schema_version: u32,
    /// The oldest first.
    pub decisions: Vec<DecisionRow>,
    /// What somebody tried and may not, the oldest first.
    #[serde(default)]
    pub attempts: Vec<AttemptRow>,
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
    /// `person`, `agent` or `unknown`, as it was seen; none for a rule and for what the agent says.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    pub caller: Option<Caller>,
    /// The process, its terminal and what is above it, where it was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub seen: Option<Who>,
    /// The session's history and executor; none where the session is not indexed.
    #[serde(default)]
    pub provenance: Option<ControlProvenance>,
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
            caller: verdict.who.as_ref().map(|it| it.caller),
            seen: verdict.who,
            provenance: None,
        })
    }
}
