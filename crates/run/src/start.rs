//! Runs a command on our own pseudo-terminal, transparently for the agent.
//!
//! The screen is evidence of low confidence. Changes go to the journal, and never decide anything.

use crate::command::{Run, agent_of};
use crate::executor::PasteSocket;
use crate::proxy::Proxy;
use crate::screen_watch::Watch;
use crate::terminal_log::TerminalLog;
use crate::waker::{ProxyEvents, Waker};
use std::ffi::OsString;
use std::io;
use std::process::Command;
use taffrail_capture::{Pty, Size, Terminal, View, is_terminal, take_terminal};
use taffrail_context::Settings;

/// The argument that makes our program replace itself by another, on its own terminal.
pub const INSIDE: &str = "--inside-terminal";

/// Runs a command on our own terminal to its end; returns its exit code.
///
/// # Errors
/// When the command cannot be started, or our own terminal is gone.
pub fn run(
    settings: &Settings,
    run: &Run<'_>,
    (waker, heard): (Waker, ProxyEvents),
) -> io::Result<u8> {
    let terminal = Terminal::take()?;
    let size = Size::of(io::stdin());
    let mut command = Command::new(run.ours);
    command.args(["run", INSIDE]).args(run.words).current_dir(run.here);
    let pty = Pty::start(command, &terminal, size)?;
    let agent = agent_of(run);
    let watch = agent.and_then(|agent| Watch::new(settings, run, agent, pty.pid()));
    let log = watch.as_ref().and_then(|it| TerminalLog::new(settings, run, it, size));
    // Without the socket no text can be sent here; the agent still runs.
    let _door = PasteSocket::open(&settings.runtime, run.pid, waker).ok();
    Proxy::new(pty, (terminal, View::new(size)), (watch, log), heard).carry()
}

/// Replaces this process by the program; returns only an error.
#[must_use]
pub fn become_program(words: &[OsString]) -> io::Error {
    match words.split_first() {
        Some((program, rest)) => take_terminal(program, rest),
        None => io::Error::from(io::ErrorKind::InvalidInput),
    }
}

/// Whether a user is at our terminal.
#[must_use]
pub fn has_terminal() -> bool {
    is_terminal(io::stdin()) && is_terminal(io::stdout())
}
