//! A request, as rules see it.

use std::path::Path;

/// An agent's request for permission.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Request<'a> {
    /// The tool, as the agent names it.
    pub tool: &'a str,
    /// The shell command, if the tool runs one.
    pub command: Option<&'a str>,
    /// The agent, if known.
    pub agent: Option<&'a str>,
    /// The working folder, if known.
    pub project: Option<&'a Path>,
    /// The files named by a tool that runs no command, with links and `..` resolved where possible.
    pub files: &'a [&'a str],
    /// Fields beside the command that could change its meaning: with any of these, nothing is
    /// allowed.
    pub beside: &'a [&'a str],
}
