//! What an agent tells the command of its status line.

/// How it is told apart from what was told before.
#[derive(Debug)]
pub struct StatusLinePlan {
    /// The session it is about, and what makes it worth telling again; `None` for what no status line
    /// is told.
    pub mark: fn(&str) -> Option<(String, String)>,
}
