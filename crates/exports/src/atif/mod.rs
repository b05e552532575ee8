//! A session as a trajectory of ATIF 1.8, the Agent Trajectory Interchange Format.
//!
//! The format forbids fields that it does not name; what else is recorded goes into `extra`.

mod metrics;
mod shape;
mod step;

pub use shape::{
    Agent, FinalMetrics, Metrics, Observation, ObservationResult, Source, Step, SubagentRef,
    ToolCall, Trajectory,
};

use crate::Recorded;
use crate::conversation::{Answer, parts};
use metrics::final_metrics;
use serde_json::{Map, Value};
use std::collections::HashSet;
use step::step;
use taffrail_model::{Kind, SessionId};

/// The version of the format.
pub const SCHEMA_VERSION: &str = "ATIF-v1.8";
/// The version of an agent that recorded none: the format asks for a text.
const UNKNOWN_VERSION: &str = "unknown";

/// The trajectory of a session with its sub-agents; `None` if the session says nothing.
#[must_use]
pub fn trajectory(session: &Recorded) -> Option<Trajectory> {
    let workers: Vec<Trajectory> = session.workers.iter().filter_map(trajectory).collect();
    let embedded: HashSet<SessionId> = session
        .workers
        .iter()
        .filter(|worker| workers.iter().any(|it| it.trajectory_id == worker.id.to_string()))
        .map(|worker| worker.id)
        .collect();
    let numbered = (1..).zip(parts(session));
    let steps: Vec<Step> = numbered.map(|(number, it)| step(number, &it, &embedded)).collect();
    if steps.is_empty() {
        return None;
    }
    Some(Trajectory {
        schema_version: SCHEMA_VERSION,
        session_id: session.runtime_id.as_str().to_owned(),
        trajectory_id: session.id.to_string(),
        agent: agent(session),
        notes: notes(session),
        final_metrics: final_metrics(session, steps.len()),
        steps,
        subagent_trajectories: workers,
        extra: extra(session),
    })
}

fn agent(session: &Recorded) -> Agent {
    let version = session.agent_version.clone();
    Agent {
        name: session.agent.as_str().to_owned(),
        version: version.unwrap_or_else(|| UNKNOWN_VERSION.to_owned()),
        model_name: session.model.clone(),
    }
}

/// Says which answers the totals count and no step has.
fn notes(session: &Recorded) -> Option<String> {
    let timeless = session.answers.iter().filter(|it| it.at.is_none()).count();
    let text = "model answers are recorded without a time: final_metrics counts them, no step does";
    (timeless > 0).then(|| format!("{timeless} {text}"))
}

fn extra(session: &Recorded) -> Map<String, Value> {
    let known = [
        ("title", &session.title),
        ("project_path", &session.project_path),
        ("git_branch", &session.git_branch),
    ];
    let known = known.into_iter().filter_map(|(name, value)| Some((name, value.clone()?)));
    known.map(|(name, value)| (name.to_owned(), value.into())).collect()
}

/// The pieces of a kind as one text.
fn joined(answer: &Answer<'_>, kind: &Kind) -> String {
    answer.texts(kind).join("\n\n")
}
