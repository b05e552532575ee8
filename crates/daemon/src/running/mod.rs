//! `taffrail run`: one agent on a terminal of ours, which changes nothing for the agent.
//!
//! What stands on the terminal is a word of low confidence. It is written into the journal when it
//! changes, and nothing is ever decided by it.

mod bell;
mod carrying;
mod claiming;
mod executor;
mod pasting;
mod seeing;

pub use bell::{Bell, Happening, Heard, bell};
pub use executor::{PasteError, paste, socket_of};
pub use pasting::Pasted;

pub(crate) use executor::executor_of;

use crate::Settings;
use carrying::Carrier;
use executor::Door;
use seeing::Watch;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Command;
use taffrail_adapters::{Adapter, agents, by_id};
use taffrail_capture::{Pty, Size, Terminal, View, is_terminal, program_in, take_terminal};

/// The word that tells our own program that it is to become another one, on a terminal of its own.
pub const INSIDE: &str = "--inside-terminal";

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

/// Runs a command on a terminal of ours until it is over; gives its exit code.
///
/// # Errors
/// When the command cannot be started, or our own terminal is gone.
pub fn run(settings: &Settings, run: &Run<'_>, (bell, heard): (Bell, Heard)) -> io::Result<u8> {
    let terminal = Terminal::take()?;
    let size = Size::of(io::stdin());
    let mut command = Command::new(run.ours);
    command.args(["run", INSIDE]).args(run.words).current_dir(run.here);
    let pty = Pty::start(command, &terminal, size)?;
    let agent = agent_of(run);
    let watch = agent.and_then(|agent| Watch::new(settings, run, agent, pty.pid()));
    // Without the socket nothing can be sent here; the agent runs all the same.
    let _door = Door::open(&settings.runtime, run.pid, bell).ok();
    Carrier::new(pty, (terminal, View::new(size)), watch, heard).carry()
}

/// Becomes the program on the terminal it was given; only comes back with a reason why not.
#[must_use]
pub fn become_program(words: &[OsString]) -> io::Error {
    match words.split_first() {
        Some((program, rest)) => take_terminal(program, rest),
        None => io::Error::from(io::ErrorKind::InvalidInput),
    }
}

/// A person sits at a terminal of ours.
#[must_use]
pub fn has_terminal() -> bool {
    is_terminal(io::stdin()) && is_terminal(io::stdout())
}

/// The agent a command starts: the one a person named, or the one whose program it is.
fn agent_of(run: &Run<'_>) -> Option<&'static dyn Adapter> {
    if let Some(id) = run.agent {
        return by_id(id);
    }
    let words: Vec<_> = run.words.iter().map(|it| it.to_string_lossy()).collect();
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    let name = program_in(&words)?;
    agents().find(|it| it.descriptor().processes.contains(&name.as_str()))
}
