//! The state that evidence adds up to, independent of the current time.

use super::WaitingKind;
use super::mark::{LAG_MS, Mark, is_live, is_timely, ms};
use super::order::in_order;
use super::pending::{Call, Pending, linked};
use super::turn::{End, How, Over, Turn};
use crate::evidence::{Evidence, Life};
use crate::{Confidence, Origin, Signal, Timestamp};

/// A reminder about a dialog comes at most this many milliseconds after the dialog.
const REMINDER_MS: i64 = 15_000;

/// The state that evidence adds up to.
#[derive(Debug, Default)]
pub(super) struct Fold {
    pub(super) turn: Turn,
    pub(super) calls: Vec<Call>,
    pub(super) pending: Vec<Pending>,
    /// Work that continues after its turn.
    pub(super) background: Option<Mark>,
    pub(super) compacting: Option<Mark>,
    pub(super) end: Option<End>,
    /// The latest evidence.
    pub(super) moved: Option<Mark>,
    /// The latest evidence of work.
    pub(super) output: Option<Mark>,
    /// That evidence is from a hook that cannot report when the work stops.
    pub(super) is_doubted: bool,
    /// The latest evidence from a source other than a transcript.
    pub(super) live: Option<Mark>,
    /// The latest evidence from a hook.
    pub(super) hooked: Option<Mark>,
    /// The agent's own list reports that it is busy.
    pub(super) listed_busy: Option<Mark>,
    /// What our terminal shows.
    pub(super) screen: Option<Screen>,
    /// Whether any source but our terminal reported.
    pub(super) is_told: bool,
    /// The latest question, or request that named its subject.
    asked: Option<Timestamp>,
}

/// What our terminal shows. It is kept apart from reports: it counts only where no other source is
/// sure.
#[derive(Debug)]
pub(super) struct Screen {
    pub(super) by: Mark,
    pub(super) says: Signal,
    pub(super) text: String,
}

impl Fold {
    /// Folds evidence in the order of its own times.
    pub(super) fn of(evidence: &[Evidence], life: Life) -> Self {
        let mut fold = Self::default();
        for (place, it) in in_order(evidence) {
            // If a process is alive, the one that ended was an earlier one.
            if it.says != Signal::Died || life != Life::Alive {
                fold.take(it, Mark { at: it.at, place });
            }
        }
        fold
    }

    fn take(&mut self, it: &Evidence, mark: Mark) {
        if it.source == Origin::Pty {
            return self.shown(it, mark);
        }
        if let Some(end) = self.end {
            if !revives(it, end.by.at) {
                return;
            }
            let (live, hooked) = (self.live, self.hooked);
            *self = Self { live, hooked, ..Self::default() };
        }
        self.note(it, mark);
        match &it.says {
            Signal::Started | Signal::TookOver => self.started(it, mark),
            Signal::Prompted => self.prompted(it, mark),
            Signal::Busy => self.busy(it, mark),
            Signal::Called { call, input } => self.called(it, mark, (call, input)),
            Signal::Answered { call } => self.answered(it, mark, call),
            Signal::AskedApproval { input } => self.asked_approval(it, mark, input),
            Signal::Settled { call, input } => self.settled(call, input),
            Signal::Asked { call, options } => self.asked(it, mark, (call, options)),
            Signal::TurnOver => self.over(it, mark, How::Stopped),
            Signal::WorkingOn => {
                self.over(it, mark, How::Stopped);
                self.background = Some(mark);
            }
            Signal::Interrupted => self.over(it, mark, How::Interrupted),
            Signal::Failed => self.over(it, mark, How::Failed),
            Signal::Quiet => self.quiet(it, mark),
            Signal::Compacting => self.compacting = Some(mark),
            Signal::Compacted => self.compacting = None,
            Signal::Ended => self.end = Some(End { by: mark, died: false }),
            Signal::Died => self.end = Some(End { by: mark, died: true }),
            Signal::Alive | Signal::Unknown(_) => {}
        }
    }

    /// Records what our terminal shows; a screen never revives a session.
    fn shown(&mut self, it: &Evidence, mark: Mark) {
        if self.end.is_some() {
            return;
        }
        self.moved = Some(mark);
        let (says, text) = (it.says.clone(), it.detail.clone());
        // A repeated screen is activity; it shows the same since its first entry.
        let is_same = self.screen.as_ref().is_some_and(|it| it.says == says && it.text == text);
        if !is_same {
            self.screen = Some(Screen { by: mark, says, text });
        }
    }

    fn note(&mut self, it: &Evidence, mark: Mark) {
        if it.says == Signal::Died {
            return;
        }
        self.is_told = true;
        self.moved = Some(mark);
        if is_live(it) {
            self.live = Some(mark);
        }
        if it.source == Origin::Hook {
            self.hooked = Some(mark);
        }
        if it.source == Origin::Registry {
            self.listed_busy = (it.says == Signal::Busy).then_some(mark);
        }
        if !matches!(it.says, Signal::Alive | Signal::Quiet | Signal::Unknown(_)) {
            self.output = Some(mark);
            self.is_doubted = it.source == Origin::Hook && it.confidence == Confidence::Low;
        }
    }

    /// A new process runs the session: requests of an earlier one are gone with it.
    fn started(&mut self, it: &Evidence, mark: Mark) {
        self.pending.clear();
        self.calls.clear();
        self.background = None;
        self.compacting = None;
        // Some agents report their start after the first prompt is already recorded.
        let is_late = |by: Mark| is_live(it) && ms(by.at, mark.at) <= LAG_MS;
        match self.turn {
            Turn::Open { by, told_live: false, .. } if is_late(by) => {}
            _ => self.turn = Turn::Fresh(mark),
        }
    }

    fn prompted(&mut self, it: &Evidence, mark: Mark) {
        self.pending.clear();
        self.compacting = None;
        self.open(it, mark);
    }

    fn busy(&mut self, it: &Evidence, mark: Mark) {
        if is_live(it) {
            self.pending.retain(|known| !is_timely(it, known.by.at));
        }
        if self.may_open(it) {
            self.open(it, mark);
        }
    }

    fn called(&mut self, it: &Evidence, mark: Mark, (call, input): (&str, &str)) {
        if !self.may_open(it) {
            return;
        }
        self.open(it, mark);
        self.calls.retain(|known| known.call != call);
        for known in self.pending.iter_mut().filter(|it| !input.is_empty() && it.input == input) {
            known.calls.push(call.to_owned());
        }
        self.calls.push(Call {
            call: call.to_owned(),
            input: input.to_owned(),
            detail: it.detail.clone(),
            live: is_live(it),
            at: mark,
        });
    }

    fn answered(&mut self, it: &Evidence, mark: Mark, call: &str) {
        self.calls.retain(|known| known.call != call);
        let live = is_live(it);
        let none_left = !self.calls.iter().any(|known| known.live == live);
        let calls = &self.calls;
        self.pending.retain(|it| !it.is_settled_by(call, none_left, calls));
        if self.turn == Turn::None {
            self.open(it, mark);
        }
    }

    fn asked_approval(&mut self, it: &Evidence, mark: Mark, input: &str) {
        // A report that a person is asked, but not what, means the open question.
        let question = self.pending.iter_mut().find(|it| it.kind == WaitingKind::Question);
        if let Some(question) = question.filter(|_| input.is_empty()) {
            return question.also.push(mark.place);
        }
        let is_reminder = |asked: Timestamp| ms(asked, mark.at) <= REMINDER_MS;
        let known = self.pending.iter_mut().find(|known| known.is_same_request(input, mark.at));
        match known {
            Some(known) => known.again(it, mark, input, &self.calls),
            None if input.is_empty()
                && it.source == Origin::Hook
                && self.asked.is_some_and(is_reminder) => {}
            None => {
                let kind = WaitingKind::Approval;
                self.pending.push(Pending::new(kind, (it, mark), input, &self.calls));
                self.open(it, mark);
            }
        }
        if !input.is_empty() {
            self.asked = Some(mark.at);
        }
    }

    fn asked(&mut self, it: &Evidence, mark: Mark, asks: (&str, &[String])) {
        self.asked = Some(mark.at);
        let known = self.pending.iter_mut().find(|it| it.kind == WaitingKind::Question);
        match known {
            Some(known) => known.asked_again(it, mark, asks),
            None => {
                self.pending.push(Pending::question((it, mark), asks));
                self.open(it, mark);
            }
        }
    }

    fn settled(&mut self, call: &str, input: &str) {
        let is_any = call.is_empty() && input.is_empty();
        self.pending.retain(|it| {
            let is_it = (!input.is_empty() && it.input == input) || linked(&it.calls, call);
            !is_any && !is_it
        });
    }

    fn over(&mut self, it: &Evidence, mark: Mark, how: How) {
        self.pending.clear();
        self.calls.clear();
        self.compacting = None;
        let ends_background = is_live(it) || how != How::Stopped;
        let background = self.background.take_if(|_| ends_background);
        let confirmed = is_live(it).then_some(mark.place);
        self.turn = match self.turn {
            Turn::Over(known) => {
                let how = if known.how == How::Quiet { how } else { known.how };
                // The session waits only since its background work is over, too.
                let by = background.map_or(known.by, |_| mark);
                Turn::Over(Over { by, confirmed: known.confirmed.or(confirmed), how, ..known })
            }
            Turn::Open { since, .. } => {
                Turn::Over(Over { by: mark, how, opened: Some(since), confirmed })
            }
            Turn::None | Turn::Fresh(_) => {
                Turn::Over(Over { by: mark, how, opened: None, confirmed })
            }
        };
    }

    fn quiet(&mut self, it: &Evidence, mark: Mark) {
        match self.turn {
            Turn::None => self.turn = Turn::Fresh(mark),
            Turn::Open { by, .. } if is_timely(it, by.at) => self.over(it, mark, How::Quiet),
            Turn::Over(over) if over.confirmed.is_none() && is_timely(it, over.by.at) => {
                self.turn = Turn::Over(Over { confirmed: Some(mark.place), ..over });
            }
            Turn::Open { .. } | Turn::Fresh(_) | Turn::Over(_) => {}
        }
    }

    /// Opens the turn, or continues it. A turn whose background work continues keeps its start.
    fn open(&mut self, it: &Evidence, mark: Mark) {
        if let Turn::Open { told_live, .. } = &mut self.turn {
            *told_live |= is_live(it);
            return;
        }
        let since = match (self.turn, self.background.take()) {
            (Turn::Over(Over { opened: Some(opened), .. }), Some(_)) => opened,
            _ => mark.at,
        };
        self.calls.clear();
        self.turn = Turn::Open { since, by: mark, told_live: is_live(it) };
    }

    /// Whether evidence may open a turn: a transcript record right after a reported stop is only
    /// late.
    fn may_open(&self, it: &Evidence) -> bool {
        match self.turn {
            Turn::Over(over) if over.confirmed.is_some() && !is_live(it) => {
                ms(over.by.at, it.at) > LAG_MS
            }
            Turn::Over(_) => it.confidence != Confidence::Low || !is_live(it),
            Turn::None | Turn::Fresh(_) | Turn::Open { .. } => true,
        }
    }

    /// When the latest turn began, if known.
    pub(super) fn turn_began(&self) -> Option<Timestamp> {
        match self.turn {
            Turn::None => None,
            Turn::Fresh(mark) => Some(mark.at),
            Turn::Open { since, .. } => Some(since),
            Turn::Over(over) => Some(over.opened.unwrap_or(over.by.at)),
        }
    }
}

/// Whether the evidence shows that an ended session continues.
fn revives(it: &Evidence, ended: Timestamp) -> bool {
    let is_later = ms(ended, it.at) > LAG_MS;
    match it.says {
        Signal::Started
        | Signal::TookOver
        | Signal::Prompted
        | Signal::Busy
        | Signal::Called { .. }
        | Signal::AskedApproval { .. }
        | Signal::Asked { .. }
        | Signal::Compacting => it.source == Origin::Hook || is_later,
        Signal::Quiet | Signal::Alive => it.source == Origin::Registry && is_later,
        Signal::Answered { .. }
        | Signal::Settled { .. }
        | Signal::TurnOver
        | Signal::WorkingOn
        | Signal::Interrupted
        | Signal::Failed
        | Signal::Compacted
        | Signal::Ended
        | Signal::Died
        | Signal::Unknown(_) => false,
    }
}
