//! A daemon of another version than this program: noticed by every command that needs a daemon, and
//! restarted if it is older and nothing waits in it.

use super::super::Context;
use super::{RunArgs, place, restarted};
use crate::error::CliError;
use crate::output::say;
use std::cmp::Ordering;
use taffrail_api::client::Client;
use taffrail_api::{Approvals, ErrorKind};
use taffrail_model::approval::State;

const OWN: &str = env!("CARGO_PKG_VERSION");

/// What to do about a daemon that runs.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    Use,
    Restart,
    /// Use it, and say why it was left alone.
    Warn(String),
}

/// The daemon in this program's version, if it can be had without harm; else the one that runs.
pub(super) fn current(client: &Client, context: &Context) -> Result<Client, CliError> {
    let Some(version) = place(context).map(|it| it.version) else { return Ok(client.clone()) };
    match step(&version, OWN, || is_waiting(client)) {
        Step::Use => Ok(client.clone()),
        Step::Warn(why) => {
            say(&why);
            Ok(client.clone())
        }
        Step::Restart => {
            say(&format!("the daemon runs version {version}; restarting it as version {OWN}"));
            restarted(&RunArgs::default(), context).or_else(|error| kept(client, error))
        }
    }
}

/// The daemon that runs, where this caller may not restart it.
fn kept(client: &Client, error: CliError) -> Result<Client, CliError> {
    if error.kind != ErrorKind::Refused {
        return Err(error);
    }
    say(&format!("the daemon was not restarted: {}", error.message));
    Ok(client.clone())
}

/// Whether an agent waits for an answer through this daemon, or may: a daemon that does not say is
/// left alone.
fn is_waiting(client: &Client) -> bool {
    let open = client.get::<Approvals>("/api/approvals");
    !open.is_ok_and(|it| it.approvals.iter().all(|it| it.state != State::Pending))
}

fn step(daemon: &str, own: &str, is_waiting: impl Fn() -> bool) -> Step {
    let because = |why: &str| {
        Step::Warn(format!(
            "the daemon runs version {daemon}, this program is version {own}; {why}"
        ))
    };
    match (daemon == own, compared(daemon, own)) {
        (true, _) => Step::Use,
        (_, Some(Ordering::Less)) if is_waiting() => because(
            "an agent may wait for an answer, so restart it afterwards: taffrail daemon restart",
        ),
        (_, Some(Ordering::Less)) => Step::Restart,
        (_, Some(Ordering::Greater)) => because("upgrade this program: taffrail upgrade --check"),
        _ => because("to restart it: taffrail daemon restart"),
    }
}

/// The order of two releases; unknown where a version is not three numbers.
fn compared(one: &str, other: &str) -> Option<Ordering> {
    Some(release(one)?.cmp(&release(other)?))
}

fn release(version: &str) -> Option<[u64; 3]> {
    let numbers: Result<Vec<_>, _> = version.split('.').map(str::parse).collect();
    numbers.ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_daemon_is_restarted_unless_an_agent_waits_in_it() {
        let warned = |it: &Step, why: &str| matches!(it, Step::Warn(text) if text.contains(why));
        let waiting = |is: bool| move || is;
        assert_eq!(step("0.1.0", "0.1.0", waiting(true)), Step::Use);
        assert_eq!(step("0.1.0", "0.2.0", waiting(false)), Step::Restart);
        assert_eq!(step("0.9.0", "0.10.0", waiting(false)), Step::Restart);
        assert!(warned(&step("0.1.0", "0.2.0", waiting(true)), "an agent may wait"));
        assert!(warned(&step("0.3.0", "0.2.0", waiting(false)), "upgrade this program"));
        assert!(warned(&step("0.2.0-rc.1", "0.2.0", waiting(false)), "daemon restart"));
    }
}
