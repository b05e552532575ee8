//! Both forms give the same result, and malformed data is rejected.

mod fuzz;

use super::*;
use proptest::prelude::*;
use serde_json::json;
use std::io::Write;

/// A value in both forms.
#[derive(Debug, Clone)]
enum Any {
    Text(String),
    Flag(bool),
    Whole(i64),
    Fraction(f64),
    List(Vec<Self>),
}

impl Any {
    fn json(&self) -> Value {
        match self {
            Self::Text(it) => json!({"stringValue": it}),
            Self::Flag(it) => json!({"boolValue": it}),
            // Covers both spellings.
            Self::Whole(it) if it % 2 == 0 => json!({"intValue": it}),
            Self::Whole(it) => json!({"intValue": it.to_string()}),
            Self::Fraction(it) => json!({"doubleValue": it}),
            Self::List(all) => {
                json!({"arrayValue": {"values": all.iter().map(Self::json).collect::<Vec<_>>()}})
            }
        }
    }

    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(it) => message(1, it.as_bytes()),
            Self::Flag(it) => number(2, u64::from(*it)),
            Self::Whole(it) => number(3, it.cast_unsigned()),
            Self::Fraction(it) => fixed(4, it.to_bits()),
            Self::List(all) => {
                message(5, &all.iter().flat_map(|it| message(1, &it.bytes())).collect::<Vec<_>>())
            }
        }
    }

    fn plain(&self) -> Value {
        match self {
            Self::Text(it) => json!(it),
            Self::Flag(it) => json!(it),
            Self::Whole(it) => json!(it),
            Self::Fraction(it) => json!(it),
            Self::List(all) => all.iter().map(Self::plain).collect(),
        }
    }
}

fn varint(mut it: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while it >= 0x80 {
        out.push(it as u8 | 0x80);
        it >>= 7;
    }
    out.push(it as u8);
    out
}

fn number(field: u64, it: u64) -> Vec<u8> {
    [varint(field << 3), varint(it)].concat()
}

fn fixed(field: u64, it: u64) -> Vec<u8> {
    [varint(field << 3 | 1), it.to_le_bytes().to_vec()].concat()
}

fn message(field: u64, bytes: &[u8]) -> Vec<u8> {
    [varint(field << 3 | 2), varint(bytes.len() as u64), bytes.to_vec()].concat()
}

fn attributes(field: u64, all: &[(String, Any)]) -> Vec<u8> {
    let one = |(key, it): &(String, Any)| {
        message(field, &[message(1, key.as_bytes()), message(2, &it.bytes())].concat())
    };
    all.iter().flat_map(one).collect()
}

fn json_attributes(all: &[(String, Any)]) -> Value {
    all.iter().map(|(key, it)| json!({"key": key, "value": it.json()})).collect()
}

/// A request with one record or metric in it.
fn request(record: &[u8]) -> Vec<u8> {
    let other = number(8, 3);
    let record = [other.as_slice(), record, &message(9, b"trace")].concat();
    message(1, &message(2, &message(2, &record)))
}

fn some() -> impl Strategy<Value = Any> {
    let leaf = prop_oneof![
        ".{0,12}".prop_map(Any::Text),
        any::<bool>().prop_map(Any::Flag),
        any::<i64>().prop_map(Any::Whole),
        (-1_000_000..1_000_000).prop_map(|eighths: i32| Any::Fraction(f64::from(eighths) / 8.0)),
    ];
    leaf.prop_recursive(3, 8, 3, |it| prop::collection::vec(it, 0..3).prop_map(Any::List))
}

fn some_attributes() -> impl Strategy<Value = Vec<(String, Any)>> {
    prop::collection::btree_map("[a-z.]{1,8}", some(), 0..5).prop_map(|it| it.into_iter().collect())
}

proptest! {
    #[test]
    fn a_log_says_the_same_in_both_forms(all in some_attributes(), time in 0..u64::MAX / 4) {
        let body = "agent.said";
        let record = [
            fixed(1, time),
            fixed(11, 7),
            message(5, &message(1, body.as_bytes())),
            attributes(6, &all),
        ];
        let bytes = request(&record.concat());
        let json = json!({"resourceLogs": [{"resource": {}, "scopeLogs": [{"logRecords": [{
            "timeUnixNano": time.to_string(), "observedTimeUnixNano": 7,
            "body": {"stringValue": body}, "attributes": json_attributes(&all), "severityNumber": 9,
        }]}]}]});
        let read_bytes = read(Sent::Logs, Form::Protobuf, &bytes);
        let read_json = read(Sent::Logs, Form::Json, json.to_string().as_bytes());
        prop_assert_eq!(&read_bytes, &read_json);
        let expected = Telemetry {
            name: body.to_owned(),
            at: instant(if time > 0 { time } else { 7 }),
            value: None,
            attributes: all.iter().map(|(key, it)| (key.clone(), it.plain())).collect(),
        };
        prop_assert_eq!(read_bytes, Some(vec![expected]));
    }

    #[test]
    fn a_metric_says_the_same_in_both_forms(all in some_attributes(), count in 0..1000_i64) {
        let point = [fixed(3, 9), fixed(6, count.cast_unsigned()), attributes(7, &all)].concat();
        let metric = [message(1, b"agent.count"), message(7, &message(1, &point))].concat();
        let bytes = message(1, &message(2, &message(2, &metric)));
        let json = json!({"resourceMetrics": [{"scopeMetrics": [{"metrics": [{
            "name": "agent.count", "sum": {"dataPoints": [{
                "timeUnixNano": "9", "asInt": count.to_string(), "attributes": json_attributes(&all),
            }]},
        }]}]}]});
        let read_json = read(Sent::Metrics, Form::Json, json.to_string().as_bytes());
        prop_assert_eq!(&read(Sent::Metrics, Form::Protobuf, &bytes), &read_json);
        let read_json = read_json.unwrap();
        prop_assert_eq!((&*read_json[0].name, read_json[0].value), ("agent.count", Some(count as f64)));
    }

    #[test]
    fn what_is_torn_is_refused_and_nothing_else_happens(bytes: Vec<u8>, all in some_attributes()) {
        read(Sent::Logs, Form::Protobuf, &bytes);
        read(Sent::Metrics, Form::Protobuf, &bytes);
        unpacked(&bytes);
        let whole = request(&attributes(6, &all));
        for end in 1..whole.len() {
            prop_assert_eq!(read(Sent::Logs, Form::Protobuf, &whole[..end]), None);
        }
    }
}

#[test]
fn the_name_is_the_body_or_an_attribute() {
    let check = |body: Option<&str>, attribute: &str, expected: &str| {
        let attributes = Map::from_iter([("event.name".to_owned(), json!(attribute))]);
        assert_eq!(log((0, 0), body, attributes).name, expected);
    };
    check(Some("agent.said"), "said", "agent.said");
    check(None, "agent.said", "agent.said");
    check(Some("flushing it now."), "agent.said", "agent.said");
    check(Some("said"), "agent.said", "agent.said");
}

#[test]
fn a_body_that_grows_too_much_is_refused() {
    let packed = |length: u64| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        let block = vec![0_u8; 1 << 20];
        (0..length / block.len() as u64).for_each(|_| packer.write_all(&block).unwrap());
        packer.finish().unwrap()
    };
    let small = packed(1 << 20);
    assert_eq!(unpacked(&small).map(|it| it.len()), Some(1 << 20));
    assert_eq!(unpacked(&small[..small.len() - 1]), None);
    let bomb = packed(UNPACKED + (1 << 20));
    assert!(bomb.len() < BODY);
    assert_eq!(unpacked(&bomb), None);
}

#[test]
fn nesting_is_bounded() {
    let nested = |depth: usize| {
        let it = (0..depth).fold(Any::Flag(true), |it, _| Any::List(vec![it]));
        request(&attributes(6, &[("a".to_owned(), it)]))
    };
    assert!(read(Sent::Logs, Form::Protobuf, &nested(6)).is_some());
    assert!(read(Sent::Logs, Form::Protobuf, &nested(100)).is_none());
}

#[test]
fn settings_name_the_place_and_the_token() {
    let check = |agent: Option<&str>, expected: &[&str]| {
        let told = otel_settings(agent, "http://127.0.0.1:4318", "t0ken").unwrap();
        assert_eq!(told.iter().map(|it| it.label).collect::<Vec<_>>(), expected);
        for it in told {
            assert!(it.text.contains("http://127.0.0.1:4318"), "{}", it.text);
            assert!(it.text.contains("Bearer t0ken") && !it.text.contains('@'), "{}", it.text);
        }
    };
    check(None, &["Claude Code", "Codex", "Gemini CLI"]);
    check(Some("codex"), &["Codex"]);
    for agent in ["goose", "nobody"] {
        assert!(otel_settings(Some(agent), "e", "t").is_err(), "{agent}");
    }
}
