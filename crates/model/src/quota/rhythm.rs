//! How an account was used in one window: how fast while it was used, and with which pauses.
//!
//! Agents report whole percents, so the figure moves in steps. Only the first report of each figure
//! counts, because the index keeps no more of equal figures than the first and the last.

use super::Observation;

/// The part of the window from which a standstill is a pause: four minutes of five hours.
const PAUSE_PART: f64 = 75.0;
/// A step of the figure, in percent, where an agent reports no parts of a percent.
const WHOLE: f64 = 1.0;

/// A stretch of use and the pause after it, in seconds. The last one of a window has no pause.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cycle {
    pub(super) work: f64,
    pub(super) pause: f64,
}

/// A rise of the figure: in how many seconds of use, and by how many percent.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rise {
    seconds: f64,
    percent: f64,
}

/// The rhythm of one window up to its last rise.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rhythm {
    rises: Vec<Rise>,
    /// What is over.
    pub(super) cycles: Vec<Cycle>,
    /// The stretch of use since the last pause, in seconds.
    pub(super) open: f64,
    /// The instant and the figure of the last rise.
    pub(super) last: (f64, f64),
    /// Seconds of use for one percent, as usual in this window.
    usual: f64,
}

impl Rhythm {
    /// The rhythm of a window with this history, in order; `None` if its figure never rose.
    pub(super) fn of(history: &[Observation]) -> Option<Self> {
        let window = history.first()?.limit.seconds() as f64;
        let points = points(history);
        let gaps: Vec<Rise> = points.iter().zip(points.iter().skip(1)).map(gap).collect();
        let usual = usual(&gaps)?;
        let (mut rises, mut cycles, mut open) = (Vec::new(), Vec::new(), 0.0);
        for gap in gaps {
            let pause =
                Some(gap.seconds - gap.percent * usual).filter(|it| *it > window / PAUSE_PART);
            let seconds = gap.seconds - pause.unwrap_or_default();
            rises.push(Rise { seconds, ..gap });
            open += seconds;
            if let Some(pause) = pause {
                cycles.push(Cycle { work: open, pause });
                open = 0.0;
            }
        }
        Some(Self { rises, cycles, open, last: points.last().copied()?, usual })
    }

    /// The percent of a second, over the latest seconds of use.
    pub(super) fn pace(&self, latest: f64) -> Option<f64> {
        let (mut seconds, mut percent) = (0.0, 0.0);
        for rise in self.rises.iter().rev() {
            let part = ((latest - seconds) / rise.seconds.max(1.0)).clamp(0.0, 1.0);
            seconds += rise.seconds * part;
            percent += rise.percent * part;
        }
        Some(percent / seconds).filter(|it| it.is_finite() && *it > 0.0)
    }

    /// By how much a pace may be wrong because the figure moves in steps, as a part of it.
    pub(super) fn blur(&self) -> f64 {
        let risen: f64 = self.rises.iter().map(|it| it.percent).sum();
        self.step().min(WHOLE) / 2.0 / risen
    }

    /// How long the account is paused now, in seconds; `None` if it is not.
    pub(super) fn pause(&self, now: f64, window: f64) -> Option<f64> {
        let idle = now - self.last.0 - self.step() * self.usual;
        Some(idle).filter(|it| *it > window / PAUSE_PART)
    }

    /// The figure now: between two steps it grows on.
    pub(super) fn used(&self, now: f64, pace: f64) -> f64 {
        self.last.1 + ((now - self.last.0).max(0.0) * pace).min(self.step())
    }

    /// The mean step of the figure, in percent.
    fn step(&self) -> f64 {
        let risen: f64 = self.rises.iter().map(|it| it.percent).sum();
        risen / (self.rises.len().max(1) as f64)
    }
}

/// The first report and each rise: seconds and percent. An idle session repeats old figures.
fn points(history: &[Observation]) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    for it in history {
        let used = it.used.as_number();
        if points.last().is_none_or(|(_, before)| used > *before) {
            points.push((it.at.as_second() as f64, used));
        }
    }
    points
}

fn gap(((from, low), (to, high)): (&(f64, f64), &(f64, f64))) -> Rise {
    Rise { seconds: to - from, percent: high - low }
}

/// The median of the seconds for one percent: half of all percents took longer.
fn usual(gaps: &[Rise]) -> Option<f64> {
    let mut sorted = gaps.to_vec();
    sorted.sort_by(|a, b| (a.seconds / a.percent).total_cmp(&(b.seconds / b.percent)));
    let half = sorted.iter().map(|it| it.percent).sum::<f64>() / 2.0;
    let mut percent = 0.0;
    let median = sorted.iter().find(|it| {
        percent += it.percent;
        percent >= half
    });
    median.map(|it| it.seconds / it.percent)
}
