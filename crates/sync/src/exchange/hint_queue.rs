//! The queue of hints that are not followed at once.

use super::names;
use crate::hub::Hint;
use std::time::Duration;
use tokio::time::Instant;

/// While other devices write a lot, hints within this time are followed together.
const BATCH_PAUSE: Duration = Duration::from_millis(200);
/// A device writes a lot if its last hint came within this time.
const BUSY: Duration = Duration::from_millis(250);

/// A hint may come before its entry can be read: then it is followed again after these pauses.
const EARLY: [Duration; 4] = [
    Duration::from_millis(50),
    Duration::from_millis(250),
    Duration::from_secs(1),
    Duration::from_secs(4),
];

/// A queued hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct QueuedHint {
    pub(super) at: Instant,
    pub(super) hint: Hint,
    /// How many times it was followed without result.
    pub(super) tries: usize,
}

/// Queued hints. Hints about sessions of other devices wait while there are many, because the cost
/// is per scan, not per line; hints that came early are retried. A hint about a request or an
/// answer is followed at once.
#[derive(Debug, Default)]
pub(super) struct HintQueue {
    later: Vec<QueuedHint>,
    last: Option<Instant>,
}

impl HintQueue {
    /// Queues a hint, if it can wait.
    pub(super) fn defer(&mut self, hint: &Hint, now: Instant) -> bool {
        if *hint == Hint::Anything {
            // Several of them, and all other hints that come with them, need one scan.
            self.keep(QueuedHint { at: now + BATCH_PAUSE, hint: hint.clone(), tries: 0 });
            return true;
        }
        let Hint::Log(log) = hint else { return false };
        if names::origin(log).is_none_or(|it| it.stream != names::own_stream()) {
            return false;
        }
        let is_busy = self.last.is_some_and(|it| now.duration_since(it) < BUSY);
        self.last = Some(now);
        if is_busy {
            self.keep(QueuedHint { at: now + BATCH_PAUSE, hint: hint.clone(), tries: 0 });
        }
        is_busy
    }

    /// Queues a hint again that was followed without result.
    pub(super) fn again(&mut self, hint: Hint, tries: usize, now: Instant) {
        if let Some(pause) = EARLY.get(tries) {
            self.keep(QueuedHint { at: now + *pause, hint, tries: tries + 1 });
        }
    }

    /// Queues a hint once, for the earliest of its times.
    pub(super) fn keep(&mut self, new: QueuedHint) {
        match self.later.iter_mut().find(|it| it.hint == new.hint) {
            Some(known) if known.at <= new.at => {}
            Some(known) => *known = new,
            None => self.later.push(new),
        }
    }

    pub(super) fn until(&self) -> Option<Instant> {
        self.later.iter().map(|it| it.at).min()
    }

    /// The hints that are due.
    pub(super) fn due(&mut self, now: Instant) -> Vec<QueuedHint> {
        let due: Vec<_> = self.later.extract_if(.., |it| it.at <= now).collect();
        match due.iter().position(|it| it.hint == Hint::Anything) {
            Some(at) => {
                // This hint scans everything, so no other hint has to be followed.
                self.later.clear();
                due.into_iter().nth(at).into_iter().collect()
            }
            None => due,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_model::exchange::{Incarnation, StreamOrigin};
    use taffrail_model::{DeviceId, StreamName};

    #[test]
    fn what_is_said_in_a_rush_is_read_at_once_and_what_is_asked_never_waits() {
        let began = Instant::now();
        let hint = |stream: StreamName| {
            let incarnation = Incarnation { count: 1, random: 1 };
            let device = DeviceId::new("d1");
            Hint::Log(names::log(&StreamOrigin { device, stream, incarnation }).unwrap())
        };
        let (told, asked) = (hint(names::own_stream()), hint(names::approval_stream()));
        let mut it = HintQueue::default();
        let mut check = |hint: &Hint, ms: u64, waits: bool, due: &[&Hint]| {
            let now = began + Duration::from_millis(ms);
            assert_eq!(it.defer(hint, now), waits, "{ms}");
            let got = it.due(now);
            assert_eq!(got.iter().map(|it| &it.hint).collect::<Vec<_>>(), due, "{ms}");
        };
        check(&told, 0, false, &[]);
        check(&told, 100, true, &[]);
        check(&told, 250, true, &[]);
        check(&asked, 260, false, &[]);
        check(&told, 300, true, &[&told]);
        check(&told, 1_400, false, &[]);
        // A restored connection sends several hints: one scan, whatever else comes.
        check(&Hint::Anything, 2_000, true, &[]);
        check(&Hint::Anything, 2_010, true, &[]);
        check(&told, 2_050, false, &[]);
        check(&told, 2_100, true, &[]);
        check(&told, 2_200, true, &[&Hint::Anything]);
        check(&asked, 4_000, false, &[]);
    }

    /// A server announces an entry before it has flushed it.
    #[test]
    fn an_answer_whose_hint_came_early_is_read_half_a_minute_later() {
        let (began, mut it) = (Instant::now(), HintQueue::default());
        let (mut now, mut tries, mut followed) = (began, 0, Vec::new());
        it.again(Hint::Anything, tries, now);
        while let Some(at) = it.until() {
            assert_eq!(it.due(at - Duration::from_millis(1)), []);
            let due = it.due(at);
            assert_eq!(due.len(), 1);
            (now, tries) = (at, due[0].tries);
            followed.push(now.duration_since(began).as_millis());
            it.again(due[0].hint.clone(), tries, now);
        }
        assert_eq!(followed, [50, 300, 1_300, 5_300]);
        // A hint that comes meanwhile is followed at its own time.
        it.again(Hint::Anything, 3, now);
        it.keep(QueuedHint { at: now, hint: Hint::Anything, tries: 0 });
        assert_eq!(it.due(now), [QueuedHint { at: now, hint: Hint::Anything, tries: 0 }]);
        assert_eq!(it.until(), None);
    }
}
