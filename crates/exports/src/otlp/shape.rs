//! Spans as OTLP writes them in JSON: ids in hex, numbers of 64 bits as text.

use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

/// One request to a collector.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Request<'a> {
    pub(super) resource_spans: [ResourceSpans<'a>; 1],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ResourceSpans<'a> {
    pub(super) resource: Resource,
    pub(super) scope_spans: [ScopeSpans<'a>; 1],
}

#[derive(Debug, Serialize)]
pub(super) struct Resource {
    pub(super) attributes: Attributes,
}

#[derive(Debug, Serialize)]
pub(super) struct ScopeSpans<'a> {
    pub(super) scope: Scope<'a>,
    pub(super) spans: &'a [Span],
}

#[derive(Debug, Serialize)]
pub(super) struct Scope<'a> {
    pub(super) name: &'a str,
    pub(super) version: &'a str,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Span {
    pub(super) trace_id: String,
    pub(super) span_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parent_span_id: Option<String>,
    pub(super) name: String,
    pub(super) kind: SpanKind,
    pub(super) start_time_unix_nano: Nanos,
    pub(super) end_time_unix_nano: Nanos,
    pub(super) attributes: Attributes,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<Status>,
}

/// The kind of a span, as its number in OTLP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpanKind {
    Internal = 1,
    Client = 3,
}

impl Serialize for SpanKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(*self as u8)
    }
}

/// Nanoseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Nanos(pub(super) u64);

impl Serialize for Nanos {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct Status {
    code: u8,
}

impl Status {
    pub(super) const ERROR: Self = Self { code: 2 };
}

/// Attributes by name, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Attributes(Vec<(&'static str, AnyValue)>);

impl Attributes {
    pub(super) fn text(&mut self, name: &'static str, value: Option<&str>) {
        self.0.extend(value.map(|it| (name, AnyValue::Text(it.to_owned()))));
    }

    pub(super) fn texts(&mut self, name: &'static str, values: &[&str]) {
        if !values.is_empty() {
            let all = values.iter().map(|it| (*it).to_owned()).collect();
            self.0.push((name, AnyValue::Texts(all)));
        }
    }

    pub(super) fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub(super) fn number(&mut self, name: &'static str, value: u64) {
        self.0.push((name, AnyValue::Number(value)));
    }
}

impl Serialize for Attributes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_seq(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            out.serialize_element(&KeyValue { key, value })?;
        }
        out.end()
    }
}

#[derive(Serialize)]
struct KeyValue<'a> {
    key: &'a str,
    value: &'a AnyValue,
}

#[derive(Debug, Clone, PartialEq)]
enum AnyValue {
    Text(String),
    Texts(Vec<String>),
    Number(u64),
}

impl Serialize for AnyValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde_json::json;
        let value = match self {
            Self::Text(text) => json!({ "stringValue": text }),
            Self::Texts(texts) => {
                let values: Vec<_> = texts.iter().map(|it| json!({ "stringValue": it })).collect();
                json!({ "arrayValue": { "values": values } })
            }
            Self::Number(number) => json!({ "intValue": number.to_string() }),
        };
        value.serialize(serializer)
    }
}
