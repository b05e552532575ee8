//! Changes follow the table of transitions, and nothing else.

use crate::directory::kit::{ID, Project, change, invocation, now, refusal, task};
use taffrail_contracts::ai_session::{
    FeatureMove, FeatureStatus, HistoryLine, Model, Outcome, TaskMove, TaskStatus,
};
use taffrail_model::Timestamp;
use taffrail_workspace::{Directory, TaskChange, WorkError};

fn go(project: &Project, id: &str, made: TaskMove) -> Result<TaskStatus, WorkError> {
    project.with(|it| it.move_task(&change(id, made), &invocation()))
}

fn active(project: &Project) -> Option<String> {
    project.with(|it| Ok(it.state.current.active_task.clone())).unwrap()
}

#[test]
fn a_task_goes_its_way() {
    let project = Project::at_work();
    assert_eq!(active(&project).as_deref(), Some("t1"));
    let again = refusal(go(&project, "t1", TaskMove::Start));
    assert_eq!(again, "task t1 is in_progress: `start` is not a valid transition from there");
    assert_eq!(go(&project, "t1", TaskMove::Block).unwrap(), TaskStatus::Blocked);
    assert_eq!(active(&project), None);
    assert_eq!(go(&project, "t1", TaskMove::Unblock).unwrap(), TaskStatus::Pending);
    go(&project, "t1", TaskMove::Start).unwrap();
    go(&project, "t2", TaskMove::Start).unwrap();
    assert_eq!(active(&project).as_deref(), Some("t2"), "the last one that was started");
    go(&project, "t1", TaskMove::Done).unwrap();
    assert_eq!(active(&project).as_deref(), Some("t2"), "another one was done");
    let done = TaskChange { artifacts: vec!["a.rs".to_owned()], ..change("t2", TaskMove::Done) };
    project.with(|it| it.move_task(&done, &invocation())).unwrap();
    let plan = project.with(|it| it.plan()).unwrap();
    let told: Vec<_> = plan.tasks().map(|it| (it.status, it.artifacts.join(","))).collect();
    assert_eq!(
        told,
        [(TaskStatus::Completed, String::new()), (TaskStatus::Completed, "a.rs".to_owned())]
    );
    assert!(plan.tasks().all(|it| it.started_at < it.completed_at));
    assert_eq!(project.check(), [""; 0]);
}

#[test]
fn a_plan_holds_an_id_once() {
    let project = Project::at_work();
    let before = project.files();
    assert_eq!(
        refusal(project.with(|it| it.add_task(&task("t1"), &invocation()))),
        "there is already a task t1"
    );
    assert!(
        refusal(project.with(|it| it.add_task(&task(" "), &invocation())))
            .starts_with("a task's id is one line")
    );
    assert_eq!(refusal(go(&project, "t9", TaskMove::Start)), "there is no task t9 in the plan");
    assert_eq!(project.files(), before, "what is refused leaves no trace");
}

#[test]
fn a_feature_goes_its_way() {
    let project = Project::at_work();
    let go_on = |made| project.with(|it| it.move_to(made, &invocation()));
    assert!(refusal(go_on(FeatureMove::Resume)).contains("`resume` is not a valid transition"));
    assert_eq!(go_on(FeatureMove::Pause).unwrap(), FeatureStatus::Paused);
    let resting = "the feature dark-mode-2026-11-15 is paused, not active";
    assert_eq!(refusal(go(&project, "t1", TaskMove::Done)), resting);
    assert_eq!(refusal(project.with(|it| it.use_model(Model::Sonnet, &invocation()))), resting);
    assert!(
        refusal(project.open().archive(ID, &invocation()))
            .contains("only a completed one is archived")
    );
    assert_eq!(go_on(FeatureMove::Resume).unwrap(), FeatureStatus::Active);
    let at_work = refusal(go_on(FeatureMove::Complete));
    assert!(at_work.starts_with("task t1 of the feature dark-mode-2026-11-15 is in_progress"));
    go(&project, "t1", TaskMove::Block).unwrap();
    assert_eq!(go_on(FeatureMove::Complete).unwrap(), FeatureStatus::Completed);
    assert!(refusal(go_on(FeatureMove::Resume)).contains("`resume` is not a valid transition"));
    assert_eq!(project.check(), [""; 0]);
}

#[test]
fn what_is_archived_is_kept() {
    let project = Project::at_work();
    go(&project, "t1", TaskMove::Done).unwrap();
    project.with(|it| it.move_to(FeatureMove::Complete, &invocation())).unwrap();
    let before = project.text("state.yaml");
    let list = std::fs::read(project.outer("active-features.yaml")).unwrap();
    project.open().archive(ID, &invocation()).unwrap();
    assert_eq!(
        std::fs::read_to_string(project.outer(".archive").join(ID).join("state.yaml")).unwrap(),
        before
    );
    assert_eq!(project.open().overview().unwrap(), []);
    assert_eq!(project.check(), [""; 0]);
    // A kill before the list was written.
    std::fs::write(project.outer("active-features.yaml"), list).unwrap();
    assert_eq!(project.open().overview().unwrap(), []);
    assert!(refusal(project.make("Dark mode")).starts_with("there is already"));
}

#[test]
fn a_log_changes_neither_model_nor_task() {
    let project = Project::at_work();
    let (before, state) = (project.current(), project.state());
    let line = HistoryLine {
        timestamp: Timestamp::UNIX_EPOCH,
        command: "c".to_owned(),
        arguments: String::new(),
        model: Model::Gemini,
        agent: "a9".to_owned(),
        task_id: None,
        status: Outcome::Failure,
        duration_ms: 7,
        error: Some("why".to_owned()),
        change: None,
    };
    let logged = project.with(|it| it.log(line.clone())).unwrap();
    assert!(logged.timestamp > now());
    assert_eq!((project.current(), project.state()), (before, state));
    assert_eq!(project.with(|it| it.history()).unwrap().last(), Some(&logged));
}

fn last_active(project: &Project) -> Timestamp {
    project.open().overview().unwrap()[0].listed.last_active
}

#[test]
fn a_line_of_history_is_activity() {
    let project = Project::at_work();
    let before = last_active(&project);
    let line = project.with(|it| it.history()).unwrap().pop().unwrap();
    let logged = project.with(|it| it.log(line)).unwrap();
    assert!(before < logged.timestamp);
    assert_eq!(last_active(&project), logged.timestamp);
    assert_eq!(project.check(), [""; 0]);
}

/// An agent could log while people resolve a merge, and still can.
#[test]
fn a_list_amid_a_merge_does_not_stop_a_log() {
    let project = Project::at_work();
    let line = project.with(|it| it.history()).unwrap().pop().unwrap();
    let merge = "<<<<<<< HEAD\nactive_features: []\n";
    std::fs::write(project.outer("active-features.yaml"), merge).unwrap();
    project.open().feature(ID).unwrap().log(line).unwrap();
    assert_eq!(std::fs::read_to_string(project.outer("active-features.yaml")).unwrap(), merge);
}

#[test]
fn a_line_has_the_time_that_its_command_took() {
    let project = Project::new();
    let began = "2026-11-15T11:59:58.5Z".parse().unwrap();
    let slow = taffrail_workspace::Invocation { began, ..invocation() };
    project.with(|it| it.use_model(Model::Sonnet, &slow)).unwrap();
    project.with(|it| it.move_to(FeatureMove::Complete, &slow)).unwrap();
    project.open().log_failure(ID, &slow, "why").unwrap();
    let durations: Vec<_> = project
        .open()
        .feature(ID)
        .unwrap()
        .history()
        .unwrap()
        .iter()
        .map(|it| it.duration_ms)
        .collect();
    assert_eq!(durations, [0, 1500, 1500, 1500]);
}

#[test]
fn what_fails_leaves_a_line_and_changes_nothing_else() {
    let project = Project::at_work();
    let (current, plan) = (project.current(), project.text("implementation-plan.yaml"));
    project.open().log_failure(ID, &invocation(), "there is no task t9 in the plan").unwrap();
    let line = project.with(|it| it.history()).unwrap().pop().unwrap();
    assert_eq!(
        (line.status, line.error.as_deref()),
        (Outcome::Failure, Some("there is no task t9 in the plan"))
    );
    assert_eq!((line.agent.as_str(), line.task_id.as_deref()), ("tester", Some("t1")));
    assert_eq!((project.current(), project.text("implementation-plan.yaml")), (current, plan));
    assert_eq!(last_active(&project), line.timestamp);
    assert_eq!(project.check(), [""; 0]);
}

#[test]
fn a_failure_beside_a_corrupt_state_is_in_the_history() {
    let project = Project::at_work();
    project.write("state.yaml", "x: [");
    project.open().log_failure(ID, &invocation(), "why").unwrap();
    assert_eq!(project.text("history.jsonl").lines().count(), 5);
    assert!(project.text("history.jsonl").contains(r#""task_id":"t1","status":"failure""#));
    assert_eq!(project.state(), "x: [");
    let newer = "version: \"2.0\"\n";
    project.write("state.yaml", newer);
    let before = project.files();
    project.open().log_failure(ID, &invocation(), "why").unwrap();
    assert_eq!(project.files(), before, "a newer version is left alone");
}

#[test]
fn what_is_archived_is_listed_and_shown() {
    let project = Project::at_work();
    assert_eq!(project.open().archived().unwrap(), []);
    go(&project, "t1", TaskMove::Done).unwrap();
    project.with(|it| it.move_to(FeatureMove::Complete, &invocation())).unwrap();
    let plan = project.with(|it| it.plan()).unwrap();
    project.open().archive(ID, &invocation()).unwrap();
    let before = project.files();
    let directory = Directory::look(project.root(), now).unwrap();
    let [row] = directory.archived().unwrap().try_into().unwrap();
    assert_eq!((row.feature_id.as_str(), row.name.as_deref()), (ID, Some("Dark mode")));
    assert_eq!((row.tasks, row.started_at), (Some((1, 2)), Some(now())));
    let shown = directory.archived_feature(Some("dark")).unwrap();
    assert_eq!(shown.plan().unwrap(), plan);
    assert_eq!(shown.history().unwrap().last().map(|it| it.timestamp), row.last_active);
    assert!(matches!(directory.archived_feature(Some("x")), Err(WorkError::NoFeature(_))));
    assert_eq!(project.files(), before);
}

fn an_hour_ago() -> Timestamp {
    "2026-11-15T11:00:00Z".parse().unwrap()
}

#[test]
fn time_never_steps_back() {
    let project = Project::new();
    for _ in 0..3 {
        let directory = Directory::open(project.root(), an_hour_ago).unwrap();
        directory.feature(ID).unwrap().use_model(Model::Sonnet, &invocation()).unwrap();
    }
    let history = project.with(|it| it.history()).unwrap();
    assert!(history.is_sorted_by(|one, next| one.timestamp < next.timestamp));
    assert!(project.state().contains("last_updated: \"2026-11-15T12:00:00.000003Z\""));
    assert!(
        std::fs::read_to_string(project.outer("active-features.yaml"))
            .unwrap()
            .contains("12:00:00.000003Z")
    );
}

#[test]
fn several_active_features_must_be_named() {
    let project = Project::new();
    project.make("Other").unwrap();
    let directory = project.open();
    let choose = |named| directory.choose(named, FeatureStatus::Active).map(|it| it.id);
    assert!(matches!(choose(None), Err(WorkError::Several(those)) if those.len() == 2));
    assert_eq!(choose(Some("oth")).unwrap(), "other-2026-11-15");
    assert_eq!(choose(Some(ID)).unwrap(), ID);
    assert!(matches!(choose(Some("../..")), Err(WorkError::NoFeature(_))));
}
