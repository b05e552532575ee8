//! A monitor of sessions with fixed statuses.

use super::*;
use taffrail_model::evidence::Life;
use taffrail_model::findings::FindingKind;
use taffrail_model::quota::Reported;
use taffrail_model::status::{Reading, Status, WaitingFor, WaitingKind};
use taffrail_model::{AgentId, Confidence, Lifecycle, RuntimeIdentity, RuntimeSessionId, Tokens};

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).unwrap()
}

fn session(name: &str) -> SessionId {
    RuntimeIdentity::new(AgentId::new("parrot"), "", name).session()
}

fn row(name: &str, parent: Option<&str>) -> SessionRow {
    SessionRow {
        row: 1,
        id: session(name),
        agent: "parrot".to_owned(),
        runtime_id: RuntimeSessionId::new(name),
        title: None,
        title_derived: false,
        project_path: None,
        git_branch: None,
        model: None,
        lifecycle: Lifecycle::Active,
        started_at: None,
        last_event_at: None,
        turns: 0,
        prompts: 0,
        tool_calls: 0,
        failures: 0,
        tokens: Tokens::default(),
        cost_microdollars: None,
        cost: taffrail_model::cost::Cost::default(),
        workers_microdollars: None,
        parent: parent.map(session),
        lineage: None,
        source_uri: String::new(),
        sequence: 0,
        process: None,
        captured: true,
        failure: None,
        ended_at: None,
        imported: None,
    }
}

fn asking(command: &str, since: i64) -> Arc<LiveStatus> {
    let what = WaitingFor::new(WaitingKind::Approval, command.to_owned());
    let reading = Reading {
        status: Status::WaitingApproval,
        since: at(since),
        confidence: Confidence::High,
        waiting_for: Some(what),
        rule: taffrail_model::status::StatusRule::NothingKnown,
        rests_on: Vec::new(),
        until: None,
        failure: None,
    };
    Arc::new(LiveStatus {
        reading,
        evidence: Vec::new(),
        process: None,
        life: Life::Alive,
        executor: None,
    })
}

fn running() -> Arc<LiveStatus> {
    let mut card = (*asking("", 0)).clone();
    card.reading.status = Status::Running;
    card.reading.waiting_for = None;
    Arc::new(card)
}

fn watching(names: &[(&str, Option<&str>)]) -> Monitor {
    let mut monitor = Monitor::default();
    for (name, parent) in names {
        let row = row(name, *parent);
        let (fold, own) = (Fold::default(), Vec::new());
        monitor.known.insert(row.id, Watched { row, fold, context: None, own, until: None });
    }
    monitor
}

fn kinds(findings: &[Finding]) -> Vec<&str> {
    findings.iter().map(|it| it.kind.as_str()).collect()
}

#[test]
fn what_is_asked_is_found_told_once_and_withdrawn_when_it_is_answered() {
    let mut monitor = watching(&[("a", None)]);
    let a = session("a");
    let ask = asking("rm -rf /", 0);
    let change = monitor.look(&[a], &|_| Some(ask.clone()), at(1));
    assert_eq!((kinds(&change.appeared), change.withdrawn.len()), (vec!["risky_approval"], 0));
    assert_eq!(monitor.look(&[a], &|_| Some(ask.clone()), at(2)), FindingsChange::default());
    assert_eq!(monitor.next(), Some(at(300)));
    assert_eq!(monitor.pass(&|_| Some(ask.clone()), at(299)), FindingsChange::default());
    let change = monitor.pass(&|_| Some(ask.clone()), at(300));
    assert_eq!(kinds(&change.appeared), ["approval_backlog"]);
    assert_eq!(monitor.next(), None);
    let change = monitor.look(&[a], &|_| Some(running()), at(301));
    let mut withdrawn = kinds(&change.withdrawn);
    withdrawn.sort_unstable();
    assert_eq!((withdrawn, change.appeared.len()), (vec!["approval_backlog", "risky_approval"], 0));
    assert_eq!(monitor.all(Whose::All), []);
}

#[test]
fn several_that_wait_are_found_together_and_workers_do_not_count() {
    let mut monitor = watching(&[("a", None), ("b", None), ("c", None), ("w", Some("a"))]);
    let ids = ["a", "b", "c", "w"].map(session);
    let ask = asking("ls", 0);
    assert_eq!(monitor.look(&ids, &|_| Some(ask.clone()), at(1)), FindingsChange::default());
    assert_eq!(monitor.next(), Some(at(60)));
    let change = monitor.pass(&|_| Some(ask.clone()), at(60));
    assert_eq!(kinds(&change.appeared), ["several_blocked"]);
    let found = change.appeared.first().unwrap();
    assert_eq!(found.kind, FindingKind::SeveralBlocked);
    let by_session = monitor.by_session(std::iter::once(found.session_id));
    assert_eq!(by_session.get(&found.session_id).unwrap().len(), 1);
    let change = monitor.look(&[session("b")], &|_| Some(running()), at(61));
    assert_eq!(kinds(&change.withdrawn), ["several_blocked"]);
}

#[test]
fn who_is_no_longer_of_late_is_forgotten() {
    let mut monitor = watching(&[("a", None), ("b", None)]);
    let ids = ["a", "b"].map(session);
    let ask = asking("rm -rf /", 0);
    monitor.look(&ids, &|_| Some(ask.clone()), at(1));
    let gone = monitor.keep_only(|id| id == session("b"));
    assert_eq!((kinds(&gone), monitor.count()), (vec!["risky_approval"], 1));
    let change = monitor.look(&[session("b")], &|_| None, at(2));
    assert_eq!((kinds(&change.withdrawn), monitor.count()), (vec!["risky_approval"], 0));
    assert_eq!(monitor.next(), None);
}

#[test]
fn a_limit_that_is_nearly_used_up_is_found_once_and_withdrawn_at_its_reset() {
    let mut monitor = watching(&[("a", None)]);
    let who = RuntimeIdentity::new(AgentId::new("parrot"), "", "a");
    let (name, source) = ("seed", "file");
    let reported =
        Reported { name, window_minutes: 300, used_percent: 83.0, resets_at: at(500), source };
    let seen = reported.by(&who, at(0)).unwrap();
    monitor.accounts.limits = crate::limits::Limits::of(vec![seen]);
    monitor.accounts.limits_due = Some(Timestamp::MIN);
    let a = session("a");
    let change = monitor.look(&[a], &|_| Some(running()), at(1));
    assert_eq!((kinds(&change.appeared), change.withdrawn.len()), (vec!["quota"], 0));
    assert_eq!(monitor.look(&[a], &|_| Some(running()), at(2)), FindingsChange::default());
    assert_eq!((kinds(&monitor.all(Whose::Main)), monitor.next()), (vec!["quota"], Some(at(500))));
    let by_session = monitor.by_session(std::iter::once(a));
    assert_eq!(by_session.get(&a).unwrap().len(), 1);
    let change = monitor.pass(&|_| Some(running()), at(500));
    assert_eq!((kinds(&change.withdrawn), change.appeared.len()), (vec!["quota"], 0));
    assert_eq!((monitor.all(Whose::All), monitor.next()), (Vec::new(), None));
}
