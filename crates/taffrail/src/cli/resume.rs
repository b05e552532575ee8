//! `taffrail resume`

use super::completions::session_ids;
use super::events::catch_up;
use super::handoff::{quoted, shell};
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use crate::terminal::line;
use serde::Serialize;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use taffrail_api::client::escaped;
use taffrail_api::{ErrorKind, ResumeBody, ResumeReply, ResumeState, SCHEMA_VERSION};
use taffrail_daemon::{
    Scope, Target, begin_resume, end_resume, lost_sessions, resume_in_tmux, resume_plan, turns,
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
  taffrail resume --all-lost       after a reboot: every session that lost its agent, each in tmux
")]
pub(super) struct Args {
    /// The beginning of its id, its agent's own id, @last, or . for this folder
    #[arg(value_name = "ID", add = session_ids(), required_unless_present = "all_lost")]
    id: Option<String>,
    /// Every session of the last day that lost its agent without being ended, each in tmux
    #[arg(long, conflicts_with_all = ["id", "tmux"])]
    all_lost: bool,
    #[command(flatten)]
    how: How,
    /// Print JSON; without --tmux nothing is started
    #[arg(long)]
    pub(super) json: bool,
}

/// Where it goes on.
#[derive(Debug, clap::Args)]
struct How {
    /// Only say what would be run
    #[arg(long)]
    dry_run: bool,
    /// Start it in a tmux session of its own
    #[arg(long, conflicts_with = "dry_run")]
    tmux: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let Some(id) = &args.id else { return all_lost(args, context) };
    let mut reply = planned(id, context)?;
    if args.how.tmux {
        reply.executor = Some(resume_in_tmux(&context.settings, &reply)?);
    }
    if args.json {
        return Out::new().json(&reply);
    }
    if args.how.tmux || args.how.dry_run {
        return tell(&reply);
    }
    take_over(&reply, context)
}

/// What was tried for one session of several.
#[derive(Debug, Serialize)]
struct Tried {
    #[serde(flatten)]
    plan: ResumeReply,
    failed: Option<String>,
}

#[derive(Debug, Serialize)]
struct AllTried {
    schema_version: u32,
    sessions: Vec<Tried>,
}

/// Brings back what was lost; one that cannot be started keeps none of the others.
fn all_lost(args: &Args, context: &Context) -> Result<(), CliError> {
    catch_up(context, &Scope::All)?;
    let mut sessions = Vec::new();
    for mut plan in lost_sessions(&context.settings)? {
        let tried = (!args.how.dry_run).then(|| resume_in_tmux(&context.settings, &plan));
        let (executor, failed) = match tried {
            Some(Ok(executor)) => (Some(executor), None),
            Some(Err(error)) => (None, Some(error.to_string())),
            None => (None, None),
        };
        plan.executor = executor;
        sessions.push(Tried { plan, failed });
    }
    if args.json {
        return Out::new().json(&AllTried { schema_version: SCHEMA_VERSION, sessions });
    }
    let mut out = Out::new();
    if sessions.is_empty() {
        out.line("no session of the last day lost its agent")?;
    }
    for Tried { plan, failed } in &sessions {
        let what = match failed {
            Some(why) => format!("not resumed: {}", line(why)),
            None => said(plan),
        };
        out.line(&format!("{} {what}", plan.session_id.get(..8).unwrap_or_default()))?;
    }
    out.end()
}

fn planned(id: &str, context: &Context) -> Result<ResumeReply, CliError> {
    if let Some(client) = &context.client {
        let id = context.id(client, id)?;
        let path = format!("/api/sessions/{}/controls/resume", escaped(&id));
        return Ok(client.post(&path, &ResumeBody { dry_run: true })?);
    }
    // Its history may have come after anybody looked last.
    catch_up(context, &Scope::All)?;
    let target = context.target(id)?;
    Ok(resume_plan(&context.settings, &target)?)
}

fn tell(reply: &ResumeReply) -> Result<(), CliError> {
    let mut out = Out::new();
    out.line(&said(reply))?;
    out.end()
}

fn said(reply: &ResumeReply) -> String {
    match (reply.state, &reply.command, &reply.executor) {
        (ResumeState::Unsupported, ..) => format!("no: {}", line(&reply.reason)),
        (_, _, Some(executor)) => format!("it runs at {}", line(executor)),
        (_, Some(words), None) => command(reply, words),
        (_, None, None) => line(&reply.reason),
    }
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
