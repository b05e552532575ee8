//! `taffrail approvals`, `taffrail approve` and `taffrail deny`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, columns, is_terminal};
use crate::terminal::{fit, line, pad};
use crate::{rim, when};
use taffrail_api::client::{escaped, path};
use taffrail_api::{
    Allowed, ApprovalRow, Approvals, DecisionBody, DecisionRow, Decisions, ErrorKind,
};
use taffrail_model::approval::{Outcome, State};

/// What agents ask to be allowed, and what was decided
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, help_template = TEMPLATE, before_help = "\
Examples:
  taffrail approvals                what waits for an answer
  taffrail approve 3f2a             allow it, whatever screen you are at
  taffrail deny 3f2a --reason \"not on main\"
  taffrail approvals log            every decision, with who and why
What is asked on your other devices stands here too, where `sync.remote` there names the project.
")]
pub(super) struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Those that are over, too
    #[arg(long)]
    all: bool,
    /// Print JSON
    #[arg(long, global = true)]
    pub(super) json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Every decision, with who and why
    Log,
}

/// Allow what an agent asks for
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail approve 3f2a      the beginning of the id that `taffrail approvals` shows
")]
pub(super) struct ApproveArgs {
    /// The beginning of the request's id
    #[arg(value_name = "ID")]
    id: String,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Refuse what an agent asks for
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail deny 3f2a
  taffrail deny 3f2a --reason \"use the staging database\"    the agent is told why
")]
pub(super) struct DenyArgs {
    /// The beginning of the request's id
    #[arg(value_name = "ID")]
    id: String,
    /// What the agent is told
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    match args.what {
        Some(What::Log) => log(args, context),
        None => list(args, context),
    }
}

fn list(args: &Args, context: &Context) -> Result<(), CliError> {
    let all = if args.all { "true" } else { "false" };
    let told: Approvals = match &context.client {
        Some(client) => client.get(&path("/api/approvals", &[("all", all)]))?,
        None => taffrail_daemon::approvals(&context.settings, args.all)?,
    };
    if args.json {
        return Out::new().json(&told);
    }
    let mut out = Out::paged(context.pager.as_ref());
    if told.approvals.is_empty() {
        out.line("nothing waits for an answer")?;
    }
    for it in &told.approvals {
        out.line(&fit(&row(it), width()))?;
    }
    out.end()
}

fn row(it: &ApprovalRow) -> String {
    let age = when::ago(it.asked_at, rim::now());
    let state = it.outcome.as_ref().map_or(it.state.as_str(), Outcome::as_str);
    let word = if it.state == State::DialogOnly { "at agent" } else { state };
    let place = it.device.as_deref().map(|it| format!("[{}] ", line(it))).unwrap_or_default();
    format!(
        "{} {age:>4} {} {} {} {place}{}",
        it.id,
        pad(&line(word), 11),
        pad(it.agent.as_str(), 11),
        pad(&it.risk, 6),
        line(&it.command)
    )
}

fn log(args: &Args, context: &Context) -> Result<(), CliError> {
    let told: Decisions = match &context.client {
        Some(client) => client.get("/api/approvals/log")?,
        None => taffrail_daemon::decisions(&context.settings)?,
    };
    if args.json {
        return Out::new().json(&told);
    }
    let mut out = Out::paged(context.pager.as_ref());
    for it in &told.decisions {
        out.line(&fit(&decision(it), width()))?;
    }
    out.end()
}

fn decision(it: &DecisionRow) -> String {
    let age = when::ago(it.at, rim::now());
    let outcome = it.outcome.as_ref().map_or("-", Outcome::as_str);
    let why = it.why.as_deref().map(|it| format!(" ({})", line(it))).unwrap_or_default();
    format!(
        "{} {age:>4} {} by {} {} {}{why}",
        it.approval_id,
        pad(&line(it.decision.as_str()), 7),
        pad(&line(&it.by), 14),
        pad(outcome, 11),
        line(&it.command)
    )
}

fn width() -> usize {
    if is_terminal() { columns() } else { usize::MAX }
}

pub(super) fn approve(args: &ApproveArgs, context: &Context) -> Result<(), CliError> {
    decide(context, &args.id, (Allowed::Allow, None), args.json)
}

pub(super) fn deny(args: &DenyArgs, context: &Context) -> Result<(), CliError> {
    decide(context, &args.id, (Allowed::Deny, args.reason.clone()), args.json)
}

fn decide(
    context: &Context,
    id: &str,
    (decision, reason): (Allowed, Option<String>),
    json: bool,
) -> Result<(), CliError> {
    let Some(client) = &context.client else { return Err(no_daemon()) };
    let body = DecisionBody { decision, reason, by: Some("cli".to_owned()) };
    let done: ApprovalRow = client.post(&format!("/api/approvals/{}", escaped(id)), &body)?;
    if json {
        return Out::new().json(&done);
    }
    let word = match decision {
        Allowed::Allow => "allowed",
        Allowed::Deny => "denied",
    };
    let mut out = Out::new();
    out.line(&format!("{} {word}: {}", done.id, line(&done.command)))?;
    out.end()
}

fn no_daemon() -> CliError {
    CliError {
        kind: ErrorKind::DaemonUnreachable,
        message: "no daemon runs, so no agent waits for an answer from here".to_owned(),
        hint: Some("taffrail daemon start".to_owned()),
    }
}
