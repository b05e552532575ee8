//! The commands: one file each, and a table.

mod agents;
mod approvals;
mod archive;
mod away;
mod backup;
mod binding;
mod capture;
mod completions;
mod config;
mod daemon;
mod device;
mod doctor;
mod events;
mod explain;
mod export;
mod feed;
mod findings;
mod forget;
mod handoff;
mod health;
mod hooks;
mod hub;
mod index;
mod key;
mod ls;
mod man;
mod notify;
mod otel;
mod rebuild;
mod recover;
mod remarks;
mod resume;
mod rules;
mod run;
mod schema;
mod search;
mod send;
mod service;
mod share;
mod show;
mod snapshot;
mod state;
mod stats;
mod status;
mod summary;
mod tail;
mod teleport;
mod token;
mod uninstall;
mod validate;
mod wait;
mod web;
mod which;
mod work;
mod work_say;
mod work_task;

use crate::config::Config;
use crate::error::CliError;
use crate::output::{is_terminal, say};
use crate::pager::Pager;
use crate::rim::{Rim, keep_private};
use crate::tui;
use clap::{ColorChoice, CommandFactory, Parser, Subcommand};
use clap_complete::CompleteEnv;
pub(crate) use run::inside;
pub(crate) use search::who;
pub(crate) use status::one_line;
use std::io::IsTerminal;
use std::net::SocketAddr;
use std::process::ExitCode;
use taffrail_api::Session;
use taffrail_api::client::{Client, path};
use taffrail_daemon::{Settings, Target};

const TEMPLATE: &str =
    "{about-with-newline}\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";

/// Sees every coding-agent session on your machine.
#[derive(Debug, Parser)]
#[command(name = "taffrail", version, help_template = TEMPLATE, before_help = "\
Examples:
  taffrail                     every session on one board, by who must act
  taffrail ls                  your latest sessions, of every agent
  taffrail show @last          what the latest one did
  taffrail ls --since 7d --project ~/src/api
  taffrail events 3f2a --json  every event, one a line
")]
struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    looks: Looks,
}

// A plain comment: a documented one would become the help of every command.
// How output looks, whatever the command.
#[derive(Debug, clap::Args)]
struct Looks {
    /// Print long output as it is, without a pager
    #[arg(long, global = true)]
    no_pager: bool,
    /// Use colour: auto, always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    #[arg(hide_default_value = true, hide_possible_values = true)]
    color: ColorChoice,
}

/// Whether long output may go through a pager.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Paging {
    Allowed,
    Off,
}

impl Looks {
    /// Settles colour for the whole process, and says whether to page.
    fn settle(&self) -> Paging {
        match self.color {
            ColorChoice::Auto => anstream::ColorChoice::Auto.write_global(),
            ColorChoice::Always => anstream::ColorChoice::Always.write_global(),
            ColorChoice::Never => anstream::ColorChoice::Never.write_global(),
        }
        if self.no_pager { Paging::Off } else { Paging::Allowed }
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    Index(index::Args),
    Ls(ls::Args),
    Search(search::Args),
    Show(show::Args),
    Events(events::Args),
    Tail(tail::Args),
    Explain(explain::Args),
    Wait(wait::Args),
    Resume(resume::Args),
    Send(send::Args),
    Queue(send::QueueArgs),
    Run(run::Args),
    Approvals(approvals::Args),
    Approve(approvals::ApproveArgs),
    Deny(approvals::DenyArgs),
    Away(away::Args),
    Notify(notify::Args),
    Binding(binding::Args),
    Feed(feed::Args),
    Findings(findings::Args),
    Summary(summary::Args),
    Handoff(handoff::Args),
    Stats(stats::Args),
    Export(export::Args),
    Archive(archive::Args),
    Forget(forget::Args),
    Capture(capture::Args),
    Backup(backup::BackupArgs),
    Restore(backup::RestoreArgs),
    Device(device::Args),
    Key(key::Args),
    Teleport(teleport::Args),
    Share(share::Args),
    Work(work::Args),
    Snapshot(snapshot::Args),
    State(state::Args),
    Tag(remarks::TagArgs),
    Note(remarks::NoteArgs),
    Validate(validate::Args),
    Schema(schema::Args),
    Agents(agents::Args),
    Web(web::Args),
    Daemon(daemon::Args),
    Health(health::Args),
    Status(status::Args),
    Statusline(status::LineArgs),
    Service(service::Args),
    Uninstall(uninstall::Args),
    Token(token::Args),
    Otel(otel::Args),
    Hub(hub::Args),
    Hooks(hooks::Args),
    Hook(hooks::HookArgs),
    Rules(rules::Args),
    Rebuild(rebuild::Args),
    Doctor(doctor::Args),
    Config(config::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// What every command is given.
pub(crate) struct Context {
    pub(crate) rim: Rim,
    pub(crate) settings: Settings,
    /// The daemon, if one runs; then what is asked is asked of it.
    pub(crate) client: Option<Client>,
    /// Where telemetry is to be received, as it is configured.
    pub(crate) otel: Option<SocketAddr>,
    /// What a command that may print more than a screen prints through.
    pub(crate) pager: Option<Pager>,
}

impl Context {
    fn new() -> Result<Self, CliError> {
        keep_private();
        let rim = Rim::read()?;
        let config = Config::read(&rim.config_path())?;
        let client = Client::connect(&rim.state_folder()).ok();
        let settings = Settings { kept_up: client.is_some(), ..rim.settings(&config) };
        Ok(Self { rim, settings, client, otel: config.otel.listen, pager: None })
    }

    /// The same for a command that may print more than a screen.
    fn paged(self, paging: Paging) -> Self {
        let pager = match paging {
            Paging::Allowed => self.rim.pager(),
            Paging::Off => None,
        };
        Self { pager, ..self }
    }

    /// The id of the session a person means, as the daemon knows it.
    pub(crate) fn id(&self, client: &Client, text: &str) -> Result<String, CliError> {
        let here = self.rim.here.to_string_lossy();
        let asked = path("/api/resolve", &[("id", text), ("here", &here)]);
        Ok(client.get::<Session>(&asked)?.id.to_string())
    }

    /// The session a person means.
    pub(crate) fn target(&self, text: &str) -> Result<Target, CliError> {
        let target = Target::parse(text, &self.rim.here);
        target.map_err(|error| taffrail_daemon::DaemonError::from(error).into())
    }
}

/// Answers a shell that asks what could be typed next, and then ends the process; otherwise nothing
/// happens.
pub(crate) fn complete() {
    CompleteEnv::with_factory(Args::command).complete();
}

/// Runs what was asked for and gives the exit code.
pub(crate) fn run() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return told(&error),
    };
    let paging = args.looks.settle();
    let json = args.command.as_ref().is_some_and(Command::wants_json);
    if let Some(Command::Run(args)) = &args.command {
        let ended = Context::new().and_then(|context| run::run(args, &context));
        return ended.unwrap_or_else(|error| fail(&error, json));
    }
    let done = match args.command {
        Some(command) => dispatch(command, paging),
        None => alone(paging),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error, json),
    }
}

/// The program without a command: the board for who sits at a terminal, else a list.
fn alone(paging: Paging) -> Result<(), CliError> {
    let context = Context::new()?;
    let is_dumb = context.rim.variables.get("TERM").is_none_or(|it| it == "dumb");
    if !is_terminal() || !std::io::stdin().is_terminal() || is_dumb {
        return ls::run(&ls::Args::default(), &context.paged(paging));
    }
    tui::run(&daemon::ensured(&context)?, &context.rim)
}

fn dispatch(command: Command, paging: Paging) -> Result<(), CliError> {
    match command {
        Command::Config(args) => config::run(args, &Rim::read()?),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args, Args::command()),
        Command::Index(args) => index::run(&args, &Context::new()?),
        Command::Ls(args) => ls::run(&args, &Context::new()?.paged(paging)),
        Command::Search(args) => search::run(&args, &Context::new()?.paged(paging)),
        Command::Show(args) => show::run(&args, &Context::new()?.paged(paging)),
        Command::Events(args) => events::run(&args, &Context::new()?.paged(paging)),
        Command::Tail(args) => tail::run(&args, &Context::new()?.paged(paging)),
        Command::Stats(args) => stats::run(&args, &Context::new()?.paged(paging)),
        Command::Export(args) => export::run(&args, &Context::new()?),
        Command::Archive(args) => archive::run(&args, &Context::new()?.paged(paging)),
        Command::Forget(args) => forget::run(&args, &Context::new()?),
        Command::Capture(args) => capture::run(&args, &Context::new()?),
        Command::Backup(args) => backup::backup(&args, &Context::new()?),
        Command::Restore(args) => backup::restore(&args, &Context::new()?),
        Command::Device(args) => device::run(&args, &Context::new()?),
        Command::Key(args) => key::run(&args, &Context::new()?),
        Command::Teleport(args) => teleport::run(&args, &Context::new()?),
        Command::Share(args) => share::run(&args, &Context::new()?),
        Command::Work(args) => work::run(&args, &Rim::read()?),
        Command::Snapshot(args) => snapshot::run(&args, &Context::new()?),
        Command::State(args) => state::run(&args),
        Command::Tag(args) => remarks::tag(&args, &Context::new()?),
        Command::Note(args) => remarks::note(&args, &Context::new()?),
        Command::Validate(args) => validate::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Agents(args) => agents::run(&args, &Context::new()?),
        Command::Web(args) => web::run(&args, &Context::new()?),
        Command::Daemon(args) => daemon::run(&args, &Context::new()?.paged(paging)),
        Command::Service(args) => service::run(&args, &Context::new()?),
        Command::Uninstall(args) => uninstall::run(&args, &Context::new()?),
        Command::Status(args) => status::run(&args, &Rim::read()?),
        Command::Health(args) => health::run(&args, &Context::new()?),
        Command::Token(args) => token::run(&args, &Context::new()?),
        Command::Explain(args) => explain::run(&args, &Context::new()?.paged(paging)),
        Command::Resume(args) => resume::run(&args, &Context::new()?),
        Command::Send(args) => send::run(&args, &Context::new()?),
        Command::Queue(args) => send::run_queue(&args, &Context::new()?),
        Command::Approvals(args) => approvals::run(&args, &Context::new()?.paged(paging)),
        Command::Approve(args) => approvals::approve(&args, &Context::new()?),
        Command::Deny(args) => approvals::deny(&args, &Context::new()?),
        Command::Away(args) => away::run(&args, &Context::new()?),
        Command::Notify(args) => notify::run(&args, &Context::new()?),
        Command::Feed(args) => feed::run(&args, &Context::new()?.paged(paging)),
        Command::Findings(args) => findings::run(&args, &Context::new()?.paged(paging)),
        Command::Handoff(args) => handoff::run(&args, &Context::new()?),
        Command::Wait(args) => wait::run(&args, &Context::new()?),
        Command::Binding(args) => binding::run(&args, &Context::new()?),
        Command::Summary(args) => summary::run(&args, &Context::new()?),
        Command::Otel(args) => otel::run(&args, &Context::new()?),
        Command::Hub(args) => hub::run(&args, &Context::new()?),
        Command::Hooks(args) => hooks::run(&args, &Context::new()?.paged(paging)),
        // An agent is answered, and a command run, before we come here.
        Command::Hook(_) | Command::Run(_) | Command::Statusline(_) => Ok(()),
        Command::Rules(args) => rules::run(&args, &Context::new()?.paged(paging)),
        Command::Rebuild(args) => rebuild::run(&args, &Context::new()?),
        Command::Doctor(args) => doctor::run(&args, &Context::new()?),
    }
}

impl Command {
    fn wants_json(&self) -> bool {
        match self {
            Self::Index(args) => args.json,
            Self::Ls(args) => args.json,
            Self::Search(args) => args.json,
            Self::Show(args) => args.json,
            Self::Events(args) => args.json,
            Self::Tail(args) => args.json,
            Self::Stats(args) => args.json,
            Self::Export(_) | Self::Completions(_) | Self::Man(_) => false,
            Self::Backup(_) | Self::Restore(_) => false,
            Self::Archive(args) => args.json,
            Self::Forget(args) => args.json,
            Self::Capture(args) => args.json,
            Self::Device(args) => args.json,
            Self::Key(args) => args.json,
            Self::Teleport(args) => args.json,
            Self::Share(args) => args.json,
            Self::Work(args) => args.json,
            Self::Snapshot(_) | Self::Schema(_) => false,
            Self::State(args) => args.wants_json(),
            Self::Tag(args) => args.json,
            Self::Note(args) => args.json,
            Self::Validate(args) => args.json,
            Self::Agents(args) => args.json,
            Self::Daemon(args) => args.json,
            Self::Health(args) => args.json,
            Self::Explain(args) => args.json,
            Self::Feed(args) => args.json,
            Self::Findings(args) => args.json,
            Self::Handoff(args) => args.json,
            Self::Wait(args) => args.json,
            Self::Resume(args) => args.json,
            Self::Send(args) => args.json,
            Self::Queue(args) => args.json,
            Self::Approvals(args) => args.json,
            Self::Approve(args) => args.json,
            Self::Deny(args) => args.json,
            Self::Away(args) => args.json,
            Self::Notify(args) => args.json,
            Self::Binding(args) => args.json,
            Self::Summary(args) => args.json,
            Self::Token(_)
            | Self::Otel(_)
            | Self::Status(_)
            | Self::Web(_)
            | Self::Service(_)
            | Self::Uninstall(_) => false,
            Self::Hub(args) => args.json,
            Self::Hooks(args) => args.wants_json(),
            Self::Hook(_) | Self::Run(_) | Self::Statusline(_) => false,
            Self::Rules(args) => args.json,
            Self::Rebuild(args) => args.json,
            Self::Doctor(args) => args.json,
            Self::Config(args) => args.json,
        }
    }
}

/// Help and version go to stdout and are no failure; a misread question goes to stderr.
fn told(error: &clap::Error) -> ExitCode {
    // Printing fails only when nobody reads.
    error.print().ok();
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

fn fail(error: &CliError, json: bool) -> ExitCode {
    if error.message.is_empty() {
        return ExitCode::from(error.kind.exit_code());
    }
    match serde_json::to_string(&error.envelope()) {
        Ok(text) if json => say(&text),
        _ => {
            say(&format!("taffrail: {}", crate::terminal::clean(&error.message)));
            if let Some(hint) = &error.hint {
                say(&format!("hint: {hint}"));
            }
        }
    }
    ExitCode::from(error.kind.exit_code())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn every_command_shows_an_example_first() {
        for command in Args::command().get_subcommands_mut() {
            let help = command.render_long_help().to_string();
            let example = help.find("Examples:").unwrap_or(usize::MAX);
            let usage = help.find("Usage:").unwrap_or(0);
            assert!(example < usage, "{}: {help}", command.get_name());
        }
    }
}
