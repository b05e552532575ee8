//! `history.jsonl`: every prompt of interactive sessions. The program cuts its beginning off when
//! `history.max_bytes` is reached.

use serde::Deserialize;
use taffrail_kit::lenient::{Text, filled, lenient, made_of_objects, record_in};
use taffrail_kit::prompt_history::is_command;
use taffrail_kit::records::LONGEST_ID;
use taffrail_kit::{HistoryLine, HistoryPrompt, PromptHistory};
use taffrail_model::Timestamp;

pub(super) const FILE: PromptHistory = PromptHistory { path: "history.jsonl", read };

#[derive(Default, Deserialize)]
#[serde(default)]
struct Line<'l> {
    #[serde(borrow, deserialize_with = "filled")]
    session_id: Text<'l>,
    #[serde(deserialize_with = "lenient")]
    ts: Option<i64>,
    #[serde(borrow, deserialize_with = "lenient")]
    text: Text<'l>,
}
made_of_objects! { Line<'de> }

fn read(bytes: &[u8]) -> Option<HistoryLine<'_>> {
    let line: Line<'_> = record_in(bytes)?;
    let (session, text) = (line.session_id?, line.text?);
    let at = Timestamp::from_second(line.ts?).ok()?;
    if text.trim().is_empty() || is_command(&text) || session.len() > LONGEST_ID {
        return Some(HistoryLine::Nothing);
    }
    Some(HistoryLine::Prompt(HistoryPrompt { session, at, project: None, text }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_prompt_of_its_session() {
        let prompt = |text: &'static str| {
            Some(HistoryLine::Prompt(HistoryPrompt {
                session: "t1".into(),
                at: "2026-11-14T23:10:50Z".parse().unwrap(),
                project: None,
                text: text.into(),
            }))
        };
        let check = |line: &str, expected| assert_eq!(read(line.as_bytes()), expected, "{line}");
        let line = |text: &str| format!(r#"{{"session_id":"t1","ts":1794697850,"text":"{text}"}}"#);
        check(&line("fix it"), prompt("fix it"));
        check(&line("/compact"), Some(HistoryLine::Nothing));
        check(&line(""), Some(HistoryLine::Nothing));
        check(r#"{"ts":1794697850,"text":"fix it"}"#, None);
        check(r#"{"session_id":"t1","text":"fix it"}"#, None);
        check(r#"{"session_id":"t1""#, None);
    }
}
