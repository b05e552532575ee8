//! The payload that an agent sends to the command of its status line.

/// How such payloads are recognised.
#[derive(Debug)]
pub struct StatusLinePlan {
    /// The session of the payload, and a mark that changes when the payload is worth recording
    /// again; `None` for any other payload.
    pub mark: fn(&str) -> Option<(String, String)>,
}
