//! Prompts on their way to a session.

use taffrail_model::SessionId;

/// What became of prompts.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    /// The last one that is still on its way: the session and the message's name.
    pub(crate) open: Option<(SessionId, String)>,
    /// What could not be sent is not lost.
    pub(crate) unsent: Option<(SessionId, String)>,
}
