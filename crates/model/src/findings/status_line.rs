//! The field names of an event that carries an agent's status-line report.

/// The event's label.
pub const LABEL: &str = "status_line";
/// Tokens of the context in use.
pub const USED: &str = "context_used";
/// Tokens the context window can hold.
pub const WINDOW: &str = "context_window";
