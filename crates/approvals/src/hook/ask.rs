//! Asks the broker: the hook waits for an answer and prints what the agent reads.

use crate::request_body::body_of;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};
use taffrail_adapters::{Adapter, Answer, by_id};
use taffrail_api::{ApprovalReply, ApprovalRequestBody, Client, ClientError};
use taffrail_model::Timestamp;
use taffrail_model::process::Ancestor;

/// How long the hook waits for a daemon that went away.
const AWAY: Duration = Duration::from_secs(10);
/// How often the hook looks for it.
const LOOK: Duration = Duration::from_millis(100);

/// What a hook knows when it may have to ask.
#[derive(Debug)]
pub struct Question<'a> {
    /// The agent's id, as the hook was given it.
    pub agent: &'a str,
    /// The bytes of stdin.
    pub payload: &'a [u8],
    /// The time of the call.
    pub at: Timestamp,
    /// The nonce of the journal's entry.
    pub nonce: &'a str,
    /// Our own process id.
    pub pid: u32,
}

/// Asks the broker if this is a request, and returns the text to print: `None` if nobody decides,
/// no daemon runs, or this is not a request. `state` is our folder of that name.
#[must_use]
pub fn ask_desk(
    state: &Path,
    question: &Question<'_>,
    variable: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let adapter = by_id(question.agent)?;
    let plan = adapter.approval_plan()?;
    let request = (plan.request)(std::str::from_utf8(question.payload).ok()?)?;
    let line = arguments(adapter, question.pid);
    let unattended = plan.unattended.matches(variable, &line);
    let body = ApprovalRequestBody { unattended, ..body_of(request, question.nonce, question.at) };
    let reply = answered(state, &body)?;
    let answer = Answer { decision: reply.decision?, reason: reply.reason };
    Some((plan.answer)(&answer))
}

/// The command line of the agent that called us.
fn arguments(adapter: &dyn Adapter, pid: u32) -> Vec<String> {
    let names = adapter.descriptor().processes;
    let is_agent = |it: &Ancestor| names.contains(&it.name.as_str());
    let above = taffrail_capture::ancestors(pid, super::ANCESTORS);
    above
        .iter()
        .find(|it| is_agent(it))
        .map_or_else(Vec::new, |it| taffrail_capture::command_line(it.pid))
}

/// The broker's answer. Without a daemon it is `None` at once; a daemon that goes away in the
/// middle gets time to come back.
fn answered(state: &Path, body: &ApprovalRequestBody) -> Option<ApprovalReply> {
    let mut client = Client::connect(state).ok()?;
    loop {
        match client.with_timeout(None).post("/api/desk", body) {
            Ok(reply) => return Some(reply),
            Err(ClientError::Refused(told)) if !told.retryable => return None,
            // The daemon is gone; another may start.
            Err(_) => client = comes_back(state)?,
        }
    }
}

fn comes_back(state: &Path) -> Option<Client> {
    let gone = Instant::now();
    while gone.elapsed() < AWAY {
        sleep(LOOK);
        if let Ok(client) = Client::connect(state) {
            return Some(client);
        }
    }
    None
}
