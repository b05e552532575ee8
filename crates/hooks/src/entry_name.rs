//! The name of our entry in a list of MCP servers.

/// The name of our entry.
pub(crate) const NAME: &str = "taffrail";
