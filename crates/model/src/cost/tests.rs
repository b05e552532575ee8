use super::*;
use proptest::prelude::*;

fn answer(reported: Option<i64>, estimated: Option<i64>, tokens: u64) -> AnswerCost {
    AnswerCost { reported, estimated, tokens }
}

fn cost(reported: Option<i64>, estimated: Option<i64>, unknown_answers: u64) -> Cost {
    Cost { reported_microdollars: reported, estimated_microdollars: estimated, unknown_answers }
}

#[test]
fn the_report_wins_and_the_unknown_is_counted() {
    let (priced, reported) = (answer(None, Some(30), 3), answer(Some(50), Some(70), 7));
    let unknown = answer(None, None, 10);
    let check = |said, answers: &[AnswerCost], each: &[Option<i64>], expected: (_, Cost)| {
        let (whole, sources) = (total(said, answers), by_source(said, answers));
        assert_eq!((costs(said, answers), (whole, sources)), (each.to_vec(), expected));
    };
    check(None, &[], &[], (None, cost(None, None, 0)));
    check(Some(9), &[], &[], (Some(9), cost(Some(9), None, 0)));
    check(None, &[unknown], &[None], (None, cost(None, None, 1)));
    let all = [priced, reported, unknown];
    check(None, &all, &[Some(30), Some(50), None], (Some(80), cost(Some(50), Some(100), 1)));
    // Reports about single answers exceed the report about the session.
    check(Some(49), &all, &[Some(30), Some(50), None], (Some(80), cost(Some(50), Some(100), 1)));
    // By tokens, because the cost of one is unknown.
    let by_tokens = [Some(30), Some(70), Some(100)];
    check(Some(200), &all, &by_tokens, (Some(200), cost(Some(200), Some(100), 0)));
    check(
        Some(160),
        &[priced, reported],
        &[Some(60), Some(100)],
        (Some(160), cost(Some(160), Some(100), 0)),
    );
    check(Some(5), &[answer(None, None, 0)], &[Some(5)], (Some(5), cost(Some(5), None, 0)));
}

proptest! {
    #[test]
    fn the_parts_add_up_to_the_total(
        said in prop::option::of(0i64..1_000_000_000),
        answers in prop::collection::vec(
            (prop::option::of(0i64..1_000_000), prop::option::of(0i64..1_000_000), 0u64..1_000_000),
            0..20,
        ),
    ) {
        let answers: Vec<_> = answers.into_iter().map(|(r, e, t)| answer(r, e, t)).collect();
        let each = costs(said, &answers);
        prop_assert!(each.iter().flatten().all(|it| *it >= 0));
        if !answers.is_empty() {
            prop_assert_eq!(sum(each.into_iter()), total(said, &answers));
        }
    }
}
