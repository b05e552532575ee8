//! Damaged OTLP bodies in both forms: the result is never larger than a fixed multiple of the body.
//!
//! `TAFFRAIL_FULL=1` tries many, `TAFFRAIL_SEED` chooses which.

use super::*;
use taffrail_testkit::fuzz::{Counts, Fuzz, Took};

const COUNTS: Counts = Counts { slice: 1_500, full: 300_000 };
/// The most bytes that one byte of a body may become.
const BYTES_A_BYTE: usize = 200;

const WORDS: &[&str] = &[
    "\"resourceLogs\":[",
    "\"scopeLogs\":[",
    "\"logRecords\":[",
    "\"resourceMetrics\":[",
    "\"dataPoints\":[{},{},{}],",
    "\"arrayValue\":{\"values\":[",
    "\"kvlistValue\":{\"values\":[",
    "{\"stringValue\":\"x\"}",
    "\"intValue\":\"9\",",
    "\"timeUnixNano\":\"18446744073709551615\",",
    "\"name\":\"agent.count\",",
    "\"asDouble\":\"NaN\",",
    "\n\0",
    "\n\0\n\0\n\0\n\0",
    "\x0a\x7f",
    "\x12\x02\x0a\0",
];

#[test]
fn damaged_logs_become_no_more_than_they_are() {
    check("logs", Sent::Logs, logs());
}

#[test]
fn damaged_metrics_become_no_more_than_they_are() {
    check("metrics", Sent::Metrics, metrics());
}

#[test]
fn damaged_packed_bodies_are_unpacked_or_refused() {
    let packed = logs().into_iter().chain(metrics()).map(|it| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(&it).unwrap();
        packer.finish().unwrap()
    });
    let taken = Fuzz::of("packed", packed).run(COUNTS, |input| {
        let it = unpacked(input);
        assert_eq!(unpacked(input), it);
        Took::from(it.is_some())
    });
    assert!(taken > 0, "none was unpacked");
}

#[test]
fn a_long_name_is_not_told_with_every_point() {
    let long = "x".repeat(30_000);
    let points = message(1, &[]).repeat(10_000);
    let metric = [message(1, long.as_bytes()), message(7, &points)].concat();
    assert_eq!(read(Sent::Metrics, Form::Protobuf, &request(&metric)), Some(Vec::new()));
    let json = json!({"resourceMetrics": [{"scopeMetrics": [{"metrics": [{
        "name": long, "sum": {"dataPoints": vec![json!({}); 10_000]},
    }]}]}]});
    assert_eq!(read(Sent::Metrics, Form::Json, json.to_string().as_bytes()), Some(Vec::new()));
}

#[test]
fn more_points_than_anybody_sends_are_refused() {
    let body = |count: usize| {
        let points = message(1, &[]).repeat(count);
        request(&[message(1, b"n"), message(7, &points)].concat())
    };
    let read = |count| read(Sent::Metrics, Form::Protobuf, &body(count)).map(|it| it.len());
    assert_eq!((read(MOST), read(MOST + 1)), (Some(MOST), None));
}

fn logs() -> Vec<Vec<u8>> {
    let session = [("session.id".to_owned(), Any::Text("s".to_owned()))];
    let list =
        [("a".to_owned(), Any::List(vec![Any::Flag(true), Any::Fraction(0.5), Any::Whole(7)]))];
    let all = [session, list].concat();
    let record =
        [fixed(1, 9), message(5, &message(1, b"claude_code.user_prompt")), attributes(6, &all)];
    let json = json!({"resourceLogs": [{"scopeLogs": [{"logRecords": [{
        "timeUnixNano": "9", "body": {"stringValue": "codex.user_prompt"}, "attributes": json_attributes(&all),
    }]}]}]});
    vec![request(&record.concat()), json.to_string().into_bytes()]
}

fn metrics() -> Vec<Vec<u8>> {
    let all = [("session.id".to_owned(), Any::Text("s".to_owned()))];
    let point = [fixed(3, 9), fixed(6, 7), attributes(7, &all)].concat();
    let points = [message(1, &point), message(1, &point)].concat();
    let metric = [message(1, b"claude_code.cost.usage"), message(7, &points)].concat();
    let json = json!({"resourceMetrics": [{"scopeMetrics": [{"metrics": [{
        "name": "claude_code.cost.usage", "sum": {"dataPoints": [
            {"timeUnixNano": "9", "asInt": "7", "attributes": json_attributes(&all)}, {"asDouble": 0.5},
        ]},
    }]}]}]});
    vec![request(&metric), json.to_string().into_bytes()]
}

fn check(name: &'static str, sent: Sent, seeds: Vec<Vec<u8>>) {
    let taken = Fuzz::of(name, seeds).with_words(WORDS).run(COUNTS, |input| {
        let forms = [Form::Protobuf, Form::Json].map(|form| check_one(sent, form, input));
        Took::from(forms.contains(&Took::Yes))
    });
    assert!(taken > 0, "{taken} were read");
}

fn check_one(sent: Sent, form: Form, input: &[u8]) -> Took {
    // Compared as text, because a NaN is not equal to itself.
    let told = |it: &Option<Vec<Telemetry>>| format!("{it:?}");
    let all = read(sent, form, input);
    assert_eq!(told(&read(sent, form, input)), told(&all), "it is read otherwise the second time");
    let bytes: usize = all.iter().flatten().map(weight).sum();
    assert!(bytes <= BYTES_A_BYTE * input.len(), "{bytes} bytes of {}", input.len());
    for entry in all.iter().flatten().filter_map(telemetry_entry) {
        assert!(serde_json::from_str::<Value>(&entry.payload).is_ok(), "{}", entry.payload);
    }
    Took::from(all.is_some_and(|it| !it.is_empty()))
}

/// The approximate memory of one record.
fn weight(it: &Telemetry) -> usize {
    size_of::<Telemetry>() + it.name.len() + Value::Object(it.attributes.clone()).to_string().len()
}
