//! When a window will be full, at the pace and with the pauses that were seen.
//!
//! The answer is a range. It is as wide as what is known allows: two paces, of the latest and of a
//! longer part of the window, and the pauses of this window and of those before. Half an hour of
//! steady work may be followed by a pause or not; only an earlier window can tell.

use super::rhythm::{Cycle, Rhythm};
use super::{Observation, Percent, Window};
use crate::Timestamp;

/// The parts of the window whose paces count: 20 minutes and one hour of five.
const PACE_PARTS: [f64; 2] = [15.0, 5.0];
/// The part of the window that must have been seen: ten minutes of five hours.
const LEAST_PART: f64 = 30.0;
/// After this part of the window without a rise the pace is not known: 75 minutes of five hours.
const IDLE_PART: f64 = 4.0;
/// The pause that is possible while none was seen, as a part of the window: a quarter of an hour of
/// five hours, a night of a week.
const PAUSE_PART: f64 = 20.0;
/// The widest range whose middle says enough, as a part of the window: its ends are 8 % away.
const POINT_PART: f64 = 6.25;

/// When a window will be full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Runway {
    /// The earliest instant.
    pub from: Timestamp,
    /// The latest instant; `None` if the window may reset before it is full.
    pub until: Option<Timestamp>,
    /// The middle; `None` if the range is too wide for one instant.
    pub at: Option<Timestamp>,
}

impl Window {
    /// When the limit is full if it is used on as it was. `None` if that is not known, or if the
    /// window resets first.
    #[must_use]
    pub fn runway(&self, now: Timestamp) -> Option<Runway> {
        let newest = self.current.last()?;
        if let Some(full) = self.current.iter().find(|it| it.used >= Percent::FULL) {
            let at = Some(full.at).filter(|_| newest.resets_at > now)?;
            return Some(Runway { from: at, until: Some(at), at: Some(at) });
        }
        let (earliest, latest) = seconds_left(self, now.as_second() as f64)?;
        runway(newest, (now.as_second() as f64 + earliest, now.as_second() as f64 + latest))
    }
}

fn runway(newest: &Observation, (earliest, latest): (f64, f64)) -> Option<Runway> {
    let reset = newest.resets_at.as_second() as f64;
    let capped = latest.min(reset);
    let is_narrow = capped - earliest <= newest.limit.seconds() as f64 / POINT_PART;
    let from = Some(earliest).filter(|it| *it < reset).and_then(instant)?;
    Some(Runway {
        from,
        until: Some(latest).filter(|it| *it < reset).and_then(instant),
        at: Some(f64::midpoint(earliest, capped)).filter(|_| is_narrow).and_then(instant),
    })
}

fn instant(second: f64) -> Option<Timestamp> {
    // The cast saturates; what is too far away is not an instant.
    Timestamp::from_second(second.round() as i64).ok()
}

/// In how many seconds the window is full: at the earliest and at the latest.
fn seconds_left(window: &Window, now: f64) -> Option<(f64, f64)> {
    let first = window.current.first()?;
    let length = first.limit.seconds() as f64;
    let rhythm = Rhythm::of(&window.current)?;
    let is_seen = now - first.at.as_second() as f64 >= length / LEAST_PART;
    let is_moving = now - rhythm.last.0 < length / IDLE_PART;
    let paces = PACE_PARTS.map(|part| rhythm.pace(length / part));
    let ([Some(short), Some(long)], true, true) = (paces, is_seen, is_moving) else { return None };
    let (slow, fast) =
        (short.min(long) * (1.0 - rhythm.blur()), short.max(long) * (1.0 + rhythm.blur()));
    let rest = (100.0 - rhythm.used(now, f64::midpoint(slow, fast))).max(0.0);
    Some(Outlook::of(window, &rhythm, now).range(rest / fast, rest / slow))
}

/// The pauses that count for the rest of a window.
struct Outlook {
    /// Of earlier windows and this one, without the stretch of now.
    cycles: Vec<Cycle>,
    /// Seconds of work since the last pause; `None` during one.
    open: Option<f64>,
    /// How long the pause of now goes on.
    still: f64,
    /// A pause that is possible although none was seen.
    possible: f64,
}

impl Outlook {
    fn of(window: &Window, rhythm: &Rhythm, now: f64) -> Self {
        let length = window.current.first().map_or(0.0, |it| it.limit.seconds() as f64);
        let earlier = window.earlier.iter().filter_map(|it| Rhythm::of(it));
        let earlier = earlier.flat_map(|it| {
            let last = Cycle { work: it.open, pause: 0.0 };
            it.cycles.into_iter().chain([last])
        });
        let mut cycles: Vec<Cycle> = earlier.chain(rhythm.cycles.iter().copied()).collect();
        let possible = length / PAUSE_PART;
        let Some(pause) = rhythm.pause(now, length) else {
            return Self { cycles, open: Some(rhythm.open), still: 0.0, possible };
        };
        let usual = mean_pause(&cycles).unwrap_or(possible);
        cycles.push(Cycle { work: rhythm.open, pause: pause.max(usual) });
        Self { cycles, open: None, still: (usual - pause).max(0.0), possible }
    }

    /// The seconds until so many seconds of work are done: at the earliest and at the latest.
    fn range(&self, least: f64, most: f64) -> (f64, f64) {
        let work =
            self.cycles.iter().map(|it| it.work).sum::<f64>() + self.open.unwrap_or_default();
        let pauses = self.cycles.iter().filter(|it| it.pause > 0.0).count();
        // No pause, or one that may not come again, says little about the next.
        if pauses < 2 {
            let pause = mean_pause(&self.cycles).map_or(self.possible, |it| it * 2.0);
            return (least, self.still + most * (work + pause) / work.max(1.0));
        }
        // What each cycle alone adds to the answer is its uncertainty.
        let others = (0..self.cycles.len()).filter_map(|out| {
            let others = self.cycles.iter().enumerate().filter(|(at, _)| *at != out);
            let others: Vec<Cycle> = others.map(|(_, it)| *it).collect();
            Some((self.seconds(&others, least)?, self.seconds(&others, most)?))
        });
        others.fold((f64::INFINITY, 0.0), |(from, to), it| (it.0.min(from), it.1.max(to)))
    }

    /// The seconds until so many seconds of work are done, in the rhythm of these cycles.
    fn seconds(&self, cycles: &[Cycle], work: f64) -> Option<f64> {
        let pause = mean_pause(cycles)?;
        let pauses = cycles.iter().filter(|it| it.pause > 0.0).count() as f64;
        let stretch = (cycles.iter().map(|it| it.work).sum::<f64>() / pauses).max(1.0);
        let left = (stretch - self.open.unwrap_or_default()).max(0.0);
        let more = ((work - left) / stretch).ceil().max(0.0);
        Some(self.still + work + more * pause)
    }
}

fn mean_pause(cycles: &[Cycle]) -> Option<f64> {
    let pauses = cycles.iter().map(|it| it.pause).filter(|it| *it > 0.0);
    let (sum, count) = pauses.fold((0.0, 0.0), |(sum, count), it| (sum + it, count + 1.0));
    (count > 0.0).then(|| sum / count)
}
