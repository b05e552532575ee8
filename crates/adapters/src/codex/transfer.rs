//! Where the files of a session go on another machine: Codex finds a rollout by its thread's id
//! below `sessions`, whatever the thread's working folder. The resume command names that folder.

use super::name::RolloutName;
use super::{is_date, shelf};
use taffrail_kit::transfer::is_plain_path;
use taffrail_kit::{Destination, PlacementError, TransferPlan};

pub(super) static PLAN: TransferPlan =
    TransferPlan { beside: |_| None, needs_origin: true, bookkeeping: &[], rehome };

fn rehome(path: &str, _: Destination<'_>) -> Result<String, PlacementError> {
    let (folder, file) = path.rsplit_once('/').ok_or(PlacementError::NotOfSession)?;
    let is_rollout = RolloutName::parse(file).is_some() && shelf(folder).is_some();
    if !is_rollout || !is_plain_path(path) {
        return Err(PlacementError::NotOfSession);
    }
    if folder.starts_with("sessions/") {
        return Ok(path.to_owned());
    }
    // Codex does not resume an archived rollout: it goes back to the folder of its date.
    let date = file.strip_prefix("rollout-").and_then(|it| it.get(..10));
    let date = date.map(|it| it.replace('-', "/")).filter(|it| is_date(it));
    let date = date.ok_or(PlacementError::NotOfSession)?;
    Ok(format!("sessions/{date}/{file}"))
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
