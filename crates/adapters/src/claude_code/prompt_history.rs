//! `history.jsonl`: every prompt of interactive sessions. The program deletes transcripts and keeps
//! this file.

use serde::Deserialize;
use serde_json::{Map, Value};
use std::borrow::Cow;
use taffrail_kit::lenient::{Raw, Text, filled, lenient, made_of_objects, record_in};
use taffrail_kit::prompt_history::is_command;
use taffrail_kit::records::LONGEST_ID;
use taffrail_kit::{HistoryLine, HistoryPrompt, PromptHistory};
use taffrail_model::Timestamp;

pub(super) const FILE: PromptHistory = PromptHistory { path: "history.jsonl", read };

/// How the program shows a pasted text in a prompt, followed by its number.
const PASTED: &str = "[Pasted text #";

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Line<'l> {
    #[serde(borrow, deserialize_with = "lenient")]
    display: Text<'l>,
    #[serde(borrow)]
    pasted_contents: Raw<'l>,
    #[serde(deserialize_with = "lenient")]
    timestamp: Option<i64>,
    #[serde(borrow, deserialize_with = "filled")]
    project: Text<'l>,
    #[serde(borrow, deserialize_with = "filled")]
    session_id: Text<'l>,
}
made_of_objects! { Line<'de> }

/// Lines of versions before 2.0 name no session.
fn read(bytes: &[u8]) -> Option<HistoryLine<'_>> {
    let line: Line<'_> = record_in(bytes)?;
    let display = line.display?;
    let at = Timestamp::from_millisecond(line.timestamp?).ok()?;
    let is_prompt = !is_command(&display) && !display.trim().is_empty();
    let Some(session) = line.session_id.filter(|it| is_prompt && it.len() <= LONGEST_ID) else {
        return Some(HistoryLine::Nothing);
    };
    let text = with_pasted(display, line.pasted_contents);
    let project = line.project;
    Some(HistoryLine::Prompt(HistoryPrompt { session, at, project, text }))
}

/// The prompt with its pasted texts in place, where the line holds them. The program keeps long
/// ones in files of their own, which are not read.
fn with_pasted<'l>(display: Cow<'l, str>, pasted: Raw<'_>) -> Cow<'l, str> {
    let pasted = pasted.filter(|_| display.contains(PASTED));
    let read = pasted.and_then(|it| serde_json::from_str::<Map<String, Value>>(it.get()).ok());
    let Some(pasted) = read else { return display };
    let mut parts = display.split(PASTED);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match pasted_before(part, &pasted) {
            Some((text, rest)) => out.extend([text, rest]),
            None => out.extend([PASTED, part]),
        }
    }
    Cow::Owned(out)
}

/// The pasted text that a part begins with the number of, and the rest behind its bracket.
fn pasted_before<'p>(part: &'p str, pasted: &'p Map<String, Value>) -> Option<(&'p str, &'p str)> {
    let (inside, rest) = part.split_once(']')?;
    let number = inside.split(' ').next()?;
    Some((pasted.get(number)?.get("content")?.as_str()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(line: &Value, expected: Option<Option<&str>>) {
        let bytes = line.to_string().into_bytes();
        let got = read(&bytes);
        let got = got.as_ref().map(|it| match it {
            HistoryLine::Prompt(prompt) => Some(prompt.text.as_ref()),
            HistoryLine::Nothing => None,
        });
        assert_eq!(got, expected, "{line}");
    }

    fn line(display: &str, pasted: &Value) -> Value {
        json!({"display": display, "pastedContents": pasted, "timestamp": 1_794_697_850_858_i64,
            "project": "/w/app", "sessionId": "s1"})
    }

    #[test]
    fn a_line_is_a_prompt_of_its_session() {
        let bytes = line("fix it", &json!({})).to_string().into_bytes();
        let expected = HistoryPrompt {
            session: "s1".into(),
            at: "2026-11-14T23:10:50.858Z".parse().unwrap(),
            project: Some("/w/app".into()),
            text: "fix it".into(),
        };
        assert_eq!(read(&bytes), Some(HistoryLine::Prompt(expected)));
    }

    #[test]
    fn pasted_texts_are_put_in_where_the_line_holds_them() {
        let text = |content: &str| json!({"id": 1, "type": "text", "content": content});
        let shown = "see [Pasted text #1 +2 lines] and [Pasted text #2]!";
        let both = json!({"1": text("a\nb\nc"), "2": text("d")});
        check(&line(shown, &both), Some(Some("see a\nb\nc and d!")));
        let elsewhere =
            json!({"1": {"id": 1, "type": "text", "contentHash": "0a1b"}, "2": text("d")});
        check(&line(shown, &elsewhere), Some(Some("see [Pasted text #1 +2 lines] and d!")));
        check(&line(shown, &json!({})), Some(Some(shown)));
        check(&line("[Pasted text #", &json!({"1": text("a")})), Some(Some("[Pasted text #")));
        check(
            &line("[Image #1] why", &json!({"1": {"type": "image"}})),
            Some(Some("[Image #1] why")),
        );
    }

    #[test]
    fn commands_and_lines_without_a_session_are_nothing() {
        for text in ["/clear", "!ls", "", "  "] {
            check(&line(text, &json!({})), Some(None));
        }
        check(&json!({"display": "fix it", "timestamp": 1, "project": "/w"}), Some(None));
        check(&json!({"timestamp": 1, "sessionId": "s1"}), None);
        check(&json!({"display": "fix it", "sessionId": "s1"}), None);
        assert_eq!(read(b"{\"display\":"), None);
    }
}
