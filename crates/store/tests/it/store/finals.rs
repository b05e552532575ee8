//! Final summaries are kept while they are valid, found by their words, and searched for in bounded
//! steps.

use crate::store::builder::{Desk, all_said, at, piece, said, who};
use taffrail_model::summary::{Category, Final, Summary};
use taffrail_store::{Filter, FinalRow, SessionRow};

/// The most sessions that one step may examine.
const WINDOW: i64 = 256;

fn told(topics: &[&str], category: Category) -> Final {
    let line = || "x".to_owned();
    let summary = Summary { current: line(), recent: line(), last_prompt: line() };
    Final { summary, topics: topics.iter().map(|it| (*it).to_owned()).collect(), category }
}

fn kept(session: &SessionRow, told: &Final) -> FinalRow {
    let SessionRow { row, id, sequence, .. } = *session;
    FinalRow { row, id, sequence, told: told.clone() }
}

fn found(desk: &Desk, topic: Option<&str>, category: Option<Category>) -> Vec<String> {
    let topic = topic.map(str::to_owned);
    let filter = Filter { topic, category, ..Filter::default() };
    let found = desk.reader().sessions(&filter).unwrap();
    let mut names: Vec<_> = found.into_iter().map(|it| it.runtime_id.as_str().to_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_final_summary_is_found_by_its_words() {
    let mut desk = Desk::new();
    let names = ["one", "two"];
    desk.write(&names.map(|it| piece(it, &who(it)).saying(&all_said(0..3))));
    let [one, two] = names.map(|it| desk.session(&who(it)));
    let (first, second) =
        (told(&["Parser", "bytes"], Category::Fix), told(&["parser"], Category::Docs));
    let both = [kept(&one, &first), kept(&two, &second)];
    assert_eq!(desk.writer.keep_finals(&both).unwrap(), 2);
    assert_eq!(desk.reader().final_of(&one).unwrap(), Some(first));
    assert_eq!(found(&desk, Some("PARSER"), None), ["one", "two"]);
    assert_eq!(found(&desk, Some("parser"), Some(Category::Fix)), ["one"]);
    assert_eq!(found(&desk, None, Some(Category::Docs)), ["two"]);
    assert_eq!(found(&desk, Some("pars"), None), [""; 0]);
    assert!(!desk.reader().lacks_finals(at(1_000)).unwrap());
}

#[test]
fn a_session_that_goes_on_loses_its_final_summary() {
    let mut desk = Desk::new();
    let names = ["one", "two"];
    desk.write(&names.map(|it| piece(it, &who(it)).saying(&all_said(0..3))));
    let [one, two] = names.map(|it| desk.session(&who(it)));
    let first = told(&["Parser", "bytes"], Category::Fix);
    let both = [kept(&one, &first), kept(&two, &told(&["parser"], Category::Docs))];
    desk.writer.keep_finals(&both).unwrap();

    // A summary made before a change is not stored after it, and a stored one is no longer valid.
    desk.write(&[piece("one", &who("one")).from(300).saying(&[said(3)])]);
    assert_eq!(desk.writer.keep_finals(&[kept(&one, &first)]).unwrap(), 0);
    assert_eq!(desk.reader().final_of(&desk.session(&who("one"))).unwrap(), None);
    assert_eq!(found(&desk, Some("parser"), None), ["two"]);
    assert_eq!(found(&desk, None, Some(Category::Fix)), [""; 0]);
    assert!(desk.reader().lacks_finals(at(1_000)).unwrap());
    assert!(!desk.reader().lacks_finals(at(5)).unwrap(), "it moved later than that");

    // The new summary replaces the old one.
    let now = told(&["lexer"], Category::Test);
    let again = kept(&desk.session(&who("one")), &now);
    assert_eq!(desk.writer.keep_finals(&[again]).unwrap(), 1);
    assert_eq!(found(&desk, Some("bytes"), None), [""; 0]);
    assert_eq!(found(&desk, Some("lexer"), Some(Category::Test)), ["one"]);
}

#[test]
fn a_final_summary_goes_with_its_session_and_is_no_batch() {
    let mut desk = Desk::new();
    desk.write(&[piece("one", &who("one")).saying(&all_said(0..2))]);
    let (one, batch) = (desk.session(&who("one")), desk.reader().last_batch().unwrap());
    let final_row = kept(&one, &told(&["parser"], Category::Fix));
    desk.writer.keep_finals(std::slice::from_ref(&final_row)).unwrap();
    assert_eq!(desk.reader().last_batch().unwrap(), batch, "search lacks nothing");
    desk.writer.erase(&[one.row], at(1)).unwrap();
    assert_eq!(found(&desk, Some("parser"), None), [""; 0]);
    assert_eq!(desk.writer.keep_finals(&[final_row]).unwrap(), 0, "it is gone");
    let index = rusqlite::Connection::open(desk.folder.path().join("index.db")).unwrap();
    for table in ["finals", "topics"] {
        let count = format!("SELECT count(*) FROM {table}");
        assert_eq!(index.query_row(&count, [], |row| row.get::<_, i64>(0)).unwrap(), 0, "{table}");
    }
}

#[test]
fn what_lacks_one_is_found_in_bounded_steps() {
    let mut desk = Desk::new();
    let name = |number: usize| format!("s{number}");
    let all = |number| piece(&name(number), &who(&name(number))).saying(&all_said(0..1));
    desk.write(&(0..600).map(all).collect::<Vec<_>>());
    // All but every hundredth have one.
    let rows = desk.reader().sessions(&Filter::default()).unwrap();
    let done: Vec<_> = rows.iter().filter(|it| it.row % 100 != 0).collect();
    let done: Vec<_> = done.iter().map(|it| kept(it, &told(&[], Category::Other))).collect();
    desk.writer.keep_finals(&done).unwrap();
    // Gaps cost nothing.
    let gap: Vec<i64> = (201..=500).filter(|it| it % 100 != 0).collect();
    desk.writer.erase(&gap, at(1)).unwrap();
    let reader = desk.reader();
    let (mut below, mut lacking, mut steps) = (i64::MAX, Vec::new(), 0);
    while let Some((found, next)) = reader.lacking_final(below).unwrap() {
        let last = found.iter().map(|it| it.row).max().unwrap_or(next);
        assert!(last - next < WINDOW && next < below);
        lacking.extend(found.into_iter().rev().map(|it| it.row));
        (below, steps) = (next, steps + 1);
    }
    assert_eq!(lacking, [600, 500, 400, 300, 200, 100]);
    assert_eq!(steps, 3);
}
