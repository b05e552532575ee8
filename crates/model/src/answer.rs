//! Model answers of a session: what each used, and which event ends it.
//!
//! Agents record the usage of an answer with one of its records or right after it, so that time
//! and order relate answers to events.

pub use crate::usage::AnswerUsage;

use crate::event::is_said;
use crate::hash::Digest16;
use crate::{Kind, Origin, Timestamp, Tokens};

/// One model answer, counted once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// When it was written.
    pub at: Option<Timestamp>,
    /// The model.
    pub model: Option<String>,
    /// Its tokens.
    pub tokens: Tokens,
    /// The part of the cache writes that is kept for an hour.
    pub cache_write_1h: u64,
    /// Its cost, in millionths of a dollar.
    pub cost_microdollars: Option<i64>,
    /// Its list price, reported or not.
    pub estimated_microdollars: Option<i64>,
    /// The cost is the list price, and not the agent's report.
    pub is_estimated: bool,
}

impl From<&Answer> for AnswerUsage {
    fn from(it: &Answer) -> Self {
        Self {
            usage: Some(it.tokens).filter(|it| !it.is_zero()),
            cost_microdollars: it.cost_microdollars,
            context_tokens: it.tokens.context(),
        }
    }
}

/// The side of a conversation that an event is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The model wrote it.
    Model,
    /// The model was sent it.
    Input,
    /// It is not part of the conversation.
    Aside,
}

impl Side {
    /// The side of an event.
    #[must_use]
    pub fn of(origin: &Origin, kind: &Kind) -> Self {
        if !is_said(origin, kind) {
            return Self::Aside;
        }
        match kind {
            Kind::AssistantMessage | Kind::AssistantThinking | Kind::ToolCall => Self::Model,
            Kind::UserPrompt | Kind::ToolResult | Kind::ContextCompacted => Self::Input,
            _ => Self::Aside,
        }
    }
}

/// An event, as far as the cost of answers depends on it.
#[derive(Debug, Clone, Copy)]
pub struct Step<'a> {
    /// When.
    pub at: Timestamp,
    /// Its side.
    pub side: Side,
    /// Its kind.
    pub kind: &'a Kind,
    /// The tool of a result.
    pub tool: Option<&'a str>,
    /// The size of its text.
    pub bytes: u64,
    /// The call that it makes or returns from: equal for the same tool with the same input.
    pub call: Option<Digest16>,
    /// It is the result of a failed call.
    pub is_failed: bool,
}

/// The event that ends each answer, by its index; `None` if no event of the answer is recorded.
/// Events and answers are ordered by time.
#[must_use]
pub fn ends(events: &[(Timestamp, Side)], answers: &[Answer]) -> Vec<Option<usize>> {
    let mut from = 0;
    let mut out = Vec::with_capacity(answers.len());
    for (number, answer) in answers.iter().enumerate() {
        let next = answers.get(number + 1).and_then(|it| it.at);
        let end = answer.at.and_then(|at| end(events, from, (at, next)));
        from = end.map_or(from, |it| it + 1);
        out.push(end);
    }
    out
}

fn end(
    events: &[(Timestamp, Side)],
    from: usize,
    (at, next): (Timestamp, Option<Timestamp>),
) -> Option<usize> {
    let until = events.partition_point(|(it, _)| *it <= at);
    let before = events.iter().enumerate().take(until).skip(from);
    let (last, (written, _)) = before.rev().find(|(_, (_, side))| *side == Side::Model)?;
    if *written < at {
        // The agent records the usage after the answer.
        return Some(last);
    }
    // The agent records the usage with each part of the answer, and the first has its time.
    let parts =
        events.iter().enumerate().skip(last + 1).take_while(|(_, (at, side))| {
            *side != Side::Input && next.is_none_or(|next| *at < next)
        });
    let parts = parts.filter(|(_, (_, side))| *side == Side::Model);
    Some(parts.last().map_or(last, |(index, _)| index))
}

#[cfg(test)]
mod tests;
