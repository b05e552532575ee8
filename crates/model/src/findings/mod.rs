//! Findings: problems a monitor reports about a session, as pure folds over its events and status.
//!
//! A finding names its evidence and its confidence, and disappears when its cause does. It never
//! acts: it may propose a next prompt, which a person accepts or not. Ordinary work does not cause
//! findings: a test that fails until it is fixed, a missing program that is then installed, a
//! request that is retried and succeeds.

mod across_sessions;
mod budget;
mod commands;
mod edits;
mod errors;
mod event_view;
mod fold;
mod from_status;
mod note;
mod outcome;
mod outputs;
mod provider_errors;
mod quality;
mod quota;
pub mod status_line;
mod ways;
mod work;

pub use across_sessions::{Blocked, together, together_until};
pub use budget::nearly_spent;
pub use event_view::EventView;
pub use fold::{Fold, NOTES};
pub use outcome::{Effect, Outcome};
pub use outputs::telling_line;
pub use quality::{
    Place, Quality, QualityFold, SessionQuality, Step, TooLate, quality, step, total,
};
pub use quota::{nearly_used_up, used_up_until};

use crate::evidence::Life;
use crate::status::Reading;
use crate::summary::line::{fitted, fitted_around_commands, plain};
use crate::words::words;
use crate::{Confidence, EventId, SessionId, Timestamp};
use serde::{Deserialize, Serialize};

/// The most events a finding cites.
pub const EVIDENCE: usize = 8;
/// The longest sentence of a finding, in characters.
pub const SAYS_CHARS: usize = 240;
/// The longest quotation from an agent in it, in characters.
const QUOTED_CHARS: usize = 80;

words! {
    /// The kind of a finding.
    FindingKind {
        /// A turn is open, its process is alive, nothing runs and nothing happens.
        Stuck = "stuck",
        /// The agent repeats an action, or does and undoes it.
        Loop = "loop",
        /// A test keeps failing the same way, whatever changes.
        RepeatedTestFailure = "repeated_test_failure",
        /// A type error remains unfixed.
        TypeError = "type_error",
        /// A dependency is not installed.
        MissingDependency = "missing_dependency",
        /// An approval has waited for a long time.
        ApprovalBacklog = "approval_backlog",
        /// Several sessions wait for a person at once.
        SeveralBlocked = "several_blocked",
        /// An approval for something irreversible is pending.
        RiskyApproval = "risky_approval",
        /// The agent asks a person a question.
        QuestionAsked = "question_asked",
        /// A merge conflict.
        MergeConflict = "merge_conflict",
        /// Authentication failed.
        AuthFailure = "auth_failure",
        /// The agent is rate-limited, or its quota is used up.
        RateLimit = "rate_limit",
        /// The provider is unreachable.
        NetworkFailure = "network_failure",
        /// The provider or the agent itself crashed.
        ProviderCrash = "provider_crash",
        /// The context window is nearly full.
        ContextNearlyFull = "context_nearly_full",
        /// Most of a limit of the account is used.
        Quota = "quota",
        /// A budget is nearly or wholly spent.
        Budget = "budget",
        /// The agent tried to make or change a decision that belongs to a person.
        AgentActed = "agent_acted",
        /// A long job finished.
        Finished = "finished",
    }
}

/// A problem reported about a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The kind.
    pub kind: FindingKind,
    /// The session.
    pub session_id: SessionId,
    /// When the problem began.
    pub since: Timestamp,
    /// The confidence.
    pub confidence: Confidence,
    /// The supporting events, the earliest first.
    pub evidence: Vec<EventId>,
    /// One sentence, redacted, on one line.
    pub says: String,
    /// A helpful prompt for a person to accept.
    pub proposes: Option<String>,
}

impl Finding {
    /// Equal for findings that report the same occurrence. A limit or a budget has no event, and a
    /// session may see several: the instant of passing a threshold tells them apart.
    #[must_use]
    pub fn key(&self) -> (FindingKind, SessionId, Option<EventId>, Option<Timestamp>) {
        let passed =
            matches!(self.kind, FindingKind::Quota | FindingKind::Budget).then_some(self.since);
        (self.kind.clone(), self.session_id, self.evidence.first().copied(), passed)
    }
}

/// The words of the latest finding, for a summary. The status itself says that a session asks or is
/// done.
#[must_use]
pub fn remark(findings: &[Finding]) -> Option<&str> {
    let is_told = |it: &&Finding| {
        !matches!(
            it.kind,
            FindingKind::QuestionAsked | FindingKind::Finished | FindingKind::SeveralBlocked
        )
    };
    findings.iter().filter(is_told).max_by_key(|it| it.since).map(|it| it.says.as_str())
}

/// When a condition becomes a finding. Times are in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// Silence in an open turn without a running call.
    pub stuck: i64,
    /// Identical failures of one command, with nothing done in between.
    pub same_failing: usize,
    /// Identical results of one call, with nothing else in between.
    pub same_call: usize,
    /// Times the same change was undone or redone.
    pub reversals: usize,
    /// Identical failures of one test, whatever was changed.
    pub same_test: usize,
    /// Identical type errors.
    pub same_types: usize,
    /// Times the same dependency was missing.
    pub missing: usize,
    /// How long an approval waits.
    pub approval: i64,
    /// How many sessions wait for a person at once.
    pub blocked: usize,
    /// How long each of them waits.
    pub blocked_for: i64,
    /// How many times the agent retried.
    pub retries: usize,
    /// The percentage of the context window in use.
    pub context_percent: u64,
    /// The shortest turn that counts as a job.
    pub job: i64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            stuck: 900,
            same_failing: 4,
            same_call: 6,
            reversals: 3,
            same_test: 4,
            same_types: 4,
            missing: 2,
            approval: 300,
            blocked: 3,
            blocked_for: 60,
            retries: 3,
            context_percent: 90,
            job: 60,
        }
    }
}

/// Whether a session works for a person or for another session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A person.
    Main,
    /// Another session: no person answers it or waits for it.
    Worker,
}

/// The use of a model's context window, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context {
    /// The size of the latest answer's context.
    pub used: u64,
    /// The time of that answer.
    pub at: Timestamp,
    /// The size of the window, if the agent reports it.
    pub window: Option<u64>,
}

/// A session's status, as findings need it.
#[derive(Debug, Clone, Copy)]
pub struct Standing<'a> {
    /// The session.
    pub session: SessionId,
    /// The status.
    pub reading: &'a Reading,
    /// Whether the session's process is alive.
    pub life: Life,
    /// Whom the session works for.
    pub role: Role,
    /// The context use, if known.
    pub context: Option<Context>,
}

/// The findings of a session, from its events in any order.
#[must_use]
pub fn findings<'a>(
    events: impl IntoIterator<Item = EventView<'a>>,
    standing: &Standing<'_>,
    now: Timestamp,
    thresholds: &Thresholds,
) -> Vec<Finding> {
    let mut fold = Fold::default();
    for event in events {
        fold.take(&event);
    }
    fold.findings(standing, now, thresholds)
}

/// A finding without its session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FindingDraft {
    kind: FindingKind,
    since: Timestamp,
    confidence: Confidence,
    evidence: Vec<EventId>,
    says: String,
    proposes: Option<String>,
}

impl FindingDraft {
    fn new(kind: FindingKind, since: Timestamp, evidence: &[EventId], says: String) -> Self {
        // The first event identifies a finding, and a person looks at the latest ones.
        let late = evidence.len().saturating_sub(EVIDENCE - 1).max(1);
        let latest = evidence.iter().skip(late);
        let evidence = evidence.iter().take(1).chain(latest).copied().collect();
        let confidence = Confidence::High;
        Self { kind, since, confidence, evidence, says, proposes: None }
    }

    fn likely(self) -> Self {
        Self { confidence: Confidence::Medium, ..self }
    }

    fn proposing(self, prompt: &str) -> Self {
        Self { proposes: Some(prompt.to_owned()), ..self }
    }

    fn of(self, session_id: SessionId) -> Finding {
        let Self { kind, since, confidence, evidence, says, proposes } = self;
        let says = fitted_around_commands(&plain(&says), SAYS_CHARS);
        Finding { kind, session_id, since, confidence, evidence, says, proposes }
    }
}

/// An agent's text, redacted and shortened, on one line.
fn quoted(text: &str) -> String {
    fitted(&plain(text), QUOTED_CHARS)
}

/// The instant this many seconds later.
fn later(at: Timestamp, seconds: i64) -> Option<Timestamp> {
    let at = at.as_millisecond().saturating_add(seconds.saturating_mul(1000));
    Timestamp::from_millisecond(at).ok()
}
