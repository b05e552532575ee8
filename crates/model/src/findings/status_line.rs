//! The words in which an event tells what an agent told its status line.

/// The event's label.
pub const LABEL: &str = "status_line";
/// Tokens of the context that are used.
pub const USED: &str = "context_used";
/// Tokens the context can hold.
pub const WINDOW: &str = "context_window";
