//! Errors of the provider, and agents that crashed.

use super::errors::Class;
use super::note::{Failure, How, Note, Says};
use super::{Context, FindingDraft, FindingKind, Standing, Thresholds, quoted, ways};
use crate::status::{Failure as Breakdown, Reading, Status};
use crate::{EventId, SessionId, Timestamp};

const GO_ON: &str = "Go on where you left off.";

/// Failures since the agent last made progress.
#[derive(Debug, Default)]
struct Trouble<'n> {
    failures: Vec<(&'n Note, &'n Failure)>,
    /// The observed end of the process.
    died: Option<&'n Note>,
    open: bool,
    /// The token count before the last automatic compaction.
    folded: Option<(u64, &'n Note)>,
    /// Attempted actions that only a person may take.
    tried: Vec<(&'n Note, &'n str)>,
    /// The agent's last report of its context use and window.
    told: Option<(Context, &'n Note)>,
}

pub(super) fn found<'n>(
    notes: impl Iterator<Item = &'n Note>,
    standing: &Standing<'_>,
    thresholds: &Thresholds,
) -> Vec<FindingDraft> {
    let mut trouble = Trouble::default();
    for note in notes {
        trouble.take(note);
    }
    let failed = trouble.failed(standing, thresholds);
    let died = trouble.lost(standing.reading);
    let context = trouble.used(standing.context);
    let context = context.and_then(|it| trouble.context(it, standing, thresholds));
    let acted = trouble.acted();
    failed.into_iter().chain(died).chain(context).chain(acted).collect()
}

impl<'n> Trouble<'n> {
    fn take(&mut self, note: &'n Note) {
        match &note.says {
            Says::Failure(failure) => self.failures.push((note, failure)),
            Says::Prompt | Says::Spoke | Says::Call(_) | Says::Answer(_) => self.got_on(),
            Says::Over(how) => {
                self.open = false;
                if *how == How::Interrupted {
                    self.failures.clear();
                }
            }
            Says::Folded(before) => {
                self.folded = before.map(|it| (it, note)).or(self.folded);
                self.failures.retain(|(_, it)| it.class != Class::Context);
            }
            Says::Began => self.died = None,
            Says::Ended => self.open = false,
            Says::Died => self.died = Some(note),
            Says::Context { used, window } => {
                let told = Context { used: *used, at: note.at, window: Some(*window) };
                self.told = Some((told, note));
            }
            Says::Tried(what) => self.tried.push((note, what)),
            Says::AskedApproval | Says::Asked => {}
        }
    }

    /// The agent tried to act as the user. This finding never ends, and covers all attempts.
    fn acted(&self) -> Option<FindingDraft> {
        let (first, what) = self.tried.first()?;
        let ids: Vec<EventId> = self.tried.iter().map(|(note, _)| note.id).collect();
        let says = match self.tried.len() {
            1 => format!("{}, and was refused.", quoted(what)),
            many => format!("{}, and was refused; {many} attempts in all.", quoted(what)),
        };
        Some(FindingDraft::new(FindingKind::AgentActed, first.at, &ids, says))
    }

    fn got_on(&mut self) {
        self.failures.clear();
        self.died = None;
        self.open = true;
    }

    /// The session lost its process, according to its status, and an event shows it: a finding
    /// needs an event.
    fn lost(&self, reading: &Reading) -> Option<FindingDraft> {
        let died = self.died?;
        let says = match reading.failure? {
            Breakdown::Crashed if self.open => "Its process ended in the middle of a turn.",
            Breakdown::Crashed => "Its process ended, and the agent did not end the session.",
            Breakdown::Lost | Breakdown::GaveUp => return None,
        };
        let found =
            FindingDraft::new(FindingKind::ProviderCrash, died.at, &[died.id], says.to_owned());
        Some(found.likely())
    }

    /// The agent gave up, or retried too many times. The last failure gives the kind.
    fn failed(&self, standing: &Standing<'_>, thresholds: &Thresholds) -> Option<FindingDraft> {
        let (_, last) = self.failures.last()?;
        let same: Vec<_> = self.failures.iter().filter(|(_, it)| it.class == last.class).collect();
        let gave_up = same.iter().find(|(_, it)| !it.retrying).map(|(note, _)| note.at);
        let tried = thresholds.retries.checked_sub(1).and_then(|it| same.get(it));
        let since: Timestamp = gave_up.or_else(|| tried.map(|(note, _)| note.at))?;
        let ids: Vec<EventId> = same.iter().map(|(note, _)| note.id).collect();
        let (kind, what, proposal) = told(last.class);
        let tries = gave_up.is_none() && standing.reading.status == Status::Running;
        let how = if tries { "keeps trying" } else { "gave up" };
        let words = quoted(&last.words);
        let rest = if tries { String::new() } else { next_step(last.class, standing.session) };
        let words = if rest.is_empty() { &words } else { words.trim_end_matches('.') };
        let says = format!("{what}, and the agent {how}: {words}{rest}");
        let found = FindingDraft::new(kind, since, &ids, says);
        let found = if last.class == Class::Other { found.likely() } else { found };
        Some(match proposal.filter(|_| !tries) {
            Some(proposal) => found.proposing(proposal),
            None => found,
        })
    }

    /// The context use: the latest report counts, and a known window size stays known.
    fn used(&self, counted: Option<Context>) -> Option<Context> {
        let Some((told, _)) = self.told else { return counted };
        let later = counted.filter(|it| it.at > told.at);
        Some(later.map_or(told, |it| Context { window: told.window, ..it }))
    }

    /// The context is nearly full, by the window's size or by the last automatic compaction.
    fn context(
        &self,
        context: Context,
        standing: &Standing<'_>,
        thresholds: &Thresholds,
    ) -> Option<FindingDraft> {
        // Use from before a compaction does not count.
        let folded = self.folded;
        if folded.is_some_and(|(_, note)| context.at <= note.at) {
            return None;
        }
        let window = context.window.or(folded.map(|(before, _)| before)).filter(|it| *it > 0)?;
        let percent = context.used.saturating_mul(100) / window;
        if percent < thresholds.context_percent {
            return None;
        }
        let told = self.told.map(|(_, note)| note.id);
        let ids: Vec<EventId> = folded.iter().map(|(_, note)| note.id).chain(told).collect();
        let says = format!("{} of {window} tokens of its context are used.", context.used);
        let since = standing.reading.since;
        let found = FindingDraft::new(FindingKind::ContextNearlyFull, since, &ids, says);
        Some(if context.window.is_some() { found } else { found.likely() })
    }
}

/// What a person may do about a limit that stopped the session.
fn next_step(class: Class, session: SessionId) -> String {
    match class {
        Class::Quota | Class::Rate => {
            format!("; next: {} or {}", ways::wait(session), ways::hand_over(session, None))
        }
        Class::Context | Class::Auth | Class::Provider | Class::Network | Class::Other => {
            String::new()
        }
    }
}

fn told(class: Class) -> (FindingKind, &'static str, Option<&'static str>) {
    match class {
        Class::Context => {
            let proposal = "Your context is full. Compact it, then go on where you left off.";
            (FindingKind::ContextNearlyFull, "Its context is full", Some(proposal))
        }
        Class::Quota => (FindingKind::RateLimit, "Its quota is used up", None),
        Class::Rate => {
            (FindingKind::RateLimit, "It is limited in how often it may ask", Some(GO_ON))
        }
        Class::Auth => (FindingKind::AuthFailure, "Authentication failed", None),
        Class::Provider => (FindingKind::ProviderCrash, "Its provider broke down", Some(GO_ON)),
        Class::Network => {
            (FindingKind::NetworkFailure, "Its provider could not be reached", Some(GO_ON))
        }
        Class::Other => (FindingKind::ProviderCrash, "It met an error", Some(GO_ON)),
    }
}
