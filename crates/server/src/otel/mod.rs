//! Receives OTLP over HTTP from agents: parses it, filters it and writes it into the journal.
//!
//! The adapters decide what to keep. An exporter without a response sends again, and duplicates
//! become one entry.

mod json;
mod protobuf;
mod settings;
#[cfg(test)]
mod tests;

pub use settings::{OtelSettings, otel_settings};

use flate2::read::MultiGzDecoder;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::io::{self, Read};
use taffrail_adapters::{Telemetry, telemetry_entry};
use taffrail_capture::spool;
use taffrail_context::Settings;
use taffrail_model::journal::Entry;
use taffrail_model::{AgentId, Origin, Timestamp, hash};

/// The size limit of a body as received.
pub(crate) const BODY: usize = 4 * 1024 * 1024;
/// The size limit of a body after decompression.
const UNPACKED: u64 = 32 * 1024 * 1024;
/// The most records or points in a body, and the most fields in a message.
const MOST: usize = 100_000;
/// The longest name of a metric, in bytes. Every point repeats the name, so a long one would
/// multiply.
const NAME: usize = 256;

/// The kind of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sent {
    Logs,
    Metrics,
}

/// The encoding of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Protobuf,
    Json,
}

/// Parses a body; `None` if it is malformed.
pub(crate) fn read(sent: Sent, form: Form, body: &[u8]) -> Option<Vec<Telemetry>> {
    match (form, sent) {
        (Form::Protobuf, Sent::Logs) => protobuf::logs(body),
        (Form::Protobuf, Sent::Metrics) => protobuf::metrics(body),
        (Form::Json, Sent::Logs) => json::logs(body),
        (Form::Json, Sent::Metrics) => json::metrics(body),
    }
}

/// Decompresses a body; `None` if it is malformed, or larger than anything an agent sends.
pub(crate) fn unpacked(body: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let read = MultiGzDecoder::new(body).take(UNPACKED + 1).read_to_end(&mut out);
    (read.is_ok() && out.len() as u64 <= UNPACKED).then_some(out)
}

/// Writes the wanted telemetry into the journal; returns how many entries that was.
///
/// # Errors
/// When the journal cannot be written.
pub(crate) fn write_down(settings: &Settings, sent: &[Telemetry]) -> io::Result<usize> {
    let mut written = 0;
    for it in sent.iter().filter_map(telemetry_entry) {
        let payload = RawValue::from_string(it.payload)?;
        let entry = Entry {
            at: (settings.now)(),
            nonce: hash::to_hex(&it.mark),
            agent: AgentId::new(it.agent),
            via: Origin::Telemetry,
            ancestors: Vec::new(),
            store: None,
            shortened: false,
            payload: &payload,
        };
        spool(&settings.data, &entry)?;
        written += 1;
    }
    Ok(written)
}

/// Builds a log record.
fn log(
    (time, observed): (u64, u64),
    body: Option<&str>,
    attributes: Map<String, Value>,
) -> Telemetry {
    let is_name = |text: &&str| text.contains('.') && !text.contains(char::is_whitespace);
    let named = || attributes.get("event.name").and_then(Value::as_str);
    let name = body.filter(is_name).or_else(named).unwrap_or_default().to_owned();
    let at = instant(time).or_else(|| instant(observed));
    Telemetry { name, at, value: None, attributes }
}

/// Parses an instant in nanoseconds; zero means none.
fn instant(nanoseconds: u64) -> Option<Timestamp> {
    let at = Timestamp::from_nanosecond(i128::from(nanoseconds)).ok();
    at.filter(|_| nanoseconds > 0)
}
