//! Identifies the calling process, and decides whether the user's scripts may decide.

use std::io::Read;
use taffrail_adapters::{agent_marks, agent_programs};
use taffrail_capture::{look_at, open_own, start_of};
use taffrail_context::Live;
use taffrail_context::Settings;
use taffrail_model::Process;
use taffrail_model::SessionId;
use taffrail_model::caller::{Agents, ProcessInfo, Scripts, Who, agent_above, who};
use toml_edit::DocumentMut;

/// The size limit of a configuration file.
const CONFIG_BYTES: u64 = 1 << 20;
/// The key that lets scripts decide.
pub const SCRIPTS_KEY: &str = "control.scripts";

/// Identifies the process that called this program.
#[must_use]
pub fn own_caller() -> Who {
    let pid = std::process::id();
    let own = start_of(pid).map(|start| Process { pid, start });
    let seen = own.and_then(|it| look_at(it, &agent_marks()));
    seen.map_or_else(Who::unseen, |seen| known(&seen, &|_| false))
}

/// Identifies a process, with the session whose process is its ancestor.
pub fn caller(live: &Live, process: Process) -> (Who, Option<SessionId>) {
    let Some(seen) = look_at(process, &agent_marks()) else { return (Who::unseen(), None) };
    let cards = live.statuses();
    let run_by = |it: Process| cards.iter().find(|(_, card)| card.process == Some(it));
    let who = known(&seen, &|it| run_by(it).is_some());
    let above = above(&seen, &|it| run_by(it).is_some());
    let session = above.and_then(run_by).map(|(session, _)| *session);
    (who, session)
}

fn known(seen: &ProcessInfo, runs_session: &dyn Fn(Process) -> bool) -> Who {
    who(seen, Agents { programs: &agent_programs(), runs_session })
}

fn above(seen: &ProcessInfo, runs_session: &dyn Fn(Process) -> bool) -> Option<Process> {
    let it = agent_above(seen, Agents { programs: &[], runs_session })?;
    Some(Process { pid: it.pid, start: it.start })
}

/// Whether the user lets scripts decide. Read on every use, so that a change counts at once.
#[must_use]
pub fn scripts(settings: &Settings) -> Scripts {
    let mut text = String::new();
    let file = open_own(&settings.config.join("config.toml"));
    // A file that cannot be read, or that others may write, allows nothing.
    file.and_then(|it| it.take(CONFIG_BYTES).read_to_string(&mut text)).ok();
    // Neither does a file that is not TOML.
    let document = text.parse::<DocumentMut>().unwrap_or_default();
    let value = document.get("control").and_then(|it| it.get("scripts"));
    match value.and_then(toml_edit::Item::as_bool) {
        Some(true) => Scripts::Allowed,
        Some(false) | None => Scripts::Refused,
    }
}
