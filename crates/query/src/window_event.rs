//! An event as small as a page that draws a transcript needs it.

use serde_json::Value;
use taffrail_api::WindowEvent;
use taffrail_model::findings::telling_line;
use taffrail_model::text::cut;
use taffrail_model::{Event, Kind};

/// The longest text of a prompt or an answer, in bytes.
const SAID: usize = 16 * 1024;
/// The longest output of a call.
const OUTPUT: usize = 2 * 1024;
/// The longest string in the input of a call.
const INPUT: usize = 4 * 1024;
/// The longest line of a failure.
const FAILURE: usize = 240;
/// The most bytes of a window for each of its events, as JSON.
const EACH: usize = 1_350;
/// The most bytes of a window with few events.
const LEAST: usize = 96 * 1024;
/// How short texts become at the least in a window with too many bytes.
const SHORTEST: usize = 64;

/// An event at its place and in its turn.
pub(crate) fn small(event: Event, (sequence, turn): (u64, Option<u32>)) -> WindowEvent {
    let text = event.text.unwrap_or_default();
    let data = event.data;
    let word = |name: &str| data.get(name).and_then(Value::as_str).map(str::to_owned);
    let exit_code = data.get("exit_code").and_then(Value::as_i64);
    let is_result = event.kind == Kind::ToolResult;
    let failed = is_result.then(|| {
        data.get("failed").and_then(Value::as_bool) == Some(true)
            || exit_code.is_some_and(|it| it != 0)
    });
    let failure = failed.filter(|it| *it).and_then(|_| telling_line(&text));
    let failure = failure.map(|it| cut(it, FAILURE).to_owned());
    let full = |name: &str| data.get(name).and_then(Value::as_u64);
    let mut out = WindowEvent {
        id: event.id,
        sequence,
        turn,
        created_at: event.created_at,
        cut: false,
        length: is_result.then(|| full("full_bytes").unwrap_or(text.len() as u64)),
        lines: is_result.then(|| full("full_lines").unwrap_or(text.lines().count() as u64)),
        tool: word("tool"),
        input: data.get("input").filter(|_| event.kind == Kind::ToolCall).cloned(),
        call_id: word("call_id"),
        parent_id: event.parent_id,
        failed,
        exit_code,
        failure,
        decision: word("decision"),
        asked_by: word("asked_by"),
        model: word("model"),
        stale: data.get("stale").and_then(Value::as_bool) == Some(true),
        denied: data.get("denied").and_then(Value::as_bool) == Some(true),
        images: strings_of(data.get("images")),
        kind: event.kind,
        text,
    };
    let most = if is_result { OUTPUT } else { SAID };
    shorten(&mut out, (most, INPUT));
    out
}

fn strings_of(list: Option<&Value>) -> Vec<String> {
    let all = list.and_then(Value::as_array).into_iter().flatten();
    all.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Shortens texts until the whole window is small enough.
pub(crate) fn fitted(events: &mut [WindowEvent]) {
    let room = events.len().saturating_mul(EACH).max(LEAST);
    let mut most = SAID / 2;
    while most >= SHORTEST && written(events) > room {
        events.iter_mut().for_each(|it| shorten(it, (most, most)));
        most /= 2;
    }
    if written(events) > room {
        // Inputs of many short strings are left; the route of single events has them.
        for event in events.iter_mut().filter(|it| it.input.is_some()) {
            (event.input, event.cut) = (None, true);
        }
    }
}

fn written(events: &[WindowEvent]) -> usize {
    // What cannot be written takes no room.
    events.iter().map(|it| serde_json::to_string(it).map_or(0, |it| it.len())).sum()
}

fn shorten(event: &mut WindowEvent, (text, input): (usize, usize)) {
    if event.text.len() > text {
        event.length.get_or_insert(event.text.len() as u64);
        event.text = cut(&event.text, text).to_owned();
        event.cut = true;
    }
    if let Some(value) = &mut event.input {
        event.cut |= shorten_strings(value, input);
    }
}

/// Whether a string of a value was cut.
fn shorten_strings(value: &mut Value, most: usize) -> bool {
    match value {
        Value::String(text) if text.len() > most => {
            *text = cut(text, most).to_owned();
            true
        }
        Value::Array(all) => {
            all.iter_mut().map(|it| usize::from(shorten_strings(it, most))).sum::<usize>() > 0
        }
        Value::Object(all) => {
            all.values_mut().map(|it| usize::from(shorten_strings(it, most))).sum::<usize>() > 0
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use taffrail_model::{EventId, Timestamp};

    fn event(kind: Kind, text: &str, input: Option<Value>) -> WindowEvent {
        WindowEvent {
            id: EventId::from_bytes([1; 16]),
            sequence: 1,
            turn: Some(1),
            kind,
            text: text.to_owned(),
            created_at: Timestamp::UNIX_EPOCH,
            cut: false,
            length: None,
            lines: None,
            tool: None,
            input,
            call_id: None,
            parent_id: None,
            failed: None,
            exit_code: None,
            failure: None,
            decision: None,
            asked_by: None,
            model: None,
            stale: false,
            denied: false,
            images: Vec::new(),
        }
    }

    #[test]
    fn two_hundred_long_events_take_at_most_300_kilobytes() {
        let long = "\u{1}line of a text\n".repeat(700);
        let check = |it: WindowEvent| {
            let mut events = vec![it; 200];
            fitted(&mut events);
            assert!(written(&events) < 290_000, "{}", written(&events));
            assert!(events.iter().all(|it| it.cut));
        };
        check(event(Kind::AssistantMessage, &long, None));
        check(event(Kind::ToolCall, "", Some(json!({ "a": long, "b": { "c": [long] } }))));
        check(event(Kind::ToolCall, "", Some(json!(vec!["x"; 1000]))));
    }

    #[test]
    fn a_short_event_stays_whole() {
        let short = event(Kind::ToolCall, "make", Some(json!({ "command": "make" })));
        let mut events = vec![short.clone(); 3];
        fitted(&mut events);
        assert_eq!(events, vec![short; 3]);
    }
}
