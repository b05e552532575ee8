//! The command that a person runs, and which agent it starts.

use std::ffi::OsString;
use std::path::Path;
use taffrail_adapters::{Adapter, agents, by_id};
use taffrail_capture::program_in;

/// What is run.
#[derive(Debug)]
pub struct Run<'a> {
    /// The agent, where a person said which it is.
    pub agent: Option<&'a str>,
    /// The command.
    pub words: &'a [OsString],
    /// The folder it is started in.
    pub here: &'a Path,
    /// Our own program.
    pub ours: &'a Path,
    /// The number of our own process.
    pub pid: u32,
    /// Chance.
    pub nonce: fn() -> String,
}

/// The agent a command starts: the one a person named, or the one whose program it is.
pub(crate) fn agent_of(run: &Run<'_>) -> Option<&'static dyn Adapter> {
    if let Some(id) = run.agent {
        return by_id(id);
    }
    let words: Vec<_> = run.words.iter().map(|it| it.to_string_lossy()).collect();
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    let name = program_in(&words)?;
    agents().find(|it| it.descriptor().processes.contains(&name.as_str()))
}
