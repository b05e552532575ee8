//! A plan and a state convert into each other.

use super::*;
use crate::{Strictness, find, validate};
use proptest::prelude::*;

const HERE: Place<'static> = Place { project: "/w/app", device: "desk" };

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

fn status() -> impl Strategy<Value = TaskStatus> {
    prop_oneof![
        Just(TaskStatus::Pending),
        Just(TaskStatus::InProgress),
        Just(TaskStatus::Completed),
        Just(TaskStatus::Blocked),
    ]
}

fn task() -> impl Strategy<Value = Task> {
    let when = || prop::option::of((0i64..9_000).prop_map(at));
    let words = (".{0,20}", "[a-z]{1,3}|unassigned", prop::collection::vec("[a-z/.]{1,9}", 0..3));
    (words, status(), when(), when()).prop_map(|(words, status, started_at, completed_at)| {
        let (description, agent, artifacts) = words;
        let task = Task::new("t", &description, &agent);
        Task { status, started_at, completed_at, artifacts, ..task }
    })
}

fn work() -> impl Strategy<Value = FeatureWork> {
    let phases = prop::collection::vec((".{0,9}", prop::collection::vec(task(), 0..4)), 0..4);
    let feature = [FeatureStatus::Active, FeatureStatus::Paused, FeatureStatus::Completed];
    let feature = prop::sample::select(feature.to_vec());
    (phases, (".{1,20}", ".{0,30}"), feature, 0i64..9_000).prop_map(
        |(phases, (name, description), status, second)| {
            let phase = |(number, (name, tasks)): (usize, (String, Vec<Task>))| Phase {
                phase_id: format!("p{number}"),
                name,
                tasks: numbered(number, tasks),
            };
            let phases: Vec<_> = phases.into_iter().enumerate().map(phase).collect();
            let feature = PlanFeature {
                id: "a-2026-11-15".to_owned(),
                name,
                description,
                created_at: at(second),
            };
            let plan = Plan { feature, phases };
            let active_task = plan.tasks().next().map(|it| it.task_id.clone());
            let current_state =
                Current { active_task, model_in_use: Model::Gemini, started_at: at(second) };
            FeatureWork { plan, current_state, last_updated: at(second + 60), status }
        },
    )
}

fn numbered(phase: usize, tasks: Vec<Task>) -> Vec<Task> {
    let with_id = |(number, task)| Task { task_id: format!("t{phase}-{number}"), ..task };
    tasks.into_iter().enumerate().map(with_id).collect()
}

/// A state of another tool, with these lists.
fn state(goal: &str, (done, open): (Vec<String>, Vec<String>), status: &str) -> State {
    serde_json::from_value(json!({
        "schema_version": "1.0.0", "session_id": "5f2d9c1e-7a34-4b60-9d18-c0ffee000001",
        "created_at": "2026-02-03T08:00:00.000Z", "updated_at": "2026-02-03T09:00:00.000Z",
        "device": "attic", "project": "/w/kiln", "goal": goal, "mode": "default",
        "status": status, "progress": 0.4, "agents": [], "completed_work": done,
        "pending_tasks": open, "files_modified": [], "context_usage": {},
        "teleportation": {"enabled": false, "storage_backend": "local", "encrypted": false},
    }))
    .unwrap()
}

fn is_valid(state: &State) -> Vec<crate::Fault> {
    let contract = find("state").unwrap();
    validate(contract, &json!(state), Strictness::Strict).faults
}

proptest! {
    #[test]
    fn a_plan_comes_back_from_a_state_exactly(work in work()) {
        let state = state_of(&work, HERE);
        prop_assert_eq!(is_valid(&state), []);
        // Through its text, as a file carries it.
        let read: State = serde_json::from_str(&json!(state).to_string()).unwrap();
        prop_assert_eq!(work_of(&read, Model::Opus), Some(work));
    }

    #[test]
    fn a_state_comes_back_from_a_plan_in_what_both_can_say(
        goal in "[a-z].{0,40}",
        done in prop::collection::vec(".{1,12}", 0..5),
        open in prop::collection::vec(".{1,12}", 0..5),
        status in prop::sample::select(vec!["in_progress", "paused", "completed"]),
    ) {
        let before = state(&goal, (done, open), status);
        let work = work_of(&before, Model::Opus).unwrap();
        let after = state_of(&work, HERE);
        prop_assert_eq!(is_valid(&after), []);
        let said = |it: &State| {
            (it.goal.clone(), it.created_at.clone(), it.completed_work.clone(), it.pending_tasks.clone())
        };
        prop_assert_eq!(said(&after), said(&before));
        let is_contradiction = status == "completed" && !before.pending_tasks.is_empty();
        if !is_contradiction {
            prop_assert_eq!(&after.status, &before.status);
        }
    }
}

#[test]
fn a_task_that_another_tool_finished_is_finished_in_the_plan() {
    let before = state("Fire the kiln", (vec![], vec!["damper".into(), "heat".into()]), "paused");
    let work = work_of(&before, Model::Opus).unwrap();
    let mut moved = state_of(&work, HERE);
    moved.completed_work = vec!["damper".to_owned()];
    moved.pending_tasks = vec!["heat".to_owned(), "cones".to_owned()];
    moved.status = Status::InProgress;
    let work = work_of(&moved, Model::Opus).unwrap();
    let tasks: Vec<_> =
        work.plan.tasks().map(|it| (it.task_id.as_str(), text(it), it.status.as_str())).collect();
    let expected =
        [("t1", "damper", "completed"), ("t2", "heat", "pending"), ("t1x", "cones", "pending")];
    assert_eq!((tasks.as_slice(), work.status), (&expected[..], FeatureStatus::Active));
}

#[test]
fn a_goal_without_a_letter_has_no_feature() {
    assert_eq!(work_of(&state("漢字", (vec![], vec![]), "paused"), Model::Opus), None);
}
