//! Spans of the time of a turn.

use crate::session::{one_turn, say, session, spend};
use serde_json::json;
use taffrail_exports::Recorded;
use taffrail_exports::trace::trace;
use taffrail_model::{Kind, Tokens};

/// Kind, name, from, to, whether it failed, and the kind of the span above it.
fn check(session: &Recorded, expected: &[(&str, &str, i64, i64, bool, &str)]) {
    let spans = trace(session);
    let got: Vec<_> = spans
        .iter()
        .map(|it| {
            let (from, to) = (it.from.as_second(), it.to.as_second());
            let above = it.parent.as_deref().and_then(|id| id.split(':').next());
            let above = above.unwrap_or_default();
            (it.kind.as_str(), it.name.as_str(), from, to, it.failed, above)
        })
        .collect();
    assert_eq!(got, expected);
}

#[test]
fn an_answer_lasts_from_its_input_and_a_tool_until_its_result() {
    check(
        &one_turn(),
        &[
            ("model", "claude-x-1", 10, 13, false, ""),
            ("tool", "Bash", 13, 15, true, ""),
            ("model", "claude-x-1", 15, 17, false, ""),
        ],
    );
    let spans = trace(&one_turn());
    let tokens = Tokens { input: 100, output: 20, cache_read: 5, ..Tokens::default() };
    let spent: Vec<_> = spans.iter().map(|it| (it.tokens, it.cost_microdollars)).collect();
    let (some, none) = ((Some(tokens), Some(1500)), (None, None));
    assert_eq!(spent, [some, none, some]);
    assert_eq!(trace(&session("empty")), []);
}

#[test]
fn a_sub_agent_is_below_the_call_that_started_it() {
    let mut it = session("0f5c2d1e");
    let call = json!({"call_id": "c1", "tool": "Task", "input": {"prompt": "look around"}});
    say(&mut it, 10, Kind::UserPrompt, "go", json!({}));
    say(&mut it, 12, Kind::ToolCall, "look around", call);
    let mut worker = session("11111111-aaaa");
    say(&mut worker, 13, Kind::UserPrompt, "look around", json!({}));
    say(&mut worker, 16, Kind::AssistantMessage, "nothing", json!({"model": "small-1"}));
    spend(&mut worker, 16);
    it.workers.push(worker);
    say(&mut it, 18, Kind::ToolResult, "nothing", json!({"call_id": "c1"}));
    check(
        &it,
        &[
            ("model", "claude-x-1", 10, 12, false, ""),
            ("tool", "Task", 12, 18, false, ""),
            ("agent", "Mend it", 13, 16, false, "tool"),
            ("model", "small-1", 13, 16, false, "agent"),
        ],
    );
    let agent = trace(&it).remove(2);
    assert_eq!(
        (agent.tokens.map(|it| it.output), agent.session),
        (Some(20), Some(it.workers[0].id))
    );
}

#[test]
fn somebody_is_waited_for_until_the_first_decision() {
    let mut it = session("0f5c2d1e");
    let call = |id: &str| json!({"call_id": id, "tool": "Bash", "input": {}});
    say(&mut it, 10, Kind::UserPrompt, "go", json!({}));
    say(&mut it, 12, Kind::ToolCall, "rm x", call("c1"));
    say(&mut it, 13, Kind::ApprovalRequested, "rm x", call("c1"));
    say(&mut it, 14, Kind::ApprovalRequested, "rm x", call("c1"));
    say(&mut it, 20, Kind::ApprovalResolved, "", json!({"decision": "allow"}));
    say(&mut it, 21, Kind::ApprovalResolved, "", json!({"decision": "allow"}));
    say(&mut it, 25, Kind::ToolResult, "", json!({"call_id": "c1"}));
    say(&mut it, 26, Kind::ToolCall, "rm y", call("c2"));
    say(&mut it, 27, Kind::ApprovalRequested, "rm y", json!({"call_id": "c2"}));
    say(&mut it, 30, Kind::Notice, "still", json!({}));
    let spans = trace(&it);
    let waits: Vec<_> = spans.iter().filter(|it| it.kind.as_str() == "human").collect();
    let waits: Vec<_> =
        waits.iter().map(|it| (it.name.as_str(), it.from.as_second(), it.to.as_second())).collect();
    assert_eq!(waits, [("Bash", 13, 20), ("approval", 27, 30)]);
}

#[test]
fn the_wait_for_an_answer_to_a_question_is_no_time_of_a_tool() {
    let mut it = session("0f5c2d1e");
    let ask = json!({"call_id": "c1", "tool": "AskUserQuestion", "input": {}});
    say(&mut it, 10, Kind::UserPrompt, "go", json!({}));
    say(&mut it, 12, Kind::ToolCall, "Red or blue?", ask.clone());
    it.questions.extend(it.events.last().map(|call| call.id));
    say(&mut it, 13, Kind::ApprovalRequested, "Red or blue?", ask);
    say(&mut it, 90, Kind::ToolResult, "Red", json!({"call_id": "c1"}));
    check(
        &it,
        &[
            ("model", "claude-x-1", 10, 12, false, ""),
            ("human", "AskUserQuestion", 12, 90, false, ""),
        ],
    );
}

#[test]
fn a_call_that_somebody_refused_did_not_fail() {
    let mut it = session("0f5c2d1e");
    let call = json!({"call_id": "c1", "tool": "Bash", "input": {}});
    say(&mut it, 10, Kind::UserPrompt, "go", json!({}));
    say(&mut it, 12, Kind::ToolCall, "rm x", call);
    say(&mut it, 20, Kind::ToolResult, "no", json!({"call_id": "c1", "denied": true}));
    let spans = trace(&it);
    let denied: Vec<_> = spans.iter().map(|it| (it.failed, it.denied)).collect();
    assert_eq!(denied, [(false, false), (false, true)]);
}
