//! Whether and how a session can be resumed, and what is missing if it cannot.

use taffrail_adapters::{Adapter, StartPlan, by_id};
use taffrail_context::Settings;
use taffrail_model::binding::{History, Mark, ResumeCapability};
use taffrail_model::replication;
use taffrail_store::SessionRow;

/// The folder of a session in its agent's words.
#[derive(Debug, Clone)]
pub(super) enum Folder {
    /// The folder that the agent recorded.
    Recorded(Option<String>),
    /// The folder in which an imported session continues here.
    Imported(String),
}

impl Folder {
    pub(super) fn path(&self) -> Option<&str> {
        match self {
            Self::Recorded(path) => path.as_deref(),
            Self::Imported(path) => Some(path),
        }
    }
}

/// Computes how a session can be resumed. Never guesses from a folder or a title.
pub(super) fn capability(
    settings: &Settings,
    row: &SessionRow,
    (history, mark): (History, Option<Mark>),
    folder: &Folder,
) -> ResumeCapability {
    let resumed = match missing(settings, row, (history, mark)) {
        Some(why) => Err(why),
        None => command(row, folder),
    };
    let (command, reason) = match resumed {
        Ok(command) => (Some(command), AVAILABLE.to_owned()),
        Err(why) => (None, why),
    };
    let cwd = folder.path().map(str::to_owned);
    ResumeCapability { by_runtime_id: command.is_some(), command, cwd, reason }
}

const AVAILABLE: &str = "its history is there and its agent resumes by id";

/// What a session lacks, whatever its agent can do.
fn missing(
    settings: &Settings,
    row: &SessionRow,
    (history, mark): (History, Option<Mark>),
) -> Option<String> {
    if row.parent.is_some() {
        return Some("it is a worker: the session it works for can be resumed".to_owned());
    }
    let why = match (mark, history) {
        (Some(Mark::Superseded(_)), _) => "another session took its place",
        (Some(Mark::Archived), _) => "it is kept for history only: you archived it",
        _ if replication::is_locator(&row.source_uri) => return elsewhere(settings, row),
        (None, History::Copied) => {
            "its agent's own file is gone, and the agent cannot resume from the copy in the archive"
        }
        (None, History::Missing) => "its history can no longer be found",
        (None, History::PromptsOnly) => {
            "its agent deleted its transcript: only the prompts are left, in the agent's prompt history"
        }
        (None, History::Unexposed) => {
            "its source locator is not known: only hooks, its agent's list or telemetry report it, \
             and nothing shows that its agent kept a history to resume"
        }
        (None, History::Readable) => return None,
    };
    Some(why.to_owned())
}

/// Why a session of another device is not resumed here.
fn elsewhere(settings: &Settings, row: &SessionRow) -> Option<String> {
    let device = settings.devices.name_of(&replication::device_of(&row.source_uri)?);
    if replication::is_shared(&row.source_uri) {
        return Some(format!("it is shared from {device}, for reading only"));
    }
    let id: String = row.id.to_string().chars().take(8).collect();
    Some(format!(
        "its history is on {device}. `taffrail teleport pull {id} --project DIR` brings it here if it was left on \
         the hub; that is done there, with `taffrail teleport push {id}`, while {device} is on"
    ))
}

/// The agent's own command; for a session that moved here, with its folder.
fn command(row: &SessionRow, folder: &Folder) -> Result<Vec<String>, String> {
    let adapter = by_id(&row.agent);
    let label = adapter.map_or(row.agent.as_str(), |it| it.descriptor().label);
    let plan = adapter.filter(|it| it.resumes_by_id()).and_then(Adapter::start_plan);
    let Some(plan) = plan else {
        return Err(format!("no command of {label} is known that resumes a session by its id"));
    };
    words(plan, row.runtime_id.as_str(), folder)
        .ok_or_else(|| format!("its id cannot be passed to {label} safely as one word"))
}

fn words(plan: &StartPlan, id: &str, folder: &Folder) -> Option<Vec<String>> {
    match folder {
        Folder::Imported(path) => plan.resume_in(id, path),
        Folder::Recorded(_) => plan.resume(id),
    }
}
