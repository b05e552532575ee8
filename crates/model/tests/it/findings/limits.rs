//! Limits of accounts that are nearly used up.

use taffrail_model::findings::{Finding, FindingKind, nearly_used_up, used_up_until};
use taffrail_model::quota::{Observation, Reported};
use taffrail_model::{AgentId, RuntimeIdentity, Timestamp};

/// Five hours.
const WINDOW: i64 = 18_000;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).unwrap()
}

fn seen(agent: &str, session: &str, seconds: i64, used: f64) -> Observation {
    let (name, source) = ("five_hour", "file");
    let resets_at = at(WINDOW);
    let reported = Reported { name, window_minutes: 300, used_percent: used, resets_at, source };
    let who = RuntimeIdentity::new(AgentId::new(agent), "", session);
    reported.by(&who, at(seconds)).unwrap()
}

fn says(found: &[Finding]) -> Vec<&str> {
    found.iter().map(|it| it.says.as_str()).collect()
}

#[test]
fn a_window_is_found_once_at_the_highest_threshold_until_it_resets() {
    let check = |used: &[f64], seconds: i64, expected: &[&str]| {
        let all =
            used.iter().zip(1..).map(|(used, minute)| seen("parrot", "a", minute * 60, *used));
        let found = nearly_used_up(all.collect(), at(seconds));
        // At a limit, the ways to go on follow the first sentence.
        let first =
            |it: &&str| it.split_once(" Wait: ").map_or((*it).to_owned(), |it| it.0.to_owned());
        let said: Vec<String> = says(&found).iter().map(first).collect();
        assert_eq!(said, expected, "{used:?}");
    };
    let says = |used: u32| {
        format!(
            "parrot used {used} % of its 5-hour limit (five hour); it resets at 2027-01-15T13:00:00Z."
        )
    };
    check(&[79.9], 900, &[]);
    check(&[80.0], 900, &[&says(80)]);
    check(&[70.0, 83.0], 900, &[&says(83)]);
    check(&[83.0, 85.0, 96.4], 900, &[&says(96)]);
    check(&[83.0], WINDOW - 1, &[&says(83)]);
    check(&[83.0], WINDOW, &[]);
}

#[test]
fn a_finding_belongs_to_the_session_that_saw_the_threshold_passed() {
    let all = vec![
        seen("parrot", "a", 60, 79.0),
        seen("parrot", "b", 120, 81.0),
        seen("parrot", "a", 180, 82.0),
    ];
    let found = nearly_used_up(all.clone(), at(900)).remove(0);
    let b = seen("parrot", "b", 0, 0.0).session.unwrap();
    assert_eq!((found.session_id, found.since, found.kind), (b, at(120), FindingKind::Quota));
    // Nobody to tell it about.
    let nobody = all.into_iter().map(|it| Observation { session: None, ..it });
    assert_eq!(nearly_used_up(nobody.collect(), at(900)), []);
}

#[test]
fn thresholds_and_windows_are_different_occurrences_and_more_percent_is_the_same() {
    let found = |used: &[f64]| {
        let all =
            used.iter().zip(1..).map(|(used, minute)| seen("parrot", "a", minute * 60, *used));
        nearly_used_up(all.collect(), at(900)).remove(0)
    };
    assert_eq!(found(&[83.0]).key(), found(&[83.0, 90.0]).key());
    assert_ne!(found(&[83.0]).key(), found(&[83.0, 96.0]).key());
}

#[test]
fn at_a_limit_a_finding_names_both_ways_to_go_on() {
    let id: String = seen("parrot", "a", 60, 96.0).session.unwrap().to_string();
    let id = id.split_once('-').unwrap().0;
    let ways = |agent: &str| {
        format!(
            " Wait: `taffrail queue add {id} \"go on\" --at-reset`, \
             or: `taffrail handoff {id} --to {agent}."
        )
    };
    let check = |other: Option<Observation>, used: f64, expected: &str| {
        let all = [Some(seen("parrot", "a", 60, used)), other].into_iter().flatten().collect();
        let found = nearly_used_up(all, at(900));
        let said = says(&found).join("");
        assert_eq!(said.split_once("Z.").unwrap().1, expected, "{said}");
    };
    check(Some(seen("raven", "r", 60, 23.0)), 96.0, &ways("raven` (at 23 %)"));
    check(Some(seen("raven", "r", 60, 23.0)), 94.0, "");
    check(Some(seen("raven", "r", 60, 79.9)), 96.0, &ways("raven` (at 79 %)"));
    check(Some(seen("raven", "r", -7_200, 23.0)), 96.0, &ways("AGENT`"));
    check(None, 96.0, &ways("AGENT`"));
}

#[test]
fn only_the_reset_of_a_nearly_full_window_is_awaited() {
    let [low, high] = [79.0, 83.0].map(|used| seen("parrot", "a", 60, used));
    assert_eq!(used_up_until(&[low], at(900)), None);
    assert_eq!(used_up_until(std::slice::from_ref(&high), at(900)), Some(at(WINDOW)));
    assert_eq!(used_up_until(&[high], at(WINDOW)), None);
}
