//! `taffrail resume`

use super::completions::session_ids;
use super::events::catch_up;
use super::handoff::{quoted, shell};
use super::terminal::last_lines;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, say};
use clap::ValueHint;
use serde::Serialize;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use taffrail_api::client::escaped;
use taffrail_api::{Recap, ResumeBody, ResumeReply, ResumeState, SCHEMA_VERSION};
use taffrail_capture::with_users_mask;
use taffrail_context::Target;
use taffrail_daemon::{
    begin_resume, end_resume, end_resume_here, lost_sessions, note_resumed, resume_elsewhere,
    resume_folder, resume_in_tmux, resume_plan,
};
use taffrail_env::own_path;
use taffrail_ingest::Scope;
use taffrail_query::recap;
use taffrail_tui::terminal::line;

/// The lines of its last terminal that are shown before a session goes on.
const LINES: usize = 24;

/// Resume a session in its own agent, here or in tmux
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail resume 3f2a
      show its summary and last turns, then run its agent in this terminal
  taffrail resume 3f2a --tmux      in a new tmux session
  taffrail resume 3f2a --in ~/src/api   in this folder, if its own is gone
  taffrail resume 3f2a --dry-run   print the command and its folder
  taffrail resume --all-lost
      after a reboot: every session that lost its agent, each in tmux
With --json it prints the command, and starts the agent only with --tmux.
")]
pub(super) struct Args {
    /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
    #[arg(value_name = "ID", add = session_ids(), required_unless_present = "all_lost")]
    id: Option<String>,
    /// Resume every session of the last day that lost its agent, each in tmux
    #[arg(long, conflicts_with_all = ["id", "tmux", "folder"])]
    all_lost: bool,
    #[command(flatten)]
    how: How,
}

/// Where it goes on.
#[derive(Debug, clap::Args)]
struct How {
    /// Only print the command
    #[arg(long)]
    dry_run: bool,
    /// Resume in this folder, if the session's own folder is gone
    #[arg(long = "in", value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: Option<PathBuf>,
    /// Start the agent in a new tmux session
    #[arg(long, conflicts_with = "dry_run")]
    tmux: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let Some(id) = &args.id else { return all_lost(args, context) };
    let mut reply = planned(id, context)?;
    if let Some(folder) = &args.how.folder {
        let folder = context.env.here.join(folder);
        let folder = folder.canonicalize().unwrap_or(folder);
        reply = resume_elsewhere(&context.settings, reply, &folder)?;
    }
    if args.how.tmux {
        reply.executor = Some(resume_in_tmux(&context.settings, &reply)?);
    }
    if context.json {
        reply.recap = Some(recap(&context.settings, &meant(&reply), &|_| None)?);
        return Out::new().json(&reply);
    }
    if args.how.tmux || args.how.dry_run {
        if args.how.tmux {
            recall(&reply, context)?;
        }
        tell(&reply)?;
        if args.how.tmux {
            let id = reply.session_id.get(..8).unwrap_or(&reply.session_id);
            say(&format!("go there: taffrail attach {id}"));
        }
        return Ok(());
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
    if context.json {
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

pub(super) fn planned(id: &str, context: &Context) -> Result<ResumeReply, CliError> {
    if let Some(client) = &context.client {
        let id = context.id(client, id)?;
        let path = format!("/api/sessions/{}/controls/resume", escaped(&id));
        return Ok(client.post(&path, &ResumeBody { dry_run: true })?);
    }
    // The history may have arrived since the last scan.
    catch_up(context, &Scope::All)?;
    let target = context.target(id)?;
    Ok(resume_plan(&context.settings, &target)?)
}

fn tell(reply: &ResumeReply) -> Result<(), CliError> {
    Out::print(&said(reply))
}

fn said(reply: &ResumeReply) -> String {
    match (reply.state, &reply.command, &reply.executor) {
        (ResumeState::Unsupported, ..) => format!("no: {}", line(&reply.reason)),
        (ResumeState::ResumeAvailable, _, Some(_)) => {
            let id = reply.session_id.get(..8).unwrap_or_default();
            format!("resumed in tmux; go there with: tmux attach -t taffrail-{id}")
        }
        (_, _, Some(executor)) => format!("it is running already ({})", line(executor)),
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
    let words = reply.command.as_deref().filter(|_| reply.state == ResumeState::ResumeAvailable);
    let Some(words) = words.filter(|it| !it.is_empty()) else { return Err(refused(reply)) };
    let words = again(words, reply, context)?;
    let Some((program, rest)) = words.split_first() else { return Err(refused(reply)) };
    let folder = resume_folder(&context.settings, reply)?;
    recall(reply, context)?;
    Out::print(&command(reply, &words))?;
    let operation = begin_resume(&context.settings, reply, "terminal")?;
    // The agent replaces this process.
    note_resumed(&context.settings, operation, std::process::id())?;
    end_resume_here(&context.settings, operation, std::process::id())?;
    // `exec` returns only if it fails.
    let error = with_users_mask(|| Command::new(program).args(rest).current_dir(folder).exec());
    let why = format!("{program} cannot be started: {error}");
    end_resume(&context.settings, operation, &Err(why.clone()))?;
    Err(CliError::failure(why))
}

/// The command; on a terminal of ours if the session was on one before.
fn again(
    words: &[String],
    reply: &ResumeReply,
    context: &Context,
) -> Result<Vec<String>, CliError> {
    if reply.started_as.is_none() {
        return Ok(words.to_vec());
    }
    let ours = own_path(&context.env)?.to_string_lossy().into_owned();
    let run = [ours, "run".to_owned(), "--".to_owned()];
    Ok(run.into_iter().chain(words.iter().cloned()).collect())
}

fn meant(reply: &ResumeReply) -> Target {
    Target::Id(reply.session_id.clone())
}

/// Shows its last terminal, its last turns and a summary.
fn recall(reply: &ResumeReply, context: &Context) -> Result<(), CliError> {
    let Recap { summary, turns } = recap(&context.settings, &meant(reply), &|_| None)?;
    let mut out = Out::new();
    for text in last_lines(context, &meant(reply), LINES)? {
        out.line(&format!("│ {text}"))?;
    }
    for turn in &turns {
        out.line(&format!("> {}", line(&turn.prompt)))?;
        if !turn.text.is_empty() {
            out.line(&format!("  {}", line(&turn.text)))?;
        }
    }
    for text in summary.lines() {
        out.line(&line(text))?;
    }
    out.end()?;
    if !reply.not_repeated.is_empty() {
        say(&format!("not repeated: {}", line(&reply.not_repeated.join(" "))));
    }
    Ok(())
}

fn refused(reply: &ResumeReply) -> CliError {
    let id: String = reply.session_id.chars().take(8).collect();
    let (message, hint) = match (reply.state, &reply.executor) {
        (ResumeState::ActiveExecutor, Some(executor)) => already(executor, &id),
        _ => (
            reply.reason.clone(),
            format!(
                "`taffrail show {id}` shows its history; `taffrail handoff {id}` hands it over"
            ),
        ),
    };
    CliError::refused(message, hint)
}

/// It runs: what leads to it.
fn already(executor: &str, id: &str) -> (String, String) {
    match executor.split_once(':') {
        Some(("tmux", _)) => (
            format!("it is running already, in tmux ({})", line(executor)),
            format!("go to its pane: taffrail attach {id}"),
        ),
        Some(("process", pid)) => (
            format!("it is running already, as process {}", line(pid)),
            "continue in the terminal where it was started".to_owned(),
        ),
        _ => (
            format!("it is running already ({})", line(executor)),
            format!("`taffrail send {id} TEXT` writes to it"),
        ),
    }
}
