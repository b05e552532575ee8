//! Claude Code's OpenTelemetry events.
//!
//! They include neither a request to the user nor the end of a turn: the list of live sessions and
//! the transcript do.

use super::answers::usage_key;
use super::place;
use taffrail_kit::journal::EntrySink;
use taffrail_kit::telemetry::{Meaning, Telemetry, TelemetryPlan, read_entry as read_sent};
use taffrail_model::{NewUsage, RuntimeIdentity, Signal, Tokens};

/// Which events the journal keeps.
pub(super) const PLAN: TelemetryPlan = TelemetryPlan {
    prefix: "claude_code.",
    session: SESSION,
    is_wanted: |sent| WANTED.contains(&sent.name.as_str()),
    keep: &[
        SESSION,
        AGENT,
        "prompt.id",
        "command_name",
        "model",
        "input_tokens",
        "output_tokens",
        "cache_read_tokens",
        "cache_creation_tokens",
        "cost_usd_micros",
        "duration_ms",
        "request_id",
        "query_source",
        "tool_name",
        CALL,
        "decision",
        "source",
        "success",
        "status_code",
        "attempt",
        "trigger",
        "type",
    ],
    place: "the environment that Claude Code is started in",
    settings: "\
export CLAUDE_CODE_ENABLE_TELEMETRY=1
export OTEL_LOGS_EXPORTER=otlp
export OTEL_METRICS_EXPORTER=otlp
export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
export OTEL_EXPORTER_OTLP_ENDPOINT=@ENDPOINT@
export OTEL_EXPORTER_OTLP_HEADERS='Authorization=Bearer @TOKEN@'
export OTEL_LOGS_EXPORT_INTERVAL=1000
",
};

const SESSION: &str = "session.id";
const AGENT: &str = "agent_id";
const CALL: &str = "tool_use_id";

const WANTED: &[&str] = &[
    "user_prompt",
    "api_request",
    "api_error",
    "api_refusal",
    "api_retries_exhausted",
    "tool_decision",
    "tool_result",
    "compaction",
    "subagent_completed",
    "cost.usage",
    "token.usage",
];

/// Reads an entry of the journal.
pub(super) fn read_entry(sink: &mut EntrySink<'_, '_>) {
    read_sent(sink, &PLAN, meaning);
}

fn meaning(sent: &Telemetry) -> Option<Meaning> {
    let (who, parent) = whose(sent)?;
    let signal = match sent.name.as_str() {
        // A command may run without a turn.
        "user_prompt" if sent.text("command_name").is_none() => Signal::Prompted,
        "tool_decision" | "tool_result" => sent.settles(CALL),
        "compaction" => Signal::Compacted,
        "subagent_completed" if parent.is_some() => Signal::Ended,
        "api_retries_exhausted" => Signal::Failed,
        _ => Signal::Alive,
    };
    let usage = (sent.name == "api_request").then(|| usage(sent)).flatten();
    Some(Meaning { who, parent, signal, usage })
}

/// The session, or the sub-agent in it.
fn whose(sent: &Telemetry) -> Option<(RuntimeIdentity, Option<RuntimeIdentity>)> {
    let id = sent.id(SESSION)?;
    let session = place::session(id);
    Some(match sent.id(AGENT) {
        Some(agent) => (place::worker(id, agent), Some(session)),
        None => (session, None),
    })
}

/// The usage of a request, under the key of its answer in the transcript.
fn usage(sent: &Telemetry) -> Option<NewUsage> {
    let count = |name| sent.whole(name).unwrap_or_default();
    Some(NewUsage {
        key: usage_key("", sent.id("request_id")?),
        at: sent.at,
        model: sent.text("model").map(str::to_owned),
        tokens: Tokens {
            output: count("output_tokens"),
            input: count("input_tokens"),
            cache_read: count("cache_read_tokens"),
            cache_write: count("cache_creation_tokens"),
            reasoning: 0,
        },
        cache_write_1h: 0,
        cost_microdollars: sent.whole("cost_usd_micros").and_then(|it| i64::try_from(it).ok()),
    })
}
