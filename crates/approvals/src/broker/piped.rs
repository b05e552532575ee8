//! Requests that a pipe between an editor and an agent reports. The pipe alone knows which answer its
//! agent got, and whether a request is still open.

use super::agent_record::settled_by;
use super::{Broker, Open, PendingRequest, ledger, moved};
use taffrail_api::{ApprovalRequestBody, PipeSettledBody, PipeSettler};
use taffrail_capture::lives;
use taffrail_context::Error;
use taffrail_model::Process;
use taffrail_model::approval::{ApprovalId, Happening, Settler};

/// Names a decision that was made in an editor.
const EDITOR: &str = "editor";

/// The pipe that reports a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pipe {
    /// The request by the pipe's own nonce; a hook may have reported the request under another id.
    id: ApprovalId,
    process: Process,
}

impl Pipe {
    pub(super) fn of(body: &ApprovalRequestBody) -> Option<Self> {
        let pipe = body.pipe.as_ref()?;
        let process = Process { pid: pipe.pid, start: pipe.start };
        Some(Self { id: ApprovalId::of(&body.nonce), process })
    }
}

impl PendingRequest {
    /// Whether the pipe that reported it is gone: its agent saw the end of its input.
    pub(super) fn is_at_dead_pipe(&self) -> bool {
        let is_dead = self.pipe.as_ref().is_some_and(|it| !lives(it.process));
        is_dead && self.it.is_open() && self.waits.is_none()
    }
}

impl Open {
    pub(super) fn at_dead_pipes(&mut self) -> impl Iterator<Item = &mut PendingRequest> {
        self.known.values_mut().filter(|it| it.is_at_dead_pipe())
    }
}

impl Broker {
    /// Applies what a pipe tells: its agent got another answer than ours, or needs none.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn settle_piped(&self, body: &PipeSettledBody) -> Result<(), Error> {
        let settings = self.settings();
        let id = ApprovalId::of(&body.nonce);
        let is_it = |it: &&mut PendingRequest| {
            it.it.id == id || it.pipe.as_ref().is_some_and(|it| it.id == id)
        };
        let mut open = self.lock();
        let Some(request) = open.known.values_mut().find(is_it) else { return Ok(()) };
        let verdict = || settled_by(EDITOR, (settings.now)(), body.decision.clone());
        let happening = match body.by {
            PipeSettler::Editor => Happening::Settled(Settler::Agent, verdict()),
            // Nobody decided, and nobody can any more.
            PipeSettler::Agent | PipeSettler::Gone => Happening::SessionOver,
        };
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

    /// Ends the requests of pipes that are gone.
    pub(super) fn end_dead_pipes(&self) -> Result<(), Error> {
        let mut open = self.lock();
        if open.at_dead_pipes().next().is_none() {
            return Ok(());
        }
        let mut ledger = ledger(self.settings())?;
        for request in open.at_dead_pipes() {
            request.it = moved(&mut ledger, request.it.clone(), &Happening::SessionOver)?;
        }
        open.tidy();
        Ok(())
    }
}
