//! The log of events. Of it, only what the history lacks: requests for approval, and turns cut short.

use serde_json::Value;
use taffrail_kit::json::{text, time};
use taffrail_kit::{Speaker, ToolUse};

/// Reads one line.
pub(super) fn read(line: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.at(time(line, "/ts"));
    let tool = text(line, "/tool_name").unwrap_or_default();
    match (text(line, "/type"), text(line, "/outcome")) {
        (Some("permission_requested"), _) => {
            speaker.asked(&ToolUse { call: "", tool, input: None, text: Some(tool) });
        }
        (Some("permission_resolved"), _) => {
            speaker.decided("", text(line, "/decision").unwrap_or("unknown"));
        }
        (Some("turn_ended"), Some("cancelled")) => speaker.interrupted(),
        (Some("turn_ended"), Some("error" | "failed")) => {
            speaker.failed_turn(text(line, "/error").unwrap_or_default());
        }
        (Some(kind), _) if KNOWN_EVENTS.contains(&kind) => {}
        (other, _) => speaker.unknown(other.unwrap_or("no type")),
    }
}

/// The kinds of events that the history has, too.
const KNOWN_EVENTS: &[&str] = &[
    "turn_started",
    "loop_started",
    "phase_changed",
    "first_token",
    "tool_started",
    "tool_completed",
    "turn_ended",
];
