//! Codex's OpenTelemetry events.
//!
//! Its token counts name no answer, so they cannot be joined with those of the rollout: we show
//! them and do not add them up.

use super::identity;
use taffrail_kit::journal::EntrySink;
use taffrail_kit::telemetry::{Meaning, Telemetry, TelemetryPlan, read_entry as read_sent};
use taffrail_model::Signal;

/// Which events the journal keeps.
pub(super) const PLAN: TelemetryPlan = TelemetryPlan {
    prefix: "codex.",
    session: SESSION,
    is_wanted,
    keep: &[
        SESSION,
        "event.kind",
        "model",
        "input_token_count",
        "output_token_count",
        "cached_token_count",
        "reasoning_token_count",
        "http.response.status_code",
        "attempt",
        "duration_ms",
        "tool_name",
        CALL,
        "decision",
        "source",
        "success",
    ],
    place: "`config.toml` in its home",
    settings: "\
[otel]
log_user_prompt = false
exporter = { otlp-http = { endpoint = \"@ENDPOINT@/v1/logs\", protocol = \"binary\", headers = { authorization = \"Bearer @TOKEN@\" } } }
trace_exporter = \"none\"
metrics_exporter = \"none\"
",
};

const SESSION: &str = "conversation.id";
const CALL: &str = "call_id";

/// Of the pieces of an answer only the end counts, and of its two forms the one with token counts.
fn is_wanted(sent: &Telemetry) -> bool {
    match sent.name.as_str() {
        "sse_event" => sent.whole("input_token_count").is_some(),
        "conversation_starts" | "user_prompt" | "api_request" | "tool_decision" | "tool_result" => {
            true
        }
        _ => false,
    }
}

/// Reads an entry of the journal.
pub(super) fn read_entry(sink: &mut EntrySink<'_, '_>) {
    read_sent(sink, &PLAN, meaning);
}

fn meaning(sent: &Telemetry) -> Option<Meaning> {
    let who = identity(sent.id(SESSION)?);
    let signal = match sent.name.as_str() {
        "user_prompt" => Signal::Prompted,
        "tool_decision" | "tool_result" => sent.settles(CALL),
        _ => Signal::Alive,
    };
    Some(Meaning { who, parent: None, signal, usage: None })
}
