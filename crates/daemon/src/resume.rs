//! Resumes a session: finds its executor, or the agent's own command that resumes it. Never guesses
//! from a folder or a title.

use crate::DaemonError;
use crate::operations::note_refused;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use taffrail_adapters::{Adapter, OriginalOptions, StartPlan, by_id};
use taffrail_api::{ResumeReply, ResumeState, SCHEMA_VERSION};
use taffrail_capture::{
    TMUX_DEADLINE, checkout, executor_at, linked_root, lives, program_in, start_of, with_users_mask,
};
use taffrail_context::Error;
use taffrail_context::{Settings, Target};
use taffrail_devices::exchange::ask_lease;
use taffrail_model::{Binding, Process, Timestamp, replication};
use taffrail_query::bindings::{followed, tie};
use taffrail_query::board::recent_statuses;
use taffrail_query::resolve::resolve;
use taffrail_query::status::StatusLookup;
use taffrail_query::terminal::started_as;
use taffrail_run::{accepts_text, locate_one};
use taffrail_store::{ACQUIRE_EXECUTOR, Begun, IndexReader, Ledger, Operation, SessionRow};

/// Returns what resuming a session would do.
///
/// # Errors
/// When the session cannot be found or our own files fail.
pub fn resume_plan(settings: &Settings, target: &Target) -> Result<ResumeReply, DaemonError> {
    resume_plan_with(settings, target, &|_| None)
}

pub fn resume_plan_with(
    settings: &Settings,
    target: &Target,
    known: StatusLookup<'_>,
) -> Result<ResumeReply, DaemonError> {
    let meant = Target::Id(followed(settings, target)?.id.to_string());
    let row = resolve(settings, &meant)?;
    let binding = tie(settings, &row, known)?;
    let (state, reason) = state(&row, &binding);
    let Binding { resume_capability: resume, current_executor_peer_id: executor, .. } = binding;
    let started_as = started_as(settings, row.id)?;
    let options = options(&row, started_as.as_deref());
    let support = resume.support().as_str().to_owned();
    let command = resume.command.filter(|_| state != ResumeState::Unsupported);
    Ok(ResumeReply {
        schema_version: SCHEMA_VERSION,
        session_id: row.id.to_string(),
        state,
        support,
        command: command.map(|it| [it, options.repeated].concat()),
        worktree: resume.cwd.as_deref().and_then(worktree),
        cwd: resume.cwd,
        reason,
        can_receive: executor.as_deref().map(accepts_text),
        executor,
        started_as,
        not_repeated: options.left_out,
        model: row.model,
        recap: None,
    })
}

/// The options of the command line that a session was started with, if it starts the agent's own
/// program: a wrapper has options of its own.
fn options(row: &SessionRow, started_as: Option<&[String]>) -> OriginalOptions {
    let Some((words, adapter)) = started_as.zip(by_id(&row.agent)) else {
        return OriginalOptions::default();
    };
    let name = program_in(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let is_own = name.is_some_and(|it| adapter.descriptor().processes.contains(&it.as_str()));
    let plan = adapter.start_plan().filter(|_| is_own);
    plan.map(|it| it.options_of(words)).unwrap_or_default()
}

/// The linked worktree that a folder is in.
fn worktree(folder: &str) -> Option<String> {
    let folder = Path::new(folder);
    let root = linked_root(folder).and_then(|_| checkout(folder))?.root;
    Some(root.to_string_lossy().into_owned())
}

/// Returns what resuming would do for each recent session that lost its agent without ending,
/// latest first: after a reboot, a crash or a kill.
///
/// # Errors
/// When our own files fail.
pub fn lost_sessions(settings: &Settings) -> Result<Vec<ResumeReply>, DaemonError> {
    let Some(reader) = IndexReader::open(&settings.data)? else { return Ok(Vec::new()) };
    let cards = recent_statuses(settings, &reader)?;
    let mut lost: Vec<_> = cards.iter().filter(|(_, it)| it.reading.is_lost()).collect();
    lost.sort_by_key(|(id, it)| (std::cmp::Reverse(it.reading.since), **id));
    let plans = lost.into_iter().map(|(id, _)| resume_plan(settings, &Target::Id(id.to_string())));
    let plans = plans.collect::<Result<Vec<_>, _>>()?.into_iter();
    Ok(plans.filter(|it| it.state == ResumeState::ResumeAvailable).collect())
}

fn state(row: &SessionRow, binding: &Binding) -> (ResumeState, String) {
    let resume = &binding.resume_capability;
    // A session of another device runs there.
    let is_here = row.parent.is_none() && !replication::is_locator(&row.source_uri);
    match binding.current_executor_peer_id.as_deref().filter(|_| is_here) {
        Some(executor) => (ResumeState::ActiveExecutor, runs_at(executor)),
        None if resume.command.is_some() => (ResumeState::ResumeAvailable, resume.reason.clone()),
        None => (ResumeState::Unsupported, resume.reason.clone()),
    }
}

fn runs_at(executor: &str) -> String {
    match accepts_text(executor) {
        true => format!("it runs at {executor}"),
        false => format!(
            "it runs at {executor}, outside tmux and `taffrail run`, so nothing can be typed into \
             it from here"
        ),
    }
}

/// The same in another folder than the session's own.
///
/// # Errors
/// `Unresumed` when the folder does not exist, or when the agent resumes a session only in its own
/// folder.
pub fn resume_elsewhere(
    settings: &Settings,
    reply: ResumeReply,
    folder: &Path,
) -> Result<ResumeReply, DaemonError> {
    if reply.state != ResumeState::ResumeAvailable {
        return Ok(reply);
    }
    if !folder.is_dir() {
        return Err(Error::Unresumed(format!("{} is not a folder", folder.display())).into());
    }
    let row = resolve(settings, &Target::Id(reply.session_id.clone()))?;
    let plan =
        by_id(&row.agent).and_then(Adapter::start_plan).filter(|it| it.resumes_in_any_folder());
    let path = folder.to_string_lossy().into_owned();
    let command = plan.and_then(|it| it.resume_in(row.runtime_id.as_str(), &path));
    let options = options(&row, reply.started_as.as_deref()).repeated;
    let command = command.map(|it| [it, options].concat());
    match command {
        Some(_) => Ok(ResumeReply { command, worktree: worktree(&path), cwd: Some(path), ..reply }),
        None => Err(Error::Unresumed(only_there(&row)).into()),
    }
}

/// The folder to resume a session in.
///
/// # Errors
/// `Unresumed` with the next step, when the folder is gone.
pub fn resume_folder(settings: &Settings, reply: &ResumeReply) -> Result<PathBuf, DaemonError> {
    let Some(folder) = reply.cwd.as_deref().map(PathBuf::from) else {
        let why = "nothing says which folder it worked in; name one with --in DIR";
        return Err(Error::Unresumed(why.to_owned()).into());
    };
    if folder.is_dir() {
        return Ok(folder);
    }
    let row = resolve(settings, &Target::Id(reply.session_id.clone()))?;
    let plan = by_id(&row.agent).and_then(Adapter::start_plan);
    let next = match plan.is_some_and(StartPlan::resumes_in_any_folder) {
        true => "resume elsewhere with --in DIR".to_owned(),
        false => only_there(&row),
    };
    Err(Error::Unresumed(format!("{} no longer exists; {next}", folder.display())).into())
}

fn only_there(row: &SessionRow) -> String {
    let label = by_id(&row.agent).map_or(row.agent.as_str(), |it| it.descriptor().label);
    let id: String = row.id.to_string().chars().take(8).collect();
    format!(
        "{label} resumes a session only in its own folder. Make the folder again, or hand the work \
         over with `taffrail handoff {id}`"
    )
}

/// Takes the lease on a session for an attempt to resume it: from the hub, if one answers, and
/// locally. The lease lasts until the attempt fails, or the process that it started ends.
///
/// # Errors
/// `Held` while another device has the lease, `Unresumed` while another attempt holds it; otherwise
/// when the ledger cannot be written.
pub fn begin_resume(
    settings: &Settings,
    reply: &ResumeReply,
    strategy: &str,
) -> Result<i64, DaemonError> {
    let session = resolve(settings, &Target::Id(reply.session_id.clone()))?.id;
    ask_lease(settings, session)?;
    let mut ledger = Ledger::open(&settings.data, &settings.new_device)?;
    let now = (settings.now)();
    match ledger.begin_operation(session, (ACQUIRE_EXECUTOR, strategy), (now, &lives))? {
        Begun::Now(operation) => Ok(operation),
        Begun::Held(by) => Err(Error::Unresumed(resumed_already(&by, now)).into()),
    }
}

fn resumed_already(by: &Operation, now: Timestamp) -> String {
    let ago = now.as_second().saturating_sub(by.began_at.as_second()).max(0);
    let place = match (&by.result, by.process) {
        (Some(executor), _) if by.state == "done" => format!(" at {executor}"),
        (_, Some(process)) => format!(" as process {}", process.pid),
        (_, None) => String::new(),
    };
    format!("it was resumed {ago} s ago{place}, and its agent is starting")
}

/// Records the process that an attempt started.
///
/// # Errors
/// When the ledger cannot be written.
pub fn note_resumed(settings: &Settings, operation: i64, pid: u32) -> Result<(), DaemonError> {
    // If the system does not report when a process started, the attempt holds for a short time.
    let Some(start) = start_of(pid) else { return Ok(()) };
    let mut ledger = Ledger::open(&settings.data, &settings.new_device)?;
    Ok(ledger.note_process(operation, Process { pid, start })?)
}

/// Records that an attempt succeeds: this process is about to become the agent, and nothing of ours
/// remains to record it afterwards. If the agent cannot be started, `end_resume` corrects it.
///
/// # Errors
/// When the ledger cannot be written.
pub fn end_resume_here(settings: &Settings, operation: i64, pid: u32) -> Result<(), DaemonError> {
    let found = locate_one(settings, pid, TMUX_DEADLINE).executor;
    let executor = found.unwrap_or_else(|| format!("process:{pid}"));
    end_resume(settings, operation, &Ok(executor))
}

/// Records the outcome of an attempt.
///
/// # Errors
/// When the ledger cannot be written.
pub fn end_resume(
    settings: &Settings,
    operation: i64,
    came: &Result<String, String>,
) -> Result<(), DaemonError> {
    let mut ledger = Ledger::open(&settings.data, &settings.new_device)?;
    let (state, result) = match came {
        Ok(result) => ("done", result),
        Err(why) => ("failed", why),
    };
    Ok(ledger.end_operation(operation, state, result)?)
}

/// Resumes a session in a new tmux session and returns its name.
///
/// # Errors
/// When the session cannot be resumed, or tmux fails.
pub fn resume_in_tmux(settings: &Settings, reply: &ResumeReply) -> Result<String, DaemonError> {
    let (ResumeState::ResumeAvailable, Some(words)) = (reply.state, &reply.command) else {
        note_refused(settings, reply)?;
        return Err(Error::Unresumed(reply.reason.clone()).into());
    };
    let folder = resume_folder(settings, reply)?;
    let operation = begin_resume(settings, reply, "tmux")?;
    let came = tmux(reply, &folder, words);
    if let Ok(pane) = &came {
        note_resumed(settings, operation, pane.pid)?;
    }
    let came = came.map(|it| it.executor);
    end_resume(settings, operation, &came)?;
    Ok(came.map_err(Error::Unresumed)?)
}

/// A pane that was created for an agent.
#[derive(Debug, PartialEq, Eq)]
pub struct NewPane {
    /// Where it is, as an executor is named.
    pub executor: String,
    /// The agent's process.
    pub pid: u32,
}

/// What tmux prints about a new pane: `TMUX` or `TMUX_TMPDIR` may select any server.
const NEW_PANE: &str = "#{pane_id} #{pane_pid} #{socket_path}";

fn tmux(reply: &ResumeReply, folder: &Path, words: &[String]) -> Result<NewPane, String> {
    let name = format!("taffrail-{}", reply.session_id.get(..8).unwrap_or_default());
    start_in_tmux(&name, folder, words)
}

/// The command that starts an agent in a new tmux session of this name. Run it in the agent's
/// folder: in an argument, tmux would run `#(…)` in a folder's name.
#[must_use]
pub fn tmux_command(name: &str, words: &[String]) -> Vec<String> {
    let tmux = ["tmux", "new-session", "-d", "-P", "-F", NEW_PANE, "-s", name, "--"];
    tmux.into_iter().map(str::to_owned).chain(words.iter().cloned()).collect()
}

/// Starts an agent in a new tmux session of this name.
///
/// # Errors
/// Says why tmux could not be started, or what it answered.
pub fn start_in_tmux(name: &str, folder: &Path, words: &[String]) -> Result<NewPane, String> {
    let words = tmux_command(name, words);
    let mut tmux = Command::new("tmux");
    tmux.args(words.iter().skip(1));
    tmux.current_dir(folder).env("PWD", folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    let made = with_users_mask(|| tmux.spawn())
        .and_then(Child::wait_with_output)
        .map_err(|error| format!("tmux cannot be started: {error}"))?;
    let said = String::from_utf8_lossy(&made.stdout);
    match made.status.success() {
        true => new_pane(said.trim()).ok_or_else(|| format!("tmux answered {:?}", said.trim())),
        false => Err(String::from_utf8_lossy(&made.stderr).trim().to_owned()),
    }
}

fn new_pane(said: &str) -> Option<NewPane> {
    let mut parts = said.splitn(3, ' ');
    let (pane, pid) = (parts.next()?, parts.next()?.parse().ok()?);
    Some(NewPane { executor: executor_at(Path::new(parts.next()?), pane)?, pid })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pane_of_another_server_is_named_with_its_socket() {
        let check = |said: &str, expected: Option<(&str, u32)>| {
            let found = new_pane(said);
            let found = found.as_ref().map(|it| (it.executor.as_str(), it.pid));
            assert_eq!(found, expected, "{said}");
        };
        check("%3 417 /x y/tmux-1/default", Some(("tmux:/x y/tmux-1/default:%3", 417)));
        for said in ["", "%3 417", "3 417 /x", "%3 x /x"] {
            check(said, None);
        }
    }
}
