//! The command that a person runs, and which agent it starts.

use std::ffi::OsString;
use std::path::Path;
use taffrail_adapters::{Adapter, agents, by_id};
use taffrail_capture::program_in;
use taffrail_context::Settings;
use taffrail_model::RuntimeIdentity;

/// The command to run, and its surroundings.
#[derive(Debug)]
pub struct Run<'a> {
    /// The agent, if the user named it.
    pub agent: Option<&'a str>,
    /// The command.
    pub words: &'a [OsString],
    /// The working folder.
    pub here: &'a Path,
    /// The path of our own program.
    pub ours: &'a Path,
    /// The pid of our own process.
    pub pid: u32,
    /// Generates a random string.
    pub nonce: fn() -> String,
    /// Whether data of a session may be kept: it is captured, and not forgotten.
    pub keeps: fn(&Settings, &RuntimeIdentity) -> bool,
}

/// The agent that a command starts: the one that the user named, or the one with this program.
pub(crate) fn agent_of(run: &Run<'_>) -> Option<&'static dyn Adapter> {
    agent_in(run.agent, run.words)
}

/// The agent that these words start, as above.
#[must_use]
pub fn agent_in(agent: Option<&str>, words: &[OsString]) -> Option<&'static dyn Adapter> {
    if let Some(id) = agent {
        return by_id(id);
    }
    let words: Vec<_> = words.iter().map(|it| it.to_string_lossy()).collect();
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    let name = program_in(&words)?;
    agents().find(|it| it.descriptor().processes.contains(&name.as_str()))
}
