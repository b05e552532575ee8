//! `taffrail daemon`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, say};
use crate::rim;
use anyhow::Context as _;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::fs::{self, OpenOptions};
use std::net::SocketAddr;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command as Process, Stdio};
use std::time::{Duration, Instant};
use taffrail_api::SCHEMA_VERSION;
use taffrail_api::client::Client;
use taffrail_api::{DAEMON_FILE, DaemonPlace, DaemonStatus, Done, ErrorKind, Health, NoBody};
use taffrail_daemon::serving::{Listening, serve};

/// How long a daemon may take to answer after it was started, or to go.
const PATIENCE: Duration = Duration::from_secs(10);
/// A log longer than this is begun anew.
const LOG_LIMIT: u64 = 8 * 1024 * 1024;

/// Run the daemon that sees changes as they happen
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail daemon start            in the background
  taffrail daemon status           whether it runs, and where it listens
  taffrail daemon restart          so that it takes up what was configured
  taffrail daemon run --http 127.0.0.1:7717
")]
pub(super) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(super) json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Run it in this terminal, until Ctrl-C
    Run(RunArgs),
    /// Run it in the background
    Start(RunArgs),
    /// End it
    Stop,
    /// End it and run it anew in the background, where it listened before unless told otherwise
    Restart(RunArgs),
    /// Say whether it runs, and where it listens
    Status,
    /// Print what it had to say
    Logs,
}

#[derive(Debug, Default, clap::Args)]
struct RunArgs {
    /// Also answer browsers at this loopback address; port 0 takes a free one
    #[arg(long, value_name = "ADDR")]
    http: Option<SocketAddr>,
    /// Also receive agents' telemetry at this loopback address; see `taffrail otel`
    #[arg(long, value_name = "ADDR")]
    otel: Option<SocketAddr>,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    match &args.command {
        Some(Command::Run(how)) => here(how, context),
        Some(Command::Start(how)) => start(how, args.json, context),
        Some(Command::Stop) => stop(context),
        Some(Command::Restart(how)) => restart(how, args.json, context),
        None | Some(Command::Status) => status(args.json, context),
        Some(Command::Logs) => logs(context),
    }
}

fn here(how: &RunArgs, context: &Context) -> Result<(), CliError> {
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(anyhow::Error::from)?;
    let otel = how.otel.or(context.otel);
    let listening = Listening {
        state: context.rim.state_folder(),
        runtime: context.rim.runtime_folder(),
        http: how.http,
        otel: otel.zip(Some(rim::secret()?)),
        program: rim::own_path(&context.rim)?,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        chance: rim::secret()?,
    };
    // The daemon is what keeps the index up.
    let settings = taffrail_daemon::Settings { kept_up: false, ..context.settings.clone() };
    serve(&settings, &listening, |handle| {
        std::thread::spawn(move || {
            for _ in signals.forever() {
                handle.stop();
            }
        });
    })?;
    Ok(())
}

fn log_path(context: &Context) -> PathBuf {
    context.rim.state_folder().join("daemon.log")
}

/// Starts a daemon in the background and waits until it answers.
fn spawn(how: &RunArgs, context: &Context) -> Result<Client, CliError> {
    let state = context.rim.state_folder();
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&state);
    made.with_context(|| format!("{} cannot be made", state.display()))?;
    let log = log_path(context);
    let long = fs::metadata(&log).is_ok_and(|it| it.len() > LOG_LIMIT);
    let mut options = OpenOptions::new();
    options.create(true).write(true).append(!long).truncate(long).mode(0o600);
    let log = options.open(&log).with_context(|| format!("{} cannot be opened", log.display()))?;
    let mut process = Process::new(rim::own_path(&context.rim)?);
    process.args(["daemon", "run"]).current_dir("/").stdin(Stdio::null());
    process.stdout(log.try_clone().map_err(anyhow::Error::from)?).stderr(log);
    if let Some(http) = how.http {
        process.args(["--http", &http.to_string()]);
    }
    if let Some(otel) = how.otel {
        process.args(["--otel", &otel.to_string()]);
    }
    // In a group of its own, a Ctrl-C here does not reach it.
    let mut child = process.process_group(0).spawn().map_err(anyhow::Error::from)?;
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        if let Ok(client) = Client::connect(&state) {
            return Ok(client);
        }
        if let Ok(Some(code)) = child.try_wait() {
            return Err(unreachable(format!("the daemon ended at once ({code})")));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Err(unreachable("the daemon does not answer".to_owned()))
}

fn unreachable(message: String) -> CliError {
    let hint = Some("taffrail daemon logs".to_owned());
    CliError { kind: ErrorKind::DaemonUnreachable, message, hint }
}

/// The daemon; one is started if there is none.
pub(super) fn ensured(context: &Context) -> Result<Client, CliError> {
    match &context.client {
        Some(client) => Ok(client.clone()),
        None => spawn(&RunArgs::default(), context),
    }
}

fn start(how: &RunArgs, json: bool, context: &Context) -> Result<(), CliError> {
    if context.client.is_none() {
        spawn(how, context)?;
    }
    status(json, context)
}

/// Ends the daemon there is, and starts another where it listened.
fn restart(how: &RunArgs, json: bool, context: &Context) -> Result<(), CliError> {
    let place = place(context);
    let at = |url: Option<&String>| url?.strip_prefix("http://")?.parse().ok();
    let http = how.http.or_else(|| at(place.as_ref()?.http.as_ref()));
    let otel = how.otel.or_else(|| at(place.as_ref()?.otel.as_ref()));
    stop(context)?;
    spawn(&RunArgs { http, otel }, context)?;
    status(json, context)
}

/// What the daemon that runs says of itself.
fn place(context: &Context) -> Option<DaemonPlace> {
    let place = fs::read(context.rim.state_folder().join(DAEMON_FILE)).ok()?;
    serde_json::from_slice(&place).ok()
}

pub(super) fn stop(context: &Context) -> Result<(), CliError> {
    let Some(client) = &context.client else {
        say("no daemon runs");
        return Ok(());
    };
    client.post::<Done>("/api/stop", &NoBody {})?;
    let state = context.rim.state_folder();
    let end = Instant::now() + PATIENCE;
    while Client::connect(&state).is_ok() {
        if Instant::now() >= end {
            return Err(unreachable("the daemon does not end".to_owned()));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    say("stopped");
    Ok(())
}

fn status(json: bool, context: &Context) -> Result<(), CliError> {
    let state = context.rim.state_folder();
    let client = Client::connect(&state).ok();
    let place = place(context);
    let health = client.map(|it| it.get::<Health>("/api/health")).transpose()?;
    let place = place.filter(|_| health.is_some());
    let status = DaemonStatus {
        schema_version: SCHEMA_VERSION,
        running: health.is_some(),
        pid: place.as_ref().map(|it| it.pid),
        version: place.as_ref().map(|it| it.version.clone()),
        socket: place.as_ref().map(|it| it.socket.clone()),
        http: place.as_ref().and_then(|it| it.http.clone()),
        otel: place.and_then(|it| it.otel),
        sources: health.as_ref().map_or(0, |it| it.sources),
        live_sessions: health.as_ref().map_or(0, |it| it.live_sessions),
    };
    let mut out = Out::new();
    if json {
        return out.json(&status);
    }
    for line in described(&status) {
        out.line(&line)?;
    }
    out.end()
}

fn described(status: &DaemonStatus) -> Vec<String> {
    let (Some(pid), Some(version)) = (status.pid, &status.version) else {
        return vec!["no daemon runs; taffrail daemon start begins one".to_owned()];
    };
    let mut out = vec![format!("running, version {version}, process {pid}")];
    out.extend(status.socket.as_ref().map(|it| format!("socket   {}", it.display())));
    out.push(match &status.http {
        Some(http) => format!("http     {http}"),
        None => "http     off".to_owned(),
    });
    out.extend(status.otel.as_ref().map(|it| format!("otel     {it}")));
    out.push(format!("sources  {}", status.sources));
    out.push(format!("sessions {} of late", status.live_sessions));
    out
}

fn logs(context: &Context) -> Result<(), CliError> {
    let path = log_path(context);
    let text = match fs::read(&path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(_) => return Err(CliError::usage("there is no log", "taffrail daemon start")),
    };
    let mut out = Out::paged(context.pager.as_ref());
    for line in text.lines() {
        if !out.line(&crate::terminal::line(line))? {
            break;
        }
    }
    out.end()
}
