//! Where the files of a session go on another machine: Codex finds a rollout by its thread's id
//! below `sessions`, whatever the thread's working folder. The resume command names that folder.

use super::ADAPTER;
use taffrail_kit::transfer::is_plain_path;
use taffrail_kit::{Adapter, Destination, PlacementError, TransferPlan};

pub(super) static PLAN: TransferPlan =
    TransferPlan { beside: |_| None, needs_origin: true, bookkeeping: &[], rehome };

fn rehome(path: &str, _: Destination<'_>) -> Result<String, PlacementError> {
    if ADAPTER.place(path).is_none() || !is_plain_path(path) {
        return Err(PlacementError::NotOfSession);
    }
    // Codex does not resume an archived rollout: it goes back to the folder of its date.
    let Some(file) = path.strip_prefix("archived_sessions/") else { return Ok(path.to_owned()) };
    let date = file.strip_prefix("rollout-").and_then(|it| it.get(..10));
    let date = date.map(|it| it.replace('-', "/")).filter(|it| is_date(it));
    let date = date.ok_or(PlacementError::NotOfSession)?;
    Ok(format!("sessions/{date}/{file}"))
}

fn is_date(folder: &str) -> bool {
    let lengths = folder.split('/').map(str::len);
    lengths.eq([4, 2, 2]) && folder.bytes().all(|it| it == b'/' || it.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rollout_stays_where_it_is_and_an_archived_one_comes_back() {
        let check = |path: &str, expected: Result<&str, PlacementError>| {
            let file = "rollout-2026-11-14T23-00-38-01a1dc4a-98ab-7a52-8833-052a06111408.jsonl";
            let got = rehome(&path.replace('@', file), Destination { session: "x", project: "/h" });
            assert_eq!(got, expected.map(|it| it.replace('@', file)), "{path}");
        };
        check("sessions/2026/11/14/@", Ok("sessions/2026/11/14/@"));
        check("archived_sessions/@", Ok("sessions/2026/11/14/@"));
        check("sessions/2026/11/../@", Err(PlacementError::NotOfSession));
        check("config.toml", Err(PlacementError::NotOfSession));
        check("sessions/2026/11/14/x.jsonl", Err(PlacementError::NotOfSession));
    }
}
