//! Replays a history: the state, our part of the plan, and the status of the feature.

use super::change::{Change, Current, What};
use super::documents::{HistoryLine, Phase, Plan, Task};
use super::moves::{FeatureStatus, TaskStatus};
use taffrail_model::Timestamp;

/// The result of a replay.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Replayed {
    /// The state; `None` if the history is empty.
    pub current: Option<Current>,
    /// The timestamp of the last change, or of the last line if no line has a change.
    pub last_updated: Option<Timestamp>,
    /// The plan; `None` if its creation is not in the history.
    pub plan: Option<Plan>,
    /// The status of the feature; `None` if no line sets it.
    pub status: Option<FeatureStatus>,
}

/// Replays a history. Lines without a change only count if no line has one: then their own fields
/// are the best source.
#[must_use]
pub fn replay<'l>(lines: impl IntoIterator<Item = &'l HistoryLine>) -> Replayed {
    let (mut known, mut guessed) = (Replayed::default(), Replayed::default());
    for line in lines {
        match &line.change {
            Some(change) => hear(&mut known, line.timestamp, change),
            None => guess(&mut guessed, line),
        }
    }
    if known.current.is_some() { known } else { guessed }
}

fn hear(to: &mut Replayed, at: Timestamp, change: &Change) {
    to.current = Some(change.state.clone());
    to.last_updated = to.last_updated.max(Some(at));
    match &change.what {
        What::Created { feature } => {
            to.plan = Some(Plan { feature: feature.clone(), phases: Vec::new() });
            to.status = Some(FeatureStatus::Active);
        }
        What::TaskAdded { phase_id, phase_name, task } => {
            if let Some(plan) = &mut to.plan {
                add(plan, (phase_id, phase_name), task);
            }
        }
        What::TaskMoved { task_id, status, started_at, completed_at, artifacts } => {
            let tasks = to.plan.iter_mut().flat_map(|plan| &mut plan.phases);
            let tasks = tasks.flat_map(|phase| &mut phase.tasks);
            for task in tasks.filter(|task| task.task_id == *task_id) {
                (task.status, task.started_at, task.completed_at) =
                    (*status, *started_at, *completed_at);
                let new = artifacts.iter().filter(|it| !task.artifacts.contains(it));
                let new: Vec<_> = new.cloned().collect();
                task.artifacts.extend(new);
            }
        }
        What::FeatureMoved { status } => to.status = Some(*status),
        What::Model | What::Observed => {}
    }
}

fn add(plan: &mut Plan, (id, name): (&str, &str), task: &Task) {
    if plan.task(&task.task_id).is_some() {
        return;
    }
    match plan.phases.iter_mut().find(|phase| phase.phase_id == id) {
        Some(phase) => phase.tasks.push(task.clone()),
        None => plan.phases.push(Phase {
            phase_id: id.to_owned(),
            name: name.to_owned(),
            tasks: vec![task.clone()],
        }),
    }
}

fn guess(to: &mut Replayed, line: &HistoryLine) {
    let began = to.current.as_ref().map_or(line.timestamp, |it| it.started_at.min(line.timestamp));
    to.current = Some(Current {
        active_task: line.task_id.clone(),
        model_in_use: line.model,
        started_at: began,
    });
    to.last_updated = to.last_updated.max(Some(line.timestamp));
}

impl Task {
    /// A task that was not started.
    #[must_use]
    pub fn new(id: &str, description: &str, agent: &str) -> Self {
        Self {
            task_id: id.to_owned(),
            description: description.to_owned(),
            agent: agent.to_owned(),
            status: TaskStatus::Pending,
            started_at: None,
            completed_at: None,
            artifacts: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ai_session::{Model, Outcome, PlanFeature};
    use proptest::prelude::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    fn line(second: i64, model: Model, task: Option<&str>, what: Option<What>) -> HistoryLine {
        let active_task = task.map(str::to_owned);
        let state =
            Current { active_task: active_task.clone(), model_in_use: model, started_at: at(0) };
        HistoryLine {
            timestamp: at(second),
            command: "c".to_owned(),
            arguments: String::new(),
            model,
            agent: "a".to_owned(),
            task_id: active_task,
            status: Outcome::Success,
            duration_ms: 0,
            error: None,
            change: what.map(|what| Change { what, state }),
        }
    }

    fn created() -> What {
        let (id, name) = ("x-2026-11-15".to_owned(), "X".to_owned());
        What::Created {
            feature: PlanFeature { id, name, description: String::new(), created_at: at(0) },
        }
    }

    fn added(id: &str) -> What {
        let (phase_id, phase_name) = ("p".to_owned(), "P".to_owned());
        What::TaskAdded { phase_id, phase_name, task: Task::new(id, "d", "a") }
    }

    fn moved(id: &str, status: TaskStatus) -> What {
        let (started_at, artifacts) = (Some(at(3)), vec!["f".to_owned()]);
        What::TaskMoved {
            task_id: id.to_owned(),
            status,
            started_at,
            completed_at: None,
            artifacts,
        }
    }

    #[test]
    fn the_last_change_is_the_state_and_other_lines_are_not() {
        let lines = [
            line(1, Model::Opus, None, Some(created())),
            line(2, Model::Opus, None, Some(added("t"))),
            line(3, Model::Opus, Some("t"), Some(moved("t", TaskStatus::InProgress))),
            line(4, Model::Gemini, Some("other"), None),
        ];
        let replayed = replay(&lines);
        let current = replayed.current.unwrap();
        assert_eq!(
            (current.active_task.as_deref(), current.model_in_use),
            (Some("t"), Model::Opus)
        );
        assert_eq!(
            (replayed.last_updated, replayed.status),
            (Some(at(3)), Some(FeatureStatus::Active))
        );
        let plan = replayed.plan.unwrap();
        let expected = Task {
            status: TaskStatus::InProgress,
            started_at: Some(at(3)),
            artifacts: vec!["f".to_owned()],
            ..Task::new("t", "d", "a")
        };
        assert_eq!(plan.tasks().collect::<Vec<_>>(), [&expected]);
    }

    #[test]
    fn a_history_of_others_says_what_it_can() {
        let lines = [line(5, Model::Opus, None, None), line(3, Model::Sonnet, Some("t"), None)];
        let replayed = replay(&lines);
        let current = Current {
            active_task: Some("t".to_owned()),
            model_in_use: Model::Sonnet,
            started_at: at(3),
        };
        let (current, last_updated) = (Some(current), Some(at(5)));
        assert_eq!(replayed, Replayed { current, last_updated, ..Replayed::default() });
        assert_eq!(replay(&[]), Replayed::default());
    }

    proptest! {
        #[test]
        fn a_change_heard_twice_is_heard_once(picks in proptest::collection::vec(0_usize..6, 0..20)) {
            let of = |(second, pick): (usize, &usize)| {
                let what = match pick {
                    0 => added("a"),
                    1 => added("b"),
                    2 => moved("a", TaskStatus::Blocked),
                    3 => moved("b", TaskStatus::InProgress),
                    4 => What::FeatureMoved { status: FeatureStatus::Paused },
                    _ => What::Model,
                };
                line(i64::try_from(second).unwrap() + 1, Model::Opus, None, Some(what))
            };
            let first = std::iter::once(line(0, Model::Opus, None, Some(created())));
            let lines: Vec<_> = first.chain(picks.iter().enumerate().map(of)).collect();
            let twice: Vec<_> = lines.iter().flat_map(|it| [it.clone(), it.clone()]).collect();
            prop_assert_eq!(replay(&lines), replay(&twice));
        }
    }
}
