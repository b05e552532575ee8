//! Formats a record as a line, and parses it back: `TIME LEVEL TARGET: MESSAGE NAME=VALUE ...`

use std::fmt::{Debug, Write};
use taffrail_api::LogLine;
use taffrail_model::Timestamp;
use taffrail_model::redact::redact;
use tracing::Event;
use tracing::field::{Field, Visit};

/// Longer values are truncated.
const VALUE: usize = 1_000;
/// The field in which `tracing` puts the message.
const MESSAGE: &str = "message";

/// Formats a record as a line, with its newline.
pub(super) fn rendered(at: Timestamp, event: &Event<'_>) -> String {
    let mut parts = Parts::default();
    event.record(&mut parts);
    let (level, target) = (event.metadata().level(), event.metadata().target());
    let Parts { message, fields } = parts;
    format!("{at:.3} {level} {target}: {message}{fields}\n")
}

#[derive(Default)]
struct Parts {
    message: String,
    fields: String,
}

impl Parts {
    fn add(&mut self, field: &Field, value: &str) {
        let kept = cut(value);
        let kept = redact(&kept);
        match field.name() {
            MESSAGE => self.message = kept.replace(char::is_control, " "),
            // Writing to a string cannot fail.
            name => write!(self.fields, " {name}={}", quoted(&kept)).unwrap_or_default(),
        }
    }
}

impl Visit for Parts {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.add(field, &format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, value);
    }
}

fn cut(value: &str) -> String {
    match value.char_indices().nth(VALUE) {
        Some(_) => value.chars().take(VALUE).chain(['…']).collect(),
        None => value.to_owned(),
    }
}

/// A value unchanged if that is unambiguous, otherwise as a JSON string.
fn quoted(value: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "._:/@+-%,~()[]".contains(it);
    if !value.is_empty() && value.chars().all(is_plain) {
        return value.to_owned();
    }
    // A string always serializes.
    serde_json::to_string(value).unwrap_or_default()
}

/// Parses a line. A foreign line, such as a program's output, becomes the message.
#[must_use]
pub fn parse(line: &str) -> LogLine {
    parsed(line).unwrap_or_else(|| LogLine { message: line.to_owned(), ..LogLine::default() })
}

fn parsed(line: &str) -> Option<LogLine> {
    let (at, rest) = line.split_once(' ')?;
    let at: Timestamp = at.parse().ok()?;
    let (level, rest) = rest.trim_start().split_once(' ')?;
    let (target, rest) = rest.split_once(": ")?;
    let begin = begin_of_fields(rest);
    let (message, fields) = rest.split_at_checked(begin)?;
    let mut out = LogLine {
        at: Some(at),
        level: Some(level.to_lowercase()),
        target: Some(target.to_owned()),
        message: message.to_owned(),
        ..LogLine::default()
    };
    let mut left = fields.strip_prefix(' ').unwrap_or(fields);
    while let Some((name, value, rest)) = field(left) {
        out.fields.insert(name, value);
        left = rest;
    }
    Some(out)
}

/// The offset of the first ` name=`; the end if there is none.
fn begin_of_fields(text: &str) -> usize {
    let is_begin = |at: &usize| {
        let name = text.get(at + 1..).and_then(|it| it.split_once('=')).map(|(name, _)| name);
        name.is_some_and(is_name)
    };
    text.match_indices(' ').map(|(at, _)| at).find(is_begin).unwrap_or(text.len())
}

fn is_name(text: &str) -> bool {
    let is_part = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || "_.".contains(it);
    !text.is_empty() && text.chars().all(is_part)
}

/// The first field, and the text after it.
fn field(text: &str) -> Option<(String, String, &str)> {
    let (name, rest) = text.split_once('=')?;
    if !rest.starts_with('"') {
        let (value, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        return Some((name.to_owned(), value.to_owned(), rest));
    }
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
    let value = values.next()?.ok()?;
    let rest = rest.get(values.byte_offset()..)?;
    Some((name.to_owned(), value, rest.strip_prefix(' ').unwrap_or(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_not_a_record_is_all_message() {
        for line in ["", "taffrail: a daemon is running already", "thread 'x' panicked at 1: no"] {
            let expected = LogLine { message: line.to_owned(), ..LogLine::default() };
            assert_eq!(parse(line), expected);
        }
    }

    #[test]
    fn values_are_quoted_where_they_must_be() {
        let check = |value: &str, expected: &str| assert_eq!(quoted(value), expected);
        check("12", "12");
        check("/home/me/x.sock", "/home/me/x.sock");
        check("", "\"\"");
        check("a b", "\"a b\"");
        check("a=b", "\"a=b\"");
        check("a\u{1b}[1m\n", "\"a\\u001b[1m\\n\"");
    }

    #[test]
    fn a_torn_line_reads_as_far_as_it_goes() {
        let read =
            parse("2026-11-17T09:30:00.123Z  INFO taffrail_sync: lost count=3 error=\"no en");
        assert_eq!((read.message.as_str(), read.fields["count"].as_str()), ("lost", "3"));
    }

    #[test]
    fn a_long_value_is_cut() {
        assert_eq!(cut(&"ä".repeat(VALUE)).chars().count(), VALUE);
        assert_eq!(cut(&"ä".repeat(VALUE + 1)).chars().count(), VALUE + 1);
        assert!(cut(&"ä".repeat(VALUE + 1)).ends_with('…'));
    }
}
