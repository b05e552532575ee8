//! What a monitor would remark on a session: pure folds over its events and how it stands.
//!
//! A finding names its evidence and how sure it is, and is gone when what it says is over. It never
//! acts: it may propose a next prompt, which a person accepts or not. Ordinary work is not a finding: a
//! test that fails until it is mended, a program that is looked for and then installed, a request that
//! is tried again and answered.

mod across_sessions;
mod commands;
mod edits;
mod errors;
mod event_view;
mod fold;
mod from_status;
mod note;
mod outputs;
mod provider_errors;
mod quality;
pub mod status_line;
mod work;

pub use across_sessions::{Blocked, together, together_until};
pub use event_view::EventView;
pub use fold::{Fold, NOTES};
pub use quality::{Quality, SessionQuality, quality, total};

use crate::evidence::Life;
use crate::status::Reading;
use crate::summary::line::{fitted, plain};
use crate::words::words;
use crate::{Confidence, EventId, SessionId, Timestamp};
use serde::{Deserialize, Serialize};

/// The most pieces of evidence a finding names.
pub const EVIDENCE: usize = 8;
/// The longest sentence a finding says, in characters.
pub const SAYS_CHARS: usize = 240;
/// The longest part of it that an agent wrote, in characters.
const QUOTED_CHARS: usize = 80;

words! {
    /// What a finding is about.
    FindingKind {
        /// A turn is open, its process lives, nothing runs and nothing moves.
        Stuck = "stuck",
        /// The same is done again and again, or done and undone.
        Loop = "loop",
        /// A test fails the same way, whatever is changed.
        RepeatedTestFailure = "repeated_test_failure",
        /// Types do not fit, and it is not mended.
        TypeError = "type_error",
        /// Something that is not installed is needed.
        MissingDependency = "missing_dependency",
        /// An approval waits for long.
        ApprovalBacklog = "approval_backlog",
        /// Several sessions wait for a person at once.
        SeveralBlocked = "several_blocked",
        /// An approval is asked for something that cannot be undone.
        RiskyApproval = "risky_approval",
        /// The agent asks a person something.
        QuestionAsked = "question_asked",
        /// Two histories do not fit together.
        MergeConflict = "merge_conflict",
        /// Somebody does not let it in.
        AuthFailure = "auth_failure",
        /// It asked too much, or all it may is used up.
        RateLimit = "rate_limit",
        /// The provider cannot be reached.
        NetworkFailure = "network_failure",
        /// The provider, or the agent itself, broke down.
        ProviderCrash = "provider_crash",
        /// What the model can hold is nearly used up.
        ContextNearlyFull = "context_nearly_full",
        /// The agent tried to decide, or to change who decides.
        AgentActed = "agent_acted",
        /// A long job is done.
        Finished = "finished",
    }
}

/// A remark on a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What it is about.
    pub kind: FindingKind,
    /// The session.
    pub session_id: SessionId,
    /// Since when it is so.
    pub since: Timestamp,
    /// How sure that is.
    pub confidence: Confidence,
    /// The events it rests on, the earliest first.
    pub evidence: Vec<EventId>,
    /// In a sentence, redacted, on one line.
    pub says: String,
    /// A prompt that would help, for a person to accept.
    pub proposes: Option<String>,
}

impl Finding {
    /// The same for findings that say the same of the same occasion.
    #[must_use]
    pub fn key(&self) -> (FindingKind, SessionId, Option<EventId>) {
        (self.kind.clone(), self.session_id, self.evidence.first().copied())
    }
}

/// From when on something is worth a remark. Times are in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// An open turn in which nothing runs is silent for so long.
    pub stuck: i64,
    /// The same command failed the same way so often, with nothing done in between.
    pub same_failing: usize,
    /// The same call was answered the same way so often, with nothing else in between.
    pub same_call: usize,
    /// The same change was undone or made again so often.
    pub reversals: usize,
    /// A test failed the same way so often, whatever was changed.
    pub same_test: usize,
    /// Types did not fit the same way so often.
    pub same_types: usize,
    /// The same thing was missing so often.
    pub missing: usize,
    /// An approval waits for so long.
    pub approval: i64,
    /// So many sessions wait for a person at once,
    pub blocked: usize,
    /// each for so long.
    pub blocked_for: i64,
    /// The agent tried again so often.
    pub retries: usize,
    /// So many percent of the context are used.
    pub context_percent: u64,
    /// A turn that took so long was a job.
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

/// Whom a session works for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A person.
    Main,
    /// Another session: nobody answers it or waits for it.
    Worker,
}

/// How much of what a model can hold is used, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context {
    /// What the latest answer was made of.
    pub used: u64,
    /// When that was.
    pub at: Timestamp,
    /// What it can hold, where the agent says so.
    pub window: Option<u64>,
}

/// How a session stands, as findings need it.
#[derive(Debug, Clone, Copy)]
pub struct Standing<'a> {
    /// The session.
    pub session: SessionId,
    /// How it stands.
    pub reading: &'a Reading,
    /// Whether its process lives.
    pub life: Life,
    /// Whom it works for.
    pub role: Role,
    /// What is known of its context.
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

/// A finding that does not name its session yet.
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
        // The first tells findings apart, and the latest are what a person looks at.
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
        let says = fitted(&plain(&says), SAYS_CHARS);
        Finding { kind, session_id, since, confidence, evidence, says, proposes }
    }
}

/// What an agent wrote, on one line, redacted and short.
fn quoted(text: &str) -> String {
    fitted(&plain(text), QUOTED_CHARS)
}

/// An instant so many seconds later.
fn later(at: Timestamp, seconds: i64) -> Option<Timestamp> {
    let at = at.as_millisecond().saturating_add(seconds.saturating_mul(1000));
    Timestamp::from_millisecond(at).ok()
}
