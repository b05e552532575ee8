//! `taffrail agents`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use clap::ValueHint;
use std::path::PathBuf;
use taffrail_api::AgentList;
use taffrail_query::{check_agent, record_agent};
use taffrail_tui::agents::{checked, table};

/// List the supported agents and what can be done with each
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, help_template = TEMPLATE, before_help = "\
Examples:
  taffrail agents          each agent, what it can do, and its home
  taffrail agents check toy.toml --home ~/.toy
  taffrail agents record toy --out fixture
")]
pub(super) struct Args {
    #[command(subcommand)]
    command: Option<Sub>,
}

#[derive(Debug, clap::Subcommand)]
enum Sub {
    /// Try an agent that a file describes: what it reads, and what it does not understand
    Check {
        /// File that describes the agent
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// Home of the agent
        #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
        home: PathBuf,
    },
    /// Make a scrubbed fixture from your own history, for a pull request
    Record {
        /// Agent
        #[arg(value_name = "AGENT")]
        agent: String,
        /// Folder to write to, which must not exist
        #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
        out: PathBuf,
    },
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    match &args.command {
        None => list(context),
        Some(Sub::Check { file, home }) => check(file, home, context.json),
        Some(Sub::Record { agent, out }) => record(agent, out, context),
    }
}

fn list(context: &Context) -> Result<(), CliError> {
    let list: AgentList = context.questions()?.get("/api/agents")?;
    let mut out = Out::new();
    if context.json {
        return out.json(&list);
    }
    for row in table(&list) {
        out.line(&row)?;
    }
    out.end()
}

fn check(file: &PathBuf, home: &std::path::Path, json: bool) -> Result<(), CliError> {
    let text = std::fs::read_to_string(file).map_err(|error| {
        CliError::not_found(format!("cannot read {}: {error}", file.display()), "name a file")
    })?;
    let found = check_agent(&text, home);
    let mut out = Out::new();
    if json {
        out.json(&found)?;
    }
    for fact in checked(&found).into_iter().filter(|_| !json) {
        out.line(&fact)?;
    }
    out.end()?;
    let is_right = found.faults.is_empty() && found.unknown_records == 0;
    is_right.then_some(()).ok_or_else(|| {
        CliError::refused(
            format!("{} does not describe everything", file.display()),
            "see docs/agents.md",
        )
    })
}

fn record(agent: &str, folder: &std::path::Path, context: &Context) -> Result<(), CliError> {
    let recorded = record_agent(&context.settings, agent, folder)?;
    let mut out = Out::new();
    if context.json {
        return out.json(&recorded);
    }
    for file in &recorded.files {
        out.line(&format!("{}/home/{file}", folder.display()))?;
    }
    out.line("Read these files before you publish them.")?;
    out.end()
}
