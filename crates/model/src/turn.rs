//! Turns: a prompt and everything that follows until the agent stops.

use crate::observed::Marks;
use crate::{Kind, Timestamp, TurnId};
use serde::Serialize;
use std::collections::BTreeMap;

/// How long a turn without an end may be silent before a ready prompt closes it.
pub const TURN_TIMEOUT_SECONDS: i64 = 120;
/// The most answer text a turn carries, in bytes.
pub const COMPACT_TEXT_BYTES: usize = 2000;

/// The fields of an event that the fold needs, in canonical order.
#[derive(Debug, Clone, Copy)]
pub struct TurnInput<'a> {
    /// The kind.
    pub kind: &'a Kind,
    /// When.
    pub at: Timestamp,
    /// The turn that the reader assigned.
    pub turn: Option<TurnId>,
    /// Flags.
    pub marks: Marks,
    /// Its text or excerpt.
    pub text: &'a str,
    /// The tool, the decision, the reason.
    pub label: Option<&'a str>,
}

/// The state of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnStatus {
    /// No end was seen.
    Open,
    /// The agent stopped by itself.
    Completed,
    /// The next prompt came before any end.
    Superseded,
    /// An error or the user stopped the agent.
    Interrupted,
    /// The session ended first.
    Exited,
    /// Nothing followed, and the agent was ready for a prompt.
    TimedOut,
}

/// A turn as displays and summaries need it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Turn {
    /// The id; events before the first prompt do not form a turn.
    pub id: TurnId,
    /// The prompt.
    pub prompt: String,
    /// The answer, the latest last, truncated.
    pub text: String,
    /// The number of calls of each tool.
    pub tools: BTreeMap<String, u32>,
    /// The number of failed calls.
    pub failed_calls: u32,
    /// Approvals, counted by decision.
    pub approvals: BTreeMap<String, u32>,
    /// The number of errors.
    pub errors: u32,
    /// The state.
    pub status: TurnStatus,
    /// The time of the prompt.
    pub started_at: Timestamp,
    /// The end, or the last activity.
    pub last_at: Timestamp,
}

/// Folds events in canonical order into turns.
///
/// `prompt_ready` is the instant at which the agent was known to wait for a prompt, if it was: only
/// together with a timeout does it close a turn, because silence alone proves nothing.
#[must_use]
pub fn turns<'a>(
    events: impl IntoIterator<Item = TurnInput<'a>>,
    prompt_ready: Option<Timestamp>,
) -> Vec<Turn> {
    let mut out: Vec<Turn> = Vec::new();
    for event in events {
        match event.kind {
            Kind::UserPrompt => prompt(&mut out, &event),
            _ => {
                if let Some(turn) = out.last_mut() {
                    absorb(turn, &event);
                }
            }
        }
    }
    if let (Some(turn), Some(ready)) = (out.last_mut(), prompt_ready)
        && turn.status == TurnStatus::Open
        && ready.as_second() - turn.last_at.as_second() >= TURN_TIMEOUT_SECONDS
    {
        turn.status = TurnStatus::TimedOut;
    }
    out
}

fn prompt(out: &mut Vec<Turn>, event: &TurnInput<'_>) {
    if let Some(turn) = out.last_mut() {
        // A prompt inside an open turn that the agent itself identifies steers that turn; it does
        // not begin another.
        if event.turn == Some(turn.id) && turn.status == TurnStatus::Open {
            turn.last_at = turn.last_at.max(event.at);
            return;
        }
        if turn.status == TurnStatus::Open {
            turn.status = TurnStatus::Superseded;
        }
    }
    let Some(id) = event.turn else { return };
    out.push(Turn {
        id,
        prompt: event.text.to_owned(),
        text: String::new(),
        tools: BTreeMap::new(),
        failed_calls: 0,
        approvals: BTreeMap::new(),
        errors: 0,
        status: TurnStatus::Open,
        started_at: event.at,
        last_at: event.at,
    });
}

fn absorb(turn: &mut Turn, event: &TurnInput<'_>) {
    turn.last_at = turn.last_at.max(event.at);
    match event.kind {
        Kind::AssistantMessage => say(turn, event.text),
        Kind::ToolCall => count(&mut turn.tools, event.label),
        Kind::ToolResult => turn.failed_calls += u32::from(event.marks.has(Marks::FAILED)),
        Kind::ApprovalRequested | Kind::ApprovalResolved => count(&mut turn.approvals, event.label),
        Kind::Error => turn.errors += 1,
        _ => {}
    }
    turn.status = match event.kind {
        Kind::SessionExited if turn.status == TurnStatus::Open => TurnStatus::Exited,
        Kind::Error if event.marks.has(Marks::ENDS_TURN) => TurnStatus::Interrupted,
        Kind::AgentStopped if event.label == Some("interrupted") => TurnStatus::Interrupted,
        _ if event.marks.has(Marks::ENDS_TURN) => TurnStatus::Completed,
        // Work after a stop (a sub-agent reported back) reopens the turn.
        Kind::ToolCall | Kind::AssistantMessage => TurnStatus::Open,
        _ => turn.status,
    };
}

fn say(turn: &mut Turn, text: &str) {
    if !turn.text.is_empty() {
        turn.text.push('\n');
    }
    turn.text.push_str(text);
    if turn.text.len() > COMPACT_TEXT_BYTES {
        let mut start = turn.text.len() - COMPACT_TEXT_BYTES;
        while !turn.text.is_char_boundary(start) {
            start += 1;
        }
        turn.text = turn.text.split_off(start);
    }
}

fn count(counts: &mut BTreeMap<String, u32>, label: Option<&str>) {
    *counts.entry(label.unwrap_or("unknown").to_owned()).or_default() += 1;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AgentId, RuntimeIdentity};
    use proptest::prelude::*;

    const PROMPT: Kind = Kind::UserPrompt;
    const ANSWER: Kind = Kind::AssistantMessage;
    const CALL: Kind = Kind::ToolCall;
    const RESULT: Kind = Kind::ToolResult;
    const EXIT: Kind = Kind::SessionExited;
    const STOP: Kind = Kind::AgentStopped;

    fn id(name: &str) -> TurnId {
        TurnId::of(RuntimeIdentity::new(AgentId::new("a"), "", "s").session(), name)
    }

    fn event<'a>(kind: &'a Kind, second: i64, turn: &str, marks: Marks) -> TurnInput<'a> {
        let at = Timestamp::from_second(second).unwrap();
        TurnInput { kind, at, turn: Some(id(turn)), marks, text: "text", label: Some("x") }
    }

    fn check(events: &[TurnInput<'_>], ready: Option<i64>, expected: &[(&str, TurnStatus, i64)]) {
        let ready = ready.map(|second| Timestamp::from_second(second).unwrap());
        let got: Vec<_> = turns(events.iter().copied(), ready)
            .iter()
            .map(|turn| (turn.id, turn.status, turn.last_at.as_second()))
            .collect();
        let expected: Vec<_> = expected.iter().map(|(name, s, at)| (id(name), *s, *at)).collect();
        assert_eq!(got, expected);
    }

    #[test]
    fn a_turn_ends_on_each_of_its_ends() {
        let none = Marks::default();
        let (p, end) = (event(&PROMPT, 0, "1", Marks::OPENS_TURN), Marks::ENDS_TURN);
        check(&[], None, &[]);
        check(&[p], None, &[("1", TurnStatus::Open, 0)]);
        check(&[p, event(&ANSWER, 5, "1", end)], None, &[("1", TurnStatus::Completed, 5)]);
        check(&[p, event(&EXIT, 5, "1", none)], None, &[("1", TurnStatus::Exited, 5)]);
        let next = event(&PROMPT, 9, "2", Marks::OPENS_TURN);
        check(&[p, next], None, &[("1", TurnStatus::Superseded, 0), ("2", TurnStatus::Open, 9)]);
        check(&[p], Some(60), &[("1", TurnStatus::Open, 0)]);
        check(&[p], Some(121), &[("1", TurnStatus::TimedOut, 0)]);
        let mut stop = event(&STOP, 7, "1", end);
        stop.label = Some("interrupted");
        check(&[p, stop], None, &[("1", TurnStatus::Interrupted, 7)]);
    }

    #[test]
    fn work_after_a_stop_opens_the_turn_again() {
        let p = event(&PROMPT, 0, "1", Marks::OPENS_TURN);
        let stop = event(&ANSWER, 5, "1", Marks::ENDS_TURN);
        let more = event(&CALL, 8, "1", Marks::default());
        check(&[p, stop, more], None, &[("1", TurnStatus::Open, 8)]);
    }

    #[test]
    fn a_prompt_that_steers_an_open_turn_begins_no_other() {
        let p = event(&PROMPT, 0, "1", Marks::OPENS_TURN);
        let steer = event(&PROMPT, 3, "1", Marks::default());
        check(&[p, steer], None, &[("1", TurnStatus::Open, 3)]);
    }

    #[test]
    fn a_turn_counts_what_was_done_in_it() {
        let events = [
            event(&PROMPT, 0, "1", Marks::OPENS_TURN),
            event(&CALL, 1, "1", Marks::default()),
            event(&RESULT, 2, "1", Marks::FAILED),
            event(&CALL, 3, "1", Marks::default()),
        ];
        let turn = turns(events, None).pop().unwrap();
        assert_eq!((turn.tools["x"], turn.failed_calls), (2, 1));
    }

    proptest! {
        #[test]
        fn a_prefix_folds_to_a_prefix(kinds in prop::collection::vec(0usize..5, 0..40), cut in 0usize..40) {
            let all = [PROMPT, ANSWER, CALL, RESULT, STOP];
            let names: Vec<_> = (0..40).map(|n| n.to_string()).collect();
            let events: Vec<_> = kinds.iter().enumerate().map(|(n, k)| {
                event(&all[*k], n as i64, &names[n], Marks::default())
            }).collect();
            let whole = turns(events.iter().copied(), None);
            let part = turns(events.iter().copied().take(cut), None);
            prop_assert!(part.len() <= whole.len());
            let closed = part.len().saturating_sub(1);
            prop_assert_eq!(&part[..closed], &whole[..closed]);
        }
    }
}
