use super::*;
use taffrail_api::CostBySource;
use taffrail_model::Tokens;

fn spending(cost: Option<i64>, reported: Option<i64>, unknown_answers: u64) -> Spending {
    let tokens =
        Tokens { input: 1_000, output: 500, cache_read: 70_000, cache_write: 200, reasoning: 0 };
    Spending {
        sessions: 1,
        answers: 2,
        usage: tokens.into(),
        cost_microdollars: cost,
        cost: CostBySource {
            reported_microdollars: reported,
            estimated_microdollars: None,
            unknown_answers,
        },
    }
}

fn report(key: &str, spent: Spending) -> UsageReport {
    let rows = vec![UsageRow { key: Some(key.to_owned()), block: None, spent }];
    UsageReport { schema_version: 1, by: "project".to_owned(), rows, totals: spent }
}

fn clock() -> Clock {
    let now = "2026-11-18T12:00:00Z".parse().unwrap();
    Clock { now, zone: jiff::tz::TimeZone::UTC }
}

fn lines(rows: Vec<Row>) -> Vec<String> {
    let text = |it| match it {
        Row::Head(text) | Row::Line(text) => text,
    };
    rows.into_iter().map(text).collect()
}

#[test]
fn a_list_price_is_marked_and_the_unknown_is_counted() {
    let check = |spent, expected: &str| assert_eq!(cost(&spent), expected);
    check(spending(None, None, 2), "-");
    check(spending(Some(1_500_000), Some(1_500_000), 0), "$1.50");
    check(spending(Some(1_500_000), None, 0), "≈$1.50");
    check(spending(Some(1_500_000), Some(1_000_000), 1), "≈$1.50+?");
}

#[test]
fn the_table_fits_a_terminal() {
    let report = report("/home/dev/pier", spending(Some(1_234_560_000), None, 3));
    assert_eq!(
        lines(rows(&report, 10, (Path::new("/home/dev"), &clock()))),
        [
            "project                   answers   tok in   cached  tok out           cost",
            "~/pier                          2     1.2k      70k      500    ≈$1234.56+?",
            "all                             2     1.2k      70k      500    ≈$1234.56+?",
            "≈ list price, not a bill: `taffrail prices MODEL` shows the rule",
            "3 answers have no known cost: add `[[prices]]` for their models",
        ]
    );
}

#[test]
fn a_name_is_never_a_formula() {
    let report = report("=HYPERLINK(\"x\")", spending(None, None, 2));
    let expected = r#""'=HYPERLINK(""x"")",1,2,1000,500,70000,200,0,,,,2"#;
    assert_eq!(csv(&report), [COLUMNS, expected]);
}

#[test]
fn the_running_block_is_marked_and_gaps_are_shown() {
    let block = |key: &str, ends_at: &str, is_running| UsageRow {
        key: Some(key.to_owned()),
        block: Some(UsageBlock { ends_at: ends_at.parse().unwrap(), is_running }),
        spent: spending(Some(1_000_000), None, 0),
    };
    let rows_of = vec![
        block("2026-11-18T10:00:00Z", "2026-11-18T15:00:00Z", true),
        block("2026-11-18T05:00:00Z", "2026-11-18T10:00:00Z", false),
        block("2026-11-03T09:00:00Z", "2026-11-03T14:00:00Z", false),
    ];
    let by = "block".to_owned();
    let totals = spending(Some(3_000_000), None, 0);
    let report = UsageReport { schema_version: 1, by, rows: rows_of, totals };
    let table = lines(rows(&report, 10, (Path::new("/home/dev"), &clock())));
    assert_eq!(
        table.iter().take(5).map(String::as_str).collect::<Vec<_>>(),
        [
            "block                     answers   tok in   cached  tok out           cost",
            "today 10:00 running             2     1.2k      70k      500         ≈$1.00",
            "today 05:00                     2     1.2k      70k      500         ≈$1.00",
            "  14d without a block",
            "2026-11-03 09:00                2     1.2k      70k      500         ≈$1.00",
        ]
    );
}
