//! How our MCP server is registered in an agent's settings, as data.

use crate::HookBase;

/// Where an agent keeps its MCP servers, and how it writes one.
#[derive(Debug)]
pub struct McpPlan {
    /// The folder that the files are below.
    pub base: HookBase,
    /// The files that may list servers: the first that exists counts, else the first.
    pub files: &'static [&'static str],
    /// The syntax of these files.
    pub syntax: McpSyntax,
    /// The key of the list of servers.
    pub list: &'static str,
    /// Our entry as JSON, with `{program}` for the path of our program.
    pub entry: &'static str,
}

/// The syntax of a file that lists servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpSyntax {
    /// JSON, with or without comments.
    Json,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
}
