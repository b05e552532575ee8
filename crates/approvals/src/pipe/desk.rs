//! Asks the broker for a pipe between an editor and an agent. The agent never waits for any of this:
//! the editor shows its own dialog meanwhile.

use crate::request_body::body_of;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};
use taffrail_adapters::{Answer, Request};
use taffrail_api::{
    ApprovalReply, ApprovalRequestBody, Client, ClientError, Done, PipeBody, PipeSettledBody,
};
use taffrail_model::{Process, Timestamp};

/// How often an absent daemon is looked for.
const LOOK: Duration = Duration::from_millis(250);
/// How long the daemon may take to note that a request is over.
const NOTING: Duration = Duration::from_secs(1);

/// A request that came through a pipe.
#[derive(Debug)]
pub(super) struct PipedRequest {
    /// The request.
    pub(super) request: Request,
    /// Tells this request from every other.
    pub(super) nonce: String,
    /// When it was asked.
    pub(super) asked_at: Timestamp,
    /// The pipe's own process.
    pub(super) process: Process,
    /// The agent's own id of the call.
    pub(super) call: String,
    /// Whether the agent offers to be allowed and denied once.
    pub(super) is_answerable: bool,
    /// Nobody sits at the editor.
    pub(super) is_unattended: bool,
}

impl PipedRequest {
    fn body(self) -> ApprovalRequestBody {
        let Process { pid, start } = self.process;
        let call = Some(self.call).filter(|it| !it.is_empty());
        let pipe = PipeBody { pid, start, call, is_answerable: self.is_answerable };
        ApprovalRequestBody {
            unattended: self.is_unattended,
            pipe: Some(pipe),
            ..body_of(self.request, &self.nonce, self.asked_at)
        }
    }
}

/// Asks the broker, and waits for its answer while the request is open: `None` if it is answered
/// elsewhere, or left to the editor. A daemon that goes away, or starts later, gets the same request.
pub(super) fn ask_for_pipe(
    state: &Path,
    request: PipedRequest,
    is_open: impl Fn() -> bool,
) -> Option<Answer> {
    let body = request.body();
    while is_open() {
        match ask_once(state, &body) {
            Ok(reply) => return Some(Answer { decision: reply.decision?, reason: reply.reason }),
            Err(ClientError::Refused(told)) if !told.retryable => {
                tracing::warn!(error = %told.message, "the daemon refused a request");
                return None;
            }
            Err(_) => sleep(LOOK),
        }
    }
    None
}

fn ask_once(state: &Path, body: &ApprovalRequestBody) -> Result<ApprovalReply, ClientError> {
    Client::connect(state)?.with_timeout(None).post("/api/desk", body)
}

/// Tells the broker that a request is over, for as long as it takes to reach the daemon. Without one,
/// the request is shown until it expires.
pub(super) fn settle_for_pipe(state: &Path, body: &PipeSettledBody, patience: Duration) {
    let end = Instant::now() + patience;
    while let Err(error) = settle_once(state, body) {
        let is_final = matches!(&error, ClientError::Refused(told) if !told.retryable);
        if is_final || Instant::now() >= end {
            tracing::debug!(%error, "the daemon does not know that a request is over");
            return;
        }
        sleep(LOOK);
    }
}

fn settle_once(state: &Path, body: &PipeSettledBody) -> Result<(), ClientError> {
    let client = Client::connect(state)?.with_timeout(Some(NOTING));
    client.post::<Done>("/api/desk/settled", body).map(drop)
}
