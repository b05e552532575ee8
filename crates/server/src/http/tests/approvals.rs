//! Approvals, requested and answered over the socket.

use super::{FIRST, Machine, PATIENCE, card, id};
use std::sync::Barrier;
use std::thread::{JoinHandle, scope, spawn};
use std::time::Instant;
use taffrail_api::{
    Allowed, ApprovalReply, ApprovalRequestBody, ApprovalRow, Approvals, Client, ClientError,
    DecisionBody, ToolInput,
};
use taffrail_approvals::broker::AskOutcome;
use taffrail_approvals::broker::RequestEvent;
use taffrail_context::set_away;
use taffrail_devices::exchange::{approvals, decisions};
use taffrail_model::approval::{Call, Decision, Outcome, State, input_mark};
use taffrail_model::caller::Caller;
use taffrail_model::status::{Reading, Status};
use taffrail_model::{AgentId, RuntimeIdentity};
use taffrail_testkit::Scale;

fn mark(command: &str) -> String {
    input_mark("Bash", serde_json::json!({ "command": command }))
}

pub(super) fn body(nonce: &str, command: &str) -> ApprovalRequestBody {
    ApprovalRequestBody {
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
        input: None,
        pipe: None,
    }
}

/// A hook that waits for its answer.
pub(super) fn hook(
    machine: &Machine,
    body: ApprovalRequestBody,
) -> JoinHandle<Option<ApprovalReply>> {
    let client = machine.client().with_timeout(Some(PATIENCE));
    spawn(move || client.post("/api/desk", &body).ok())
}

pub(super) fn decide(
    client: &Client,
    id: &str,
    decision: Allowed,
) -> Result<ApprovalRow, ClientError> {
    let body = DecisionBody { decision, reason: None, by: Some("cli".to_owned()), blind: false };
    client.post(&format!("/api/approvals/{id}"), &body)
}

/// Waits for this many requests in a state.
fn waits_for(machine: &Machine, state: &State, count: usize) -> Vec<ApprovalRow> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let mut all = approvals(machine.handle.exchange(), true).unwrap().approvals;
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
        Err(ClientError::Refused(told)) => told.code,
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
    assert_eq!(told, ApprovalReply { decision: Some(Decision::Allow), reason: None });
    let [row] = decisions(machine.handle.settings()).unwrap().decisions.try_into().unwrap();
    assert_eq!((row.by.as_str(), row.outcome), ("cli", Some(Outcome::Unconfirmed)));
    assert_eq!(code(decide(&machine.client(), it.id.as_str(), Allowed::Deny)), 6);
    assert_eq!(code(decide(&machine.client(), "ffff", Allowed::Deny)), 3);
}

/// An agent could withdraw a request that was listed, and ask another with the same id prefix.
#[test]
fn a_beginning_that_a_withdrawn_request_had_answers_no_other() {
    let machine = Machine::new();
    let asks = hook(&machine, body("n1", "ls"));
    let [first] = waits_for(&machine, &State::Pending, 1).try_into().unwrap();
    let beginning: String = first.id.as_str().chars().take(2).collect();
    decide(&machine.client(), first.id.as_str(), Allowed::Deny).unwrap();
    asks.join().unwrap().unwrap();
    let nonces = (0..).map(|it| format!("m{it}"));
    let alike =
        |it: &String| taffrail_model::approval::ApprovalId::of(it).as_str().starts_with(&beginning);
    let nonce = { nonces }.find(alike).unwrap();
    let asks = hook(&machine, body(&nonce, "rm -rf /"));
    let [second] = waits_for(&machine, &State::Pending, 1).try_into().unwrap();
    assert_eq!(code(decide(&machine.client(), &beginning, Allowed::Allow)), 6);
    decide(&machine.client(), second.id.as_str(), Allowed::Deny).unwrap();
    asks.join().unwrap().unwrap();
}

#[test]
fn an_open_request_says_what_the_tool_would_be_given() {
    let machine = Machine::new();
    let fields = serde_json::json!({"file_path": "/w/a.rs", "old_string": "x", "new_string": "y"});
    let input = Some(ToolInput { fields, cut: false });
    let asked = ApprovalRequestBody { input: input.clone(), ..body("n1", "Edit /w/a.rs") };
    let asks = hook(&machine, asked);
    let [it] = waits_for(&machine, &State::Pending, 1).try_into().unwrap();
    let listed = || -> Approvals { machine.client().get("/api/approvals?all=true").unwrap() };
    assert_eq!(listed().approvals[0].input, input);
    let decided = decide(&machine.client(), it.id.as_str(), Allowed::Deny).unwrap();
    assert_eq!((decided.input, listed().approvals[0].input.clone()), (None, None));
    asks.join().unwrap();
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
    let client = machine.client().with_timeout(Some(std::time::Duration::from_millis(300)));
    let ended = client.post::<ApprovalReply>("/api/desk", &body("n1", "sleep 1"));
    assert!(ended.is_err(), "nobody answered");
    let [it] = waits_for(&machine, &State::DialogOnly, 1).try_into().unwrap();
    assert_eq!(code(decide(&machine.client(), it.id.as_str(), Allowed::Allow)), 6);
    let again = hook(&machine, body("n1", "sleep 1"));
    waits_for(&machine, &State::Pending, 1);
    assert_eq!(code(decide(&machine.client(), it.id.as_str(), Allowed::Deny)), 0);
    assert_eq!(again.join().unwrap().unwrap().decision, Some(Decision::Deny));
    // The hook was disconnected before it read the answer; it asks again and gets the same one.
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
    let next = taffrail_approvals::Broker::new(machine.handle.live().clone(), Box::new(|_| {}));
    next.take_up().unwrap();
    waits_for(&machine, &State::DialogOnly, 1);
}

#[test]
fn what_the_agent_says_settles_the_request_it_is_about() {
    let machine = Machine::new();
    let (broker, handle) = (machine.handle.broker(), &machine.handle);
    let asks = [hook(&machine, body("n1", "twin")), hook(&machine, body("n2", "twin"))];
    waits_for(&machine, &State::Pending, 2);
    let call = |id: &str| RequestEvent::Called(Call { id: id.to_owned(), input: mark("twin") });
    broker
        .apply_events(id(FIRST), &[RequestEvent::Asked(mark("twin")), call("t1"), call("t2")])
        .unwrap();
    // The status of the session settles nothing while two requests are alike.
    broker.apply_status(id(FIRST), &card(Status::Running).reading).unwrap();
    waits_for(&machine, &State::Pending, 2);
    let person = Some("user_temporary".to_owned());
    let said = [
        RequestEvent::Returned("t1".to_owned()),
        RequestEvent::Decided("t1".to_owned(), Decision::Deny, person),
    ];
    broker.apply_events(id(FIRST), &said).unwrap();
    let [over] = waits_for(&machine, &State::Decided, 1).try_into().unwrap();
    assert_eq!(over.outcome, Some(Outcome::Overtaken));
    let [left] = waits_for(&machine, &State::Pending, 1).try_into().unwrap();
    assert_eq!(code(decide(&machine.client(), over.id.as_str(), Allowed::Allow)), 6);
    assert_eq!(code(decide(&machine.client(), left.id.as_str(), Allowed::Allow)), 0);
    let hook = RequestEvent::Decided("t2".to_owned(), Decision::Allow, Some("hook".to_owned()));
    broker.apply_events(id(FIRST), &[hook]).unwrap();
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
    let broker = machine.handle.broker();
    broker.apply_status(id(FIRST), &over("2026-10-01T10:30:00Z")).unwrap();
    let [over] = waits_for(&machine, &State::Expired, 1).try_into().unwrap();
    assert_eq!(over.outcome, Some(Outcome::Void));
    assert_eq!(asks.join().unwrap(), Some(ApprovalReply::default()));
}

/// The status of a session that ended then.
fn over(at: &str) -> Reading {
    Reading { since: at.parse().unwrap(), ..card(Status::Exited).reading }
}

/// The daemon may read the old transcript before the hook's entry in the journal.
#[test]
fn the_first_request_of_a_resumed_session_is_not_closed_with_its_earlier_end() {
    let machine = Machine::new();
    let broker = machine.handle.broker();
    let asks = hook(&machine, body("n1", "ls"));
    waits_for(&machine, &State::Pending, 1);
    broker.apply_status(id(FIRST), &over("2026-10-01T10:29:59Z")).unwrap();
    waits_for(&machine, &State::Pending, 1);
    // Once the entry is read, the status includes the request.
    broker.apply_events(id(FIRST), &[RequestEvent::Asked(mark("ls"))]).unwrap();
    broker.apply_status(id(FIRST), &over("2026-10-01T10:29:59Z")).unwrap();
    waits_for(&machine, &State::Expired, 1);
    assert_eq!(asks.join().unwrap(), Some(ApprovalReply::default()));
}

/// The status of a session whose turn ended then.
fn turn_over(at: &str) -> Reading {
    Reading { since: at.parse().unwrap(), ..card(Status::Waiting).reading }
}

#[test]
fn a_turn_that_is_broken_off_leaves_no_request_open() {
    let machine = Machine::new();
    let (broker, handle) = (machine.handle.broker(), &machine.handle);
    let codex =
        |nonce: &str| ApprovalRequestBody { agent: "codex".to_owned(), ..body(nonce, "git push") };
    let asks = |nonce: &str| hook(&machine, codex(nonce)).join().unwrap();
    let session = RuntimeIdentity::new(AgentId::new("codex"), "", FIRST).session();
    assert_eq!(
        (asks("n1"), asks("n2")),
        (Some(ApprovalReply::default()), Some(ApprovalReply::default()))
    );
    waits_for(&machine, &State::DialogOnly, 2);
    // A turn that ended before the requests belongs to an earlier one.
    broker.apply_status(session, &turn_over("2026-10-01T10:29:59Z")).unwrap();
    waits_for(&machine, &State::DialogOnly, 2);
    broker.apply_status(session, &turn_over("2026-10-01T10:30:01Z")).unwrap();
    waits_for(&machine, &State::Decided, 2);
    assert_eq!(approvals(handle.exchange(), false).unwrap().approvals, []);
}

#[test]
fn an_equal_request_that_is_decided_does_not_keep_the_next_one_open() {
    let machine = Machine::new();
    let broker = machine.handle.broker();
    let first = hook(&machine, body("n1", "git push"));
    let [it] = waits_for(&machine, &State::Pending, 1).try_into().unwrap();
    decide(&machine.client(), it.id.as_str(), Allowed::Deny).unwrap();
    first.join().unwrap().unwrap();
    let second = hook(&machine, body("n2", "git push"));
    waits_for(&machine, &State::Pending, 1);
    broker.apply_events(id(FIRST), &[RequestEvent::Asked(mark("git push"))]).unwrap();
    broker.apply_status(id(FIRST), &card(Status::Running).reading).unwrap();
    waits_for(&machine, &State::Decided, 2);
    assert_eq!(second.join().unwrap(), Some(ApprovalReply::default()));
}

#[test]
fn what_a_person_allowed_at_the_agent_is_said_once_the_agent_says_it() {
    let machine = Machine::new();
    let (broker, handle) = (machine.handle.broker(), &machine.handle);
    let asks = hook(&machine, body("n1", "ls"));
    waits_for(&machine, &State::Pending, 1);
    let call = RequestEvent::Called(Call { id: "t1".to_owned(), input: mark("ls") });
    broker.apply_events(id(FIRST), &[RequestEvent::Asked(mark("ls")), call]).unwrap();
    let log = || {
        let [it] = decisions(handle.settings()).unwrap().decisions.try_into().unwrap();
        (it.decision.as_str().to_owned(), it.by, it.outcome)
    };
    // A hook reports that the agent continues before its transcript shows why.
    broker.apply_status(id(FIRST), &card(Status::Running).reading).unwrap();
    let (unknown, overtaken) = ("unknown".to_owned(), Some(Outcome::Overtaken));
    assert_eq!(log(), (unknown, "agent".to_owned(), overtaken.clone()));
    let person = Some("user_temporary".to_owned());
    let decided = RequestEvent::Decided("t1".to_owned(), Decision::Allow, person);
    broker.apply_events(id(FIRST), &[decided]).unwrap();
    let person = "agent (user_temporary)".to_owned();
    assert_eq!(log(), ("allow".to_owned(), person, overtaken));
    assert_eq!(asks.join().unwrap(), Some(ApprovalReply::default()));
}

#[test]
fn what_a_rule_denied_is_confirmed_by_the_agents_own_record() {
    let machine = Machine::new();
    let (broker, handle) = (machine.handle.broker(), &machine.handle);
    let rules = handle.settings().config.join("rules.toml");
    std::fs::create_dir_all(rules.parent().unwrap()).unwrap();
    let rule = "[[rule]]\ndecision = \"deny\"\ntool = \"Bash\"\ncommand = \"git push *\"\n";
    std::fs::write(rules, rule).unwrap();
    // The call is in the transcript before its hook asks.
    let input = serde_json::json!({ "command": "git push origin" });
    machine.write_call(FIRST, ("t1", "Bash"), &input);
    machine.read_all();
    let told = hook(&machine, body("n1", "git push origin")).join().unwrap().unwrap();
    assert_eq!(told.decision, Some(Decision::Deny));
    let by_hook = RequestEvent::Decided("t1".to_owned(), Decision::Deny, Some("hook".to_owned()));
    broker.apply_events(id(FIRST), &[by_hook]).unwrap();
    let [it] = decisions(handle.settings()).unwrap().decisions.try_into().unwrap();
    assert_eq!((it.by.as_str(), it.outcome), ("rule", Some(Outcome::Taken)));
}

#[test]
fn who_comes_back_finds_the_agents_own_dialog() {
    let machine = Machine::new();
    set_away(machine.handle.settings(), true).unwrap();
    let codex = ApprovalRequestBody { agent: "codex".to_owned(), ..body("n1", "ls") };
    let held = hook(&machine, codex);
    waits_for(&machine, &State::Pending, 1);
    // A request whose dialog is open beside its hook can still be answered here.
    let beside = hook(&machine, body("n2", "pwd"));
    waits_for(&machine, &State::Pending, 2);
    set_away(machine.handle.settings(), false).unwrap();
    assert_eq!(held.join().unwrap(), Some(ApprovalReply::default()));
    waits_for(&machine, &State::DialogOnly, 1);
    let [it] = waits_for(&machine, &State::Pending, 1).try_into().unwrap();
    decide(&machine.client(), it.id.as_str(), Allowed::Allow).unwrap();
    assert_eq!(beside.join().unwrap().unwrap().decision, Some(Decision::Allow));
}

#[test]
fn only_where_a_person_could_answer_too_is_a_hook_held() {
    let machine = Machine::with(|it| it.held_unattended = vec!["/w/wanted".into()]);
    let print = |project: &str| ApprovalRequestBody {
        unattended: true,
        project: Some(project.to_owned()),
        ..body(project, "ls")
    };
    let left = hook(&machine, print("/w/api")).join().unwrap();
    assert_eq!(left, Some(ApprovalReply::default()));
    waits_for(&machine, &State::Pending, 0);
    let held = hook(&machine, print("/w/wanted/deep"));
    let [it] = waits_for(&machine, &State::Pending, 1).try_into().unwrap();
    decide(&machine.client(), it.id.as_str(), Allowed::Deny).unwrap();
    assert_eq!(held.join().unwrap().unwrap().decision, Some(Decision::Deny));
}

#[test]
fn a_dialog_that_waits_for_the_hook_is_hidden_only_while_the_user_is_away() {
    let machine = Machine::new();
    let codex =
        |nonce: &str| ApprovalRequestBody { agent: "codex".to_owned(), ..body(nonce, "ls") };
    let left = hook(&machine, codex("n1")).join().unwrap();
    assert_eq!(left, Some(ApprovalReply::default()));
    waits_for(&machine, &State::DialogOnly, 1);
    set_away(machine.handle.settings(), true).unwrap();
    let held = hook(&machine, codex("n2"));
    let [it] = waits_for(&machine, &State::Pending, 1).try_into().unwrap();
    decide(&machine.client(), it.id.as_str(), Allowed::Allow).unwrap();
    assert_eq!(held.join().unwrap().unwrap().decision, Some(Decision::Allow));
    set_away(machine.handle.settings(), false).unwrap();
    assert_eq!(hook(&machine, codex("n3")).join().unwrap(), Some(ApprovalReply::default()));
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
    let early = |nonce: &str, at: &str| ApprovalRequestBody {
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
    let open = approvals(machine.handle.exchange(), false).unwrap().approvals;
    assert_eq!(open.iter().map(|it| it.command.as_str()).collect::<Vec<_>>(), ["n2", "n3"]);
}

#[test]
fn a_request_keeps_its_decision_and_no_more_than_a_piece_of_its_command() {
    let machine = Machine::new();
    let long = format!("echo {}", "x".repeat(100_000));
    let asks = hook(&machine, body("n1", &long));
    let [it] = waits_for(&machine, &State::Pending, 1).try_into().unwrap();
    assert_eq!(it.command.len(), taffrail_model::approval::COMMAND_BYTES);
    assert!(it.truncated);
    assert_eq!(it.input_hash, mark(&long));
    decide(&machine.client(), it.id.as_str(), Allowed::Deny).unwrap();
    asks.join().unwrap();
    let data = &machine.handle.settings().data;
    let read = |name: &str| std::fs::read(data.join(name)).unwrap_or_default();
    let ledger = [read("ledger.db"), read("ledger.db-wal")].concat();
    let kept = ledger.iter().filter(|it| **it == b'x').count();
    // Once as asked and once as decided, in places once more before it is tidied up.
    assert!((64_000..400_000).contains(&kept), "{kept} bytes of the command are kept");
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
    // The caller may claim to be our own program. A caller with the token is a program; nothing
    // more is known.
    assert_eq!((row.by.as_str(), row.caller), ("token", Some(Caller::Unknown)));
}

/// The agent's own server reports a request beside its dialog: it is the one that its hook left
/// there.
#[test]
fn a_request_that_a_server_tells_is_the_oldest_that_was_left_to_its_dialog() {
    let machine = Machine::new();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let _inside = runtime.enter();
    let codex =
        |nonce: &str| ApprovalRequestBody { agent: "codex".to_owned(), ..body(nonce, "ls") };
    for nonce in ["h1", "h2"] {
        assert_eq!(hook(&machine, codex(nonce)).join().unwrap(), Some(ApprovalReply::default()));
    }
    let [first, second] = waits_for(&machine, &State::DialogOnly, 2).try_into().unwrap();
    let asked = |nonce: &str| machine.handle.broker().ask_beside(&codex(nonce), None);
    let held = |nonce: &str| match asked(nonce).unwrap() {
        AskOutcome::Held(held) => held,
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
    // A server that reports it again, as after a reconnect, adds no other.
    let _again = held("s3");
    drop(three);
    waits_for(&machine, &State::Pending, 3);
    decide(&machine.client(), others[0].id.as_str(), Allowed::Allow).unwrap();
    assert!(matches!(asked("s3").unwrap(), AskOutcome::Left), "it was decided");
}

/// An agent without hooks is answered through its server, which reports each answer that it took.
#[test]
fn what_a_server_took_confirms_our_answer_or_shows_that_another_was_first() {
    use {Decision as D, Outcome as O};
    let machine = Machine::new();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let _inside = runtime.enter();
    let broker = machine.handle.broker();
    let body =
        |nonce: &str| ApprovalRequestBody { agent: "opencode".to_owned(), ..body(nonce, "ls") };
    let check =
        |nonce: &str, ours: Option<Allowed>, took: Decision, expected: (Outcome, Decision)| {
            let asked = broker.ask_beside(&body(nonce), Some(format!("call-{nonce}"))).unwrap();
            assert!(matches!(&asked, AskOutcome::Held(_)), "{asked:?}");
            let [it] = waits_for(&machine, &State::Pending, 1).try_into().unwrap();
            if let Some(ours) = ours {
                decide(&machine.client(), it.id.as_str(), ours).unwrap();
            }
            broker.settle_beside(nonce, &took).unwrap();
            // A report that is repeated changes nothing.
            broker.settle_beside(nonce, &Decision::Deny).unwrap();
            let all = decisions(machine.handle.settings()).unwrap().decisions;
            let made = all.into_iter().find(|row| row.approval_id == it.id).unwrap();
            let expected = (Some(expected.0), expected.1);
            assert_eq!((made.outcome, made.decision), expected, "{nonce}");
            assert!(decide(&machine.client(), it.id.as_str(), Allowed::Deny).is_err());
        };
    check("n1", Some(Allowed::Allow), D::Allow, (O::Taken, D::Allow));
    check("n2", Some(Allowed::Deny), D::Deny, (O::Taken, D::Deny));
    check("n3", Some(Allowed::Allow), D::Deny, (O::Overtaken, D::Allow));
    check("n4", None, D::Allow, (O::Overtaken, D::Allow));
    broker.settle_beside("unknown", &D::Allow).unwrap();
}

#[test]
fn requests_and_decisions_point_to_their_session_its_history_and_its_executor() {
    let machine = Machine::new();
    let settings = machine.handle.settings();
    let mut ledger = taffrail_store::Ledger::open(&settings.data, &settings.new_device).unwrap();
    ledger.attach(&[id(FIRST)], Some("tmux:%7")).unwrap();
    let asks = hook(&machine, body("n1", "make"));
    let [it] = waits_for(&machine, &State::Pending, 1).try_into().unwrap();
    let at = it.provenance.unwrap();
    assert_eq!((at.repowire_session_id, at.runtime_session_id.as_str()), (id(FIRST), FIRST));
    assert_eq!(at.peer_id.as_deref(), Some("tmux:%7"));
    let binding = machine.get(&format!("/sessions/{}/binding", id(FIRST))).json();
    assert_eq!(at.runtime_source_uri.as_deref(), binding["runtime_source_uri"].as_str());
    decide(&machine.client(), it.id.as_str(), Allowed::Deny).unwrap();
    asks.join().unwrap();
    let log: taffrail_api::Decisions = machine.client().get("/api/approvals/log").unwrap();
    let decided = log.decisions.into_iter().find(|row| row.approval_id == it.id).unwrap();
    let decided = decided.provenance.unwrap();
    assert_eq!(decided.repowire_session_id, at.repowire_session_id);
    assert_eq!(decided.runtime_source_uri, at.runtime_source_uri);
}
