//! Resuming a session: who runs it, or the agent's own command that goes on with it. Never a guess
//! from a folder or a title.

use crate::between::ask_lease;
use crate::bindings::{followed, tie};
use crate::contracts::Known;
use crate::live::glance;
use crate::{DaemonError, Settings, Target, resolve};
use std::path::Path;
use std::process::Command;
use taffrail_adapters::{Adapter, StartPlan, by_id};
use taffrail_api::{ResumeReply, ResumeState, SCHEMA_VERSION};
use taffrail_model::{Binding, Lifecycle, relay};
use taffrail_store::{IndexReader, Ledger, SessionRow};

/// What resuming a session would do.
///
/// # Errors
/// When the session cannot be found or our own files fail.
pub fn resume_plan(settings: &Settings, target: &Target) -> Result<ResumeReply, DaemonError> {
    resume_plan_with(settings, target, &|_| None)
}

pub(crate) fn resume_plan_with(
    settings: &Settings,
    target: &Target,
    known: Known<'_>,
) -> Result<ResumeReply, DaemonError> {
    let meant = Target::Id(followed(settings, target)?.id.to_string());
    let row = resolve(settings, &meant)?;
    let binding = tie(settings, &row, known)?;
    let plan = by_id(&row.agent).and_then(Adapter::start_plan);
    let command = plan.and_then(|it| words(it, &row, &binding));
    let (state, reason) = match elsewhere(settings, &row) {
        Some(reason) => (ResumeState::Unsupported, reason),
        None => state(&row, &binding, command.is_some()),
    };
    Ok(ResumeReply {
        schema_version: SCHEMA_VERSION,
        session_id: row.id.to_string(),
        state,
        command: command.filter(|_| state != ResumeState::Unsupported),
        cwd: binding.project_path,
        reason,
        executor: binding.current_executor_peer_id,
    })
}

/// Why a session of another device is not resumed here.
fn elsewhere(settings: &Settings, row: &SessionRow) -> Option<String> {
    let device = settings.devices.name_of(&relay::device_of(&row.source_uri)?);
    if relay::is_shared(&row.source_uri) {
        return Some(format!("it is shared from {device}, for reading only"));
    }
    let id: String = row.id.to_string().chars().take(8).collect();
    Some(format!("it runs on {device}; bring it here with `taffrail teleport pull {id}`"))
}

/// The agent's own words; of a session that was carried here, with the folder it goes on in.
fn words(plan: &StartPlan, row: &SessionRow, binding: &Binding) -> Option<Vec<String>> {
    let id = row.runtime_id.as_str();
    match &binding.project_path {
        Some(folder) if binding.metadata.contains_key("carried") => plan.resume_in(id, folder),
        Some(_) | None => plan.resume(id),
    }
}

/// What resuming would do for each session of late that lost its agent without being ended, the one that
/// moved last first: after a reboot, a crash, a kill.
///
/// # Errors
/// When our own files fail.
pub fn lost_sessions(settings: &Settings) -> Result<Vec<ResumeReply>, DaemonError> {
    let Some(reader) = IndexReader::open(&settings.data)? else { return Ok(Vec::new()) };
    let cards = glance(settings, &reader)?;
    let mut lost: Vec<_> = cards.iter().filter(|(_, it)| it.reading.is_lost()).collect();
    lost.sort_by_key(|(id, it)| (std::cmp::Reverse(it.reading.since), **id));
    let plans = lost.into_iter().map(|(id, _)| resume_plan(settings, &Target::Id(id.to_string())));
    let plans = plans.collect::<Result<Vec<_>, _>>()?.into_iter();
    Ok(plans.filter(|it| it.state == ResumeState::ResumeAvailable).collect())
}

fn state(row: &SessionRow, binding: &Binding, has_command: bool) -> (ResumeState, String) {
    use ResumeState::{ActiveExecutor, ResumeAvailable, Unsupported};
    let no = |why: &str| (Unsupported, why.to_owned());
    if row.parent.is_some() {
        return no("it is a worker: the session it works for can be resumed");
    }
    match (&binding.status, &binding.current_executor_peer_id) {
        (_, Some(executor)) => (ActiveExecutor, format!("it runs at {executor}")),
        (Lifecycle::Resumable, None) if has_command => {
            (ResumeAvailable, "its history is there and its agent resumes by id".to_owned())
        }
        (Lifecycle::Resumable | Lifecycle::Detached | Lifecycle::Active, None) => {
            no("no way is known to resume this agent's sessions by their id")
        }
        (Lifecycle::Archived, None) => {
            no("it is kept for history only: its agent's own file is gone, or you archived it")
        }
        (Lifecycle::Lost, None) => no("its history can no longer be found"),
        (Lifecycle::Superseded, None) => no("another session took its place"),
        (Lifecycle::Unknown(word), None) => no(&format!("it is {word}")),
    }
}

/// Takes the lease on a session for an attempt to resume it: from the hub, where one answers, and here.
///
/// # Errors
/// `Held` while another device has it, `Unresumed` while another attempt is under way; else when the ledger
/// cannot be written.
pub fn begin_resume(
    settings: &Settings,
    reply: &ResumeReply,
    strategy: &str,
) -> Result<i64, DaemonError> {
    let session = resolve(settings, &Target::Id(reply.session_id.clone()))?.id;
    ask_lease(settings, session)?;
    let mut ledger = Ledger::open(&settings.data, &settings.new_device)?;
    let begun = ledger.begin_operation(session, ("resume", strategy), (settings.now)())?;
    begun.ok_or_else(|| DaemonError::Unresumed("it is being resumed already".to_owned()))
}

/// Notes what came of an attempt.
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

/// Resumes a session in a tmux session of its own, and says which.
///
/// # Errors
/// When it cannot be resumed, or tmux does not do it.
pub fn resume_in_tmux(settings: &Settings, reply: &ResumeReply) -> Result<String, DaemonError> {
    let (ResumeState::ResumeAvailable, Some(words)) = (reply.state, &reply.command) else {
        return Err(DaemonError::Unresumed(reply.reason.clone()));
    };
    let operation = begin_resume(settings, reply, "tmux")?;
    let came = tmux(reply, words);
    end_resume(settings, operation, &came)?;
    came.map_err(DaemonError::Unresumed)
}

fn tmux(reply: &ResumeReply, words: &[String]) -> Result<String, String> {
    let name = format!("taffrail-{}", reply.session_id.get(..8).unwrap_or_default());
    let folder = reply.cwd.as_deref().map(Path::new).filter(|it| it.is_dir());
    let folder = folder.ok_or("its folder is gone")?;
    let made = Command::new("tmux")
        .args(["new-session", "-d", "-P", "-F", "tmux:#{pane_id}", "-s", &name, "-c"])
        .arg(folder)
        .arg("--")
        .args(words)
        .output()
        .map_err(|error| format!("tmux cannot be started: {error}"))?;
    match made.status.success() {
        true => Ok(String::from_utf8_lossy(&made.stdout).trim().to_owned()),
        false => Err(String::from_utf8_lossy(&made.stderr).trim().to_owned()),
    }
}
