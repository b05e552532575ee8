//! `taffrail daemon`

mod logs;
mod process;
mod version;

use super::{Context, TEMPLATE, health};
use crate::error::CliError;
use crate::output::{Out, is_watched, say};
use process::{Ended, spawn};
use serde_json::json;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::fs;
use std::net::SocketAddr;
use taffrail_api::SCHEMA_VERSION;
use taffrail_api::client::Client;
use taffrail_api::{DAEMON_FILE, DaemonPlace, DaemonStatus, ErrorKind, Health};
use taffrail_env as env;
use taffrail_server::logs::{DEFAULT_LEVEL, LogFilter};
use taffrail_server::process::{Listening, serve};

/// The variable that says which records are logged. A daemon in the background inherits it.
const LOG_VARIABLE: &str = "TAFFRAIL_LOG";

/// Start, stop or inspect the daemon
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail daemon start            in the background
  taffrail daemon status           whether it runs, and where it listens
  taffrail daemon restart          apply changes to the configuration
  taffrail daemon run --http 127.0.0.1:7717
  taffrail daemon logs -f          follow its log
")]
pub(super) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Run the daemon in this terminal, until Ctrl-C
    Run(RunArgs),
    /// Start the daemon in the background; returns when it answers
    Start(RunArgs),
    /// Stop the daemon; returns when its process is gone
    Stop,
    /// Stop the daemon and start it again in the background, on the same addresses
    Restart(RunArgs),
    /// Show whether the daemon runs, and where it listens
    Status,
    Health(health::Args),
    /// Show or follow the daemon's log
    Logs(logs::Args),
}

#[derive(Debug, Default, clap::Args)]
struct RunArgs {
    /// Also serve browsers at this loopback address; port 0 picks a free port
    #[arg(long, value_name = "ADDR")]
    http: Option<SocketAddr>,
    /// Also receive agents' telemetry at this loopback address; see `taffrail telemetry`
    #[arg(long, value_name = "ADDR")]
    otel: Option<SocketAddr>,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    match &args.command {
        Some(Command::Run(how)) => here(how, context),
        Some(Command::Start(how)) => start(how, context),
        Some(Command::Stop) => stopped(context),
        Some(Command::Restart(how)) => restart(how, context),
        None | Some(Command::Status) => status(context),
        Some(Command::Health(_)) => health::run(context),
        Some(Command::Logs(which)) => logs::run(which, context),
    }
}

fn here(how: &RunArgs, context: &Context) -> Result<(), CliError> {
    env::close_memory();
    hide_panics();
    report_filter(context, is_watched());
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(anyhow::Error::from)?;
    let otel = how.otel.or(context.otel);
    let listening = Listening {
        state: context.env.state_folder(),
        runtime: context.env.runtime_folder(),
        http: how.http,
        otel: otel.zip(Some(env::secret()?)),
        program: env::own_path(&context.env)?,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        chance: env::secret()?,
        log: context.env.variables.get(LOG_VARIABLE).cloned(),
    };
    // The daemon itself keeps the index up to date.
    let settings = taffrail_context::Settings { kept_up: false, ..context.settings.clone() };
    serve(&settings, &listening, |handle| {
        std::thread::spawn(move || {
            for signal in signals.forever() {
                tracing::info!(signal, "the daemon is asked to end by a signal");
                handle.live().stop();
            }
        });
    })?;
    Ok(())
}

/// Reports a filter of the log that cannot be read; the daemon uses the usual one then.
fn report_filter(context: &Context, is_watched: bool) {
    let Some(text) = context.env.variables.get(LOG_VARIABLE).filter(|_| is_watched) else { return };
    if let Err(error) = text.parse::<LogFilter>() {
        say(&format!("{LOG_VARIABLE}: {error}; the daemon logs at level {DEFAULT_LEVEL}"));
    }
}

/// The message of a panic may quote a transcript: only a person at a terminal sees it. The log says where it was.
fn hide_panics() {
    let shown = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let place = panic.location().map(ToString::to_string);
        let thread = std::thread::current().name().map(str::to_owned);
        tracing::error!(place, thread, "a thread of the daemon panicked");
        if is_watched() {
            shown(panic);
        }
    }));
}

fn unreachable(message: String) -> CliError {
    let hint = Some("taffrail daemon logs".to_owned());
    CliError { kind: ErrorKind::DaemonUnreachable, message, hint }
}

/// The daemon; one is started if there is none, and an older one is restarted.
pub(super) fn ensured(context: &Context) -> Result<Client, CliError> {
    match &context.client {
        Some(client) => version::current(client, context),
        None => spawn(&RunArgs::default(), context),
    }
}

fn start(how: &RunArgs, context: &Context) -> Result<(), CliError> {
    match &context.client {
        Some(client) => version::current(client, context)?,
        None => {
            report_filter(context, true);
            spawn(how, context)?
        }
    };
    status(context)
}

fn restart(how: &RunArgs, context: &Context) -> Result<(), CliError> {
    restarted(how, context)?;
    status(context)
}

/// Ends the daemon there is, and starts another where it listened.
fn restarted(how: &RunArgs, context: &Context) -> Result<Client, CliError> {
    let how = listened(how, context);
    stop(context)?;
    report_filter(context, true);
    spawn(&how, context)
}

/// The same, without a word.
pub(super) fn renew(context: &Context) -> Result<(), CliError> {
    let how = listened(&RunArgs::default(), context);
    process::end(context)?;
    spawn(&how, context).map(drop)
}

/// Where the daemon listens, if nothing else is asked for.
fn listened(how: &RunArgs, context: &Context) -> RunArgs {
    let place = place(context);
    let at = |url: Option<&String>| url?.strip_prefix("http://")?.parse().ok();
    let http = how.http.or_else(|| at(place.as_ref()?.http.as_ref()));
    let otel = how.otel.or_else(|| at(place.as_ref()?.otel.as_ref()));
    RunArgs { http, otel }
}

/// What the daemon that runs says of itself.
fn place(context: &Context) -> Option<DaemonPlace> {
    let place = fs::read(context.env.state_folder().join(DAEMON_FILE)).ok()?;
    serde_json::from_slice(&place).ok()
}

fn stopped(context: &Context) -> Result<(), CliError> {
    if !context.json {
        return stop(context);
    }
    let is_gone = process::end(context)? == Ended::Gone;
    Out::new().json(&json!({"schema_version": SCHEMA_VERSION, "stopped": is_gone}))
}

pub(super) fn stop(context: &Context) -> Result<(), CliError> {
    say(match process::end(context)? {
        Ended::Gone => "stopped",
        Ended::None => "no daemon runs",
    });
    Ok(())
}

fn status(context: &Context) -> Result<(), CliError> {
    let state = context.env.state_folder();
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
        reading: health.as_ref().and_then(|it| it.reading),
    };
    let mut out = Out::new();
    if context.json {
        return out.json(&status);
    }
    out.lines(described(&status))
}

fn described(status: &DaemonStatus) -> Vec<String> {
    let (Some(pid), Some(version)) = (status.pid, &status.version) else {
        return vec!["not running; start it with: taffrail daemon start".to_owned()];
    };
    let mut out = vec![format!("running, version {version}, process {pid}")];
    out.extend(status.socket.as_ref().map(|it| format!("socket   {}", it.display())));
    out.push(match &status.http {
        Some(http) => format!("http     {http}"),
        None => "http     off".to_owned(),
    });
    out.extend(status.otel.as_ref().map(|it| format!("otel     {it}")));
    out.push(format!("sources  {}", status.sources));
    out.push(format!("recent sessions: {}", status.live_sessions));
    out.extend(status.reading.map(|it| format!("history  reading, {} %", it.percent)));
    out
}
