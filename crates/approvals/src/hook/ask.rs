//! Asking the desk: the hook waits for its answer and prints what the agent reads.

use crate::request_body::body_of;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};
use taffrail_adapters::{Adapter, Answer, by_id};
use taffrail_api::{ApprovalReply, ApprovalRequestBody, Client, ClientError};
use taffrail_model::Timestamp;
use taffrail_model::process::Ancestor;

/// A daemon that went away is waited for so long.
const AWAY: Duration = Duration::from_secs(10);
/// And looked for so often.
const LOOK: Duration = Duration::from_millis(100);

/// What a hook knows when it may have to ask.
#[derive(Debug)]
pub struct Question<'a> {
    /// The agent's id, as the hook was given it.
    pub agent: &'a str,
    /// The bytes of stdin.
    pub payload: &'a [u8],
    /// When.
    pub at: Timestamp,
    /// The nonce of the journal's entry.
    pub nonce: &'a str,
    /// The number of our own process.
    pub pid: u32,
}

/// Asks the desk if this is a request, and gives what is to be printed: nothing when nobody decides,
/// when nobody is there, or when it is none. `state` is our folder of that name.
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

/// The desk's answer. Without a daemon there is none at once; one that goes away while it is asked
/// is given the time to come back.
fn answered(state: &Path, body: &ApprovalRequestBody) -> Option<ApprovalReply> {
    let mut client = Client::connect(state).ok()?;
    loop {
        match client.with_timeout(None).post("/api/desk", body) {
            Ok(reply) => return Some(reply),
            Err(ClientError::Refused(told)) if !told.retryable => return None,
            // The daemon is gone; another may come.
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
