//! The daemon as a background process: `start` and `stop` return when the daemon has started or
//! ended.

use super::super::Context;
use super::{RunArgs, place, unreachable};
use crate::error::CliError;
use anyhow::Context as _;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use taffrail_api::client::{Client, ClientError};
use taffrail_api::{Done, NoBody};
use taffrail_capture::with_users_mask;
use taffrail_env as env;
use taffrail_model::Process;
use taffrail_server::logs::LOG_FILE;
use taffrail_server::process::{lives, start_of};

/// How long a daemon may take to answer after it was started.
const STARTING: Duration = Duration::from_secs(30);
/// How long it may take to be gone.
const ENDING: Duration = Duration::from_secs(60);
/// How often either is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// Starts a daemon in the background and waits until it answers.
pub(super) fn spawn(how: &RunArgs, context: &Context) -> Result<Client, CliError> {
    let state = context.env.state_folder();
    let mut child = begun(how, context)?;
    let end = Instant::now() + STARTING;
    while Instant::now() < end {
        if let Ok(client) = Client::connect(&state) {
            return Ok(client);
        }
        if let Ok(Some(code)) = child.try_wait() {
            // Another daemon may have been faster.
            let other = Client::connect(&state);
            return other.map_err(|_| unreachable(format!("the daemon ended at once ({code})")));
        }
        std::thread::sleep(LOOK);
    }
    Err(unreachable(format!("the daemon did not answer within {} s", STARTING.as_secs())))
}

fn begun(how: &RunArgs, context: &Context) -> Result<Child, CliError> {
    let log = opened_log(context)?;
    let mut process = Command::new(env::own_path(&context.env)?);
    process.args(["daemon", "run"]).current_dir("/").stdin(Stdio::null());
    process.stdout(log.try_clone().map_err(anyhow::Error::from)?).stderr(log);
    if let Some(http) = how.http {
        process.args(["--http", &http.to_string()]);
    }
    if let Some(otel) = how.otel {
        process.args(["--otel", &otel.to_string()]);
    }
    // A process group of its own keeps a Ctrl-C here away from the daemon.
    let begun = with_users_mask(|| process.process_group(0).spawn());
    Ok(begun.map_err(anyhow::Error::from)?)
}

/// The log, for what the process prints before it logs: an error in the configuration, or a daemon that runs already.
fn opened_log(context: &Context) -> Result<File, CliError> {
    let log = context.state_file(LOG_FILE)?;
    let mut options = OpenOptions::new();
    options.create(true).append(true).mode(0o600);
    Ok(options.open(&log).with_context(|| format!("cannot open {}", log.display()))?)
}

/// What there was to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// A daemon, which is gone now.
    Gone,
    /// Nothing.
    None,
}

/// Ends the daemon, and waits until its process is gone.
pub(super) fn end(context: &Context) -> Result<Ended, CliError> {
    let Some(client) = &context.client else { return Ok(Ended::None) };
    let process = place(context).and_then(|it| process_of(it.pid));
    let told = client.post::<Done>("/api/stop", &NoBody {});
    if matches!(told, Err(ClientError::Refused(_))) {
        return told.map(|_| Ended::Gone).map_err(CliError::from);
    }
    let state = context.env.state_folder();
    let end = Instant::now() + ENDING;
    while Client::connect(&state).is_ok() || process.is_some_and(lives) {
        if Instant::now() >= end {
            // A daemon that was already ending may have gone without an answer.
            told?;
            return Err(stays(process));
        }
        std::thread::sleep(LOOK);
    }
    Ok(Ended::Gone)
}

fn process_of(pid: u32) -> Option<Process> {
    Some(Process { pid, start: start_of(pid)? })
}

fn stays(process: Option<Process>) -> CliError {
    let seconds = ENDING.as_secs();
    let (who, hint) = match process {
        Some(it) => (
            format!(" (process {})", it.pid),
            format!("`kill -9 {}` ends it at once; what it has read is kept", it.pid),
        ),
        None => (String::new(), "`taffrail daemon logs` shows what it does".to_owned()),
    };
    let error = unreachable(format!("the daemon{who} did not end within {seconds} s"));
    CliError { hint: Some(hint), ..error }
}
