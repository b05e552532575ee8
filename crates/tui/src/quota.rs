//! Limits of accounts as text.

use crate::terminal::{fit, line, pad};
use crate::when::Clock;
use taffrail_api::{Quota, QuotaList};
use taffrail_model::Timestamp;

/// The column of agents.
const AGENT: usize = 13;
/// The widest line.
const WIDTH: usize = 80;
/// How many sessions are named with a limit.
const SESSIONS: usize = 3;

/// Two to four lines for each limit.
#[must_use]
pub fn rows(quotas: &QuotaList, clock: &Clock) -> Vec<String> {
    if quotas.quotas.is_empty() {
        let none = "No agent reported a limit of its account on this machine.";
        return vec![none.to_owned()];
    }
    quotas.quotas.iter().flat_map(|it| of_limit(it, clock)).collect()
}

fn of_limit(quota: &Quota, clock: &Clock) -> Vec<String> {
    let seen = format!("seen {} ago in {}", spelled(quota.age_seconds), line(&quota.source));
    let seen = if quota.stale { format!("{seen}; this is out of date") } else { seen };
    let texts = [Some(state(quota, clock)), range(quota, clock), Some(seen), sessions(quota)];
    let agent = fit(&line(&quota.agent), AGENT - 1);
    let agents = [agent, String::new(), String::new(), String::new()];
    let rows = agents.iter().zip(texts).filter_map(|(agent, text)| Some((agent, text?)));
    rows.map(|(agent, text)| fit(&format!("{}{text}", pad(agent, AGENT)), WIDTH)).collect()
}

/// `64 % of 5 h, resets 16:40 (in 2 h), full at 16:10 at this pace`
fn state(quota: &Quota, clock: &Clock) -> String {
    let (percent, window) = (number(quota.used_percent), window(quota.window_minutes));
    let used = format!("{percent} % of {window}");
    if quota.resets_at <= clock.now {
        return format!("{used}, reset {}", clock.minute(quota.resets_at));
    }
    let rest = quota.resets_at.as_second() - clock.now.as_second();
    let rest = spelled(rest.unsigned_abs());
    let resets = format!("{used}, resets {} (in {rest})", time(quota.resets_at, clock));
    match quota.full_at {
        Some(full) if full <= clock.now => format!("{resets}, full"),
        Some(full) => format!("{resets}, full at {} at this pace", time(full, clock)),
        None => resets,
    }
}

/// `full between 15:50 and 16:20 at this pace`, where too little was seen for one instant.
fn range(quota: &Quota, clock: &Clock) -> Option<String> {
    let from = time(quota.full_from.filter(|_| quota.full_at.is_none())?, clock);
    let Some(until) = quota.full_until else {
        return Some(format!("full from {from} on at this pace, or not before the reset"));
    };
    Some(format!("full between {from} and {} at this pace", time(until, clock)))
}

fn sessions(quota: &Quota) -> Option<String> {
    let shares = quota.sessions.iter().take(SESSIONS).map(|it| {
        let id: String = it.session_id.to_string().chars().take(8).collect();
        format!("{id} {} %", number(it.percent))
    });
    let shares: Vec<String> = shares.collect();
    (!shares.is_empty()).then(|| format!("used by {}", shares.join(", ")))
}

/// Today only the time; on other days with the date.
fn time(at: Timestamp, clock: &Clock) -> String {
    let text = clock.minute(at);
    text.strip_prefix("today ").map_or(text.clone(), str::to_owned)
}

/// A number without needless zeros: `64`, `64.5`.
fn number(percent: f64) -> String {
    let text = format!("{percent:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// The length of a window: `5 h`, `7 d`.
fn window(minutes: u32) -> String {
    match minutes {
        days if days % 1440 == 0 => format!("{} d", days / 1440),
        hours if hours % 60 == 0 => format!("{} h", hours / 60),
        minutes => format!("{minutes} min"),
    }
}

/// A duration: `14 s`, `2 min`, `3 h`, `5 d`.
fn spelled(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::tz::TimeZone;
    use taffrail_api::QuotaShare;
    use taffrail_model::{AgentId, RuntimeIdentity};

    fn clock() -> Clock {
        Clock { now: "2026-11-18T14:40:00Z".parse().unwrap(), zone: TimeZone::UTC }
    }

    fn quota() -> Quota {
        let session_id = RuntimeIdentity::new(AgentId::new("parrot"), "", "a").session();
        Quota {
            agent: "parrot".to_owned(),
            limit: "seed".to_owned(),
            window_minutes: 300,
            used_percent: 64.0,
            resets_at: "2026-11-18T16:40:00Z".parse().unwrap(),
            source: "parrot-file".to_owned(),
            age_seconds: 125,
            stale: false,
            full_at: Some("2026-11-18T16:10:00Z".parse().unwrap()),
            full_from: Some("2026-11-18T16:00:00Z".parse().unwrap()),
            full_until: Some("2026-11-18T16:20:00Z".parse().unwrap()),
            sessions: vec![QuotaShare { session_id, percent: 28.5 }],
        }
    }

    #[test]
    fn a_limit_says_how_full_it_is_until_when_and_how_that_is_known() {
        let check = |change: &dyn Fn(&mut Quota), expected: &[&str]| {
            let mut quota = quota();
            change(&mut quota);
            let quotas = QuotaList { schema_version: 1, quotas: vec![quota] };
            assert_eq!(rows(&quotas, &clock()), expected);
        };
        let seen = "             seen 2 min ago in parrot-file";
        let id: String = quota().sessions[0].session_id.to_string().chars().take(8).collect();
        let used = format!("             used by {id} 28.5 %");
        let first = "parrot       64 % of 5 h, resets 16:40 (in 2 h), full at 16:10 at this pace";
        check(&|_| {}, &[first, seen, &used]);
        check(
            &|it| (it.full_at, it.full_from, it.sessions) = (None, None, Vec::new()),
            &["parrot       64 % of 5 h, resets 16:40 (in 2 h)", seen],
        );
        let first = "parrot       64 % of 5 h, resets 16:40 (in 2 h)";
        let between = "             full between 16:00 and 16:20 at this pace";
        check(&|it| (it.full_at, it.sessions) = (None, Vec::new()), &[first, between, seen]);
        let from = "             full from 16:00 on at this pace, or not before the reset";
        let open = |it: &mut Quota| {
            (it.full_at, it.full_until, it.sessions) = (None, None, Vec::new());
        };
        check(&open, &[first, from, seen]);
        let past = |it: &mut Quota| {
            (it.stale, it.full_at, it.full_from, it.sessions) = (true, None, None, Vec::new());
            it.resets_at = "2026-11-18T13:40:00Z".parse().unwrap();
            it.window_minutes = 10_080;
        };
        check(
            &past,
            &[
                "parrot       64 % of 7 d, reset today 13:40",
                "             seen 2 min ago in parrot-file; this is out of date",
            ],
        );
    }

    #[test]
    fn nothing_known_is_not_an_empty_answer() {
        let none = QuotaList { schema_version: 1, quotas: Vec::new() };
        let expected = "No agent reported a limit of its account on this machine.";
        assert_eq!(rows(&none, &clock()), [expected]);
    }
}
