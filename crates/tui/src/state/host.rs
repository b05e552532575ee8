//! Another host, whose sessions the board shows instead of this machine's.

/// What the board may do there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Show.
    Read,
    /// Also answer requests for approval.
    Answer,
}

/// A host, reached through one connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// Its name, as the user wrote it.
    pub name: String,
    /// What the board may do there.
    pub access: Access,
    /// The words that run a command there, such as `ssh -t tower`.
    pub by_hand: String,
    /// The words that show it with the right to answer.
    pub to_answer: String,
}
