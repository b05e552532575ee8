//! `taffrail link ssh://HOST`: the sessions of a host without any hub, on the board or as a list.

use super::super::{Context, board, is_for_a_board, ls};
use crate::error::CliError;
use crate::output::{Out, is_watched, say};
use serde::Serialize;
use std::thread::sleep;
use std::time::Duration;
use taffrail_api::client::{Client, ClientError, path};
use taffrail_api::{ErrorKind, Health, SCHEMA_VERSION, Session, SessionList};
use taffrail_devices::ssh::{Access, Connection, SshError, SshHost};
use taffrail_tui::terminal::line;

/// How many sessions the list has for people.
const ROWS: usize = 40;
/// How often the host is asked whether it has read its history.
const LOOK: Duration = Duration::from_millis(200);

// A plain comment: a documented one would become the help of the command.
// What is said about a host that is reached by SSH.
#[derive(Debug, clap::Args)]
pub(super) struct HostArgs {
    /// On a host of `ssh://`: also answer requests for approval on the board
    #[arg(long, requires = "id")]
    pub(super) answer: bool,
    /// On a host of `ssh://`: print its sessions once instead of the board
    #[arg(long, requires = "id")]
    list: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct HostSessions {
    schema_version: u32,
    host: String,
    version: Option<String>,
    sessions: Vec<Session>,
}

impl HostArgs {
    pub(super) fn is_given(&self) -> bool {
        self.answer || self.list
    }

    fn access(&self) -> Access {
        if self.answer { Access::Answer } else { Access::Read }
    }
}

pub(super) fn run(word: &str, args: &HostArgs, context: &Context) -> Result<(), CliError> {
    let host: SshHost = word.parse().map_err(|it| told(&it))?;
    let shows_board = !args.list && is_for_a_board(context);
    if args.answer && !shows_board {
        return Err(CliError::usage(
            "requests for approval are answered on the board, which needs a terminal",
            "omit --answer, or run it at a terminal without --list and --json",
        ));
    }
    let connection = Connection::open(host.clone(), args.access(), hear).map_err(|it| told(&it))?;
    let shown = match shows_board {
        true => board::run_elsewhere(&connection.client(), seen(&host, args), context),
        false => list(&connection, &host, context),
    };
    connection.close();
    shown
}

/// What `ssh` says, such as a warning about the key of the host. The other host may have written it. Without a person it
/// is part of the error only.
fn hear(text: &str) {
    if is_watched() {
        say(&line(text));
    }
}

fn seen(host: &SshHost, args: &HostArgs) -> taffrail_tui::Host {
    taffrail_tui::Host {
        name: host.to_string(),
        access: match args.access() {
            Access::Read => taffrail_tui::Access::Read,
            Access::Answer => taffrail_tui::Access::Answer,
        },
        by_hand: host.by_hand(),
        to_answer: format!("taffrail link ssh://{host} --answer"),
    }
}

fn list(connection: &Connection, host: &SshHost, context: &Context) -> Result<(), CliError> {
    let client = connection.client();
    let asked = read(&client, host).and_then(|()| sessions(&client, context.json));
    let sessions = asked.map_err(|error| broken(host, error))?;
    if context.json {
        let version = connection.version();
        let host = host.to_string();
        return Out::new().json(&HostSessions {
            schema_version: SCHEMA_VERSION,
            host,
            version,
            sessions,
        });
    }
    if sessions.is_empty() {
        say(&format!("{host} has no sessions"));
        return Ok(());
    }
    let (some, rest) = sessions.split_at(sessions.len().min(ROWS));
    ls::print(some, context.printer_without_links().as_ref(), context)?;
    if !rest.is_empty() {
        say(&format!("more sessions exist: {} taffrail ls", host.by_hand()));
    }
    Ok(())
}

/// Waits until the host has read its history: a daemon that has only just started knows a part of it.
fn read(client: &Client, host: &SshHost) -> Result<(), ClientError> {
    let mut said = None;
    while let Some(reading) = client.get::<Health>("/api/health")?.reading {
        let tenths = reading.percent / 10;
        if is_watched() && said.replace(tenths) != Some(tenths) {
            say(&format!("{host} reads its history, {} %", reading.percent));
        }
        sleep(LOOK);
    }
    Ok(())
}

/// The sessions there; for people one more than is printed.
fn sessions(client: &Client, all: bool) -> Result<Vec<Session>, ClientError> {
    let limit = (ROWS + 1).to_string();
    let parameters = [("with_transcript", "true"), ("limit", limit.as_str())];
    let asked = parameters.get(..if all { 1 } else { 2 }).unwrap_or_default();
    Ok(client.get::<SessionList>(&path("/api/sessions", asked))?.sessions)
}

/// Why the sessions did not come, in words that the other host may have written.
fn broken(host: &SshHost, error: ClientError) -> CliError {
    let again = "run it again, with the same version of Taffrail on both hosts";
    let is_refused = matches!(error, ClientError::Refused(_));
    let error = CliError::from(error);
    CliError {
        kind: error.kind,
        message: line(&format!("{host}: {}", error.message)),
        hint: error
            .hint
            .filter(|_| is_refused)
            .map_or(Some(again.to_owned()), |it| Some(line(&it))),
    }
}

/// What happened, and what to do.
fn told(error: &SshError) -> CliError {
    let (kind, hint) = match error {
        SshError::Address(_) => (ErrorKind::Usage, "for example: taffrail link ssh://ann@tower:22"),
        SshError::NoProgram(_) => {
            (ErrorKind::Failure, "install the SSH client: package openssh-client")
        }
        SshError::Unreachable { .. } => (
            ErrorKind::DaemonUnreachable,
            "these are the words of ssh. Try `ssh HOST` by itself; what works there works here",
        ),
        SshError::NotInstalled { .. } => {
            (ErrorKind::NotFound, "install Taffrail there, where a shell finds it: docs/install.md")
        }
        SshError::TooOld { .. } | SshError::OtherProtocol { .. } => {
            (ErrorKind::Refused, "install the same version of Taffrail on both: docs/install.md")
        }
        SshError::Refused { .. } => {
            (ErrorKind::Refused, "run `taffrail doctor` in a terminal there")
        }
        SshError::Garbled { .. } => {
            (ErrorKind::Failure, "a start file of the shell there may print without end")
        }
    };
    CliError { kind, message: line(&error.to_string()), hint: Some(hint.to_owned()) }
}
