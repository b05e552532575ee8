//! The approvals desk, asked and answered over the socket.

use super::{FIRST, Machine, PATIENCE, id};
use crate::desk::Asked;
use crate::desk::Heard;
use crate::{approvals, decisions, set_away};
use std::sync::Barrier;
use std::thread::{JoinHandle, scope, spawn};
use std::time::Instant;
use taffrail_api::{Allowed, ApprovalRow, Client, ClientError, DecisionBody, DeskBody, DeskReply};
use taffrail_model::approval::{Call, Decision, Outcome, State, input_mark};
use taffrail_model::status::Status;
use taffrail_testkit::Scale;

fn mark(command: &str) -> String {
    input_mark("Bash", serde_json::json!({ "command": command }))
}

fn body(nonce: &str, command: &str) -> DeskBody {
    DeskBody {
        nonce: nonce.to_owned(),
        asked_at: "2026-10-01T10:30:00Z".parse().unwrap(),
        agent: "claude-code".to_owned(),
        session: FIRST.to_owned(),
        scope: String::new(),
        tool: "Bash".to_owned(),
        command: Some(command.to_owned()),
        says: command.to_owned(),
        input_hash: mark(command),
        project: Some("/w/api".to_owned()),
        files: Vec::new(),
        unattended: false,
    }
}

/// A hook that waits for its answer.
fn hook(machine: &Machine, body: DeskBody) -> JoinHandle<Option<DeskReply>> {
    let client = machine.client().with_patience(Some(PATIENCE));
    spawn(move || client.post("/api/desk", &body).ok())
}

fn decide(client: &Client, id: &str, decision: Allowed) -> Result<ApprovalRow, ClientError> {
    let body = DecisionBody { decision, reason: None, by: Some("cli".to_owned()) };
    client.post(&format!("/api/approvals/{id}"), &body)
}

/// The requests that stand so, once there are as many.
fn waits_for(machine: &Machine, state: &State, count: usize) -> Vec<ApprovalRow> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let mut all = approvals(machine.handle.settings(), true).unwrap().approvals;
        all.retain(|it| it.state == *state);
        if all.len() == count {
            return all;
        }
        assert!(Instant::now() < deadline, "{count} {state:?}, got {all:?}");
        std::thread::yield_now();
    }
}

fn code(result: Result<ApprovalRow, ClientError>) -> u8 {
    match result {
        Ok(_) => 0,
        Err(ClientError::Told(told)) => told.code,
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn a_hook_is_held_until_somebody_decides() {
    let machine = Machine::new();
    let asks = hook(&machine, body("n1", "npm test"));
    let [it] = waits_for(&machine, &State::Pending, 1).try_into().unwrap();
    assert_eq!((it.session_id, it.command.as_str()), (id(FIRST), "npm test"));
    assert_eq!(decide(&machine.client(), it.id.as_str(), Allowed::Allow).unwrap().id, it.id);
    let told = asks.join().unwrap().unwrap();
    assert_eq!(told, DeskReply { decision: Some(Decision::Allow), reason: None });
    let [row] = decisions(machine.handle.settings()).unwrap().decisions.try_into().unwrap();
    assert_eq!((row.by.as_str(), row.outcome), ("cli", Some(Outcome::Unconfirmed)));
    assert_eq!(code(decide(&machine.client(), it.id.as_str(), Allowed::Deny)), 6);
    assert_eq!(code(decide(&machine.client(), "ffff", Allowed::Deny)), 3);
}

#[test]
fn eight_answer_at_once_and_one_wins() {
    let machine = Machine::new();
    let rounds = Scale::from_env().pick(20, 1_000);
    for round in 0..rounds {
        let asks = hook(&machine, body(&format!("n{round}"), "make"));
        let [it] = waits_for(&machine, &State::Pending, 1).try_into().unwrap();
        let all = Barrier::new(8);
        let wins: Vec<_> = scope(|scope| {
            let answers = (0..8).map(|number| {
                let (client, it, all) = (machine.client(), &it, &all);
                scope.spawn(move || {
                    let word = if number % 2 == 0 { Allowed::Allow } else { Allowed::Deny };
                    all.wait();
                    (code(decide(&client, it.id.as_str(), word)), word)
                })
            });
            let answers: Vec<_> = answers.collect();
            answers.into_iter().map(|it| it.join().unwrap()).collect()
        });
        let won: Vec<_> = wins.iter().filter(|it| it.0 == 0).collect();
        assert_eq!((won.len(), wins.iter().filter(|it| it.0 == 6).count()), (1, 7));
        let told = asks.join().unwrap().unwrap();
        assert_eq!(told.decision, Some(won[0].1.into()), "round {round}");
    }
}

#[test]
fn a_hook_that_is_gone_leaves_its_request_to_the_dialog() {
    let machine = Machine::new();
    let client = machine.client().with_patience(Some(std::time::Duration::from_millis(300)));
    let ended = client.post::<DeskReply>("/api/desk", &body("n1", "sleep 1"));
    assert!(ended.is_err(), "nobody answered");
    let [it] = waits_for(&machine, &State::DialogOnly, 1).try_into().unwrap();
    assert_eq!(code(decide(&machine.client(), it.id.as_str(), Allowed::Allow)), 6);
    let again = hook(&machine, body("n1", "sleep 1"));
    waits_for(&machine, &State::Pending, 1);
    assert_eq!(code(decide(&machine.client(), it.id.as_str(), Allowed::Deny)), 0);
    assert_eq!(again.join().unwrap().unwrap().decision, Some(Decision::Deny));
    // Cut off before it could read the answer, it asks again and is told the same.
    let once_more = hook(&machine, body("n1", "sleep 1")).join().unwrap().unwrap();
    assert_eq!(once_more.decision, Some(Decision::Deny));
}

#[test]
fn after_a_restart_no_hook_is_connected() {
    let mut machine = Machine::new();
    let asks = hook(&machine, body("n1", "ls"));
    waits_for(&machine, &State::Pending, 1);
    machine.stop_server();
    assert_eq!(asks.join().unwrap(), None);
    let next = crate::desk::Desk::default();
    next.take_up(machine.handle.settings()).unwrap();
    waits_for(&machine, &State::DialogOnly, 1);
}

#[test]
fn what_the_agent_says_settles_the_request_it_is_about() {
    let machine = Machine::new();
    let (desk, handle) = (machine.handle.desk(), &machine.handle);
    let asks = [hook(&machine, body("n1", "twin")), hook(&machine, body("n2", "twin"))];
    waits_for(&machine, &State::Pending, 2);
    let call = |id: &str| Heard::Called(Call { id: id.to_owned(), input: mark("twin") });
    desk.hear(handle, id(FIRST), &[Heard::Asked(mark("twin")), call("t1"), call("t2")]).unwrap();
    // How the session stands says nothing while two are alike.
    desk.stands(handle, id(FIRST), Status::Running).unwrap();
    waits_for(&machine, &State::Pending, 2);
    let person = Some("user_temporary".to_owned());
    let said =
        [Heard::Returned("t1".to_owned()), Heard::Decided("t1".to_owned(), Decision::Deny, person)];
    desk.hear(handle, id(FIRST), &said).unwrap();
    let [over] = waits_for(&machine, &State::Decided, 1).try_into().unwrap();
    assert_eq!(over.outcome, Some(Outcome::Overtaken));
    let [left] = waits_for(&machine, &State::Pending, 1).try_into().unwrap();
    assert_eq!(code(decide(&machine.client(), over.id.as_str(), Allowed::Allow)), 6);
    assert_eq!(code(decide(&machine.client(), left.id.as_str(), Allowed::Allow)), 0);
    let hook = Heard::Decided("t2".to_owned(), Decision::Allow, Some("hook".to_owned()));
    desk.hear(handle, id(FIRST), &[hook]).unwrap();
    let log = decisions(handle.settings()).unwrap().decisions;
    let told: Vec<_> = log.iter().map(|it| (it.by.as_str(), it.outcome.clone())).collect();
    let expected =
        [("agent (user_temporary)", Some(Outcome::Overtaken)), ("cli", Some(Outcome::Taken))];
    assert_eq!(told, expected);
    let answers: Vec<_> = asks.map(|it| it.join().unwrap().unwrap().decision).into_iter().collect();
    assert!(answers.contains(&None) && answers.contains(&Some(Decision::Allow)), "{answers:?}");
}

#[test]
fn a_request_ends_with_its_session() {
    let machine = Machine::new();
    let asks = hook(&machine, body("n1", "ls"));
    waits_for(&machine, &State::Pending, 1);
    machine.handle.desk().stands(&machine.handle, id(FIRST), Status::Exited).unwrap();
    let [over] = waits_for(&machine, &State::Expired, 1).try_into().unwrap();
    assert_eq!(over.outcome, Some(Outcome::Void));
    assert_eq!(asks.join().unwrap(), Some(DeskReply::default()));
}

#[test]
fn only_where_a_person_could_answer_too_is_a_hook_held() {
    let machine = Machine::with(|it| it.held_unattended = vec!["/w/wanted".into()]);
    let print = |project: &str| DeskBody {
        unattended: true,
        project: Some(project.to_owned()),
        ..body(project, "ls")
    };
    let left = hook(&machine, print("/w/api")).join().unwrap();
    assert_eq!(left, Some(DeskReply::default()));
    waits_for(&machine, &State::Pending, 0);
    let held = hook(&machine, print("/w/wanted/deep"));
    let [it] = waits_for(&machine, &State::Pending, 1).try_into().unwrap();
    decide(&machine.client(), it.id.as_str(), Allowed::Deny).unwrap();
    assert_eq!(held.join().unwrap().unwrap().decision, Some(Decision::Deny));
}

#[test]
fn a_dialog_that_waits_for_the_hook_is_hidden_only_while_the_user_is_away() {
    let machine = Machine::new();
    let codex = |nonce: &str| DeskBody { agent: "codex".to_owned(), ..body(nonce, "ls") };
    let left = hook(&machine, codex("n1")).join().unwrap();
    assert_eq!(left, Some(DeskReply::default()));
    waits_for(&machine, &State::DialogOnly, 1);
    set_away(machine.handle.settings(), true).unwrap();
    let held = hook(&machine, codex("n2"));
    let [it] = waits_for(&machine, &State::Pending, 1).try_into().unwrap();
    decide(&machine.client(), it.id.as_str(), Allowed::Allow).unwrap();
    assert_eq!(held.join().unwrap().unwrap().decision, Some(Decision::Allow));
    set_away(machine.handle.settings(), false).unwrap();
    assert_eq!(hook(&machine, codex("n3")).join().unwrap(), Some(DeskReply::default()));
}

#[test]
fn a_rule_decides_before_anybody_is_asked() {
    let machine = Machine::new();
    let rules = machine.handle.settings().config.join("rules.toml");
    std::fs::create_dir_all(rules.parent().unwrap()).unwrap();
    let text = "[[rule]]\ndecision = \"allow\"\ntool = \"Bash\"\ncommand = \"cargo test *\"\n\n\
                [[rule]]\ndecision = \"deny\"\ntool = \"Bash\"\ncommand = \"git push *\"\n";
    std::fs::write(rules, text).unwrap();
    let check = |nonce: &str, command: &str, expected: Decision| {
        let told = hook(&machine, body(nonce, command)).join().unwrap().unwrap();
        assert_eq!(told.decision, Some(expected), "{command}");
    };
    check("n1", "cargo test -p model", Decision::Allow);
    check("n2", "git push origin main", Decision::Deny);
    let log = decisions(machine.handle.settings()).unwrap().decisions;
    assert!(log.iter().all(|it| it.by == "rule" && it.rule.is_some() && it.why.is_some()));
    assert_eq!(log.len(), 2);
}

#[test]
fn what_nobody_waits_for_is_swept_away() {
    let machine = Machine::new();
    let early = |nonce: &str, at: &str| DeskBody {
        agent: "codex".to_owned(),
        asked_at: at.parse().unwrap(),
        ..body(nonce, nonce)
    };
    // Its agent waits for an hour.
    hook(&machine, early("n1", "2026-10-01T09:29:59Z")).join().unwrap();
    hook(&machine, early("n2", "2026-10-01T09:30:01Z")).join().unwrap();
    hook(&machine, early("n3", "2026-10-01T10:29:59Z")).join().unwrap();
    let [over] = waits_for(&machine, &State::Expired, 1).try_into().unwrap();
    assert_eq!((over.command.as_str(), over.outcome), ("n1", Some(Outcome::Void)));
    let open = approvals(machine.handle.settings(), false).unwrap().approvals;
    assert_eq!(open.iter().map(|it| it.command.as_str()).collect::<Vec<_>>(), ["n2", "n3"]);
}

#[test]
fn a_request_keeps_its_decision_and_no_more_than_a_piece_of_its_command() {
    let machine = Machine::new();
    let long = format!("echo {}", "x".repeat(20_000));
    let asks = hook(&machine, body("n1", &long));
    let [it] = waits_for(&machine, &State::Pending, 1).try_into().unwrap();
    assert_eq!(it.command.len(), taffrail_model::approval::COMMAND_BYTES);
    assert_eq!(it.input_hash, mark(&long));
    decide(&machine.client(), it.id.as_str(), Allowed::Deny).unwrap();
    asks.join().unwrap();
    let data = &machine.handle.settings().data;
    let read = |name: &str| std::fs::read(data.join(name)).unwrap_or_default();
    let ledger = [read("ledger.db"), read("ledger.db-wal")].concat();
    let kept = ledger.iter().filter(|it| **it == b'x').count();
    assert!((4_000..16_000).contains(&kept), "{kept} bytes of the command are kept");
}

#[test]
fn a_browser_is_no_hook_and_no_other_face() {
    let machine = Machine::new();
    let asked = serde_json::to_string(&body("n1", "ls")).unwrap();
    assert_eq!(machine.post("/api/desk", &asked).status, 403);
    let asks = hook(&machine, body("n2", "ls"));
    let [it] = waits_for(&machine, &State::Pending, 1).try_into().unwrap();
    let path = format!("/api/approvals/{}", it.id);
    assert_eq!(machine.post(&path, r#"{"decision":"deny","by":"cli"}"#).status, 200);
    asks.join().unwrap();
    let [row] = decisions(machine.handle.settings()).unwrap().decisions.try_into().unwrap();
    assert_eq!(row.by, "web");
}

/// The agent's own server tells a request beside its dialog: it is the one that its hook left there.
#[test]
fn a_request_that_a_server_tells_is_the_oldest_that_was_left_to_its_dialog() {
    let machine = Machine::new();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let _inside = runtime.enter();
    let codex = |nonce: &str| DeskBody { agent: "codex".to_owned(), ..body(nonce, "ls") };
    for nonce in ["h1", "h2"] {
        assert_eq!(hook(&machine, codex(nonce)).join().unwrap(), Some(DeskReply::default()));
    }
    let [first, second] = waits_for(&machine, &State::DialogOnly, 2).try_into().unwrap();
    let asked = |nonce: &str| machine.handle.desk().ask_beside(&machine.handle, &codex(nonce));
    let held = |nonce: &str| match asked(nonce).unwrap() {
        Asked::Held(held) => held,
        other => panic!("{other:?}"),
    };
    let _one = held("s1");
    let [it] = waits_for(&machine, &State::Pending, 1).try_into().unwrap();
    assert!(it.id == first.id || it.id == second.id);
    assert_eq!(it.sources, ["hook", "server"]);
    let _two = held("s2");
    waits_for(&machine, &State::Pending, 2);
    let three = held("s3");
    let known = [&first.id, &second.id];
    let mut others = waits_for(&machine, &State::Pending, 3);
    others.retain(|it| !known.contains(&&it.id));
    assert_eq!((others.len(), &*others[0].sources), (1, &["server".to_owned()][..]));
    // A server that tells it once more, as after a break, brings no other.
    let _again = held("s3");
    drop(three);
    waits_for(&machine, &State::Pending, 3);
    decide(&machine.client(), others[0].id.as_str(), Allowed::Allow).unwrap();
    assert!(matches!(asked("s3").unwrap(), Asked::Left), "it was decided");
}
