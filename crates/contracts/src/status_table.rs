//! The one table from our statuses and turn endings to the states in documents.

use crate::captured::{AgentSession, Ending};
use crate::vocabulary::{AgentStatus, Outcome, Status as Craft};
use taffrail_model::Lifecycle;
use taffrail_model::status::Status;

/// The role of an agent in its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The agent that a person talks to; it may get another prompt.
    Main,
    /// A sub-agent; it is finished after its turn.
    Worker,
}

/// The status of one agent, in the terms of every document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// `session.state` of a snapshot.
    pub ecc_session: &'static str,
    /// `workers[].state` of a snapshot.
    pub ecc_worker: &'static str,
    /// `status` of a session state.
    pub craft: Craft,
    /// `agents[].status` of a session state.
    pub agent: AgentStatus,
    /// `agents[].result` of a session state.
    pub result: Option<Outcome>,
}

/// What became of an agent's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// There was something to do, and all of it is done.
    pub is_done: bool,
    /// Something is left to do.
    pub is_left: bool,
    /// What the recorded work shows.
    pub shown: Shown,
}

/// What shows whether the work of a turn that ended succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shown {
    /// Nothing that was recorded.
    #[default]
    Nothing,
    /// It succeeded.
    Success,
    /// Its last check or all of its commands failed.
    Failure,
}

/// The status of a captured agent, in the terms of every document.
#[must_use]
pub fn words(session: &AgentSession, role: Role, work: Work) -> Words {
    let asking = session.status == Status::Waiting && session.is_asking();
    let mut words = with_work(session.status, session.ending(), role, work);
    if asking {
        (words.agent, words.result) = (AgentStatus::Running, None);
    }
    if words.result == Some(Outcome::Failure) && session.stopped_at_timeout() {
        (words.agent, words.result) = (AgentStatus::Timeout, Some(Outcome::Timeout));
    }
    if session.lifecycle == Lifecycle::Lost {
        words.ecc_session = "missing";
    }
    words
}

/// The table, corrected by what became of the work: nothing is completed that is not done, and nothing is
/// a success that nothing shows.
#[must_use]
pub fn with_work(status: Status, ending: Ending, role: Role, work: Work) -> Words {
    let has_failed = work.shown == Shown::Failure && ending == Ending::Done;
    let is_alive = matches!(status, Status::Running | Status::Waiting | Status::Idle);
    let mut words = table(status, if has_failed { Ending::Failed } else { ending }, role);
    if has_failed && is_alive {
        words.ecc_worker = worker_state(status, ending, role);
    }
    if words.craft == Craft::Completed && !work.is_done {
        words.craft = Craft::Paused;
    }
    if role == Role::Main && words.ecc_session == "completed" && !work.is_done {
        (words.ecc_session, words.ecc_worker) = ("idle", "idle");
    }
    if role == Role::Main && words.agent == AgentStatus::Completed && work.is_left {
        (words.agent, words.result) = (AgentStatus::Pending, None);
    }
    if words.result == Some(Outcome::Success) && work.shown != Shown::Success {
        words.result = None;
    }
    words
}

/// The table itself.
#[must_use]
pub fn table(status: Status, ending: Ending, role: Role) -> Words {
    let (agent, result) = agent(status, ending);
    Words {
        ecc_session: session_state(status, ending),
        ecc_worker: worker_state(status, ending, role),
        craft: craft_status(status, ending),
        agent,
        result,
    }
}

fn session_state(status: Status, ending: Ending) -> &'static str {
    match (status, ending) {
        (Status::Running | Status::WaitingApproval | Status::Waiting, _) => "active",
        (Status::Exited | Status::Unknown, Ending::Failed) => "failed",
        (Status::Exited, Ending::Done) => "completed",
        (Status::Idle | Status::Exited | Status::Unknown, _) => "idle",
    }
}

fn worker_state(status: Status, ending: Ending, role: Role) -> &'static str {
    match (status, ending, role) {
        (Status::Running, _, _) => "running",
        (Status::WaitingApproval, _, _) => "waiting_approval",
        (_, Ending::Failed, _) => "failed",
        (_, Ending::Done, Role::Worker) | (Status::Exited, Ending::Done, _) => "completed",
        (Status::Waiting, _, _) => "waiting",
        (Status::Idle, _, _) => "idle",
        (Status::Exited, Ending::Nothing, _) => "idle",
        (Status::Exited, Ending::TimedOut, _) => "timeout",
        (Status::Exited, Ending::Open | Ending::BrokenOff, _) => "aborted",
        (Status::Unknown, _, _) => "unknown",
    }
}

fn craft_status(status: Status, ending: Ending) -> Craft {
    match (status, ending) {
        (Status::Running, _) => Craft::InProgress,
        (Status::WaitingApproval | Status::Waiting | Status::Idle, _) => Craft::Paused,
        (Status::Exited | Status::Unknown, Ending::Failed) => Craft::Error,
        (Status::Exited, Ending::Done) => Craft::Completed,
        (Status::Exited, _) => Craft::Aborted,
        (Status::Unknown, _) => Craft::Paused,
    }
}

fn agent(status: Status, ending: Ending) -> (AgentStatus, Option<Outcome>) {
    match (status, ending) {
        (Status::Running | Status::WaitingApproval, _) => (AgentStatus::Running, None),
        (_, Ending::Nothing) => (AgentStatus::Pending, None),
        (_, Ending::Done) => (AgentStatus::Completed, Some(Outcome::Success)),
        (_, Ending::Failed) => (AgentStatus::Error, Some(Outcome::Failure)),
        (_, Ending::BrokenOff) => (AgentStatus::Error, Some(Outcome::Aborted)),
        (_, Ending::TimedOut) => (AgentStatus::Timeout, Some(Outcome::Timeout)),
        (Status::Exited, Ending::Open) => (AgentStatus::Error, Some(Outcome::Aborted)),
        (Status::Waiting | Status::Idle | Status::Unknown, Ending::Open) => {
            (AgentStatus::Running, None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUSES: [Status; 6] = [
        Status::Exited,
        Status::WaitingApproval,
        Status::Running,
        Status::Waiting,
        Status::Idle,
        Status::Unknown,
    ];
    const ENDINGS: [Ending; 6] = [
        Ending::Nothing,
        Ending::Open,
        Ending::Done,
        Ending::Failed,
        Ending::BrokenOff,
        Ending::TimedOut,
    ];

    #[test]
    fn the_table_says_what_a_person_would() {
        let check = |status, ending, expected: [&str; 5]| {
            let it = table(status, ending, Role::Main);
            let result = it.result.as_ref().map_or("-", Outcome::as_str);
            let got = [it.ecc_session, it.ecc_worker, it.craft.as_str(), it.agent.as_str(), result];
            assert_eq!(got, expected, "{status:?} {ending:?}");
        };
        let (exited, unknown) = (Status::Exited, Status::Unknown);
        check(Status::Running, Ending::Open, ["active", "running", "in_progress", "running", "-"]);
        check(
            Status::WaitingApproval,
            Ending::Open,
            ["active", "waiting_approval", "paused", "running", "-"],
        );
        check(
            Status::Waiting,
            Ending::Done,
            ["active", "waiting", "paused", "completed", "success"],
        );
        check(Status::Idle, Ending::Nothing, ["idle", "idle", "paused", "pending", "-"]);
        check(
            exited,
            Ending::Done,
            ["completed", "completed", "completed", "completed", "success"],
        );
        check(exited, Ending::Failed, ["failed", "failed", "error", "error", "failure"]);
        check(exited, Ending::Open, ["idle", "aborted", "aborted", "error", "aborted"]);
        check(exited, Ending::TimedOut, ["idle", "timeout", "aborted", "timeout", "timeout"]);
        check(unknown, Ending::Done, ["idle", "unknown", "paused", "completed", "success"]);
    }

    #[test]
    fn nothing_is_completed_that_is_not_done() {
        let done = Work { is_done: true, shown: Shown::Success, ..Work::default() };
        let left = Work { is_left: true, ..Work::default() };
        let failed = Work { shown: Shown::Failure, ..done };
        let check = |status, work, expected: [&str; 5]| {
            let it = with_work(status, Ending::Done, Role::Main, work);
            let result = it.result.as_ref().map_or("-", Outcome::as_str);
            let got = [it.ecc_session, it.ecc_worker, it.craft.as_str(), it.agent.as_str(), result];
            assert_eq!(got, expected, "{status:?} {work:?}");
        };
        let exited = Status::Exited;
        check(exited, done, ["completed", "completed", "completed", "completed", "success"]);
        check(exited, left, ["idle", "idle", "paused", "pending", "-"]);
        check(exited, Work::default(), ["idle", "idle", "paused", "completed", "-"]);
        let claimed = Work { is_done: true, ..Work::default() };
        check(exited, claimed, ["completed", "completed", "completed", "completed", "-"]);
        check(exited, failed, ["failed", "failed", "error", "error", "failure"]);
        check(Status::Waiting, failed, ["active", "waiting", "paused", "error", "failure"]);
        check(Status::Waiting, left, ["active", "waiting", "paused", "pending", "-"]);
    }

    #[test]
    fn what_runs_has_no_result_and_what_is_done_has_one() {
        for status in STATUSES {
            for ending in ENDINGS {
                for role in [Role::Main, Role::Worker] {
                    let it = table(status, ending, role);
                    let open = matches!(it.agent, AgentStatus::Running | AgentStatus::Pending);
                    assert_eq!(it.result.is_none(), open, "{status:?} {ending:?}");
                    let runs = status == Status::Running;
                    assert_eq!(it.craft == Craft::InProgress, runs, "{status:?} {ending:?}");
                }
            }
        }
    }
}
