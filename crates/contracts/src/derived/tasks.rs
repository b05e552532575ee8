//! What a session has done and what it has left to do: its to-do list, else what was asked in its
//! turns, and what its last answer leaves open.

use super::calls::Call;
use super::goal::task_in;
use super::open_points::{OpenPoints, open_points};
use super::plan::plan;
use crate::captured::{AgentSession, Ending};
use crate::prose::first_sentences;
use taffrail_model::turn::TurnStatus;

/// The most requests that are listed.
const MOST: usize = 50;

/// Done and open work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tasks {
    /// Completed items.
    pub done: Vec<String>,
    /// Open items.
    pub open: Vec<String>,
    /// What the items come from: `plan`, `turns` or `none`.
    pub from: &'static str,
}

impl Tasks {
    /// The completed part, from 0 to 1: 0 if there is nothing to do.
    #[must_use]
    pub fn progress(&self) -> f64 {
        let all = self.done.len() + self.open.len();
        if all == 0 { 0.0 } else { self.done.len() as f64 / all as f64 }
    }

    /// Whether there was something to do, and all of it is done.
    #[must_use]
    pub fn are_done(&self) -> bool {
        !self.done.is_empty() && self.open.is_empty()
    }
}

/// The tasks of a session.
#[must_use]
pub fn tasks(session: &AgentSession, calls: &[Call<'_>]) -> Tasks {
    let mut out = match plan(calls) {
        Some(plan) => Tasks { done: plan.done, open: plan.open, from: "plan" },
        None => asked(session),
    };
    for point in answered_points(session).left {
        if !out.open.contains(&point) && !out.done.contains(&point) {
            out.open.push(point);
        }
    }
    out
}

/// The open points of the last answer, if it is the end of its turn.
#[must_use]
pub fn answered_points(session: &AgentSession) -> OpenPoints {
    let answer = session.last_answer().filter(|_| session.ending() == Ending::Done);
    answer.map(open_points).unwrap_or_default()
}

/// What was asked: done if its turn ended, open if it is the last and did not. A prompt that only
/// continues belongs to the request before it.
fn asked(session: &AgentSession) -> Tasks {
    let mut done: Vec<String> = Vec::new();
    let mut latest: Option<String> = None;
    for turn in &session.turns {
        let task = task_in(&turn.prompt).map(|it| first_sentences(&it, 1));
        latest = task.or(latest);
        let ended = latest.clone().filter(|_| turn.status == TurnStatus::Completed);
        if let Some(task) = ended.filter(|it| !done.contains(it)) {
            done.push(task);
        }
    }
    let is_open = !matches!(session.ending(), Ending::Done | Ending::Nothing);
    let open: Vec<String> = latest.filter(|_| is_open).into_iter().collect();
    done.retain(|it| !open.contains(it));
    let from = if done.is_empty() && open.is_empty() { "none" } else { "turns" };
    let done = done.split_off(done.len().saturating_sub(MOST));
    Tasks { done, open, from }
}
