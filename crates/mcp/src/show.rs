//! The tool `show`.

use crate::page::{BLOCK, Page};
use crate::query::{Question, Refusal, about, unknown_cursor};
use crate::sessions;
use crate::text::{cited, cut, plain, quoted};
use serde::Deserialize;
use taffrail_api::{Message, Messages};
use taffrail_model::{Kind, ResumeCursor, SessionId};

/// How many messages are read at first, which mostly fill a page, and then at a time.
const FIRST: &str = "16";
const READ: &str = "100";
/// How many times, in search of a turn.
const READS: usize = 200;
/// The longest text of a call or a result; prompts and answers are whole.
const CALL: usize = 500;
/// A shorter piece of a long text is not worth its line.
const PIECE: usize = 400;

/// Shows what was said in a session, or in one turn of it.
pub(crate) fn show(question: &Question) -> Result<String, Refusal> {
    let session = question.session()?;
    let mut start = Start::parse(question.given.text("cursor"))?;
    let turn = wanted_turn(question, session.id)?;
    let mut page = Page::new(question.fence.clone(), &sessions::place(&session));
    if start.after.is_none() {
        page.add("title", &sessions::said(&session));
    }
    let mut is_inside = false;
    for number in 0..READS {
        let limit = if number == 0 && turn.is_none() { FIRST } else { READ };
        let read = read(question, session.id, (start.after.as_deref(), limit))?;
        let chosen: Vec<_> =
            read.messages.iter().filter(|it| is_wanted(it, turn.as_deref())).collect();
        if is_inside && turn.is_some() && chosen.is_empty() {
            break;
        }
        is_inside |= !chosen.is_empty();
        if let Some(cursor) = add_all(&mut page, &chosen, &start, &read.cursor) {
            return Ok(page.end(None, Some(&cursor)));
        }
        if !read.more {
            break;
        }
        start = Start { after: Some(read.cursor), skip: 0 };
    }
    let remark = (!is_inside).then_some("Nothing more is known of it.");
    Ok(page.end(remark, None))
}

/// Where a page starts: after a change of the session, and after so many bytes of the next text.
#[derive(Debug, Default, PartialEq, Eq)]
struct Start {
    after: Option<String>,
    skip: usize,
}

impl Start {
    fn parse(cursor: Option<String>) -> Result<Self, Refusal> {
        let Some(cursor) = cursor else { return Ok(Self::default()) };
        let parsed = cursor.rsplit_once('~').and_then(|(after, skip)| {
            ResumeCursor::parse(after)?;
            Some(Self { after: Some(after.to_owned()), skip: skip.parse().ok()? })
        });
        parsed.ok_or_else(|| unknown_cursor(&cursor))
    }
}

fn read(
    question: &Question,
    session: SessionId,
    (after, limit): (Option<&str>, &str),
) -> Result<Messages, Refusal> {
    let mut given = vec![("limit", limit)];
    given.extend(after.map(|it| ("after", it)));
    question.get(&about(session, "transcript"), &given)
}

/// The fields of a timeline that name its turns.
#[derive(Deserialize)]
struct Turns {
    turns: Vec<TurnName>,
}

#[derive(Deserialize)]
struct TurnName {
    id: String,
}

/// The id of the turn that the agent names by its number or its id.
fn wanted_turn(question: &Question, session: SessionId) -> Result<Option<String>, Refusal> {
    let Some(word) = question.given.text("turn") else { return Ok(None) };
    let Ok(number) = word.parse::<u32>() else { return Ok(Some(word)) };
    let all: Turns = question.get(&about(session, "timeline"), &[])?;
    let at = usize::try_from(number).unwrap_or(usize::MAX).wrapping_sub(1);
    let count = all.turns.len();
    let turn = all.turns.into_iter().nth(at).map(|it| it.id);
    turn.map(Some).ok_or_else(|| Refusal(format!("the session has {count} turns, not {number}")))
}

fn is_wanted(message: &Message, turn: Option<&str>) -> bool {
    let Some(turn) = turn else { return true };
    message.turn_id.is_some_and(|it| it.to_string().starts_with(turn))
}

/// Adds messages until the page is full; then gives the cursor of the next page.
fn add_all(page: &mut Page, all: &[&Message], start: &Start, last: &str) -> Option<String> {
    for (number, message) in all.iter().enumerate() {
        let skip = if number == 0 { start.skip } else { 0 };
        if let Err(done) = add(page, message, skip) {
            return Some(before(last, message.sequence, done));
        }
    }
    None
}

/// Adds a message from a byte on; gives the byte where the next page goes on, if it does not fit.
fn add(page: &mut Page, message: &Message, skip: usize) -> Result<(), usize> {
    let ours = place(message);
    let whole = text(message);
    let rest = whole.get(skip..).unwrap_or_default();
    if page.add_fitting(&ours, rest) {
        return Ok(());
    }
    let room = page.room(&ours);
    if room < PIECE {
        return Err(skip);
    }
    let end = rest.floor_char_boundary(room.min(BLOCK));
    page.add(&ours, rest.get(..end).unwrap_or_default());
    Err(skip + end)
}

/// The cursor of a page that goes on inside or before a change.
fn before(cursor: &str, sequence: u64, skip: usize) -> String {
    let generation = ResumeCursor::parse(cursor).map(|it| it.generation).unwrap_or_default();
    let after = ResumeCursor { generation, sequence: sequence.saturating_sub(1) };
    format!("{after}~{skip}")
}

fn place(message: &Message) -> String {
    let turn = match (&message.kind, message.turn_id) {
        (Kind::UserPrompt, Some(turn)) => format!(" turn {turn}"),
        _ => String::new(),
    };
    let origin = &message.provenance;
    let cite = cited(&origin.runtime_source_uri, &origin.source_cursor);
    format!("{} {:.0}{turn}\n{cite}", plain(message.kind.as_str()), message.created_at)
}

fn text(message: &Message) -> String {
    let tool = message.tool.as_deref().map(|it| format!("{it}: ")).unwrap_or_default();
    let text = quoted(&format!("{tool}{}", message.text));
    match message.kind {
        Kind::UserPrompt | Kind::AssistantMessage => text,
        _ => cut(&text, CALL),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_what_it_wrote() {
        let cursor = before("g7.90", 12, 300);
        assert_eq!(cursor, "g7.11~300");
        let expected = Start { after: Some("g7.11".into()), skip: 300 };
        assert_eq!(Start::parse(Some(cursor)), Ok(expected));
        for wrong in ["x", "7", "g7.11", "g7.11~x", "~3"] {
            assert!(Start::parse(Some(wrong.to_owned())).is_err(), "{wrong}");
        }
    }
}
