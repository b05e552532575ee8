//! What a session's row says while the session lives, and when a turn that has no end is over.

use super::approvals::{body, decide, hook};
use super::{FIRST, Machine, card, id, until};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use taffrail_api::{Allowed, Session};
use taffrail_context::{LiveStatus, Settings, Target, write_entry};
use taffrail_model::evidence::Evidence;
use taffrail_model::status::{Status, WaitingFor, WaitingKind};
use taffrail_model::turn::TurnStatus;
use taffrail_model::{Confidence, Kind, Origin, Signal, Timestamp};
use taffrail_query::events::{Texts, turns};

const CLAUDE: &str = "claude-code";
/// A session that only hooks report.
const HOOKED: &str = "33333333-3333-4333-8333-333333333333";
/// Half past ten.
const BEGIN: i64 = 1_790_850_600;

fn said(source: Origin, at: &str, says: Signal) -> Evidence {
    let at = format!("2026-10-01T{at}Z").parse().unwrap();
    let (kind, detail) = (String::new(), String::new());
    Evidence { source, kind, at, confidence: Confidence::High, says, detail }
}

fn row(machine: &Machine) -> Session {
    machine.client().get(&format!("/api/sessions/{}", id(FIRST))).unwrap()
}

/// The latest turn of the first session, from its events.
fn last_turn(machine: &Machine) -> String {
    let mut events = machine.changes(FIRST, None).into_iter().filter_map(|it| match it {
        taffrail_api::EventLine::Event(it) if it.kind == Kind::UserPrompt => it.turn_id,
        _ => None,
    });
    events.next_back().unwrap().to_string()
}

fn put(machine: &Machine, evidence: &[Evidence], status: LiveStatus) {
    let card = LiveStatus { evidence: evidence.to_vec(), ..status };
    machine.handle.live().put_status(id(FIRST), Some(Arc::new(card)));
}

/// The row had a status and a last event, and nothing about prompts, output, turn and request.
#[test]
fn a_row_names_its_prompt_its_output_its_open_turn_and_its_open_request() {
    let machine = Machine::new();
    let evidence = [
        said(Origin::Hook, "10:01:00", Signal::Prompted),
        said(Origin::Transcript, "10:02:00", Signal::Busy),
        // Neither is output of the agent.
        said(Origin::Registry, "10:03:00", Signal::Busy),
        said(Origin::Hook, "10:04:00", Signal::AskedApproval { input: String::new() }),
    ];
    put(&machine, &evidence, card(Status::WaitingApproval));
    let asks = hook(&machine, body("n1", "npm test"));
    let asked = until("the request", || row(&machine).pending_approval_id);
    let it = row(&machine);
    let at = |at: &str| Some(format!("2026-10-01T{at}Z").parse::<Timestamp>().unwrap());
    assert_eq!(it.last_user_prompt_at, at("10:01:00"));
    assert_eq!(it.last_assistant_output_at, at("10:02:00"));
    assert_eq!(it.active_turn_id, Some(last_turn(&machine)));
    decide(&machine.client(), &asked, Allowed::Allow).unwrap();
    asks.join().unwrap().unwrap();
    assert_eq!(row(&machine).pending_approval_id, None);
}

#[test]
fn a_turn_is_active_while_the_agent_works_or_asks() {
    let machine = Machine::new();
    let turn = last_turn(&machine);
    let check = |status: Status, asks: Option<WaitingKind>, expected: bool| {
        let mut card = card(status);
        card.reading.waiting_for = asks.map(|it| WaitingFor::new(it, String::new()));
        put(&machine, &[], card);
        let it = row(&machine);
        assert_eq!(it.active_turn_id, expected.then(|| turn.clone()), "{status:?}");
        assert_eq!((it.last_user_prompt_at, it.last_assistant_output_at), (None, None));
    };
    check(Status::Running, None, true);
    check(Status::WaitingApproval, Some(WaitingKind::Approval), true);
    check(Status::Waiting, Some(WaitingKind::Question), true);
    check(Status::Waiting, Some(WaitingKind::Prompt), false);
    check(Status::Exited, None, false);
    machine.handle.live().put_status(id(FIRST), None);
    assert_eq!(row(&machine).active_turn_id, None);
}

fn report(settings: &Settings, mark: u8, name: &str, more: &Value) {
    let mut payload = json!({"session_id": HOOKED, "hook_event_name": name, "cwd": "/w/app"});
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    write_entry(settings, (CLAUDE, Origin::Hook), [mark; 16], &payload.to_string()).unwrap();
}

/// No caller of the fold passed on that the agent waits, so a turn without an end stayed open.
#[test]
fn a_turn_without_an_end_stayed_open_while_the_agent_waited() {
    static NOW: AtomicI64 = AtomicI64::new(BEGIN);
    let machine = Machine::with(|settings| {
        settings.now = || Timestamp::from_second(NOW.load(Ordering::Relaxed)).unwrap();
    });
    let settings = machine.handle.settings();
    report(settings, 1, "UserPromptSubmit", &json!({"prompt": "Paint the fence"}));
    let status_at = |second: i64| {
        NOW.store(BEGIN + second, Ordering::Relaxed);
        machine.read_all();
        let target = Target::Id(id(HOOKED).to_string());
        let turn = turns(settings, &target, Texts::Whole).unwrap().pop().unwrap();
        assert_eq!(turn.prompt, "Paint the fence");
        turn.status
    };
    // Silence alone proves nothing.
    assert_eq!(status_at(60), TurnStatus::Open);
    let idle = json!({"notification_type": "idle_prompt", "message": "waiting for your input"});
    report(settings, 2, "Notification", &idle);
    assert_eq!(status_at(60 + 119), TurnStatus::Open);
    assert_eq!(status_at(60 + 120), TurnStatus::TimedOut);
}
