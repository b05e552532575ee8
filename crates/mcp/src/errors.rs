//! The tool `errors`: where an error happened before, and what followed until it went well.

use crate::page::Page;
use crate::query::{Question, Refusal, about};
use crate::search::{ask, place, said};
use crate::text::quoted_line;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use taffrail_api::{SearchHit, Window, WindowEvent};
use taffrail_model::{EventId, Kind};

/// How many hits are looked at: first a few, for each costs a look into its source, and more if they are of too
/// few sessions.
const HITS: [usize; 2] = [8, 30];
/// How many sessions are shown.
const SESSIONS: usize = 3;
/// How many events around a hit are read, first and if they do not tell the end; a quarter of them is before it.
const READ: [&str; 2] = ["32", "120"];
/// How many lines show what followed.
const LINES: usize = 10;
/// How many words of an error are looked for. Each one costs a look at every event that has it.
const WORDS: usize = 10;

/// Finds an error in failed calls, once a session, and what followed it.
pub(crate) fn errors(question: &Question) -> Result<String, Refusal> {
    let text = question.given.required("text")?;
    let shown = failures(question, &format!("kind:error {}", words(&text)))?;
    let mut page = Page::new(question.fence.clone(), "Where it failed, and what followed.");
    for hit in &shown {
        let after = after(question, hit)?.lines();
        if !page.add(&place(hit), &format!("{}\n--- then\n{}", said(hit), after.join("\n"))) {
            break;
        }
    }
    let remark = shown.is_empty().then_some("No failed call says this.");
    Ok(page.end(remark, None))
}

/// The best hit of each of a few sessions.
fn failures(question: &Question, query: &str) -> Result<Vec<SearchHit>, Refusal> {
    let mut out = Vec::new();
    for limit in HITS {
        let reply = ask(question, query, limit)?;
        let is_all = reply.total <= limit as u64;
        let mut sessions = HashSet::new();
        let visible = reply.hits.into_iter().filter(|it| !question.hidden.hides_hit(it));
        out = visible.filter(|it| sessions.insert(it.session_id)).take(SESSIONS).collect();
        if is_all || out.len() == SESSIONS {
            break;
        }
    }
    Ok(out)
}

/// What followed a failed call until the same tool went well; `None` if it never did.
pub(crate) fn fix(question: &Question, hit: &SearchHit) -> Option<Vec<String>> {
    let after = after(question, hit).ok()?;
    matches!(after, After::Well(_)).then(|| after.lines())
}

/// What followed a failed call.
fn after(question: &Question, hit: &SearchHit) -> Result<After, Refusal> {
    let mut out = After::Unknown;
    for limit in READ {
        out = followed(&around(question, hit, limit)?, hit.event_id);
        if !matches!(out, After::Open(_)) {
            break;
        }
    }
    Ok(out)
}

/// The most telling words of an error in their order, without the signs that the search would read as filters or
/// quotes. Names are words of their own or of their parts, not rows of parts: to check that words are in a row costs
/// more than everything else.
pub(crate) fn words(text: &str) -> String {
    let sign = |it: char| if it.is_alphanumeric() || it == '_' { it } else { ' ' };
    let text: String = text.chars().map(sign).collect();
    let mut known = HashSet::new();
    let words: Vec<_> = text.split_whitespace().filter(|it| known.insert(*it)).collect();
    let mut best: Vec<_> = words.into_iter().enumerate().collect();
    best.sort_by_key(|(_, it)| Reverse(weight(it)));
    best.truncate(WORDS);
    best.sort_unstable();
    let words: Vec<_> =
        best.into_iter().map(|(_, it)| it.to_lowercase().replace('_', " ")).collect();
    words.join(" ")
}

/// How much a word tells: names and codes, such as `E0425` or `parseAll`, more than words of a language, and long words
/// more than short ones.
fn weight(word: &str) -> (bool, usize) {
    let has = |is: fn(char) -> bool| word.chars().skip(1).any(is);
    let is_code = has(|it| it.is_ascii_digit()) && word.contains(char::is_alphabetic);
    (is_code || has(|it| it == '_') || has(char::is_uppercase), word.chars().count())
}

/// The events around a hit; most of them follow it.
fn around(question: &Question, hit: &SearchHit, limit: &str) -> Result<Vec<WindowEvent>, Refusal> {
    let (route, event) = (about(hit.session_id, "window"), hit.event_id.to_string());
    let window: Window = question.get(&route, &[("event", &event), ("limit", limit)])?;
    Ok(window.events)
}

/// The lines that followed a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
enum After {
    /// The failure is not among the events.
    Unknown,
    /// Until the same tool went well.
    Well(Vec<String>),
    /// More than are shown.
    Cut(Vec<String>),
    /// The events end before the same tool went well.
    Open(Vec<String>),
}

impl After {
    fn lines(self) -> Vec<String> {
        let (mut lines, end) = match self {
            Self::Unknown => (Vec::new(), Some("what followed is not known")),
            Self::Well(lines) => (lines, Some("it went well")),
            Self::Cut(lines) => (lines, None),
            Self::Open(lines) => (lines, Some("the session does not show it going well")),
        };
        lines.extend(end.map(str::to_owned));
        lines
    }
}

/// What followed a failure, until the same tool went well.
fn followed(events: &[WindowEvent], failed: EventId) -> After {
    let tools = tools(events);
    let tool = |it: &WindowEvent| call_id(it).and_then(|id| tools.get(id)).copied();
    let Some(at) = events.iter().position(|it| it.id == failed) else {
        return After::Unknown;
    };
    let broken = events.get(at).and_then(tool);
    let mut out = Vec::new();
    for event in events.iter().skip(at + 1) {
        let went_well = event.kind == Kind::ToolResult && !is_failed(event);
        out.extend(line(event, tool(event)));
        if went_well && broken.is_some() && tool(event) == broken {
            return After::Well(out);
        }
        if out.len() >= LINES {
            return After::Cut(out);
        }
    }
    After::Open(out)
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
            assert_eq!(followed(events, failed).lines(), [expected, &[end]].concat());
        };
        check(&events, &expected, "the session does not show it going well");
        events.extend([call(6, "c3", "make"), result(7, "c3", false, "lit"), call(8, "c4", "x")]);
        expected.push("Bash: make");
        check(&events, &expected, "it went well");
        assert_eq!(followed(&events[..1], failed), After::Unknown);
    }

    #[test]
    fn an_error_is_looked_for_by_its_words() {
        assert_eq!(words("error[E0425]: cannot find `wick`"), "error e0425 cannot find wick");
        let long = "error[E0425]: it is so that we cannot find the wick of a lamp, nor trim_all or trimAll, here \
            or in the whole of a lamp";
        assert_eq!(words(long), "error e0425 that cannot find wick lamp trim all trimall whole");
    }
}
