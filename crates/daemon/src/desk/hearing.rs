//! What the agent itself says about requests, and what follows from how its session stands.

use super::{Desk, Open, Slip, ledger, moved};
use crate::events::{device_of, tell};
use crate::live::Handle;
use crate::{DaemonError, Settings};
use taffrail_api::EventLine;
use taffrail_model::approval::{
    Approval, ApprovalId, Call, Decision, Happening, Settler, Verdict, attach, input_mark,
};
use taffrail_model::status::Status;
use taffrail_model::{Event, Kind, Origin, SessionId, Signal, Timestamp};
use taffrail_store::IndexReader;

/// Events that are looked back at when a request comes, to find its call.
const LOOK_BACK: usize = 64;
/// Whoever decided was not here.
const AT_THE_AGENT: &str = "agent";

/// Something an event says about requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Heard {
    /// A tool is called.
    Called(Call),
    /// The hook's own request was read.
    Asked(String),
    /// A request was decided, by the agent's own record.
    Decided(String, Decision, Option<String>),
    /// A call came back.
    Returned(String),
}

impl Heard {
    /// What an event and its signal say; nothing of most, and nothing of our own words.
    pub(crate) fn of(event: &Event, signal: Option<&Signal>) -> Option<Self> {
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

/// The agent's word for a decision, in ours.
fn decision(word: &str) -> Decision {
    match word {
        "accept" | "allow" | "approve" | "approved" => Decision::Allow,
        "reject" | "deny" | "denied" | "decline" => Decision::Deny,
        other => Decision::Unknown(other.to_owned()),
    }
}

impl Desk {
    /// Something may still be learned of a request of this session.
    pub(crate) fn follows(&self, session: SessionId) -> bool {
        self.lock().known.values().any(|it| it.it.session_id == session)
    }

    /// Learns from what a session says.
    pub(crate) fn hear(
        &self,
        handle: &Handle,
        session: SessionId,
        said: &[Heard],
    ) -> Result<(), DaemonError> {
        let settings = handle.settings();
        let mut open = self.lock();
        open.join(settings, session, said)?;
        let now = (settings.now)();
        let mut changed = Vec::new();
        // Who decided stands beside the result, and says more.
        let decided = said.iter().filter(|it| matches!(it, Heard::Decided(..)));
        let returned = said.iter().filter(|it| matches!(it, Heard::Returned(_)));
        for it in decided.chain(returned) {
            changed.extend(open.settle(settings, (session, it), now)?);
        }
        open.tidy();
        drop(open);
        changed.iter().for_each(|it| handle.tell_approval(it));
        Ok(())
    }

    /// Learns from how a session stands.
    pub(crate) fn stands(
        &self,
        handle: &Handle,
        session: SessionId,
        status: Status,
    ) -> Result<(), DaemonError> {
        let happening = match status {
            Status::Exited => Happening::SessionOver,
            Status::Running | Status::Waiting | Status::Idle => {
                let now = (handle.settings().now)();
                Happening::Settled(Settler::Untold, at_the_agent(now, None))
            }
            Status::WaitingApproval | Status::Unknown => return Ok(()),
        };
        let over = happening == Happening::SessionOver;
        let mut open = self.lock();
        let ids = open.answerable(session, over);
        let mut changed = Vec::new();
        if !ids.is_empty() {
            let mut ledger = ledger(handle.settings())?;
            for id in ids {
                let Some(slip) = open.known.get_mut(&id) else { continue };
                slip.it = moved(&mut ledger, slip.it.clone(), &happening)?;
                slip.waits = None;
                changed.push(slip.it.clone());
            }
        }
        open.tidy();
        drop(open);
        changed.iter().for_each(|it| handle.tell_approval(it));
        Ok(())
    }

    /// Looks for the calls of a session that came before its request.
    pub(super) fn look_back(
        &self,
        settings: &Settings,
        session: SessionId,
    ) -> Result<(), DaemonError> {
        let Some(index) = IndexReader::open(&settings.data)? else { return Ok(()) };
        let Some(row) = index.session_by_id(session)? else { return Ok(()) };
        let rows = index.last_events(row.row, LOOK_BACK)?;
        let signals: Vec<_> = rows.iter().map(|it| it.signal.clone()).collect();
        let mut lines = Vec::new();
        tell((settings, &index, &device_of(settings)?), &row, rows, &mut |line| {
            lines.push(line);
            true
        });
        let said = of_lines(&lines, &signals);
        self.lock().join(settings, session, &without_returned(&said))
    }

    /// The hook of a request is gone, or its time is up.
    pub(super) fn hook_ended(
        &self,
        handle: &Handle,
        (id, connection): (&ApprovalId, u64),
        happening: &Happening,
    ) -> Result<(), DaemonError> {
        let mut open = self.lock();
        let Some(slip) = open.known.get_mut(id) else { return Ok(()) };
        // Another connection may have taken its place.
        if slip.waits.as_ref().is_none_or(|(known, _)| *known != connection) {
            return Ok(());
        }
        slip.waits = None;
        slip.it = moved(&mut ledger(handle.settings())?, slip.it.clone(), happening)?;
        let it = slip.it.clone();
        open.tidy();
        drop(open);
        handle.tell_approval(&it);
        Ok(())
    }
}

/// What events say about requests, in their order.
pub(crate) fn of_lines(lines: &[EventLine], signals: &[Option<Signal>]) -> Vec<Heard> {
    let events = lines.iter().zip(signals).filter_map(|(line, signal)| match line {
        EventLine::Event(event) => Heard::of(event, signal.as_ref()),
        EventLine::Removed(_) => None,
    });
    events.collect()
}

/// Calls that came back are no longer asked about.
fn without_returned(said: &[Heard]) -> Vec<Heard> {
    let is_back =
        |call: &Call| said.iter().any(|it| matches!(it, Heard::Returned(id) if *id == call.id));
    let keeps = |it: &Heard| !matches!(it, Heard::Called(call) if is_back(call));
    said.iter().filter(|it| keeps(it)).cloned().collect()
}

fn at_the_agent(at: Timestamp, told: Option<(&Decision, Option<&str>)>) -> Verdict {
    let (decision, who) = match told {
        Some((decision, who)) => (decision.clone(), who),
        None => (Decision::Unknown("unknown".to_owned()), None),
    };
    let by = who.map_or_else(|| AT_THE_AGENT.to_owned(), |who| format!("{AT_THE_AGENT} ({who})"));
    Verdict { decision, by, why: None, rule: None, at }
}

impl Open {
    /// Joins requests with their calls, and notes which were read from the journal.
    fn join(
        &mut self,
        settings: &Settings,
        session: SessionId,
        said: &[Heard],
    ) -> Result<(), DaemonError> {
        for input in said.iter().filter_map(|it| match it {
            Heard::Asked(input) => Some(input),
            _ => None,
        }) {
            self.of(session).filter(|it| it.it.input_hash == *input).for_each(|it| it.heard = true);
        }
        let calls = said.iter().filter_map(|it| match it {
            Heard::Called(call) if !call.id.is_empty() => Some(call.clone()),
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
        (session, heard): (SessionId, &Heard),
        now: Timestamp,
    ) -> Result<Option<Approval>, DaemonError> {
        let (call, settler, verdict) = match heard {
            Heard::Decided(call, decision, who) => {
                let settler = match who.as_deref() {
                    Some("hook") => Settler::Hook,
                    Some(_) => Settler::Agent,
                    None => Settler::Untold,
                };
                (call, settler, at_the_agent(now, Some((decision, who.as_deref()))))
            }
            Heard::Returned(call) => (call, Settler::Untold, at_the_agent(now, None)),
            Heard::Called(_) | Heard::Asked(_) => return Ok(None),
        };
        let is_it = |it: &&mut Slip| !call.is_empty() && it.it.call.as_deref() == Some(call);
        let Some(slip) = self.of(session).find(is_it) else { return Ok(None) };
        let happening = Happening::Settled(settler, verdict);
        let next = moved(&mut ledger(settings)?, slip.it.clone(), &happening)?;
        let changed = next != slip.it;
        slip.it = next;
        if !slip.it.is_open() {
            slip.waits = None;
        }
        Ok(changed.then(|| slip.it.clone()))
    }

    /// Requests that how their session stands says something of. While equal ones are open nothing
    /// tells which of them was meant.
    fn answerable(&mut self, session: SessionId, over: bool) -> Vec<ApprovalId> {
        let all: Vec<_> = self.of(session).collect();
        let alone = |one: &Approval| {
            all.iter().filter(|it| it.it.input_hash == one.input_hash).count() == 1
        };
        let is_it = |it: &&&mut Slip| it.it.is_open() && (over || it.heard && alone(&it.it));
        all.iter().filter(is_it).map(|it| it.it.id.clone()).collect()
    }
}
