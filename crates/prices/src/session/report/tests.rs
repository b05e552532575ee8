use super::super::fill::Filler;
use super::*;
use proptest::prelude::*;
use taffrail_model::answer::Side;
use taffrail_model::hash::{Digest16, digest};

const PROMPT: Kind = Kind::UserPrompt;
const CALL: Kind = Kind::ToolCall;
const RESULT: Kind = Kind::ToolResult;
const REPLY: Kind = Kind::AssistantMessage;
const COMPACTED: Kind = Kind::ContextCompacted;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn step(second: i64, kind: &Kind, bytes: u64) -> Step<'_> {
    let side = Side::of(&taffrail_model::Origin::Transcript, kind);
    Step { at: at(second), side, kind, tool: None, bytes, call: None, is_failed: false }
}

fn call(name: &str) -> Option<Digest16> {
    Some(digest("call", &[name.as_bytes()]))
}

/// An answer by its time, new input, cache reads and cache writes, with ten tokens of output.
fn answer(second: i64, input: u64, cache_read: u64, cache_write: u64) -> Answer {
    let tokens = Tokens { input, output: 10, cache_read, cache_write, reasoning: 0 };
    let cost_microdollars = Some(i64::try_from(tokens.total()).unwrap());
    let model = Some("tide".to_owned());
    Answer { at: Some(at(second)), model, tokens, cost_microdollars, ..Answer::default() }
}

/// A write costs 5, a read 1.
fn price(answer: &Answer) -> Option<i64> {
    let tokens = answer.tokens;
    i64::try_from(5 * tokens.cache_write + tokens.cache_read + tokens.input + tokens.output).ok()
}

fn shares(parts: &[(Filler, u64)]) -> Shares {
    parts.iter().cloned().collect()
}

#[test]
fn growth_is_attributed_to_the_events_between_two_answers() {
    let steps = [
        step(1, &PROMPT, 400),
        step(2, &CALL, 50),
        Step { tool: Some("Read"), ..step(3, &RESULT, 8_000) },
        step(4, &REPLY, 40),
        step(5, &PROMPT, 40_000),
        step(6, &REPLY, 40),
    ];
    let answers = [answer(2, 20_100, 0, 0), answer(4, 23_000, 0, 0), answer(6, 24_000, 0, 0)];
    let report = report(&[at(1), at(5)], &steps, &answers, &price);
    let grown: Vec<_> = report.answers.iter().map(|it| it.grown.clone()).collect();
    let read = Filler::ToolResult("Read".to_owned());
    assert_eq!(
        grown,
        [
            shares(&[(Filler::Agent, 20_000), (Filler::Prompt, 100)]),
            shares(&[(Filler::Agent, 890), (Filler::Reply, 10), (read.clone(), 2_000)]),
            // More bytes than the context grew by: scaled down.
            shares(&[(Filler::Prompt, 999), (Filler::Reply, 1)]),
        ]
    );
    let all =
        [(Filler::Agent, 20_890), (Filler::Prompt, 1_099), (Filler::Reply, 11), (read, 2_000)];
    assert_eq!((report.fill.context(), report.fill.shares()), (Some(24_000), &shares(&all)));
}

#[test]
fn a_compaction_leaves_a_summary() {
    let steps = [step(1, &PROMPT, 4), step(3, &COMPACTED, 0), step(4, &PROMPT, 40)];
    let answers = [answer(2, 0, 0, 90_000), answer(5, 0, 10_000, 2_000)];
    let report = report(&[at(1), at(4)], &steps, &answers, &price);
    let after = shares(&[(Filler::Prompt, 10), (Filler::Summary, 11_990)]);
    assert_eq!(report.fill.shares(), &after);
    let compaction = Compaction { at: at(3), before: Some(90_000), after: Some(12_000) };
    assert_eq!(report.compactions, [compaction]);
    assert_eq!(report.turns[1].why, Some(Why::Compaction));
}

#[test]
fn the_reason_of_a_miss_is_recorded_or_unknown() {
    let check = |second: i64, model: &str, long: u64, expected: Option<(Why, u64)>| {
        let first = Answer { cache_write_1h: long, ..answer(10, 0, 0, 50_000) };
        let missed = Answer { model: Some(model.to_owned()), ..answer(second, 0, 5_000, 46_000) };
        let steps = [step(1, &PROMPT, 4), step(second - 1, &PROMPT, 4)];
        let report = report(&[at(1)], &steps, &[first, missed], &price);
        let miss = report.answers[1].miss;
        let cold = (report.cold.tokens, report.cold.cost_microdollars);
        let expected_miss =
            expected.map(|(why, _)| Miss { why, tokens: 45_000, rewritten: 45_000 });
        assert_eq!(miss, expected_miss, "{second} {model}");
        let tokens = expected.map_or(0, |(_, tokens)| tokens);
        let cost = i64::try_from(4 * tokens).ok().filter(|it| *it > 0);
        assert_eq!(cold, (tokens, cost), "{second} {model}");
    };
    check(100, "tide", 0, Some((Why::Unknown, 0)));
    check(100, "ebb", 0, Some((Why::ModelChange, 0)));
    check(1_000, "tide", 0, Some((Why::Pause, 45_000)));
    // Written for an hour.
    check(1_000, "tide", 50_000, Some((Why::Unknown, 0)));
    check(5_000, "tide", 50_000, Some((Why::Pause, 45_000)));
}

#[test]
fn an_agent_that_reports_no_cache_misses_nothing() {
    let answers = [answer(2, 50_000, 0, 0), answer(9_000, 51_000, 0, 0)];
    let report = report(&[at(1)], &[], &answers, &price);
    assert!(!report.knows_cache);
    assert_eq!(report.answers[1].miss, None);
}

#[test]
fn a_retry_repeats_a_failed_call() {
    let check = |steps: &[Step<'_>], answers: &[i64], expected: &[bool]| {
        let answers: Vec<_> = answers.iter().map(|it| answer(*it, 1, 0, 0)).collect();
        let report = report(&[at(1)], steps, &answers, &price);
        let found: Vec<_> = report.answers.iter().map(|it| it.is_retry).collect();
        assert_eq!(found, expected);
        let count = expected.iter().filter(|it| **it).count() as u64;
        let cost = (count > 0).then(|| i64::try_from(count * 11).unwrap());
        assert_eq!((report.retries.answers, report.retries.cost_microdollars), (count, cost));
    };
    let made = |second, name| Step { call: call(name), ..step(second, &CALL, 0) };
    let returned =
        |second, name, is_failed| Step { call: call(name), is_failed, ..step(second, &RESULT, 0) };
    let failed = [made(2, "a"), returned(3, "a", true), made(4, "a"), returned(5, "a", true)];
    check(&failed, &[2, 4], &[false, true]);
    // Another call, and a call that succeeded.
    check(&[made(2, "a"), returned(3, "a", true), made(4, "b")], &[2, 4], &[false, false]);
    check(&[made(2, "a"), returned(3, "a", false), made(4, "a")], &[2, 4], &[false, false]);
    // A person asked for it again.
    let asked = [made(2, "a"), returned(3, "a", true), step(4, &PROMPT, 4), made(5, "a")];
    check(&asked, &[2, 5], &[false, false]);
}

fn any_kind() -> impl Strategy<Value = Kind> {
    prop::sample::select(vec![PROMPT, CALL, RESULT, REPLY, COMPACTED, Kind::Notice])
}

fn any_answer() -> impl Strategy<Value = Answer> {
    let tokens = (0u64..9_000, 0u64..900, 0u64..90_000, 0u64..9_000);
    let rest = (prop::option::of(0i64..1_000_000), prop::option::weighted(0.9, 0i64..9_000));
    (tokens, rest).prop_map(|((input, output, cache_read, cache_write), (cost, second))| Answer {
        at: second.map(at),
        model: None,
        tokens: Tokens { input, output, cache_read, cache_write, reasoning: 0 },
        cache_write_1h: 0,
        cost_microdollars: cost,
        ..Answer::default()
    })
}

proptest! {
    #[test]
    fn the_parts_add_up_to_the_session(
        mut answers in prop::collection::vec(any_answer(), 0..20),
        steps in prop::collection::vec((0i64..9_000, any_kind(), 0u64..50_000), 0..40),
        mut turns in prop::collection::vec(0i64..9_000, 0..5),
    ) {
        answers.sort_by_key(|it| it.at);
        turns.sort_unstable();
        let turns: Vec<_> = turns.into_iter().map(at).collect();
        let mut steps: Vec<_> =
            steps.iter().map(|(second, kind, bytes)| step(*second, kind, *bytes)).collect();
        steps.sort_by_key(|it| it.at);
        let report = report(&turns, &steps, &answers, &price);
        let rows = report.turns.iter();
        let cost = rows.clone().map(|it| it.cost_microdollars).fold(None, plus);
        prop_assert_eq!(cost, answers.iter().map(|it| it.cost_microdollars).fold(None, plus));
        let tokens: Tokens = rows.clone().map(|it| it.tokens).sum();
        prop_assert_eq!(tokens, answers.iter().map(|it| it.tokens).sum());
        prop_assert_eq!(rows.map(|it| it.answers).sum::<u64>(), answers.len() as u64);
        let filled = report.fill.shares().values().sum::<u64>();
        prop_assert_eq!(filled, report.fill.context().unwrap_or(0));
        prop_assert!(report.retries.cost_microdollars <= cost);
    }
}
