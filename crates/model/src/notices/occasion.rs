//! The occasions for notices about one session, from its status and findings.

use super::{FRESH, NoticeKind, STILL, after, words};
use crate::approval::ApprovalId;
use crate::findings::{Finding, FindingKind};
use crate::rules::RiskLevel;
use crate::status::{Reading, Status, StatusRule, WaitingKind};
use crate::{Confidence, SessionId, Timestamp, TurnId};
use std::collections::BTreeSet;

/// A reason to notify a person about a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occasion {
    /// Its identifiers, the most specific first. Occasions that share a name are the same.
    pub names: Vec<String>,
    /// The session.
    pub session: SessionId,
    /// The kind.
    pub kind: NoticeKind,
    /// The session's project, or its agent.
    pub label: String,
    /// One line, redacted and safe to show.
    pub says: String,
    /// The request for approval, if it is one.
    pub approval: Option<ApprovalId>,
    /// When it stops being news.
    pub until: Option<Timestamp>,
}

/// Whether the user wants a kind of notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Wanted.
    Yes,
    /// Not wanted.
    No,
}

/// The kinds of notices the user wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wishes {
    /// Sessions that wait for an approval or an answer.
    pub waiting: Wanted,
    /// Sessions that wait for the approval of something risky.
    pub risky: Wanted,
    /// Long jobs that finished.
    pub finished: Wanted,
    /// Turns that ended, however short.
    pub input: Wanted,
    /// Findings of these kinds.
    pub findings: BTreeSet<String>,
}

impl Default for Wishes {
    fn default() -> Self {
        let (waiting, risky, finished) = (Wanted::Yes, Wanted::Yes, Wanted::Yes);
        // Every answer in a conversation ends a turn.
        Self { waiting, risky, finished, input: Wanted::No, findings: BTreeSet::new() }
    }
}

/// A session as notices need it.
#[derive(Debug, Clone, Copy)]
pub struct SessionView<'a> {
    /// The session.
    pub session: SessionId,
    /// Its project, or its agent.
    pub label: &'a str,
    /// The status.
    pub reading: &'a Reading,
    /// Requests that can still be answered, the oldest first: id, risk and command.
    pub requests: &'a [(ApprovalId, String, String)],
    /// The session's findings.
    pub findings: &'a [Finding],
    /// The current turn, if known.
    pub turn: Option<TurnId>,
}

/// All current occasions of a session. A guess does not justify alerting a person.
#[must_use]
pub fn occasions(view: &SessionView<'_>, wishes: &Wishes) -> Vec<Occasion> {
    let mut out = waits(view);
    out.extend(asks(view));
    out.extend(view.findings.iter().filter_map(|it| found(view, it, wishes)));
    out.retain(|it| wishes.want(it.kind));
    if wishes.input == Wanted::Yes && !out.iter().any(|it| it.kind == NoticeKind::Finished) {
        out.extend(awaits_prompt(view));
    }
    out
}

impl Wishes {
    fn want(&self, kind: NoticeKind) -> bool {
        let wanted = match kind {
            // A user who wants all waiting sessions also wants the risky ones.
            NoticeKind::Risky if self.risky == Wanted::No => self.waiting,
            NoticeKind::Risky => self.risky,
            NoticeKind::Waiting => self.waiting,
            NoticeKind::Finished => self.finished,
            NoticeKind::Input => self.input,
            NoticeKind::Finding => Wanted::Yes,
        };
        wanted == Wanted::Yes
    }
}

fn is_sure(confidence: &Confidence) -> bool {
    matches!(confidence, Confidence::High | Confidence::Medium)
}

/// The requests a session waits for, each by its own id; without known requests, the wait itself.
fn waits(view: &SessionView<'_>) -> Vec<Occasion> {
    let reading = view.reading;
    if reading.status != Status::WaitingApproval || !is_sure(&reading.confidence) {
        return Vec::new();
    }
    let wait = format!("wait:{}:{}", view.session, reading.since.as_millisecond());
    let text = reading.waiting_for.as_ref().map(|it| it.text.as_str()).unwrap_or_default();
    let is_risky = view.findings.iter().any(|it| it.kind == FindingKind::RiskyApproval);
    let Some((first, rest)) = view.requests.split_first() else {
        return vec![request(view, vec![wait], is_risky, text)];
    };
    let named = |id: &ApprovalId| format!("approval:{id}");
    let high = |risk: &str| risk == RiskLevel::High.as_str();
    let (id, risk, command) = first;
    // The wait in the status began with the oldest request.
    let it = request(view, vec![named(id), wait], is_risky || high(risk), command);
    let mut out = vec![Occasion { approval: Some(id.clone()), ..it }];
    out.extend(rest.iter().map(|(id, risk, text)| {
        let it = request(view, vec![named(id)], high(risk), text);
        Occasion { approval: Some(id.clone()), ..it }
    }));
    out
}

fn request(view: &SessionView<'_>, names: Vec<String>, is_risky: bool, text: &str) -> Occasion {
    let kind = if is_risky { NoticeKind::Risky } else { NoticeKind::Waiting };
    occasion(view, names, (kind, view.reading.since), &words::asks(text))
}

fn asks(view: &SessionView<'_>) -> Option<Occasion> {
    let reading = view.reading;
    let asks = reading.waiting_for.as_ref().filter(|it| it.kind == WaitingKind::Question)?;
    let is_so = reading.status == Status::Waiting && is_sure(&reading.confidence);
    let name = format!("question:{}:{}", view.session, reading.since.as_millisecond());
    is_so.then(|| occasion(view, vec![name], (NoticeKind::Waiting, reading.since), &asks.text))
}

/// A turn that ended by itself or with an error. A person who stopped it, or who has just started the
/// agent, is present.
fn awaits_prompt(view: &SessionView<'_>) -> Option<Occasion> {
    let reading = view.reading;
    let waits = reading.waiting_for.as_ref().is_some_and(|it| it.kind == WaitingKind::Prompt);
    let ended = matches!(
        reading.rule,
        StatusRule::TurnOver | StatusRule::TurnFailed | StatusRule::AgentQuiet
    );
    let is_so = reading.status == Status::Waiting && is_sure(&reading.confidence);
    let says = "Its turn ended, and it waits for your next prompt.";
    let what = (NoticeKind::Input, reading.since);
    (waits && ended && is_so)
        .then(|| occasion(view, of_turn(view, "input", reading.since), what, says))
}

/// The names of the end of a turn. The turn itself, if known, is announced once only.
fn of_turn(view: &SessionView<'_>, what: &str, at: Timestamp) -> Vec<String> {
    let turn = view.turn.map(|it| format!("turn:{}:{it}", view.session));
    let named = format!("{what}:{}:{}", view.session, at.as_millisecond());
    turn.into_iter().chain([named]).collect()
}

fn found(view: &SessionView<'_>, finding: &Finding, wishes: &Wishes) -> Option<Occasion> {
    if !is_sure(&finding.confidence) {
        return None;
    }
    let at = finding.since.as_millisecond();
    let named = |what: &str| format!("{what}:{}:{at}", view.session);
    if finding.kind == FindingKind::Finished {
        let names = of_turn(view, "finished", finding.since);
        let done = (NoticeKind::Finished, finding.since);
        return Some(occasion(view, names, done, &finding.says));
    }
    // The waiting occasions already cover these findings.
    let told = matches!(finding.kind, FindingKind::RiskyApproval | FindingKind::QuestionAsked);
    let kind = finding.kind.as_str();
    // An agent that acts as the user is always announced.
    let is_wanted =
        finding.kind == FindingKind::AgentActed || !told && wishes.findings.contains(kind);
    let what = (NoticeKind::Finding, finding.since);
    is_wanted.then(|| occasion(view, vec![named(kind)], what, &finding.says))
}

fn occasion(
    view: &SessionView<'_>,
    names: Vec<String>,
    (kind, since): (NoticeKind, Timestamp),
    says: &str,
) -> Occasion {
    let (label, says) = (words::label(view.label), words::says(says));
    let news = match kind {
        NoticeKind::Finished | NoticeKind::Finding | NoticeKind::Input => FRESH,
        NoticeKind::Waiting | NoticeKind::Risky => STILL,
    };
    let until = Some(after(since, news * 1000));
    Occasion { names, session: view.session, kind, label, says, approval: None, until }
}
