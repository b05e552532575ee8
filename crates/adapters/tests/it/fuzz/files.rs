//! Damaged files: every line may be torn, duplicated, moved or from another file.

use crate::fuzz::fixtures::{Fixture, fixtures_of};
use crate::fuzz::recorder::Recorder;
use taffrail_adapters::{Adapter, all};
use taffrail_model::Cursor;
use taffrail_testkit::fuzz::{Counts, Fuzz, Took};

const COUNTS: Counts = Counts { slice: 200, full: 20_000 };

#[test]
fn damaged_files_say_the_same_twice_and_never_more_than_they_hold() {
    for adapter in all() {
        let fixtures = fixtures_of(*adapter);
        let seeds = fixtures.iter().enumerate().map(|(number, it)| seed(number, it));
        let fuzz = Fuzz::of(adapter.descriptor().id, seeds);
        let taken = fuzz.run(COUNTS, |input| check(*adapter, &fixtures, input));
        assert!(taken > 0, "{taken} files said something");
    }
}

/// The number of a fixture, and its records as lines.
fn seed(number: usize, fixture: &Fixture) -> Vec<u8> {
    let lines: Vec<&[u8]> = fixture.records.iter().map(|(_, bytes)| bytes.as_slice()).collect();
    [format!("{number}\n").into_bytes(), lines.join(b"\n".as_slice())].concat()
}

fn check(adapter: &dyn Adapter, fixtures: &[Fixture], input: &[u8]) -> Took {
    let (fixture, body) = opened(fixtures, input);
    let records = records(fixture, body);
    let read_all = || {
        let mut reader = fixture.reader(adapter, None);
        (Recorder::read(reader.as_mut(), &records), reader.save())
    };
    let (recorder, saved) = read_all();
    recorder.check_weight(input.len());
    assert_eq!(read_all(), (recorder, saved.clone()), "it says something else the second time");
    let again = fixture.reader(adapter, Some(&saved));
    assert_eq!(again.save(), saved, "what is remembered is not what was saved");
    Took::from(!read_all().0.lines.is_empty())
}

/// The fixture that an input names, or the first one, and the rest of the input.
fn opened<'a, 'b>(fixtures: &'a [Fixture], input: &'b [u8]) -> (&'a Fixture, &'b [u8]) {
    let end = input.iter().position(|it| *it == b'\n').unwrap_or(0);
    let (head, body) = input.split_at(end);
    let number: usize = String::from_utf8_lossy(head).parse().unwrap_or_default();
    (fixtures.get(number).or(fixtures.first()).expect("a fixture"), body)
}

/// The records of a damaged file, each at the position of an original one.
fn records<'b>(fixture: &Fixture, body: &'b [u8]) -> Vec<(Cursor, &'b [u8])> {
    let places: Vec<&Cursor> = fixture.records.iter().map(|(at, _)| at).collect();
    if let Some(Cursor::Pointer { .. }) = places.first() {
        return vec![(places[0].clone(), body)];
    }
    let lines = body.split(|it| *it == b'\n').filter(|it| !it.is_empty());
    lines.zip(places.iter().cycle()).map(|(line, at)| ((*at).clone(), line)).collect()
}
