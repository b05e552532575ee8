//! The tool `errors`: where an error happened before, and what followed until it went well.

use crate::page::Page;
use crate::query::{Question, Refusal, about};
use crate::search::{ask, place, said};
use crate::text::quoted_line;
use std::collections::{HashMap, HashSet};
use taffrail_api::{SearchHit, Window, WindowEvent};
use taffrail_model::{EventId, Kind};

/// How many hits are looked at, and how many sessions are shown.
const HITS: usize = 30;
const SESSIONS: usize = 3;
/// How many events around a hit are read; a quarter of them is before it.
const READ: &str = "120";
/// How many lines show what followed.
const LINES: usize = 10;
/// The last line where the same tool went well.
const WELL: &str = "it went well";
/// The most words of an error that are looked for.
const WORDS: usize = 24;

/// Finds an error in failed calls, once a session, and what followed it.
pub(crate) fn errors(question: &Question) -> Result<String, Refusal> {
    let text = question.given.required("text")?;
    let reply = ask(question, &format!("kind:error {}", words(&text)), HITS)?;
    let mut page = Page::new(question.fence.clone(), "Where it failed, and what followed.");
    let mut shown = HashSet::new();
    let visible = reply.hits.iter().filter(|it| !question.hidden.hides_hit(it));
    for hit in visible.filter(|it| shown.insert(it.session_id)).take(SESSIONS) {
        let after = followed(&around(question, hit)?, hit.event_id);
        if !page.add(&place(hit), &format!("{}\n--- then\n{}", said(hit), after.join("\n"))) {
            break;
        }
    }
    let remark = shown.is_empty().then_some("No failed call says this.");
    Ok(page.end(remark, None))
}

/// What followed a failed call until the same tool went well; `None` if it never did.
pub(crate) fn fix(question: &Question, hit: &SearchHit) -> Option<Vec<String>> {
    let lines = followed(&around(question, hit).ok()?, hit.event_id);
    (lines.last().is_some_and(|it| it == WELL)).then_some(lines)
}

/// The words of an error, without the signs that the search would read as filters or quotes.
pub(crate) fn words(text: &str) -> String {
    let sign = |it: char| if it.is_alphanumeric() || it == '_' { it } else { ' ' };
    let text: String = text.chars().map(sign).collect();
    text.split_whitespace().take(WORDS).collect::<Vec<_>>().join(" ")
}

/// The events around a hit; most of them follow it.
fn around(question: &Question, hit: &SearchHit) -> Result<Vec<WindowEvent>, Refusal> {
    let (route, event) = (about(hit.session_id, "window"), hit.event_id.to_string());
    let window: Window = question.get(&route, &[("event", &event), ("limit", READ)])?;
    Ok(window.events)
}

/// What followed a failure, until the same tool went well.
fn followed(events: &[WindowEvent], failed: EventId) -> Vec<String> {
    let tools = tools(events);
    let tool = |it: &WindowEvent| call_id(it).and_then(|id| tools.get(id)).copied();
    let Some(at) = events.iter().position(|it| it.id == failed) else {
        return vec!["what followed is not known".to_owned()];
    };
    let broken = events.get(at).and_then(tool);
    let mut out = Vec::new();
    for event in events.iter().skip(at + 1) {
        let went_well = event.kind == Kind::ToolResult && !is_failed(event);
        out.extend(line(event, tool(event)));
        if went_well && broken.is_some() && tool(event) == broken {
            out.push(WELL.to_owned());
            return out;
        }
        if out.len() >= LINES {
            return out;
        }
    }
    out.push("the session does not show it going well".to_owned());
    out
}

/// The tool of each call.
fn tools(events: &[WindowEvent]) -> HashMap<&str, &str> {
    let calls = events.iter().filter(|it| it.kind == Kind::ToolCall);
    calls.filter_map(|it| Some((call_id(it)?, it.tool.as_deref()?))).collect()
}

fn call_id(event: &WindowEvent) -> Option<&str> {
    event.call_id.as_deref()
}

fn is_failed(event: &WindowEvent) -> bool {
    event.failed.unwrap_or(false)
}

/// An event in one line; `None` for one that does not tell what was done.
fn line(event: &WindowEvent, tool: Option<&str>) -> Option<String> {
    let text = &event.text;
    let tool = tool.unwrap_or("a tool");
    let said = match event.kind {
        Kind::UserPrompt => format!("asked: {text}"),
        Kind::AssistantMessage => format!("answered: {text}"),
        Kind::ToolCall => format!("{tool}: {text}"),
        Kind::ToolResult if is_failed(event) => format!("{tool} failed: {text}"),
        _ => return None,
    };
    Some(quoted_line(&said, 160))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn event(number: u8, kind: &str, more: &Value, text: &str) -> WindowEvent {
        let mut event = json!({
            "id": format!("{number:032x}"), "sequence": number, "turn": 1, "kind": kind,
            "created_at": "2026-11-18T10:00:00Z", "text": text,
        });
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value(event).unwrap()
    }

    fn call(number: u8, id: &str, text: &str) -> WindowEvent {
        event(number, "tool.call", &json!({"call_id": id, "tool": "Bash"}), text)
    }

    fn result(number: u8, id: &str, failed: bool, text: &str) -> WindowEvent {
        event(number, "tool.result", &json!({"call_id": id, "failed": failed}), text)
    }

    #[test]
    fn what_followed_ends_where_the_same_tool_went_well() {
        let mut events = vec![
            call(1, "c1", "make"),
            result(2, "c1", true, "no wick"),
            event(3, "assistant.message", &json!({}), "I trim it"),
            call(4, "c2", "trim"),
            result(5, "c2", true, "still no"),
        ];
        let failed = events[1].id;
        let mut expected = vec!["answered: I trim it", "Bash: trim", "Bash failed: still no"];
        let check = |events: &[WindowEvent], expected: &[&str], end: &str| {
            assert_eq!(followed(events, failed), [expected, &[end]].concat());
        };
        check(&events, &expected, "the session does not show it going well");
        events.extend([call(6, "c3", "make"), result(7, "c3", false, "lit"), call(8, "c4", "x")]);
        expected.push("Bash: make");
        check(&events, &expected, "it went well");
        assert_eq!(followed(&events[..1], failed), ["what followed is not known"]);
    }

    #[test]
    fn an_error_is_looked_for_by_its_words() {
        assert_eq!(words("error[E0425]: cannot find `wick`"), "error E0425 cannot find wick");
    }
}
