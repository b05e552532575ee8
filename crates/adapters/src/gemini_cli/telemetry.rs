//! Gemini CLI's OpenTelemetry events.
//!
//! Its token counts name no answer, so they cannot be joined with those of the chat: they are shown
//! and not added up. Only the requests of its utilities, such as the model router, are in no chat;
//! these are added.

use super::identity;
use taffrail_kit::journal::EntrySink;
use taffrail_kit::telemetry::{Meaning, Telemetry, TelemetryPlan, read_entry as read_sent};
use taffrail_model::{NewUsage, Signal, Tokens, hash};

/// Which events the journal keeps.
pub(super) const PLAN: TelemetryPlan = TelemetryPlan {
    prefix: "gemini_cli.",
    session: SESSION,
    is_wanted: |sent| WANTED.contains(&sent.name.as_str()),
    keep: &[
        SESSION,
        "prompt_id",
        "prompt_length",
        "model",
        "input_token_count",
        "output_token_count",
        "cached_content_token_count",
        "thoughts_token_count",
        "tool_token_count",
        "total_token_count",
        "status_code",
        "duration_ms",
        "role",
        "function_name",
        "tool_type",
        "decision",
        "success",
        "tokens_before",
        "tokens_after",
    ],
    place: "the environment that Gemini CLI is started in",
    settings: "\
export GEMINI_TELEMETRY_ENABLED=true
export GEMINI_TELEMETRY_TARGET=local
export GEMINI_TELEMETRY_OTLP_PROTOCOL=http
export GEMINI_TELEMETRY_OTLP_ENDPOINT=@ENDPOINT@
export GEMINI_TELEMETRY_LOG_PROMPTS=false
export OTEL_EXPORTER_OTLP_HEADERS='Authorization=Bearer @TOKEN@'
",
};

const SESSION: &str = "session.id";
/// The prefix of the roles of requests that are no part of the conversation.
const UTILITY: &str = "utility_";

const WANTED: &[&str] =
    &["user_prompt", "api_request", "api_response", "api_error", "tool_call", "chat_compression"];

/// Reads an entry of the journal.
pub(super) fn read_entry(sink: &mut EntrySink<'_, '_>) {
    read_sent(sink, &PLAN, meaning);
}

fn meaning(sent: &Telemetry) -> Option<Meaning> {
    let who = identity(sent.id(SESSION)?);
    let signal = match sent.name.as_str() {
        "user_prompt" => Signal::Prompted,
        "chat_compression" => Signal::Compacted,
        _ => Signal::Alive,
    };
    let usage = (sent.name == "api_response").then(|| usage(sent)).flatten();
    Some(Meaning { who, parent: None, signal, usage })
}

/// The usage of a request that no chat records.
fn usage(sent: &Telemetry) -> Option<NewUsage> {
    let role = sent.text("role").filter(|it| it.starts_with(UTILITY))?;
    let count = |name| sent.whole(name).unwrap_or_default();
    let (cached, thoughts) = (count("cached_content_token_count"), count("thoughts_token_count"));
    let at = sent.at.map(|it| it.to_string()).unwrap_or_default();
    let request = [sent.id(SESSION)?, sent.id("prompt_id").unwrap_or_default(), role, &at];
    Some(NewUsage {
        key: hash::digest("gemini-utility", &request.map(str::as_bytes)),
        at: sent.at,
        model: sent.text("model").map(str::to_owned),
        tokens: Tokens {
            output: count("output_token_count").saturating_add(thoughts),
            input: count("input_token_count")
                .saturating_sub(cached)
                .saturating_add(count("tool_token_count")),
            cache_read: cached,
            cache_write: 0,
            reasoning: thoughts,
        },
        cache_write_1h: 0,
        cost_microdollars: None,
    })
}
