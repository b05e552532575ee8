//! The status of a session, as a server reports it and the journal keeps it.

use super::{OpenRequest, ServerMessage, ServerState, request_nonce};
use crate::journal::{EntrySink, labelled};
use crate::lenient::{self, Text, filled, made_of_objects, whole};
use crate::records::{LONGEST_ID, time_ms};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use taffrail_model::approval::Decision;
use taffrail_model::{Confidence, Facts, Kind, Origin, Process, RuntimeIdentity, Signal};

/// The model or a tool works.
pub const BUSY: &str = "busy";
/// The agent waits for a prompt.
pub const IDLE: &str = "idle";
/// The agent waits for an approval.
pub const ASKS: &str = "asks";

/// One request was answered, and the agent waits for others.
pub const SETTLED: &str = "settled";

/// The status of a session. One server may report the same status twice; `event` tells the reports
/// apart.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ServerReport<'a> {
    #[serde(borrow, deserialize_with = "filled", skip_serializing_if = "Option::is_none")]
    pub session: Text<'a>,
    #[serde(borrow, deserialize_with = "filled", skip_serializing_if = "Option::is_none")]
    pub status: Text<'a>,
    #[serde(borrow, deserialize_with = "filled", skip_serializing_if = "Option::is_none")]
    pub event: Text<'a>,
    /// The approval request in one line, and the digest of its input.
    #[serde(borrow, deserialize_with = "filled", skip_serializing_if = "Option::is_none")]
    pub asks: Text<'a>,
    #[serde(borrow, deserialize_with = "filled", skip_serializing_if = "Option::is_none")]
    pub mark: Text<'a>,
    #[serde(borrow, deserialize_with = "filled", skip_serializing_if = "Option::is_none")]
    pub cwd: Text<'a>,
    #[serde(deserialize_with = "whole", skip_serializing_if = "Option::is_none")]
    pub at_ms: Option<u64>,
    #[serde(deserialize_with = "whole", skip_serializing_if = "Option::is_none")]
    pub(super) pid: Option<u64>,
    #[serde(deserialize_with = "whole", skip_serializing_if = "Option::is_none")]
    pub(super) proc_start: Option<u64>,
}

made_of_objects! { ServerReport<'de> }

impl ServerReport<'_> {
    /// The payload of a journal entry, with the server's process; `None` for an id that is too
    /// long to be one.
    #[must_use]
    pub fn into_payload(mut self, process: Option<Process>) -> Option<String> {
        self.session.as_ref().filter(|it| it.len() <= LONGEST_ID)?;
        self.pid = process.map(|it| it.pid.into());
        self.proc_start = process.map(|it| it.start);
        serde_json::to_string(&self).ok()
    }

    fn process(&self) -> Option<Process> {
        Some(Process { pid: u32::try_from(self.pid?).ok()?, start: self.proc_start? })
    }

    fn signal(&self) -> Option<Signal> {
        let input = self.mark.as_deref().unwrap_or_default().to_owned();
        match self.status.as_deref() {
            Some(BUSY) => Some(Signal::Busy),
            Some(IDLE) => Some(Signal::Quiet),
            Some(ASKS) => Some(Signal::AskedApproval { input }),
            Some(SETTLED) => Some(Signal::Settled { call: String::new(), input }),
            Some(_) | None => None,
        }
    }
}

/// A request was answered: the message for the broker, and the session's status after it.
pub fn settled(
    state: &mut ServerState,
    (agent, session, id): (&str, &str, &str),
    (decision, event): (Decision, &str),
) -> Vec<ServerMessage> {
    let nonce = request_nonce(&[agent, session, id]);
    let mark = state.close_request(id).map(|it| it.mark);
    let status = after_request(state, session, (mark, event));
    [ServerMessage::Settled { nonce, decision }].into_iter().chain(status).collect()
}

/// A request is gone, and the server does not say how it was answered.
pub fn gone(state: &mut ServerState, id: &str) -> Option<ServerMessage> {
    let OpenRequest { session, mark } = state.close_request(id)?;
    after_request(state, &session, (Some(mark), id))
}

/// The status of a session after one of its requests was answered.
fn after_request(
    state: &mut ServerState,
    session: &str,
    (mark, event): (Option<String>, &str),
) -> Option<ServerMessage> {
    let is_last = state.requests_of(session).is_empty();
    if is_last {
        state.is_new_status(session, BUSY);
    }
    let report = ServerReport {
        session: Some(session.into()),
        status: Some(if is_last { BUSY } else { SETTLED }.into()),
        event: Some(event.into()),
        mark: mark.map(Into::into),
        ..ServerReport::default()
    };
    report.into_payload(state.process).map(ServerMessage::Status)
}

/// A session is busy or idle: reported when it changes. While a request is open, a busy session waits
/// for its answer, so busy is not reported; an idle session has no open request.
pub fn changed(
    state: &mut ServerState,
    (session, status): (&str, &str),
    (event, cwd): (&str, Option<&str>),
) -> Option<ServerMessage> {
    let open = state.requests_of(session);
    if status == BUSY && !open.is_empty() {
        return None;
    }
    for id in open {
        state.close_request(&id);
    }
    let report = ServerReport {
        session: Some(session.into()),
        status: Some(status.into()),
        event: Some(event.into()),
        cwd: cwd.map(Into::into),
        ..ServerReport::default()
    };
    let is_new = !session.is_empty() && state.is_new_status(session, status);
    is_new.then(|| report.into_payload(state.process).map(ServerMessage::Status))?
}

/// Reads a report from the journal.
pub fn read_entry(sink: &mut EntrySink<'_, '_>) {
    let report: Option<ServerReport<'_>> = lenient::value_in(sink.entry.payload.get());
    let is_report = sink.entry.via == Origin::Registry;
    let Some(report) = report.filter(|it| is_report && it.session.is_some()) else {
        return sink.unknown("registry/unreadable");
    };
    let Some(signal) = report.signal() else {
        let status = report.status.as_deref().unwrap_or_default();
        return sink.unknown(&format!("registry/{status}"));
    };
    let id = report.session.as_deref().unwrap_or_default();
    let who = RuntimeIdentity::new(sink.entry.agent.clone(), "", id);
    let mut draft = sink.draft(0, Kind::Heartbeat);
    let changed = report.at_ms.and_then(|ms| i64::try_from(ms).ok()).and_then(time_ms);
    (draft.signal, draft.confidence) = (Some(signal), Confidence::High);
    draft.at = changed.or(draft.at);
    let text = report.asks.as_deref().or(report.status.as_deref());
    draft.text = text.map(|it| Cow::Owned(it.to_owned()));
    let status = report.status.as_deref().map(|it| ("status", it.into()));
    let pid = report.pid.map(|it| ("pid", it.into()));
    draft.detail = labelled("registry", status.into_iter().chain(pid).collect());
    let project_path = report.cwd.as_deref().map(str::to_owned);
    sink.add_facts(&who, Facts { project_path, process: report.process(), ..Facts::default() });
    sink.emit(&who, draft);
}
