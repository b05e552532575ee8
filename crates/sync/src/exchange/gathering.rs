//! Hints that are not followed at once.

use super::names;
use crate::hub::Hint;
use std::time::Duration;
use tokio::time::Instant;

/// While others say much, what comes within so long is read at once.
const GATHER: Duration = Duration::from_millis(200);
/// They do, where something was said within so long.
const OF_LATE: Duration = Duration::from_millis(250);

/// A hint may come before what it speaks of can be read: then it is followed again after so long each.
const EARLY: [Duration; 4] = [
    Duration::from_millis(50),
    Duration::from_millis(250),
    Duration::from_secs(1),
    Duration::from_secs(4),
];

/// A hint that is kept for a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Later {
    pub(super) at: Instant,
    pub(super) hint: Hint,
    /// How often it was followed in vain.
    pub(super) tries: usize,
}

/// Hints that are kept for a moment: those about what devices tell of their sessions while there are
/// many, because reading costs by the look and not by the line; and those that came early. Whatever somebody
/// waits for is followed at once.
#[derive(Debug, Default)]
pub(super) struct Gathering {
    later: Vec<Later>,
    last: Option<Instant>,
}

impl Gathering {
    /// Keeps a hint, if it can wait.
    pub(super) fn waits_with(&mut self, hint: &Hint, now: Instant) -> bool {
        let Hint::Log(log) = hint else { return false };
        if names::origin(log).is_none_or(|it| it.stream != names::own()) {
            return false;
        }
        let is_busy = self.last.is_some_and(|it| now.duration_since(it) < OF_LATE);
        self.last = Some(now);
        if is_busy {
            self.keep(Later { at: now + GATHER, hint: hint.clone(), tries: 0 });
        }
        is_busy
    }

    /// A hint was followed in vain.
    pub(super) fn again(&mut self, hint: Hint, tries: usize, now: Instant) {
        if let Some(pause) = EARLY.get(tries) {
            self.keep(Later { at: now + *pause, hint, tries: tries + 1 });
        }
    }

    /// Each hint is kept once, for the first of its times.
    pub(super) fn keep(&mut self, new: Later) {
        match self.later.iter_mut().find(|it| it.hint == new.hint) {
            Some(known) if known.at <= new.at => {}
            Some(known) => *known = new,
            None => self.later.push(new),
        }
    }

    pub(super) fn until(&self) -> Option<Instant> {
        self.later.iter().map(|it| it.at).min()
    }

    /// What waited long enough.
    pub(super) fn due(&mut self, now: Instant) -> Vec<Later> {
        self.later.extract_if(.., |it| it.at <= now).collect()
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
        let (told, asked) = (hint(names::own()), hint(names::desk()));
        let mut it = Gathering::default();
        let mut check = |hint: &Hint, ms: u64, waits: bool, due: &[&Hint]| {
            let now = began + Duration::from_millis(ms);
            assert_eq!(it.waits_with(hint, now), waits, "{ms}");
            let got = it.due(now);
            assert_eq!(got.iter().map(|it| &it.hint).collect::<Vec<_>>(), due, "{ms}");
        };
        check(&told, 0, false, &[]);
        check(&told, 100, true, &[]);
        check(&told, 250, true, &[]);
        check(&asked, 260, false, &[]);
        check(&Hint::Anything, 270, false, &[]);
        check(&told, 300, true, &[&told]);
        check(&told, 1_400, false, &[]);
    }

    /// A server tells of an entry before it has flushed it.
    #[test]
    fn an_answer_whose_hint_came_early_is_read_half_a_minute_later() {
        let (began, mut it) = (Instant::now(), Gathering::default());
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
        it.keep(Later { at: now, hint: Hint::Anything, tries: 0 });
        assert_eq!(it.due(now), [Later { at: now, hint: Hint::Anything, tries: 0 }]);
        assert_eq!(it.until(), None);
    }
}
