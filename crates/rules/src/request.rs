//! A request, as rules see it.

use std::path::Path;

/// What an agent asks to be allowed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Request<'a> {
    /// The tool, as the agent names it.
    pub tool: &'a str,
    /// The shell command, if the tool runs one.
    pub command: Option<&'a str>,
    /// The agent, if it is known.
    pub agent: Option<&'a str>,
    /// The folder it works in, if it is known.
    pub project: Option<&'a Path>,
    /// The files that a tool names which runs no command, links and steps upward resolved where they can be.
    pub files: &'a [&'a str],
    /// Fields beside the command that could change what it means: nothing is allowed with one.
    pub beside: &'a [&'a str],
}
