//! `taffrail run`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH};
use signal_hook::iterator::Signals;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};
use taffrail_capture::with_users_mask;
use taffrail_env as env;
use taffrail_ingest::keeps_terminal;
use taffrail_query::agent_names;
use taffrail_run::{INSIDE, ProxyEvent, Run, Waker};

/// The exit code of a command that cannot be run, and of one that is not there.
const CANNOT: u8 = 126;
const NOT_THERE: u8 = 127;

/// Signals that are meant for the program.
pub(super) const PASSED_ON: [i32; 6] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2];

/// Run an agent in this terminal and watch its screen
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail run -- claude                    the agent as you usually start it
  taffrail run -- codex resume --last       with any arguments
  taffrail run --agent codex -- ./wrapper   a script that starts an agent
")]
pub(super) struct Args {
    /// Agent, if the command's name does not identify it
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Command and its arguments
    #[arg(value_name = "COMMAND", required = true, last = true)]
    words: Vec<OsString>,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<ExitCode, CliError> {
    if let Some(agent) = &args.agent
        && !agent_names().iter().any(|(id, _)| id == agent)
    {
        let message = format!("no agent is called `{agent}`");
        return Err(CliError::usage(message, "taffrail agents lists them"));
    }
    if !taffrail_run::has_terminal() {
        // Without a terminal there is nothing to observe, so the program runs directly.
        return Ok(failed(&args.words, &as_it_is(&args.words)));
    }
    let (bell, heard) = taffrail_run::waker()?;
    pass_signals_on(bell.clone())?;
    let ours = env::own_path(&context.env)?;
    let run = Run {
        agent: args.agent.as_deref(),
        words: &args.words,
        here: &context.env.here,
        ours: &ours,
        pid: std::process::id(),
        nonce: env::nonce,
        keeps: keeps_terminal,
    };
    Ok(ExitCode::from(taffrail_run::run(&context.settings, &run, (bell, heard))?))
}

fn pass_signals_on(bell: Waker) -> io::Result<()> {
    let mut signals = Signals::new([&PASSED_ON[..], &[SIGWINCH, SIGCHLD]].concat())?;
    let thread = std::thread::Builder::new().name("signals".to_owned());
    thread.spawn(move || {
        for signal in signals.forever() {
            bell.ring(match signal {
                SIGWINCH => ProxyEvent::Resized,
                SIGCHLD => ProxyEvent::Child,
                other => ProxyEvent::Signal(other),
            });
        }
    })?;
    Ok(())
}

fn as_it_is(words: &[OsString]) -> io::Error {
    match words.split_first() {
        Some((program, rest)) => with_users_mask(|| Command::new(program).args(rest).exec()),
        None => io::Error::from(io::ErrorKind::InvalidInput),
    }
}

/// Becomes the program on a terminal of its own if we were called to; comes back only where that
/// failed.
pub(crate) fn inside(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    if arguments.nth(1)? != "run" || arguments.next()? != INSIDE {
        return None;
    }
    let words: Vec<_> = arguments.collect();
    Some(failed(&words, &taffrail_run::become_program(&words)))
}

pub(super) fn failed(words: &[OsString], error: &io::Error) -> ExitCode {
    let program = words.first().map(|it| it.to_string_lossy()).unwrap_or_default();
    crate::output::say(&format!("taffrail: {}: {error}", taffrail_tui::terminal::clean(&program)));
    ExitCode::from(if error.kind() == io::ErrorKind::NotFound { NOT_THERE } else { CANNOT })
}
