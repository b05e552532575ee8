//! The command that a change came from.

/// The command of a change, as the history records it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// The command.
    pub command: String,
    /// Its arguments.
    pub arguments: String,
    /// The agent or person that ran it.
    pub by: String,
}
