//! The few OTLP messages that we read, in their binary form.
//!
//! The field numbers are those of `opentelemetry/proto` 1.x, which never change. Other fields are
//! skipped.

use super::{MOST, NAME, instant, log};
use serde_json::{Map, Value};
use taffrail_adapters::Telemetry;

/// The depth limit of nested arrays and maps.
const DEPTH: usize = 8;

/// The encoded value of a field.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    Skipped,
}

/// The records of an `ExportLogsServiceRequest`.
pub(super) fn logs(body: &[u8]) -> Option<Vec<Telemetry>> {
    third(body, 2, 2)?.into_iter().map(log_record).collect()
}

/// The points of an `ExportMetricsServiceRequest`.
pub(super) fn metrics(body: &[u8]) -> Option<Vec<Telemetry>> {
    let mut out = Vec::new();
    for metric in third(body, 2, 2)? {
        out.extend(points(metric)?);
        bounded(&out)?;
    }
    Some(out)
}

/// The records of a request: by resource, by scope, and then one by one.
fn third(body: &[u8], scopes: u64, records: u64) -> Option<Vec<&[u8]>> {
    let mut out = Vec::new();
    for resource in messages(body, 1)? {
        for scope in messages(resource, scopes)? {
            out.extend(messages(scope, records)?);
            bounded(&out)?;
        }
    }
    Some(out)
}

fn log_record(record: &[u8]) -> Option<Telemetry> {
    let (mut time, mut observed, mut body) = (0, 0, Value::Null);
    let mut attributes = Map::new();
    for (number, field) in fields(record)? {
        match (number, field) {
            (1, Field::Number(it)) => time = it,
            (11, Field::Number(it)) => observed = it,
            (5, Field::Bytes(it)) => body = value(it, DEPTH)?,
            (6, Field::Bytes(it)) => attributes.extend([pair(it, DEPTH)?]),
            _ => {}
        }
    }
    Some(log((time, observed), body.as_str(), attributes))
}

fn bounded<T>(all: &[T]) -> Option<()> {
    (all.len() <= MOST).then_some(())
}

/// The points of a `Metric` that is a sum or a gauge.
fn points(metric: &[u8]) -> Option<Vec<Telemetry>> {
    let (mut name, mut out) = (String::new(), Vec::new());
    for (number, field) in fields(metric)? {
        match (number, field) {
            (1, Field::Bytes(it)) => name = String::from_utf8_lossy(it).into_owned(),
            (5 | 7, Field::Bytes(it)) => {
                let points: Option<Vec<_>> = messages(it, 1)?.into_iter().map(point).collect();
                out.extend(points?);
            }
            _ => {}
        }
    }
    if name.len() > NAME {
        return Some(Vec::new());
    }
    out.iter_mut().for_each(|it| it.name.clone_from(&name));
    Some(out)
}

fn point(bytes: &[u8]) -> Option<Telemetry> {
    let mut out = Telemetry::default();
    for (number, field) in fields(bytes)? {
        match (number, field) {
            (3, Field::Number(it)) => out.at = instant(it),
            (4, Field::Number(it)) => out.value = Some(f64::from_bits(it)),
            (6, Field::Number(it)) => out.value = Some(it.cast_signed() as f64),
            (7, Field::Bytes(it)) => out.attributes.extend([pair(it, DEPTH)?]),
            _ => {}
        }
    }
    Some(out)
}

/// A `KeyValue`.
fn pair(bytes: &[u8], depth: usize) -> Option<(String, Value)> {
    let (mut key, mut it) = (String::new(), Value::Null);
    for (number, field) in fields(bytes)? {
        match (number, field) {
            (1, Field::Bytes(bytes)) => key = String::from_utf8_lossy(bytes).into_owned(),
            (2, Field::Bytes(bytes)) => it = value(bytes, depth)?,
            _ => {}
        }
    }
    Some((key, it))
}

/// An `AnyValue`.
fn value(bytes: &[u8], depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    let mut out = Value::Null;
    for (number, field) in fields(bytes)? {
        out = match (number, field) {
            (1, Field::Bytes(text)) => String::from_utf8_lossy(text).into(),
            (2, Field::Number(it)) => (it != 0).into(),
            (3, Field::Number(it)) => it.cast_signed().into(),
            (4, Field::Number(it)) => f64::from_bits(it).into(),
            (5, Field::Bytes(list)) => {
                let all = messages(list, 1)?.into_iter();
                Value::Array(all.map(|it| value(it, depth)).collect::<Option<_>>()?)
            }
            (6, Field::Bytes(list)) => {
                let all = messages(list, 1)?.into_iter();
                Value::Object(all.map(|it| pair(it, depth)).collect::<Option<_>>()?)
            }
            _ => out,
        };
    }
    Some(out)
}

/// The messages with one field number.
fn messages(bytes: &[u8], wanted: u64) -> Option<Vec<&[u8]>> {
    let all = fields(bytes)?.into_iter();
    let wanted = all.filter(|(number, _)| *number == wanted);
    let message = |(_, field)| match field {
        Field::Bytes(it) => Some(it),
        Field::Number(_) | Field::Skipped => None,
    };
    Some(wanted.filter_map(message).collect())
}

/// The fields of a message; `None` if it is malformed, or has too many.
fn fields(mut bytes: &[u8]) -> Option<Vec<(u64, Field<'_>)>> {
    let mut out = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes)?;
        let field = match key & 7 {
            0 => Field::Number(varint(&mut bytes)?),
            1 => Field::Number(u64::from_le_bytes(*take(&mut bytes, 8)?.first_chunk()?)),
            2 => {
                let length = varint(&mut bytes)?;
                Field::Bytes(take(&mut bytes, usize::try_from(length).ok()?)?)
            }
            5 => take(&mut bytes, 4).map(|_| Field::Skipped)?,
            _ => return None,
        };
        out.push((key >> 3, field));
        bounded(&out)?;
    }
    Some(out)
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut out = 0;
    for shift in (0..64).step_by(7) {
        let byte = *take(bytes, 1)?.first()?;
        out |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(out);
        }
    }
    None
}
