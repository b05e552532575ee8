//! When a window will be full, at the pace of its latest part.
//!
//! Agents report whole percents, so the figure moves in steps. Between two steps the true figure
//! is taken to grow evenly, and after the last one to be half a step further.

use super::{Observation, Percent};
use crate::Timestamp;

/// The part of the window whose pace counts: one hour of five. A week's holds a night, so that
/// hours of sleep do not look like the end of all work.
const PACE_PART: i64 = 5;
/// The part of the window that must have been seen: ten minutes of five hours.
const LEAST_PART: i64 = 30;

/// How many parts of the curve the line is fitted to.
const SAMPLES: f64 = 40.0;

/// A point of the curve: seconds, and hundredths of a percent.
type Point = (f64, f64);

/// When the limit is full if the latest pace continues, from the history of its window in order.
/// `None` if the pace is zero or not known, or if the window resets first.
#[must_use]
pub fn full_at(history: &[Observation], now: Timestamp) -> Option<Timestamp> {
    let newest = history.last()?;
    if let Some(full) = history.iter().find(|it| it.used >= Percent::FULL) {
        return Some(full.at).filter(|_| newest.resets_at > now);
    }
    let (seconds, end) = (newest.limit.seconds(), now.as_second());
    let first = history.first()?.at.as_second().max(end - seconds / PACE_PART);
    if end - first < seconds / LEAST_PART {
        return None;
    }
    let (level, pace) = trend(&curve(history, end as f64), (first as f64, end as f64))?;
    let rest = (f64::from(Percent::FULL.as_hundredths()) - level).max(0.0);
    let is_moving = rises(history, first) && pace > 0.0;
    // The cast saturates; what is too far away is after the reset.
    let full = end.saturating_add((rest / pace).round() as i64);
    let full = Timestamp::from_second(full).ok().filter(|_| is_moving)?;
    Some(full).filter(|it| *it < newest.resets_at)
}

/// The straight line nearest to the curve: its value at the end, and its slope. Its ends weigh
/// less than those of a chord, so that a burst right now does not look like the pace of the hour.
fn trend(curve: &[Point], (first, end): Point) -> Option<Point> {
    let step = (end - first) / SAMPLES;
    let middle = (first + end) / 2.0;
    let (mut sum, mut product, mut squares, mut count) = (0.0, 0.0, 0.0, 0.0);
    while count <= SAMPLES {
        let at = (first + step * count).min(end);
        let value = value_at(curve, at)?;
        sum += value;
        product += (at - middle) * value;
        squares += (at - middle) * (at - middle);
        count += 1.0;
    }
    let slope = product / squares;
    Some((sum / count + slope * (end - middle), slope))
}

/// Whether the figure grew since an instant.
fn rises(history: &[Observation], since: i64) -> bool {
    let before = history.iter().rev().find(|it| it.at.as_second() <= since);
    let before = before.or(history.first()).map_or(Percent::default(), |it| it.used);
    history.iter().any(|it| it.used > before)
}

/// The first report, each rise, and the present.
fn curve(history: &[Observation], now: f64) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::new();
    let mut smallest = f64::INFINITY;
    for it in history {
        let point = (it.at.as_second() as f64, f64::from(it.used.as_hundredths()));
        match points.last() {
            Some((_, before)) if point.1 <= *before => {}
            Some((_, before)) => {
                smallest = smallest.min(point.1 - before);
                points.push(point);
            }
            None => points.push(point),
        }
    }
    let half = if smallest.is_finite() { smallest.min(100.0) / 2.0 } else { 0.0 };
    // The first report came at an unknown place of its step.
    if let Some(first) = points.first_mut().filter(|it| it.1 > 0.0) {
        first.1 += half;
    }
    let last = points.last().copied().filter(|it| it.0 < now);
    points.extend(last.map(|(_, used)| (now, used + half)));
    points
}

fn value_at(points: &[Point], at: f64) -> Option<f64> {
    let after = points.iter().position(|it| it.0 >= at)?;
    let (end, high) = points.get(after)?;
    let Some((start, low)) = after.checked_sub(1).and_then(|it| points.get(it)) else {
        return Some(*high);
    };
    let part = (at - start) / (end - start).max(1.0);
    Some(low + (high - low) * part)
}
