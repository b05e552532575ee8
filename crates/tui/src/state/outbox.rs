//! Prompts on their way to a session.

use taffrail_model::SessionId;

/// The prompts that were sent.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    /// The last prompt that is on its way: its session and the id of the message.
    pub(crate) open: Option<(SessionId, String)>,
    /// A prompt that could not be sent, so that its text is not lost.
    pub(crate) unsent: Option<(SessionId, String)>,
}
