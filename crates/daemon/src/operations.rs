//! Attempts to get an executor for a session: recorded as operations, and read back.

use crate::DaemonError;
use taffrail_api::{
    OperationFailure, OperationRow, Operations, ResumeReply, ResumeState, SCHEMA_VERSION,
};
use taffrail_capture::lives;
use taffrail_context::{Settings, Target};
use taffrail_model::{Process, Timestamp, journal};
use taffrail_query::bindings::followed;
use taffrail_query::resolve::resolve;
use taffrail_store::{ACQUIRE_EXECUTOR, LEASE_SECONDS, Ledger, Operation, SessionRow};

/// The attempts to get an executor for a session.
///
/// # Errors
/// When the session cannot be found, or the ledger cannot be read.
pub fn operations(settings: &Settings, target: &Target) -> Result<Operations, DaemonError> {
    let meant = Target::Id(followed(settings, target)?.id.to_string());
    let row = resolve(settings, &meant)?;
    let found = match Ledger::open_read_only(&settings.data)? {
        Some(ledger) => ledger.operations(row.id)?,
        None => Vec::new(),
    };
    let now = (settings.now)();
    let operations = found.into_iter().map(|it| told(&row, it, (now, &lives))).collect();
    let session_id = row.id.to_string();
    Ok(Operations { schema_version: SCHEMA_VERSION, session_id, operations })
}

fn told(
    row: &SessionRow,
    it: Operation,
    (now, lives): (Timestamp, &dyn Fn(Process) -> bool),
) -> OperationRow {
    let state = state_of(&it, (now, lives)).to_owned();
    let (strategy, via, failure) = match it.strategy.as_str() {
        LIVE => ("live_executor", None, "already_running"),
        NONE => ("none", None, "unsupported"),
        place => ("native_resume", Some(place.to_owned()), "start_failed"),
    };
    let failed = |message| OperationFailure { kind: failure.to_owned(), message };
    let (result, failure) = match it.state == "failed" {
        true => (None, it.result.map(failed)),
        false => (it.result, None),
    };
    let uri = Some(row.source_uri.clone()).filter(|it| !it.is_empty() && !journal::is_locator(it));
    OperationRow {
        id: it.id,
        kind: it.kind,
        strategy: strategy.to_owned(),
        via,
        state,
        peer_id: result.clone(),
        result,
        failure,
        began_at: it.began_at,
        pid: it.process.map(|it| it.pid),
        repowire_session_id: row.id,
        runtime_session_id: row.runtime_id.to_string(),
        runtime_source_uri: uri,
    }
}

/// The state of an attempt. One whose process ended before it recorded anything has no known end.
fn state_of<'a>(it: &'a Operation, (now, lives): (Timestamp, &dyn Fn(Process) -> bool)) -> &'a str {
    let is_under_way = match it.process {
        Some(process) => lives(process),
        None => it.began_at.as_second().saturating_add(LEASE_SECONDS) > now.as_second(),
    };
    if it.state == "running" && !is_under_way { "unknown" } else { &it.state }
}

/// An executor runs the session already.
const LIVE: &str = "live";
/// Nothing can run the session.
const NONE: &str = "none";

/// Records an attempt that was refused because of the session's state.
///
/// # Errors
/// When the session cannot be found, or the ledger cannot be written.
pub(crate) fn note_refused(settings: &Settings, reply: &ResumeReply) -> Result<(), DaemonError> {
    let session = resolve(settings, &Target::Id(reply.session_id.clone()))?.id;
    let strategy = match reply.state {
        ResumeState::ActiveExecutor => LIVE,
        ResumeState::ResumeAvailable | ResumeState::Unsupported => NONE,
    };
    let mut ledger = Ledger::open(&settings.data, &settings.new_device)?;
    let tried = (ACQUIRE_EXECUTOR, strategy);
    Ok(ledger.note_refused(session, tried, ((settings.now)(), &reply.reason))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_whose_process_is_over_is_not_running_for_ever() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let process = Some(Process { pid: 7, start: 1 });
        let check = |state: &str, process, now: i64, is_alive: bool, expected: &str| {
            let it = Operation {
                id: 1,
                kind: ACQUIRE_EXECUTOR.to_owned(),
                strategy: "terminal".to_owned(),
                began_at: at(100),
                state: state.to_owned(),
                result: None,
                process,
            };
            let lives = |_: Process| is_alive;
            assert_eq!(state_of(&it, (at(now), &lives)), expected, "{state} at {now}");
        };
        check("running", process, 900, true, "running");
        check("running", process, 101, false, "unknown");
        check("running", None, 101, false, "running");
        check("running", None, 100 + LEASE_SECONDS, false, "unknown");
        check("done", process, 900, false, "done");
        check("failed", None, 900, false, "failed");
    }
}
