//! OpenTelemetry from agents: what the journal keeps, and how it is read back.
//!
//! A plan names every attribute that is kept, so that a prompt, an answer or a tool's output is
//! never among them, whatever the agent is configured to send. The transcript has those.

use crate::journal::EntrySink;
use crate::records::LONGEST_ID;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;
use taffrail_model::hash::{self, Digest16};
use taffrail_model::{
    Confidence, Detail, Facts, Kind, NewUsage, RuntimeIdentity, Signal, Timestamp,
};

/// Which of an agent's telemetry the journal keeps, and how the agent is configured to send it.
#[derive(Debug)]
pub struct TelemetryPlan {
    /// The prefix of the names of its events and metrics.
    pub prefix: &'static str,
    /// The attribute that names the session.
    pub session: &'static str,
    /// Whether the journal keeps an event, by its name without the prefix.
    pub is_wanted: fn(&Telemetry) -> bool,
    /// The attributes that are kept. None contains text by a person or a model.
    pub keep: &'static [&'static str],
    /// Where the settings belong, for people.
    pub place: &'static str,
    /// The settings, with the placeholders `@ENDPOINT@` and `@TOKEN@`.
    pub settings: &'static str,
}

/// One log record, or one point of a metric.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Telemetry {
    /// Its name.
    pub name: String,
    /// When it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// The value of a metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Its attributes.
    pub attributes: Map<String, Value>,
}

/// An entry for the journal (`via` is `telemetry`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TelemetryEntry {
    /// The agent that sent it.
    pub agent: &'static str,
    /// As JSON.
    pub payload: String,
    /// Equal for repetitions; used as a nonce, so that a repetition makes no second event.
    pub mark: Digest16,
}

/// The journal's entry for a telemetry event, by the first of the agents' plans that names it; `None`
/// if it is not kept.
pub fn entry(
    plans: impl Iterator<Item = (&'static str, &'static TelemetryPlan)>,
    sent: &Telemetry,
) -> Option<TelemetryEntry> {
    let mut named = plans.filter_map(|(agent, plan)| {
        Some((agent, plan, sent.name.strip_prefix(plan.prefix)?.to_owned()))
    });
    let (agent, plan, name) = named.next()?;
    let short = Telemetry { name, ..sent.clone() };
    if short.id(plan.session).is_none() || !(plan.is_wanted)(&short) {
        return None;
    }
    let keep = |(name, value): (&String, &Value)| {
        let is_kept = plan.keep.contains(&name.as_str()) && is_short(value);
        is_kept.then(|| (name.clone(), value.clone()))
    };
    let attributes = sent.attributes.iter().filter_map(keep).collect();
    let payload = serde_json::to_string(&Telemetry { attributes, ..short }).ok()?;
    let whole = serde_json::to_string(sent).ok()?;
    let mark = hash::digest("telemetry", &[agent.as_bytes(), whole.as_bytes()]);
    Some(TelemetryEntry { agent, payload, mark })
}

/// Whether a value is a word, a number or a flag, not a longer text.
fn is_short(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() <= LONGEST_ID,
        Value::Number(_) | Value::Bool(_) => true,
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

impl Telemetry {
    /// A text that is not empty.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.attributes.get(name)?.as_str().filter(|text| !text.is_empty())
    }

    /// A whole number in any written form.
    #[must_use]
    pub fn whole(&self, name: &str) -> Option<u64> {
        let value = self.attributes.get(name)?;
        value.as_u64().or_else(|| value.as_str()?.parse().ok())
    }

    /// An id.
    pub fn id(&self, name: &str) -> Option<&str> {
        self.text(name).filter(|id| id.len() <= LONGEST_ID)
    }

    /// Settles the request about the named call, if it names one.
    pub fn settles(&self, name: &str) -> Signal {
        match self.id(name) {
            Some(call) => Signal::Settled { call: call.to_owned(), input: String::new() },
            None => Signal::Alive,
        }
    }
}

/// The meaning of a telemetry event.
pub struct Meaning {
    pub who: RuntimeIdentity,
    /// The parent session.
    pub parent: Option<RuntimeIdentity>,
    pub signal: Signal,
    pub usage: Option<NewUsage>,
}

/// Reads a journal entry from telemetry.
pub fn read_entry(
    sink: &mut EntrySink<'_, '_>,
    plan: &TelemetryPlan,
    meaning: fn(&Telemetry) -> Option<Meaning>,
) {
    let sent = serde_json::from_str::<Telemetry>(sink.entry.payload.get()).ok();
    let Some((sent, meant)) = sent.and_then(|it| meaning(&it).map(|meant| (it, meant))) else {
        return sink.unknown("telemetry/unreadable");
    };
    let mut draft = sink.draft(0, Kind::Heartbeat);
    draft.signal = Some(meant.signal);
    draft.at = sent.at.or(draft.at);
    draft.confidence = sent.at.map_or(Confidence::Low, |_| Confidence::High);
    draft.text = Some(Cow::Borrowed(&sent.name));
    draft.detail = detail(&sent, plan);
    sink.add_facts(&meant.who, Facts { parent: meant.parent, ..Facts::default() });
    sink.emit(&meant.who, draft);
    if let Some(usage) = meant.usage {
        sink.add_usage(&meant.who, usage);
    }
}

fn detail<'d>(sent: &'d Telemetry, plan: &TelemetryPlan) -> Detail<'d> {
    let is_detail = |name: &&&str| **name != plan.session;
    let kept = plan.keep.iter().filter(is_detail);
    let kept = kept.filter_map(|name| Some((*name, sent.attributes.get(*name)?.clone())));
    let value = sent.value.map(|it| ("value", it.into()));
    let fields = kept.chain(value).collect();
    Detail::Live { field: "telemetry", name: Cow::Borrowed(&sent.name), fields }
}
