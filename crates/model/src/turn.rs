//! Turns: a prompt and everything that follows until the agent stops.

use crate::cost::plus;
use crate::observed::Marks;
use crate::{Kind, Signal, Timestamp, Tokens, TurnId};
use serde::{Deserialize, Serialize};
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
    /// The effect on the status, if the adapter set it.
    pub signal: Option<&'a Signal>,
}

/// The state of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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
    /// The process of the session ended first, and the agent did not say why.
    Lost,
    /// Nothing followed, and the agent was ready for a prompt.
    TimedOut,
}

impl TurnStatus {
    /// The word used in JSON and storage.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Completed => "completed",
            Self::Superseded => "superseded",
            Self::Interrupted => "interrupted",
            Self::Exited => "exited",
            Self::Lost => "lost",
            Self::TimedOut => "timed_out",
        }
    }
}

/// A turn as displays and summaries need it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Turn {
    /// Its place in the session, from 1.
    pub number: u32,
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
    /// Requests for approval, counted by decision: `pending` while the turn is open and nobody
    /// decided, `unknown` where no decision was recorded.
    pub approvals: BTreeMap<String, u32>,
    /// The number of errors.
    pub errors: u32,
    /// The state.
    pub status: TurnStatus,
    /// The time of the prompt.
    pub started_at: Timestamp,
    /// The last activity in the turn.
    pub last_at: Timestamp,
    /// The tokens of its model answers.
    pub usage: Tokens,
    /// What they cost, in millionths of a dollar; `None` if nothing is known.
    pub cost_microdollars: Option<i64>,
    /// The size of the context that its last answer was sent, in tokens; `None` if unknown.
    pub context_tokens: Option<u64>,
    /// When the turn ended; `None` while it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
}

/// When a silent turn is over: the agent is known to wait for a prompt, and has been silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptReady {
    /// An instant at which the agent waits for a prompt.
    pub at: Timestamp,
    /// How many seconds of silence end the turn.
    pub timeout: i64,
}

/// Numbers turns by their prompts, given in canonical order, as the fold does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TurnNumbers {
    last: Option<TurnId>,
    number: u32,
}

impl TurnNumbers {
    /// The number of the turn that a prompt opens, or that it steers.
    pub fn number(&mut self, turn: TurnId) -> u32 {
        if self.last.replace(turn) != Some(turn) {
            self.number = self.number.saturating_add(1);
        }
        self.number
    }
}

/// Folds events in canonical order into turns.
///
/// Only together with a timeout does a ready prompt close a turn, because silence alone proves
/// nothing.
#[must_use]
pub fn turns<'a>(
    events: impl IntoIterator<Item = TurnInput<'a>>,
    prompt_ready: Option<PromptReady>,
) -> Vec<Turn> {
    let mut out: Vec<Turn> = Vec::new();
    let mut requests = Requests::default();
    for event in events {
        match event.kind {
            Kind::UserPrompt => prompt(&mut out, &mut requests, &event),
            _ => {
                if let Some(turn) = out.last_mut() {
                    absorb(turn, &mut requests, &event);
                }
            }
        }
    }
    if let (Some(turn), Some(ready)) = (out.last_mut(), prompt_ready)
        && turn.status == TurnStatus::Open
        && ready.at.as_second() - turn.last_at.as_second() >= ready.timeout
    {
        end(turn, TurnStatus::TimedOut, turn.last_at);
    }
    if let Some(turn) = out.last_mut() {
        requests.settle(turn);
    }
    out
}

/// Adds a model answer to the turn in which it was written; answers come in order. One from before the first prompt
/// belongs to none.
pub fn charge(turns: &mut [Turn], at: Timestamp, (tokens, cost): (Tokens, Option<i64>)) {
    let Some(turn) = turns.iter_mut().rfind(|turn| turn.started_at <= at) else { return };
    turn.usage = turn.usage.plus(tokens);
    turn.cost_microdollars = plus(turn.cost_microdollars, cost);
    turn.context_tokens = tokens.context().or(turn.context_tokens);
}

fn prompt(out: &mut Vec<Turn>, requests: &mut Requests, event: &TurnInput<'_>) {
    if let Some(turn) = out.last_mut() {
        // A prompt inside a turn that the agent itself identifies steers that turn; it does not
        // begin another.
        if event.turn == Some(turn.id) {
            turn.last_at = turn.last_at.max(event.at);
            end(turn, TurnStatus::Open, event.at);
            return;
        }
        if turn.status == TurnStatus::Open {
            end(turn, TurnStatus::Superseded, event.at);
        }
        std::mem::take(requests).settle(turn);
    }
    let Some(id) = event.turn else { return };
    out.push(Turn {
        number: u32::try_from(out.len() + 1).unwrap_or(u32::MAX),
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
        usage: Tokens::default(),
        cost_microdollars: None,
        context_tokens: None,
        ended_at: None,
    });
}

fn absorb(turn: &mut Turn, requests: &mut Requests, event: &TurnInput<'_>) {
    if is_activity(turn, event) {
        turn.last_at = turn.last_at.max(event.at);
    }
    match event.kind {
        Kind::AssistantMessage => say(turn, event.text),
        Kind::ToolCall => count(&mut turn.tools, event.label),
        Kind::ToolResult => turn.failed_calls += u32::from(event.marks.has(Marks::FAILED)),
        Kind::ApprovalRequested => requests.asked(event),
        Kind::ApprovalResolved => requests.resolved(event),
        Kind::Error => turn.errors += 1,
        _ => {}
    }
    let status = match event.kind {
        Kind::SessionExited if turn.status == TurnStatus::Open => match event.signal {
            Some(Signal::Died) => TurnStatus::Lost,
            _ => TurnStatus::Exited,
        },
        Kind::Error if event.marks.has(Marks::ENDS_TURN) => TurnStatus::Interrupted,
        Kind::AgentStopped if event.label == Some("interrupted") => TurnStatus::Interrupted,
        // An agent also records how long an interrupted turn took.
        Kind::AgentStopped if turn.status == TurnStatus::Interrupted => TurnStatus::Interrupted,
        _ if event.marks.has(Marks::ENDS_TURN) => TurnStatus::Completed,
        // Work after a stop (a sub-agent reported back) reopens the turn.
        Kind::ToolCall | Kind::AssistantMessage => TurnStatus::Open,
        _ => turn.status,
    };
    end(turn, status, event.at);
}

/// Ends the turn, or opens it again. The first of several reports is the time of the end.
fn end(turn: &mut Turn, status: TurnStatus, at: Timestamp) {
    turn.status = status;
    turn.ended_at = match status {
        TurnStatus::Open => None,
        _ => turn.ended_at.or(Some(at)),
    };
}

/// Whether an event is work in the turn. What the agent or the daemon reports after the end, such as
/// a reminder or the end of the session, is not.
fn is_activity(turn: &Turn, event: &TurnInput<'_>) -> bool {
    match event.kind {
        Kind::TurnStarted
        | Kind::TurnCompleted
        | Kind::StatusChanged
        | Kind::FindingRaised
        | Kind::FindingWithdrawn => false,
        Kind::Heartbeat | Kind::Notice | Kind::SessionExited | Kind::AgentStopped => {
            turn.status == TurnStatus::Open
        }
        _ => true,
    }
}

/// The requests for approval of a turn.
#[derive(Debug, Default)]
struct Requests(Vec<Request>);

#[derive(Debug)]
struct Request {
    /// The input hash; empty if unknown.
    input: String,
    decision: Option<String>,
    /// A second source reported the decision.
    is_confirmed: bool,
}

impl Requests {
    /// A request that is open is not counted again when another source reports it.
    fn asked(&mut self, event: &TurnInput<'_>) {
        let input = match event.signal {
            Some(Signal::AskedApproval { input }) => input.clone(),
            _ => String::new(),
        };
        let is_same = |it: &Request| {
            it.decision.is_none() && (it.input == input || it.input.is_empty() || input.is_empty())
        };
        if !self.0.iter().any(is_same) {
            self.0.push(Request { input, decision: None, is_confirmed: false });
        }
    }

    /// A decision belongs to the open request with its input, else to the oldest open one. The
    /// agent's own record repeats a decision that was made here.
    fn resolved(&mut self, event: &TurnInput<'_>) {
        let input = match event.signal {
            Some(Signal::Settled { input, .. }) => input.as_str(),
            _ => "",
        };
        let decision = event.label.unwrap_or("unknown").to_owned();
        let is_open = |it: &&mut Request| it.decision.is_none();
        let exact = self.0.iter().position(|it| it.decision.is_none() && it.input == input);
        let found = match exact {
            Some(at) => self.0.get_mut(at),
            None => self.0.iter_mut().find(is_open),
        };
        if let Some(request) = found {
            request.decision = Some(decision);
        } else if let Some(known) = self.0.iter_mut().find(|it| !it.is_confirmed) {
            known.is_confirmed = true;
        } else {
            let decision = Some(decision);
            self.0.push(Request { input: input.to_owned(), decision, is_confirmed: true });
        }
    }

    fn settle(self, turn: &mut Turn) {
        let open = if turn.status == TurnStatus::Open { "pending" } else { "unknown" };
        for request in self.0 {
            count(&mut turn.approvals, Some(request.decision.as_deref().unwrap_or(open)));
        }
    }
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
        let turn = Some(id(turn));
        TurnInput { kind, at, turn, marks, text: "text", label: Some("x"), signal: None }
    }

    fn check(events: &[TurnInput<'_>], ready: Option<i64>, expected: &[(&str, TurnStatus, i64)]) {
        let at = |second| Timestamp::from_second(second).unwrap();
        let ready = ready.map(|it| PromptReady { at: at(it), timeout: TURN_TIMEOUT_SECONDS });
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
    fn an_interrupted_turn_was_completed_by_the_record_of_its_duration() {
        let prompt = event(&PROMPT, 0, "1", Marks::OPENS_TURN);
        let duration = event(&STOP, 8, "1", Marks::ENDS_TURN);
        let stop = TurnInput { label: Some("interrupted"), at: prompt.at, ..duration };
        check(&[prompt, stop, duration], None, &[("1", TurnStatus::Interrupted, 0)]);
        let answer = event(&ANSWER, 9, "1", Marks::ENDS_TURN);
        check(&[prompt, stop, answer, duration], None, &[("1", TurnStatus::Completed, 9)]);
    }

    #[test]
    fn a_killed_sessions_turn_is_lost() {
        let prompt = event(&PROMPT, 0, "1", Marks::OPENS_TURN);
        let died =
            TurnInput { signal: Some(&Signal::Died), ..event(&EXIT, 5, "1", Marks::default()) };
        check(&[prompt, died], None, &[("1", TurnStatus::Lost, 5)]);
    }

    /// A reminder seconds later, the end of the session and a conclusion of the daemon moved it.
    #[test]
    fn a_later_notice_moves_no_end() {
        let none = Marks::default();
        let prompt = event(&PROMPT, 0, "1", Marks::OPENS_TURN);
        let stop = event(&STOP, 5, "1", Marks::ENDS_TURN);
        let (notice, changed) = (Kind::Notice, Kind::StatusChanged);
        let late = [event(&notice, 8, "1", none), event(&changed, 9, "1", none)];
        let exit = event(&EXIT, 20, "1", none);
        let events = [prompt, stop, stop, late[0], late[1], exit];
        let turn = turns(events, None).pop().unwrap();
        let ended = turn.ended_at.map(Timestamp::as_second);
        assert_eq!(
            (turn.last_at.as_second(), ended, turn.status),
            (5, Some(5), TurnStatus::Completed)
        );
    }

    /// One allowed request was counted as `PermissionRequest` and as `desk`.
    #[test]
    fn one_request_is_one_approval_with_its_decision() {
        let (asked, resolved) = (Kind::ApprovalRequested, Kind::ApprovalResolved);
        let asks = |input: &str| Signal::AskedApproval { input: input.to_owned() };
        let settles =
            |input: &str| Signal::Settled { call: String::new(), input: input.to_owned() };
        let ask =
            |signal| TurnInput { signal: Some(signal), ..event(&asked, 1, "1", Marks::default()) };
        let settle = |signal: Option<&'static Signal>, word: &'static str| TurnInput {
            signal,
            label: Some(word),
            ..event(&resolved, 2, "1", Marks::default())
        };
        let check = |events: &[TurnInput<'_>], expected: &[(&str, u32)]| {
            let prompt = event(&PROMPT, 0, "1", Marks::OPENS_TURN);
            let all = [prompt].into_iter().chain(events.iter().copied());
            let got = turns(all, None).pop().unwrap().approvals;
            let expected = expected.iter().map(|(word, n)| ((*word).to_owned(), *n)).collect();
            assert_eq!(got, expected);
        };
        let (a, b, any) = (asks("a"), asks("b"), asks(""));
        let on_a: &'static Signal = Box::leak(Box::new(settles("a")));
        let (allow, record) = (settle(Some(on_a), "allow"), settle(None, "allow"));
        check(&[ask(&a)], &[("pending", 1)]);
        check(&[ask(&a), ask(&any)], &[("pending", 1)]);
        check(&[ask(&a), allow], &[("allow", 1)]);
        check(&[ask(&a), allow, record], &[("allow", 1)]);
        check(&[ask(&a), ask(&b), settle(Some(on_a), "deny")], &[("deny", 1), ("pending", 1)]);
        check(&[ask(&a), event(&STOP, 3, "1", Marks::ENDS_TURN)], &[("unknown", 1)]);
        check(&[settle(None, "reject")], &[("reject", 1)]);
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

    #[test]
    fn a_prompt_that_steers_a_turn_that_had_ended_opens_it_again() {
        let p = event(&PROMPT, 0, "1", Marks::OPENS_TURN);
        let stop = event(&ANSWER, 5, "1", Marks::ENDS_TURN);
        let steer = event(&PROMPT, 7, "1", Marks::default());
        check(&[p, stop, steer], None, &[("1", TurnStatus::Open, 7)]);
    }

    proptest! {
        #[test]
        fn turns_are_numbered_as_they_are_folded(
            events in prop::collection::vec((0usize..5, 0usize..3), 0..40)
        ) {
            let all = [PROMPT, ANSWER, CALL, RESULT, STOP];
            let names = ["a", "b", "c"];
            let events: Vec<_> = events.iter().zip(0..).map(|((kind, turn), second)| {
                let marks = if *kind == 4 { Marks::ENDS_TURN } else { Marks::default() };
                event(&all[*kind], second, names[*turn], marks)
            }).collect();
            let mut numbers = TurnNumbers::default();
            let prompts = events.iter().filter(|it| *it.kind == PROMPT);
            let last = prompts.filter_map(|it| it.turn).map(|it| numbers.number(it)).last();
            let folded = turns(events.iter().copied(), None).last().map(|it| it.number);
            prop_assert_eq!(last, folded);
        }

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
