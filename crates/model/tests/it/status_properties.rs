//! Invariants of a status for any evidence in any order.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers fail the test they help"
)]

use proptest::prelude::*;
use taffrail_model::evidence::{Evidence, Life};
use taffrail_model::status::{Given, Reading, Status, StatusRule, Thresholds, read};
use taffrail_model::{Confidence, Origin, Signal, Timestamp};

const BEGAN: i64 = 1_800_000_000;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(BEGAN + seconds).unwrap()
}

fn signals() -> impl Strategy<Value = Signal> {
    let call = || prop::sample::select(vec!["", "a", "b"]).prop_map(str::to_owned);
    let input = || prop::sample::select(vec!["", "x", "y"]).prop_map(str::to_owned);
    let plain = prop::sample::select(vec![
        Signal::Started,
        Signal::Prompted,
        Signal::Busy,
        Signal::TurnOver,
        Signal::WorkingOn,
        Signal::Interrupted,
        Signal::Failed,
        Signal::Compacting,
        Signal::Compacted,
        Signal::Ended,
        Signal::Quiet,
        Signal::Alive,
        Signal::Died,
        Signal::Unknown("tomorrow".to_owned()),
    ]);
    prop_oneof![
        3 => plain,
        1 => (call(), input()).prop_map(|(call, input)| Signal::Called { call, input }),
        1 => call().prop_map(|call| Signal::Answered { call }),
        1 => input().prop_map(|input| Signal::AskedApproval { input }),
        1 => (call(), input()).prop_map(|(call, input)| Signal::Settled { call, input }),
        1 => call().prop_map(|call| Signal::Asked { call, options: Vec::new() }),
    ]
}

fn sources() -> impl Strategy<Value = Origin> {
    prop::sample::select(vec![
        Origin::Transcript,
        Origin::Transcript,
        Origin::Hook,
        Origin::Hook,
        Origin::Registry,
        Origin::Process,
        Origin::Pty,
    ])
}

fn evidence(sources: impl Strategy<Value = Origin>) -> impl Strategy<Value = Evidence> {
    let trust = prop::sample::select(vec![Confidence::High, Confidence::High, Confidence::Low]);
    let detail = prop::sample::select(vec!["", "x", "x y"]);
    (sources, 0i64..200, signals(), trust, detail).prop_map(
        |(source, seconds, says, confidence, detail)| Evidence {
            source,
            kind: says.word().to_owned(),
            at: at(seconds),
            confidence,
            says,
            detail: detail.to_owned(),
        },
    )
}

fn histories() -> impl Strategy<Value = Vec<Evidence>> {
    prop::collection::vec(evidence(sources()), 0..14)
}

fn lives() -> impl Strategy<Value = Life> {
    prop::sample::select(vec![Life::Unknown, Life::Alive, Life::Dead])
}

fn reading(evidence: &[Evidence], life: Life, now: i64) -> Reading {
    let thresholds = Thresholds::default();
    read(&Given { evidence, life, workers: &[], now: at(now), thresholds })
}

/// A reading with the evidence itself instead of its indexes.
fn meaning(evidence: &[Evidence], life: Life, now: i64) -> (Reading, Vec<Evidence>) {
    let mut reading = reading(evidence, life, now);
    let places = std::mem::take(&mut reading.rests_on);
    (reading, places.iter().map(|place| evidence[*place].clone()).collect())
}

/// Silence alone never makes a session wait.
fn ends_or_asks(says: &Signal) -> bool {
    matches!(
        says,
        Signal::Started
            | Signal::TurnOver
            | Signal::WorkingOn
            | Signal::Interrupted
            | Signal::Failed
            | Signal::Quiet
            | Signal::Asked { .. }
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_arrival_makes_no_difference(
        (history, shuffled) in histories().prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle())),
        life in lives(),
        now in 0i64..400,
    ) {
        prop_assert_eq!(meaning(&history, life, now), meaning(&shuffled, life, now));
    }

    #[test]
    fn what_is_said_twice_makes_no_difference(
        history in histories(),
        again in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        life in lives(),
        now in 0i64..400,
    ) {
        let mut twice = history.clone();
        for it in again.iter().filter(|_| !history.is_empty()) {
            twice.push(history[it.index(history.len())].clone());
        }
        prop_assert_eq!(meaning(&history, life, now), meaning(&twice, life, now));
    }

    #[test]
    fn until_then_nothing_changes(history in histories(), life in lives(), now in 0i64..100_000) {
        let first = reading(&history, life, now);
        // A session without evidence is unknown since now, whatever the time.
        prop_assume!(!first.rests_on.is_empty());
        let until = first.until.map_or(now + 400_000, |it| it.as_second() - BEGAN);
        prop_assert!(until > now);
        for later in [now + (until - now) / 2, until - 1] {
            let then = reading(&history, life, later);
            let same = (first.status, first.since, first.confidence.clone());
            prop_assert_eq!((then.status, then.since, then.confidence), same, "{} {}", now, later);
        }
    }

    #[test]
    fn a_transcript_alone_is_never_certain(
        history in prop::collection::vec(evidence(Just(Origin::Transcript)), 0..14),
        now in 0i64..400,
    ) {
        let it = reading(&history, Life::Unknown, now);
        let is_over = history.iter().any(|it| matches!(it.says, Signal::Ended | Signal::Died));
        let is_guess = it.confidence == Confidence::Low;
        prop_assert!(is_guess || is_over, "{it:?}");
    }

    #[test]
    fn every_word_has_its_ground(history in histories(), life in lives(), now in 0i64..400) {
        let said = |is_it: fn(&Signal) -> bool| history.iter().any(|it| is_it(&it.says));
        let it = reading(&history, life, now);
        let has_ground = match it.status {
            Status::WaitingApproval => said(|it| matches!(it, Signal::AskedApproval { .. })),
            // A turn that ended is enough only if no process is alive.
            Status::Exited => {
                let is_over = said(|it| matches!(it, Signal::Ended | Signal::Died));
                is_over || life != Life::Alive && said(ends_or_asks)
            }
            Status::Idle => life == Life::Alive,
            Status::Waiting => said(ends_or_asks),
            Status::Running | Status::Unknown => true,
        };
        prop_assert!(has_ground, "{it:?}");
        let names_its_ground = !it.rests_on.is_empty() || it.rule == StatusRule::NothingKnown;
        prop_assert!(names_its_ground, "{it:?}");
        prop_assert!(it.rests_on.iter().all(|place| *place < history.len()));
    }

    #[test]
    fn a_dead_process_neither_works_nor_waits_for_anybody(history in histories(), now in 200i64..400) {
        let it = reading(&history, Life::Dead, now);
        let is_guess = it.confidence == Confidence::Low;
        prop_assert!(matches!(it.status, Status::Exited | Status::Unknown) || is_guess, "{it:?}");
    }
}
