//! What sessions spent: every total of the same answers is the same number.

use crate::store::builder::{Desk, Piece, Said, at, boot, copying, piece, said, who};
use proptest::prelude::*;
use taffrail_model::cost::Cost;
use taffrail_model::{Ahead, Facts};
use taffrail_store::{Boot, Filter, Grouping, Pricing, SpentBy, SpentRow};

const MODELS: [&str; 3] = ["tide", "ebb", "unknown"];

/// So many millionths for each token of output; one model has no price.
fn pricing(stamp: &str, rate: i64) -> Pricing {
    Pricing::new(stamp, move |usage| {
        let is_known = usage.model.as_deref().is_some_and(|it| it != "unknown");
        is_known.then(|| rate * i64::try_from(usage.tokens.output).unwrap())
    })
}

fn priced(rate: i64) -> Boot {
    Boot { pricing: pricing(&format!("at {rate}"), rate), ..boot() }
}

fn all() -> Filter {
    Filter { workers: true, ..Filter::default() }
}

fn total(desk: &Desk, by: &SpentBy, filter: &Filter) -> SpentRow {
    let rows = desk.reader().spent(filter, by).unwrap();
    rows.iter().fold(SpentRow::default(), |sum, it| sum.plus(it))
}

/// What a session cost: the known total, and its sources.
fn cost(desk: &Desk, name: &str) -> (Option<i64>, Cost) {
    let row = desk.session(&who(name));
    (row.cost_microdollars, row.cost)
}

fn sources(reported: Option<i64>, estimated: Option<i64>, unknown_answers: u64) -> Cost {
    Cost { reported_microdollars: reported, estimated_microdollars: estimated, unknown_answers }
}

/// One thing that a session says: an answer, or its own bill.
#[derive(Debug, Clone)]
struct Act {
    session: usize,
    key: u32,
    second: i64,
    output: u64,
    model: usize,
    reported: Option<i64>,
    said: Option<i64>,
    again: bool,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let one = (0usize..3, 0u32..12, 0i64..400_000, 1u64..50, 0usize..3);
    let costs = (prop::option::weighted(0.3, 0i64..100), prop::option::weighted(0.1, 0i64..5_000));
    let act = (one, costs, prop::bool::weighted(0.2)).prop_map(|(one, costs, again)| {
        let ((session, key, second, output, model), (reported, said)) = (one, costs);
        Act { session, key, second, output, model, reported, said, again }
    });
    prop::collection::vec(act, 1..24)
}

/// Sessions of one family, which may hold the same answers.
fn written(act: &Act) -> Piece {
    let name = ["a", "b", "c"][act.session];
    let facts = Facts { cost_microdollars: act.said, ..copying("family") };
    let facts = Facts { git_branch: (act.session > 0).then(|| "main".to_owned()), ..facts };
    let piece = piece(name, &who(name)).saying(&[said(act.key)]).knowing(facts);
    let answer = (act.output, Some(MODELS[act.model]), act.reported);
    let piece = piece.answering(&format!("k{}", act.key), act.second, answer);
    if act.again { piece.again() } else { piece }
}

proptest! {
    // Each case opens files three times.
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_total_is_the_same_number(acts in acts()) {
        let mut desk = Desk::with(priced(3));
        for act in &acts {
            desk.write(&[written(act)]);
        }
        let whole = total(&desk, &SpentBy::Nothing, &all());
        let day = SpentBy::Day(Ahead::default());
        let by = [day, SpentBy::Model, SpentBy::Project, SpentBy::Agent, SpentBy::Branch];
        for by in by.into_iter().chain([SpentBy::Session]) {
            let sum = SpentRow { sessions: whole.sessions, ..total(&desk, &by, &all()) };
            prop_assert_eq!(&sum, &whole, "{:?}", by);
        }
        let reader = desk.reader();
        let tally = reader.tally(&all(), Grouping::Nothing).unwrap().remove(0);
        prop_assert_eq!((tally.cost_microdollars, tally.tokens), (whole.cost_microdollars, whole.tokens));
        let days = reader.tally_days(&all(), &Ahead::default()).unwrap();
        prop_assert_eq!(days.iter().filter_map(|it| it.prompts).sum::<u64>(), tally.prompts.unwrap());
        prop_assert_eq!(days.iter().filter_map(|it| it.tool_calls).sum::<u64>(), tally.tool_calls.unwrap());
        for row in reader.sessions(&all()).unwrap() {
            let answers = reader.answers(row.row).unwrap();
            let sum = answers.iter().filter_map(|it| it.cost_microdollars).sum::<i64>();
            if !answers.is_empty() {
                prop_assert_eq!(sum, row.cost_microdollars.unwrap_or(0));
            }
        }
        // Another price, and back.
        let dear = desk.reopened_with(priced(30));
        let again = dear.reopened_with(priced(3));
        prop_assert_eq!(total(&again, &SpentBy::Nothing, &all()), whole);
    }
}

#[test]
fn a_new_price_counts_without_reading_again() {
    let mut desk = Desk::with(priced(3));
    let answers = piece("a", &who("a"))
        .answering("x", 5, (10, Some("tide"), None))
        .answering("y", 6, (20, Some("unknown"), None))
        .answering("z", 7, (30, Some("tide"), Some(7)));
    desk.write(&[answers]);
    assert_eq!(cost(&desk, "a"), (Some(37), sources(Some(7), Some(120), 1)));
    let desk = desk.reopened_with(priced(4));
    assert_eq!(cost(&desk, "a"), (Some(47), sources(Some(7), Some(160), 1)));
    assert_eq!(total(&desk, &SpentBy::Model, &all()).cost, sources(Some(7), Some(160), 1));
}

#[test]
fn spending_before_an_instant_is_left_out() {
    let mut desk = Desk::with(priced(1));
    let late = Said { key: 1, kind: 0, second: 9_000, text: 0 };
    let mut it = piece("a", &who("a")).saying(&[late]);
    for (key, second) in [("early", 100), ("before", 1_999), ("at", 2_000), ("later", 9_000)] {
        it = it.answering(key, second, (1, Some("tide"), None));
    }
    desk.write(&[it]);
    for (second, expected) in [(0, 4), (1_999, 3), (2_000, 2), (2_001, 1), (8_999, 1)] {
        let since = Filter { since: Some(at(second)), ..all() };
        assert_eq!(total(&desk, &SpentBy::Nothing, &since).answers, expected, "{second}");
    }
}

#[test]
fn a_bill_that_includes_sub_agents_counts_them_once() {
    let includes = ["agent".to_owned()].into();
    let mut desk = Desk::with(Boot { reports_with_workers: includes, ..priced(1) });
    let billed = Facts { cost_microdollars: Some(100), ..Facts::default() };
    let main = piece("a", &who("a")).knowing(billed).answering("x", 5, (50, Some("tide"), None));
    let below = Facts { parent: Some(who("a")), ..Facts::default() };
    let worker = piece("w", &who("w")).knowing(below).answering("y", 6, (30, Some("tide"), None));
    desk.write(&[main]);
    desk.write(&[worker]);
    assert_eq!(cost(&desk, "a"), (Some(70), sources(Some(100), Some(50), 0)));
    assert_eq!(desk.session(&who("a")).workers_microdollars, Some(30));
    assert_eq!(total(&desk, &SpentBy::Nothing, &all()).cost_microdollars, Some(100));
}

#[test]
fn the_bill_of_a_fork_that_carries_on_its_origins_counts_the_copied_answers_once() {
    // The second at which the fork's bill begins, and what the fork itself cost.
    for (since, own) in [(0, 40), (5, 40), (6, 90)] {
        let mut desk = Desk::with(priced(1));
        let billed = |microdollars: i64, since: i64| Facts {
            cost_microdollars: Some(microdollars),
            uncopied_since: Some(at(since)),
            ..copying("family")
        };
        let origin = piece("a", &who("a")).saying(&[said(1)]).knowing(billed(50, 0));
        let fork = Facts { forked_from: Some(who("a")), ..billed(90, since) };
        let fork = piece("b", &who("b")).saying(&[said(1)]).knowing(fork);
        let fork = fork.answering("x", 5, (50, Some("tide"), None));
        desk.write(&[origin.answering("x", 5, (50, Some("tide"), None))]);
        desk.write(&[fork.answering("y", 9, (40, Some("tide"), None))]);
        let costs = ["a", "b"].map(|it| desk.session(&who(it)).cost_microdollars);
        assert_eq!(costs, [Some(50), Some(own)], "since {since}");
    }
}

/// `usage --since` gave the answers of the instant's own quarter their list prices.
#[test]
fn a_bill_is_divided_also_inside_a_quarter_of_an_hour() {
    let mut desk = Desk::with(priced(1));
    let billed = Facts { cost_microdollars: Some(100), ..Facts::default() };
    let spoke = |second| [Said { key: 0, kind: 0, second, text: 0 }];
    let answers = piece("a", &who("a"))
        .knowing(billed)
        .saying(&spoke(2_000))
        .answering("x", 5, (10, Some("it's"), None))
        .answering("y", 60, (30, Some("it's"), None))
        .answering("z", 2_000, (10, Some("tide"), None));
    let other = piece("b", &who("b")).saying(&spoke(70));
    desk.write(&[answers, other.answering("v", 70, (7, Some("tide"), None))]);
    let since = |second| Filter { since: Some(at(second)), ..all() };
    let check = |second, expected: SpentRow| {
        assert_eq!(total(&desk, &SpentBy::Nothing, &since(second)), expected, "since {second}");
    };
    let spent = |(sessions, answers, output), (cost, reported, estimated)| SpentRow {
        key: None,
        sessions,
        answers,
        tokens: taffrail_model::Tokens { output, input: answers, ..Default::default() },
        cost_microdollars: Some(cost),
        cost: sources(Some(reported), Some(estimated), 0),
    };
    check(0, spent((2, 4, 57), (107, 100, 57)));
    check(30, spent((2, 3, 47), (87, 80, 47)));
    check(1_000, spent((1, 1, 10), (20, 20, 10)));
}
