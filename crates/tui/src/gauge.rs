//! How full the limits of accounts are, in the few columns of a header or a bar.

use crate::table;
use crate::terminal::line;
use crate::when::{Clock, ago};
use std::collections::BTreeMap;
use taffrail_api::Gauge;
use taffrail_model::Timestamp;

/// A window that is used up.
const FULL: u32 = 100;

/// Whether an agent is named beside its gauge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    Yes,
    No,
}

/// Of each agent the fullest window, the fullest agent first. A fresh figure comes before a stale
/// one, and a window that has reset says nothing.
#[must_use]
pub fn fullest(gauges: &[Gauge], now: Timestamp) -> Vec<&Gauge> {
    let rank = |it: &Gauge| (!it.is_stale(now), it.used_percent, it.window_minutes);
    let mut by_agent: BTreeMap<&str, &Gauge> = BTreeMap::new();
    for it in gauges.iter().filter(|it| it.resets_at > now) {
        let best = by_agent.entry(&it.agent).or_insert(it);
        if rank(it) > rank(best) {
            *best = it;
        }
    }
    let mut all: Vec<&Gauge> = by_agent.into_values().collect();
    all.sort_by_key(|it| std::cmp::Reverse(rank(it)));
    all
}

/// The gauges in words, the widest text first: all agents or the fullest one, with or without when
/// it is full. The agent is named where several report limits.
#[must_use]
pub fn texts(gauges: &[Gauge], clock: &Clock) -> Vec<String> {
    let all = fullest(gauges, clock.now);
    let named = if all.len() > 1 { Named::Yes } else { Named::No };
    let long = |it: &&Gauge| labelled(it, named, &long(it, clock));
    let short = |it: &&Gauge| labelled(it, named, &short(it, clock));
    let joined = |texts: Vec<String>| texts.join(" · ");
    let all_agents =
        [joined(all.iter().map(long).collect()), joined(all.iter().map(short).collect())];
    let first = all.first().filter(|_| named == Named::Yes).map(|it| [long(it), short(it)]);
    let mut texts: Vec<String> =
        all_agents.into_iter().chain(first.into_iter().flatten()).collect();
    texts.retain(|it| !it.is_empty());
    texts.dedup();
    texts
}

/// `5h 64% (full 16:40)`; for a stale figure its age.
pub(crate) fn long(gauge: &Gauge, clock: &Clock) -> String {
    let text = used(gauge);
    match gauge.full_at.filter(|it| *it > clock.now) {
        _ if gauge.is_stale(clock.now) => {
            format!("{text} (stale, {})", ago(gauge.seen_at, clock.now))
        }
        _ if gauge.used_percent >= FULL => {
            format!("{text} (resets {})", clock.soon(gauge.resets_at))
        }
        Some(full) => format!("{text} (full {})", clock.soon(full)),
        None => text,
    }
}

/// The same without when it is full.
fn short(gauge: &Gauge, clock: &Clock) -> String {
    if gauge.is_stale(clock.now) { long(gauge, clock) } else { used(gauge) }
}

fn used(gauge: &Gauge) -> String {
    let window = match gauge.window_minutes {
        days if days % 1440 == 0 => format!("{}d", days / 1440),
        hours if hours % 60 == 0 => format!("{}h", hours / 60),
        minutes => format!("{minutes}m"),
    };
    format!("{window} {}%", gauge.used_percent)
}

fn labelled(gauge: &Gauge, named: Named, text: &str) -> String {
    match named {
        Named::Yes => format!("{} {text}", line(table::short(&gauge.agent))),
        Named::No => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::tz::TimeZone;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn gauge(agent: &str, window_minutes: u32, used_percent: u32) -> Gauge {
        Gauge {
            agent: agent.to_owned(),
            window_minutes,
            used_percent,
            resets_at: at("2026-11-18T18:00:00Z"),
            seen_at: at("2026-11-18T14:35:00Z"),
            full_at: None,
        }
    }

    fn check(gauges: &[Gauge], expected: &[&str]) {
        let clock = Clock { now: at("2026-11-18T14:40:00Z"), zone: TimeZone::UTC };
        assert_eq!(texts(gauges, &clock), expected);
    }

    #[test]
    fn the_fullest_window_of_each_agent_is_shown_in_what_room_there_is() {
        check(&[], &[]);
        let full_at = Some(at("2026-11-18T16:40:00Z"));
        let hours = Gauge { full_at, ..gauge("parrot-one", 300, 64) };
        let week = gauge("parrot-one", 10_080, 23);
        check(&[week.clone(), hours.clone()], &["5h 64% (full 16:40)", "5h 64%"]);
        check(
            &[gauge("wren", 10_080, 12), week, hours],
            &[
                "parrot 5h 64% (full 16:40) · wren 7d 12%",
                "parrot 5h 64% · wren 7d 12%",
                "parrot 5h 64% (full 16:40)",
                "parrot 5h 64%",
            ],
        );
    }

    #[test]
    fn a_full_window_says_when_it_resets() {
        let full_at = Some(at("2026-11-18T14:00:00Z"));
        check(
            &[Gauge { full_at, ..gauge("wren", 300, 100) }],
            &["5h 100% (resets 18:00)", "5h 100%"],
        );
        let resets_at = at("2026-11-21T09:30:00Z");
        check(
            &[Gauge { resets_at, ..gauge("wren", 10_080, 103) }],
            &["7d 103% (resets Sat 09:30)", "7d 103%"],
        );
    }

    #[test]
    fn a_stale_figure_is_never_shown_without_its_age() {
        let seen_at = at("2026-11-18T12:30:00Z");
        let stale = Gauge { seen_at, ..gauge("wren", 300, 97) };
        check(std::slice::from_ref(&stale), &["5h 97% (stale, 2h)"]);
        check(&[stale.clone(), gauge("wren", 10_080, 23)], &["7d 23%"]);
        let resets_at = at("2026-11-18T14:40:00Z");
        check(&[Gauge { resets_at, ..stale }], &[]);
    }
}
