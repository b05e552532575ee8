//! Rules suggested from past decisions.

use super::{ALLOW, Place};
use crate::rules::rule_suggestions;
use taffrail_model::approval::{
    Approval, ApprovalId, Decision, Outcome, State, Verdict, input_mark,
};
use taffrail_model::{AgentId, RuntimeIdentity, Timestamp};
use taffrail_store::Ledger;

/// Records a decision about a command, by a person or by a rule.
fn decide(place: &Place, (tool, command): (&str, &str), decision: Decision, rule: Option<&str>) {
    let settings = &place.settings;
    let mut ledger = Ledger::open(&settings.data, &settings.new_device).unwrap();
    let count = ledger.approvals(true).unwrap().len();
    let at = Timestamp::from_second(1_800_000_000 + i64::try_from(count).unwrap()).unwrap();
    let who = RuntimeIdentity::new(AgentId::new("claude-code"), "", "s");
    let rule = rule.map(str::to_owned);
    let verdict = Verdict { decision, by: "cli".to_owned(), why: None, rule, at, who: None };
    let input = match tool {
        "Bash" => serde_json::json!({ "command": command }),
        _ => serde_json::json!({ "file_path": command }),
    };
    let it = Approval {
        id: ApprovalId::of(&count.to_string()),
        session_id: who.session(),
        agent: who.agent.clone(),
        runtime_session_id: who.id,
        scope: who.scope,
        tool: tool.to_owned(),
        command: command.to_owned(),
        truncated: false,
        input_hash: input_mark(tool, input),
        risk: "low".to_owned(),
        state: State::Decided,
        outcome: Some(Outcome::Taken),
        asked_at: at,
        expires_at: at,
        sources: vec!["hook".to_owned()],
        call: None,
        verdict: Some(verdict),
    };
    assert!(ledger.open_approval(&it).unwrap());
}

fn offered(place: &Place) -> Vec<String> {
    let found = rule_suggestions(&place.settings).unwrap().suggestions;
    found.into_iter().map(|it| it.add.join(" ")).collect()
}

#[test]
fn what_was_decided_alike_often_enough_is_offered_and_never_added() {
    let place = Place::new();
    assert_eq!(offered(&place), [""; 0]);
    for file in ["a.txt", "b.txt", "c.txt"] {
        decide(&place, ("Bash", &format!("wc {file}")), Decision::Allow, None);
        decide(&place, ("Bash", &format!("git push {file}")), Decision::Deny, None);
        // Allowed as often, but it may run anything; decided by a rule; not a command at all.
        decide(&place, ("Bash", &format!("python3 {file}")), Decision::Allow, None);
        decide(&place, ("Bash", &format!("uniq {file}")), Decision::Allow, Some("allow uniq"));
        decide(&place, ("Write", "notes"), Decision::Allow, None);
    }
    // Decided both ways.
    for decision in [Decision::Allow, Decision::Allow, Decision::Allow, Decision::Deny] {
        decide(&place, ("Bash", "sort x"), decision, None);
    }
    let expected = [
        "taffrail rules add --deny --tool Bash --command git push *",
        "taffrail rules add --allow --tool Bash --command wc *",
    ];
    assert_eq!(offered(&place), expected);
    assert!(!crate::rules::user_file(&place.settings).exists());
}

#[test]
fn what_a_rule_decides_already_is_not_offered() {
    let place = Place::new();
    for _ in 0..3 {
        decide(&place, ("Bash", "wc x"), Decision::Allow, None);
    }
    assert_eq!(offered(&place).len(), 1);
    place.user(&ALLOW.replace("make", "wc"));
    assert_eq!(offered(&place), [""; 0]);
}
