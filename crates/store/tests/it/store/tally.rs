//! Totals by common keys: whole sessions by agent and project, days by event.

use crate::store::builder::{Desk, Said, all_said, at, piece, who};
use taffrail_model::{Ahead, Facts};
use taffrail_store::{Filter, Grouping, TallyRow};

const DAY: i64 = 86_400;

/// Two sessions on two days; the first has two answers of unknown model on different days.
fn desk() -> Desk {
    let mut desk = Desk::new();
    let app = Facts { project_path: Some("/app".into()), ..Facts::default() };
    let app = Facts { cost_microdollars: Some(5), ..app };
    let later = [Said { key: 9, kind: 0, second: DAY + 1, text: 0 }];
    let first = piece("a", &who("a")).saying(&all_said(0..4)).saying(&later).knowing(app);
    let first = first.spending("x", 3, 10).spending("y", DAY * 3, 20);
    desk.write(&[first, piece("b", &who("b")).saying(&all_said(0..3))]);
    desk
}

/// Key, sessions, turns, prompts, calls, output and cost, as one word.
fn shown(rows: &[TallyRow]) -> Vec<String> {
    let known = |count: Option<u64>| count.map_or("-".to_owned(), |count| count.to_string());
    let one = |row: &TallyRow| {
        format!(
            "{} {} {} {} {} {} {}",
            row.key.as_deref().unwrap_or("?"),
            row.sessions,
            known(row.turns),
            known(row.prompts),
            known(row.tool_calls),
            row.tokens.output,
            row.cost_microdollars.map_or("-".to_owned(), |it| it.to_string()),
        )
    };
    rows.iter().map(one).collect()
}

#[test]
fn sessions_are_counted_whole_and_days_by_what_happened() {
    let desk = desk();
    let reader = desk.reader();
    let all = Filter { workers: true, ..Filter::default() };
    let check = |rows: Vec<TallyRow>, expected: &[&str]| assert_eq!(shown(&rows), expected);
    check(reader.tally(&all, Grouping::Nothing).unwrap(), &["? 2 3 3 2 30 5"]);
    check(reader.tally(&all, Grouping::Agent).unwrap(), &["agent 2 3 3 2 30 5"]);
    let by_project = reader.tally(&all, Grouping::Project).unwrap();
    check(by_project, &["? 1 1 1 1 0 -", "/app 1 2 2 1 30 5"]);
    check(reader.tally_models(&all).unwrap(), &["? 1 - - - 30 5"]);
    let days = ["1970-01-01 2 2 2 2 10 1", "1970-01-02 1 1 1 0 0 -", "1970-01-04 1 0 0 0 20 4"];
    check(reader.tally_days(&all, &Ahead::default()).unwrap(), &days);
    let behind = Ahead { before: vec![(at(DAY), 0)], since: -86_400 };
    let days_behind = ["1970-01-01 2 3 3 2 10 1", "1970-01-03 1 0 0 0 20 4"];
    check(reader.tally_days(&all, &behind).unwrap(), &days_behind);
    let both = reader.tally_models_and_days(&all, &behind).unwrap();
    check(both.0, &["? 1 - - - 30 5"]);
    check(both.1, &days_behind);
    let since = Filter { since: Some(at(DAY)), ..all };
    check(reader.tally(&since, Grouping::Nothing).unwrap(), &["? 1 2 2 1 30 5"]);
    check(reader.tally_days(&since, &Ahead::default()).unwrap(), &days[1..]);
}

#[test]
fn a_period_ends_before_its_end() {
    let desk = desk();
    let reader = desk.reader();
    let check = |since: Option<i64>, until: i64, sessions: &[&str], days: &[&str]| {
        let filter = Filter { workers: true, since: since.map(at), ..Filter::default() };
        let filter = Filter { until: Some(at(until)), ..filter };
        assert_eq!(shown(&reader.tally(&filter, Grouping::Nothing).unwrap()), sessions);
        assert_eq!(shown(&reader.tally_days(&filter, &Ahead::default()).unwrap()), days);
    };
    // A session belongs to the period of its latest event; each day has what happened on it.
    check(None, DAY, &["? 1 1 1 1 0 -"], &["1970-01-01 2 2 2 2 10 1"]);
    let two = ["1970-01-01 2 2 2 2 10 1", "1970-01-02 1 1 1 0 0 -"];
    check(None, 2 * DAY, &["? 2 3 3 2 30 5"], &two);
    check(Some(DAY), 2 * DAY, &["? 1 2 2 1 30 5"], &two[1..]);
    check(Some(2 * DAY), 3 * DAY, &[], &[]);
}
