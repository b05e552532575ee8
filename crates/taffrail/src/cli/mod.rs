//! The commands: one file each, and a table.

mod acp;
mod agents;
mod annotations;
mod approvals;
mod archive;
mod attach;
mod away;
mod backup;
mod blame;
mod board;
mod budgets;
mod capture;
mod command;
mod completions;
mod config;
mod confirmation;
mod conformance;
mod context;
mod daemon;
mod device;
mod digest;
mod doctor;
mod document;
mod events;
mod explain;
mod export;
mod feed;
mod findings;
mod forget;
mod groups;
mod handoff;
mod health;
mod hooks;
mod hub;
mod index;
mod key;
mod link;
mod ls;
mod man;
mod mcp;
mod new;
mod notifications;
mod old_order;
mod prices;
mod quota;
mod rebuild;
mod recover;
mod relay;
mod resume;
mod rights;
mod rules;
mod run;
mod schema;
mod search;
mod send;
mod service;
mod setup;
mod share;
mod show;
mod snapshot;
mod state;
mod stats;
mod status_bar;
mod stop;
mod summary;
mod sync;
mod tail;
mod telemetry;
mod teleport;
mod terminal;
mod token;
mod uninstall;
mod upgrade;
mod usage;
mod validate;
mod wait;
mod web;
mod which;
mod work;

use crate::error::CliError;
use crate::output::{When, is_terminal, say};
use clap::{ColorChoice, CommandFactory, FromArgMatches, Parser};
use clap_complete::CompleteEnv;
use command::{Command, dispatch};
pub(crate) use context::Context;
use context::Paging;
pub(crate) use run::inside;
pub(crate) use status_bar::one_line;
use std::io::IsTerminal;
use std::process::ExitCode;
use taffrail_env as env;

const TEMPLATE: &str =
    "{about-with-newline}\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";

/// Sees every coding-agent session on your machine.
#[derive(Debug, Parser)]
#[command(name = "taffrail", version = env!("TAFFRAIL_VERSION"), help_template = TEMPLATE, before_help = "\
Examples:
  taffrail                     every session on one board, by who must act
  taffrail ls                  the latest sessions of every agent
  taffrail show @last          the latest session, turn by turn
  taffrail ls --since 7d --project ~/src/api
  taffrail events 3f2a --json  every event, one per line
")]
struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    looks: Looks,
}

// A plain comment: a documented one would become the help of every command.
// The look of the output, for every command.
#[derive(Debug, clap::Args)]
struct Looks {
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
    /// Do not use a pager for long output
    #[arg(long, global = true)]
    no_pager: bool,
    /// Use colour: auto, always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    #[arg(hide_default_value = true, hide_possible_values = true)]
    color: ColorChoice,
    /// Make paths links: auto, always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide = true)]
    hyperlink: When,
}

impl Looks {
    /// Sets colour for the whole process, and returns whether to page.
    fn settle(&self) -> Paging {
        match self.color {
            ColorChoice::Auto => anstream::ColorChoice::Auto.write_global(),
            ColorChoice::Always => anstream::ColorChoice::Always.write_global(),
            ColorChoice::Never => anstream::ColorChoice::Never.write_global(),
        }
        self.hyperlink.write_hyperlinks();
        if self.no_pager { Paging::Off } else { Paging::Allowed }
    }
}

/// Answers a shell that asks what could be typed next, and then ends the process; otherwise nothing
/// happens.
pub(crate) fn complete() {
    CompleteEnv::with_factory(program).complete();
}

/// The whole command line, with help in groups.
fn program() -> clap::Command {
    groups::grouped(Args::command())
}

/// Runs the command and returns the exit code.
pub(crate) fn run() -> ExitCode {
    let parsed = program().try_get_matches_from(old_order::verb_first(env::arguments().collect()));
    let parsed = parsed.and_then(|it| Ok((Args::from_arg_matches(&it)?, it)));
    let (args, matches) = match parsed {
        Ok(it) => it,
        Err(error) => return told(&error),
    };
    let paging = args.looks.settle();
    let json = args.looks.json;
    if let Err(error) = rights::check(&matches) {
        return fail(&error, json);
    }
    if let Some(Command::Acp(args)) = &args.command {
        return acp::run(args).unwrap_or_else(|error| fail(&error, json));
    }
    if let Some(Command::Run(args)) = &args.command {
        let ended = Context::new(json).and_then(|context| run::run(args, &context));
        return ended.unwrap_or_else(|error| fail(&error, json));
    }
    let done = match args.command {
        Some(Command::Relay(args)) => Context::new(json).and_then(|it| relay::run(&args, &it)),
        Some(command) => dispatch(command, paging, json),
        None => alone(paging, json),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error, json),
    }
}

/// The program without a command: the board at a terminal, else a list.
fn alone(paging: Paging, json: bool) -> Result<(), CliError> {
    let context = Context::new(json)?;
    match is_for_a_board(&context) {
        true => board::run(&context),
        false => ls::run(&ls::Args::default(), &context.paged(paging)),
    }
}

/// Whether a person sits at a terminal that can show the board.
fn is_for_a_board(context: &Context) -> bool {
    let is_dumb = context.env.variables.get("TERM").is_none_or(|it| it == "dumb");
    !context.json && is_terminal() && std::io::stdin().is_terminal() && !is_dumb
}

/// Help and version go to stdout and are not failures; an error of usage goes to stderr.
fn told(error: &clap::Error) -> ExitCode {
    if error.use_stderr() && env::arguments().any(|it| it == "--json") {
        let text = error.render().to_string();
        let message = text.split("\n\n").next().unwrap_or(&text);
        let message = message.trim_start_matches("error: ").trim_end();
        return fail(&CliError::usage(message, "taffrail help COMMAND"), true);
    }
    // Printing fails only if the reader is gone.
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
            say(&format!("taffrail: {}", taffrail_tui::terminal::clean(&error.message)));
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
        program().debug_assert();
    }

    #[test]
    fn the_readme_names_every_command() {
        let readme = include_str!("../../../../README.md");
        for command in program().get_subcommands().filter(|it| !it.is_hide_set()) {
            let name = command.get_name();
            assert!(readme.contains(&format!("`{name}`")), "{name}");
        }
    }

    #[test]
    fn examples_fit_eighty_columns() {
        fn check(command: &clap::Command) {
            let help = command.get_before_help().map(ToString::to_string).unwrap_or_default();
            for line in help.lines() {
                assert!(line.chars().count() <= 80, "{}: {line}", command.get_name());
            }
            command.get_subcommands().for_each(check);
        }
        check(&program());
    }

    #[test]
    fn every_command_shows_an_example_first() {
        for command in program().get_subcommands_mut() {
            let help = command.render_long_help().to_string();
            let example = help.find("Examples:").unwrap_or(usize::MAX);
            let usage = help.find("Usage:").unwrap_or(0);
            assert!(example < usage, "{}: {help}", command.get_name());
        }
    }
}
