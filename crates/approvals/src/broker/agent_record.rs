//! Applies what the agent's own record and the session's status imply for requests.

use super::{Broker, Open, PendingRequest, ledger, moved};
use taffrail_api::EventLine;
use taffrail_context::{Error, Settings};
use taffrail_model::approval::{
    Approval, ApprovalId, Call, Decision, Happening, Settler, Verdict, attach, input_mark,
};
use taffrail_model::status::{Reading, Status, WaitingKind};
use taffrail_model::{Confidence, Event, Kind, Origin, SessionId, Signal, Timestamp};
use taffrail_query::events::{device_of, each_line};
use taffrail_store::IndexReader;

/// How many past events are searched for the call of a new request.
const LOOK_BACK: usize = 64;
/// Names a decision that was made at the agent.
const AT_THE_AGENT: &str = "agent";

/// What one event implies for requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestEvent {
    /// A tool is called.
    Called(Call),
    /// The hook's own request was read.
    Asked(String),
    /// A request was decided, by the agent's own record.
    Decided(String, Decision, Option<String>),
    /// A call returned.
    Returned(String),
}

impl RequestEvent {
    /// Returns what an event and its signal imply for requests: `None` for most events and for our
    /// own.
    pub fn of(event: &Event, signal: Option<&Signal>) -> Option<Self> {
        let field = |name: &str| event.data.get(name).and_then(|it| it.as_str());
        let call = || field("call_id").unwrap_or_default().to_owned();
        match (&event.kind, signal) {
            _ if event.source == Origin::Input => None,
            (_, Some(Signal::AskedApproval { input })) => Some(Self::Asked(input.clone())),
            (_, Some(Signal::Called { call, input })) => {
                Some(Self::Called(Call { id: call.clone(), input: input.clone() }))
            }
            (_, Some(Signal::Answered { call })) => Some(Self::Returned(call.clone())),
            (Kind::ToolCall, _) => {
                let input = event.data.get("input").cloned().unwrap_or_default();
                let input = input_mark(field("tool").unwrap_or_default(), input);
                Some(Self::Called(Call { id: call(), input }))
            }
            (Kind::ApprovalResolved, _) => {
                let decision = decision(field("decision").unwrap_or_default());
                Some(Self::Decided(call(), decision, field("decided_by").map(str::to_owned)))
            }
            (Kind::ToolResult, _) => Some(Self::Returned(call())),
            (_, _) => None,
        }
    }
}

/// Maps the agent's word for a decision to ours.
fn decision(word: &str) -> Decision {
    match word {
        "accept" | "allow" | "approve" | "approved" => Decision::Allow,
        "reject" | "deny" | "denied" | "decline" => Decision::Deny,
        other => Decision::Unknown(other.to_owned()),
    }
}

/// What has ended, according to the status of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Over {
    /// The session, at this time, with all requests from before. A later request shows that the
    /// session was resumed.
    Session(Timestamp),
    /// The turn, at this time. Requests from before are no longer open.
    Turn(Timestamp),
    /// The request the session waited for; another one may be open.
    Request,
}

impl Over {
    fn of(reading: &Reading) -> Option<Self> {
        match reading.status {
            Status::Exited => Some(Self::Session(reading.since)),
            // A restarted daemon guesses before it has read the agent's events.
            _ if reading.confidence == Confidence::Low => None,
            Status::Waiting | Status::Idle if !asks(reading) => Some(Self::Turn(reading.since)),
            Status::Waiting | Status::Idle | Status::Running => Some(Self::Request),
            Status::WaitingApproval | Status::Unknown => None,
        }
    }
}

/// True for a question in the middle of a turn.
fn asks(reading: &Reading) -> bool {
    reading.waiting_for.as_ref().is_some_and(|it| it.kind == WaitingKind::Question)
}

impl Broker {
    /// True while the broker still follows a request of this session.
    pub fn follows(&self, session: SessionId) -> bool {
        self.lock().known.values().any(|it| it.it.session_id == session)
    }

    /// True if a hook of this session waits here for an answer, which proves that its agent is
    /// alive.
    pub fn holds(&self, session: SessionId) -> bool {
        self.lock().known.values().any(|it| it.it.session_id == session && it.waits.is_some())
    }

    /// Applies the events of a session to its requests.
    pub fn apply_events(&self, session: SessionId, said: &[RequestEvent]) -> Result<(), Error> {
        let settings = self.settings();
        let mut open = self.lock();
        open.join(settings, session, said)?;
        let now = (settings.now)();
        let mut changed = Vec::new();
        // A recorded decision comes with the result and carries more detail, so it goes first.
        let decided = said.iter().filter(|it| matches!(it, RequestEvent::Decided(..)));
        let returned = said.iter().filter(|it| matches!(it, RequestEvent::Returned(_)));
        for it in decided.chain(returned) {
            changed.extend(open.settle(settings, (session, it), now)?);
        }
        open.tidy();
        drop(open);
        changed.iter().for_each(|it| self.publish(it));
        Ok(())
    }

    /// Applies the answer to a request that the agent's own server reports. The server does not
    /// say whose answer it took, so an answer that equals ours is ours.
    pub fn settle_beside(&self, nonce: &str, decision: &Decision) -> Result<(), Error> {
        let settings = self.settings();
        let mut open = self.lock();
        let Some(request) = open.known.get_mut(&ApprovalId::of(nonce)) else { return Ok(()) };
        let ours = request.it.verdict.as_ref().map(|it| &it.decision);
        let settler = if ours == Some(decision) { Settler::Hook } else { Settler::Agent };
        let verdict = at_the_agent((settings.now)(), Some((decision, None)));
        let happening = Happening::Settled(settler, verdict);
        let next = moved(&mut ledger(settings)?, request.it.clone(), &happening)?;
        let is_changed = next != request.it;
        request.it = next.clone();
        request.waits = None;
        open.tidy();
        drop(open);
        if is_changed {
            self.publish(&next);
        }
        Ok(())
    }

    /// Applies the status of a session to its requests.
    pub fn apply_status(&self, session: SessionId, reading: &Reading) -> Result<(), Error> {
        let Some(over) = Over::of(reading) else { return Ok(()) };
        let now = (self.settings().now)();
        let happening = match over {
            Over::Session(_) => Happening::SessionOver,
            Over::Turn(_) | Over::Request => {
                Happening::Settled(Settler::Untold, at_the_agent(now, None))
            }
        };
        let mut open = self.lock();
        let ids = open.answerable(session, over);
        let mut changed = Vec::new();
        if !ids.is_empty() {
            let mut ledger = ledger(self.settings())?;
            for id in ids {
                let Some(request) = open.known.get_mut(&id) else { continue };
                request.it = moved(&mut ledger, request.it.clone(), &happening)?;
                request.waits = None;
                changed.push(request.it.clone());
            }
        }
        open.tidy();
        drop(open);
        changed.iter().for_each(|it| self.publish(it));
        Ok(())
    }

    /// Searches past events for the calls of requests that arrived after them.
    pub(super) fn look_back(&self, session: SessionId) -> Result<(), Error> {
        let settings = self.settings();
        let Some(index) = IndexReader::open(&settings.data)? else { return Ok(()) };
        let Some(row) = index.session_by_id(session)? else { return Ok(()) };
        let rows = index.last_events(row.row, LOOK_BACK)?;
        let signals: Vec<_> = rows.iter().map(|it| it.signal.clone()).collect();
        let mut lines = Vec::new();
        each_line((settings, &index, &device_of(settings)?), &row, rows, &mut |line| {
            lines.push(line);
            true
        });
        let said = of_lines(&lines, &signals);
        self.lock().join(settings, session, &without_returned(&said))
    }

    /// Ends the wait of a hook that disconnected or timed out.
    pub(super) fn hook_ended(
        &self,
        (id, connection): (&ApprovalId, u64),
        happening: &Happening,
    ) -> Result<(), Error> {
        let mut open = self.lock();
        let Some(request) = open.known.get_mut(id) else { return Ok(()) };
        // Another connection may have taken its place.
        if request.waits.as_ref().is_none_or(|(known, _)| *known != connection) {
            return Ok(());
        }
        request.waits = None;
        let happening = if request.is_at_dead_pipe() { &Happening::SessionOver } else { happening };
        request.it = moved(&mut ledger(self.settings())?, request.it.clone(), happening)?;
        let it = request.it.clone();
        open.tidy();
        drop(open);
        tracing::info!(request = %it.id, state = it.state.as_str(), "a hook waits no more");
        self.publish(&it);
        Ok(())
    }
}

/// Returns what events imply for requests, in their order.
pub fn of_lines(lines: &[EventLine], signals: &[Option<Signal>]) -> Vec<RequestEvent> {
    let events = lines.iter().zip(signals).filter_map(|(line, signal)| match line {
        EventLine::Event(event) => RequestEvent::of(event, signal.as_ref()),
        EventLine::Removed(_) => None,
    });
    events.collect()
}

/// Leaves out calls that have returned: nothing asks about them any more.
fn without_returned(said: &[RequestEvent]) -> Vec<RequestEvent> {
    let is_back = |call: &Call| {
        said.iter().any(|it| matches!(it, RequestEvent::Returned(id) if *id == call.id))
    };
    let keeps = |it: &RequestEvent| !matches!(it, RequestEvent::Called(call) if is_back(call));
    said.iter().filter(|it| keeps(it)).cloned().collect()
}

fn at_the_agent(at: Timestamp, told: Option<(&Decision, Option<&str>)>) -> Verdict {
    let (decision, who) = told.unzip();
    let by = who.flatten();
    let by = by.map_or_else(|| AT_THE_AGENT.to_owned(), |who| format!("{AT_THE_AGENT} ({who})"));
    settled_by(&by, at, decision.cloned())
}

/// A verdict of somebody elsewhere, as far as it is known.
pub(super) fn settled_by(by: &str, at: Timestamp, decision: Option<Decision>) -> Verdict {
    let decision = decision.unwrap_or_else(|| Decision::Unknown("unknown".to_owned()));
    Verdict { decision, by: by.to_owned(), why: None, rule: None, at, who: None }
}

impl Open {
    /// Links requests to their calls, and notes which ones were read from the journal.
    fn join(
        &mut self,
        settings: &Settings,
        session: SessionId,
        said: &[RequestEvent],
    ) -> Result<(), Error> {
        for input in said.iter().filter_map(|it| match it {
            RequestEvent::Asked(input) => Some(input),
            _ => None,
        }) {
            self.of(session)
                .filter(|it| it.it.input_hash == *input)
                .for_each(|it| it.is_read = true);
        }
        let calls = said.iter().filter_map(|it| match it {
            RequestEvent::Called(call) if !call.id.is_empty() => Some(call.clone()),
            _ => None,
        });
        let calls: Vec<_> = calls.collect();
        let before: Vec<_> = self.of(session).map(|it| it.it.clone()).collect();
        let mut requests: Vec<_> = self.of(session).map(|it| &mut it.it).collect();
        let changed = attach(&mut requests, &calls);
        for at in changed {
            if let (Some(before), Some(now)) = (before.get(at), requests.get(at)) {
                ledger(settings)?.move_approval(before, now)?;
            }
        }
        Ok(())
    }

    fn settle(
        &mut self,
        settings: &Settings,
        (session, event): (SessionId, &RequestEvent),
        now: Timestamp,
    ) -> Result<Option<Approval>, Error> {
        let (call, settler, verdict) = match event {
            RequestEvent::Decided(call, decision, who) => {
                let settler = match who.as_deref() {
                    Some("hook") => Settler::Hook,
                    Some(_) => Settler::Agent,
                    None => Settler::Untold,
                };
                (call, settler, at_the_agent(now, Some((decision, who.as_deref()))))
            }
            RequestEvent::Returned(call) => (call, Settler::Untold, at_the_agent(now, None)),
            RequestEvent::Called(_) | RequestEvent::Asked(_) => return Ok(None),
        };
        let is_it = |it: &&mut PendingRequest| {
            !call.is_empty() && it.it.call.as_deref() == Some(call) && !it.is_at_pipe()
        };
        let Some(request) = self.of(session).find(is_it) else { return Ok(None) };
        let happening = Happening::Settled(settler, verdict);
        let next = moved(&mut ledger(settings)?, request.it.clone(), &happening)?;
        let changed = next != request.it;
        request.it = next;
        if !request.it.is_open() {
            request.waits = None;
        }
        Ok(changed.then(|| request.it.clone()))
    }

    /// Requests that the session's status settles. While equal requests are open, the status does
    /// not identify one of them, unless all of them are over.
    fn answerable(&mut self, session: SessionId, over: Over) -> Vec<ApprovalId> {
        let is_followed = |it: &&mut PendingRequest| it.it.is_open() && !it.is_at_pipe();
        let all: Vec<_> = self.of(session).filter(is_followed).collect();
        let alone = |one: &Approval| {
            all.iter().filter(|it| it.it.input_hash == one.input_hash).count() == 1
        };
        let is_it = |it: &&&mut PendingRequest| match over {
            Over::Session(at) => it.is_read || it.it.asked_at <= at,
            Over::Turn(at) if it.it.asked_at < at => true,
            Over::Turn(_) | Over::Request => it.is_read && alone(&it.it),
        };
        all.iter().filter(is_it).map(|it| it.it.id.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A restarted daemon closed a request that its agent still asked.
    #[test]
    fn a_guess_settles_no_request() {
        let since = Timestamp::from_second(1_000).unwrap();
        let check = |status, confidence, expected: Option<Over>| {
            let reading = Reading {
                status,
                since,
                confidence,
                waiting_for: None,
                rule: taffrail_model::status::StatusRule::NothingKnown,
                rests_on: Vec::new(),
                until: None,
                failure: None,
            };
            assert_eq!(Over::of(&reading), expected, "{reading:?}");
        };
        check(Status::Running, Confidence::High, Some(Over::Request));
        check(Status::Running, Confidence::Low, None);
        check(Status::Waiting, Confidence::Medium, Some(Over::Turn(since)));
        check(Status::Waiting, Confidence::Low, None);
        check(Status::Exited, Confidence::Low, Some(Over::Session(since)));
        check(Status::WaitingApproval, Confidence::High, None);
    }
}
