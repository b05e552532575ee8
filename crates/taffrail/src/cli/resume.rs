//! `taffrail resume`

use super::completions::session_ids;
use super::events::catch_up;
use super::handoff::{quoted, shell};
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use crate::terminal::line;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use taffrail_api::client::escaped;
use taffrail_api::{ErrorKind, ResumeBody, ResumeReply, ResumeState};
use taffrail_daemon::{
    Scope, Target, begin_resume, end_resume, resume_in_tmux, resume_plan, turns,
};

/// Turns that are shown before a session goes on.
const TURNS: usize = 5;

/// Go on with a session in its own agent, here or in tmux
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail resume 3f2a             its last turns, then its agent takes over this terminal
  taffrail resume 3f2a --tmux      in a tmux session of its own
  taffrail resume 3f2a --dry-run   only what would be run, and where
")]
pub(super) struct Args {
    /// The beginning of its id, its agent's own id, @last, or . for this folder
    #[arg(value_name = "ID", add = session_ids())]
    id: String,
    /// Only say what would be run
    #[arg(long)]
    dry_run: bool,
    /// Start it in a tmux session of its own
    #[arg(long, conflicts_with = "dry_run")]
    tmux: bool,
    /// Print JSON; without --tmux nothing is started
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let mut reply = planned(args, context)?;
    if args.tmux {
        reply.executor = Some(resume_in_tmux(&context.settings, &reply)?);
    }
    if args.json {
        return Out::new().json(&reply);
    }
    if args.tmux || args.dry_run {
        return tell(&reply);
    }
    take_over(&reply, context)
}

fn planned(args: &Args, context: &Context) -> Result<ResumeReply, CliError> {
    if let Some(client) = &context.client {
        let id = context.id(client, &args.id)?;
        let path = format!("/api/sessions/{}/controls/resume", escaped(&id));
        return Ok(client.post(&path, &ResumeBody { dry_run: true })?);
    }
    // Its history may have come after anybody looked last.
    catch_up(context, &Scope::All)?;
    let target = context.target(&args.id)?;
    Ok(resume_plan(&context.settings, &target)?)
}

fn tell(reply: &ResumeReply) -> Result<(), CliError> {
    let told = match (reply.state, &reply.command, &reply.executor) {
        (ResumeState::Unsupported, ..) => format!("no: {}", line(&reply.reason)),
        (_, _, Some(executor)) => format!("it runs at {}", line(executor)),
        (_, Some(words), None) => command(reply, words),
        (_, None, None) => line(&reply.reason),
    };
    let mut out = Out::new();
    out.line(&told)?;
    out.end()
}

fn command(reply: &ResumeReply, words: &[String]) -> String {
    let folder = reply.cwd.as_deref().unwrap_or(".");
    format!("cd {} && {}", quoted(folder), shell(words))
}

/// Shows where it stood, and becomes the agent.
fn take_over(reply: &ResumeReply, context: &Context) -> Result<(), CliError> {
    let (ResumeState::ResumeAvailable, Some(words)) = (reply.state, &reply.command) else {
        return Err(refused(&reply.reason));
    };
    let Some((program, rest)) = words.split_first() else { return Err(refused(&reply.reason)) };
    let folder = reply.cwd.as_deref().map(Path::new).filter(|it| it.is_dir());
    let folder = folder.ok_or_else(|| refused("its folder is gone"))?;
    recall(reply, context)?;
    let operation = begin_resume(&context.settings, reply, "terminal")?;
    // This only comes back when it fails.
    let error = Command::new(program).args(rest).current_dir(folder).exec();
    let why = format!("{program} cannot be started: {error}");
    end_resume(&context.settings, operation, &Err(why.clone()))?;
    Err(CliError { kind: ErrorKind::Failure, message: why, hint: None })
}

fn recall(reply: &ResumeReply, context: &Context) -> Result<(), CliError> {
    let turns = turns(&context.settings, &Target::Id(reply.session_id.clone()))?;
    let mut out = Out::new();
    for turn in turns.iter().skip(turns.len().saturating_sub(TURNS)) {
        out.line(&format!("> {}", line(&turn.prompt)))?;
        if !turn.text.is_empty() {
            out.line(&format!("  {}", line(&turn.text)))?;
        }
    }
    out.line(&command(reply, reply.command.as_deref().unwrap_or_default()))?;
    out.end()
}

fn refused(why: &str) -> CliError {
    CliError { kind: ErrorKind::Refused, message: why.to_owned(), hint: None }
}
