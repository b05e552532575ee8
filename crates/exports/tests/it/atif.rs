//! ATIF trajectories.

use crate::atif_rules::faults;
use crate::fixtures::sessions;
use crate::session::{one_turn, say, session, spend};
use serde_json::{Value, json};
use taffrail_exports::Recorded;
use taffrail_exports::atif::trajectory;
use taffrail_model::Kind;

fn written(session: &Recorded) -> Value {
    serde_json::to_value(trajectory(session).unwrap()).unwrap()
}

/// Field by field of every step, without those that are null.
fn steps(session: &Recorded, fields: &[&str]) -> Value {
    let written = written(session);
    assert_eq!(faults(&written), [""; 0], "{written:#}");
    let steps = written["steps"].as_array().unwrap().iter();
    steps.map(|step| fields.iter().map(|it| step[*it].clone()).collect::<Value>()).collect()
}

#[test]
fn trajectories_of_all_fixtures_keep_the_rules_and_count_every_token_once() {
    let all = sessions();
    let mut calls = 0;
    for (name, session) in &all {
        let Some(document) = trajectory(session) else { continue };
        let written = serde_json::to_value(&document).unwrap();
        assert_eq!(faults(&written), [""; 0], "{name}: {written:#}");
        let spent = document.steps.iter().filter_map(|it| it.metrics.as_ref());
        let in_steps: u64 = spent.map(|it| it.prompt_tokens).sum();
        let timed = session.answers.iter().filter(|it| it.at.is_some()).map(|it| it.tokens);
        let in_all: u64 = timed.map(|it| it.input + it.cache_read + it.cache_write).sum();
        assert_eq!(in_steps, in_all, "{name}");
        let said = session.events.iter().filter(|it| it.kind == Kind::ToolCall).count();
        let got: usize = document.steps.iter().map(|it| it.tool_calls.len()).sum();
        assert_eq!(got, said, "{name}");
        calls += got;
    }
    assert!(all.len() > 100 && calls > 50, "{} sessions, {calls} calls", all.len());
}

#[test]
fn a_trajectory_holds_what_was_recorded() {
    let session = one_turn();
    let price = json!({
        "prompt_tokens": 105, "completion_tokens": 20, "cached_tokens": 5, "cost_usd": 0.0015,
        "extra": {"cost_source": "list_price"},
    });
    let expected = json!({
        "schema_version": "ATIF-v1.8",
        "session_id": "0f5c2d1e",
        "trajectory_id": session.id.to_string(),
        "agent": {"name": "parrot", "version": "1.2.3", "model_name": "claude-x-1"},
        "steps": [
            {
                "step_id": 1, "timestamp": "1970-01-01T00:00:10Z", "source": "user",
                "message": "run the zzwick",
            },
            {
                "step_id": 2, "timestamp": "1970-01-01T00:00:12Z", "source": "agent",
                "model_name": "claude-x-1", "message": "", "reasoning_content": "I look first.",
                "tool_calls": [{
                    "tool_call_id": "c1", "function_name": "Bash",
                    "arguments": {"command": "ls zzwick"},
                }],
                "observation": {"results": [{
                    "source_call_id": "c1", "content": "no zzwick",
                    "extra": {"failed": true, "exit_code": 2},
                }]},
                "metrics": price, "llm_call_count": 1,
            },
            {
                "step_id": 3, "timestamp": "1970-01-01T00:00:17Z", "source": "agent",
                "model_name": "claude-x-1", "message": "There is none.", "metrics": price,
                "llm_call_count": 1, "extra": {"stop_reason": "end_turn"},
            },
        ],
        "final_metrics": {
            "total_prompt_tokens": 210, "total_completion_tokens": 40, "total_cached_tokens": 10,
            "total_cost_usd": 0.003, "total_steps": 3, "extra": {"cost_source": "list_price"},
        },
        "extra": {"title": "Mend it"},
    });
    assert_eq!(written(&session), expected);
}

#[test]
fn unknown_figures_are_left_out() {
    let mut it = session("0f5c2d1e");
    it.agent_version = None;
    assert_eq!(trajectory(&it), None, "nothing was said");
    say(&mut it, 10, Kind::UserPrompt, "go", json!({}));
    say(&mut it, 11, Kind::AssistantMessage, "gone", json!({}));
    let got = written(&it);
    assert_eq!(got["agent"]["version"], "unknown");
    assert_eq!(got["final_metrics"], json!({"total_steps": 2}));
    assert_eq!(got["steps"][1].get("metrics"), None);
    spend(&mut it, 11);
    it.answers[0].cost = None;
    assert_eq!(written(&it)["final_metrics"].get("total_cost_usd"), None);
}

#[test]
fn an_answer_in_several_records_is_one_step() {
    let call = |id: &str| json!({"call_id": id, "tool": "Read", "input": {}});
    let result = |id: &str| json!({"call_id": id});
    let mut it = session("0f5c2d1e");
    say(&mut it, 10, Kind::UserPrompt, "read", json!({}));
    say(&mut it, 11, Kind::AssistantMessage, "Both.", json!({"answer": "m1"}));
    say(&mut it, 12, Kind::ToolCall, "a", call("c1"));
    spend(&mut it, 11);
    // The first result arrives while the model still writes the second call.
    say(&mut it, 13, Kind::ToolResult, "A", result("c1"));
    say(&mut it, 14, Kind::ToolCall, "b", call("c2"));
    say(&mut it, 15, Kind::ToolResult, "B", result("c2"));
    say(&mut it, 16, Kind::AssistantMessage, "Read.", json!({"answer": "m2"}));
    spend(&mut it, 16);
    let expected = json!([["read", null], ["Both.", 1], ["Read.", 1]]);
    assert_eq!(steps(&it, &["message", "llm_call_count"]), expected);
    assert_eq!(written(&it)["steps"][1]["tool_calls"].as_array().unwrap().len(), 2);
}

#[test]
fn a_cost_without_words_is_a_step_and_one_without_a_time_is_a_note() {
    let mut it = session("0f5c2d1e");
    spend(&mut it, 5);
    say(&mut it, 10, Kind::UserPrompt, "go", json!({}));
    spend(&mut it, 12);
    it.answers.push(it.answers[0].clone());
    it.answers[2].at = None;
    let got = steps(&it, &["source", "message", "llm_call_count"]);
    assert_eq!(got, json!([["agent", "", 1], ["user", "go", null], ["agent", "", 1]]));
    let got = written(&it);
    assert_eq!(got["final_metrics"]["total_prompt_tokens"], 315);
    assert!(got["notes"].as_str().unwrap().starts_with("1 model answers"), "{got:#}");
}

#[test]
fn copies_are_marked_and_have_no_cost() {
    let mut it = session("0f5c2d1e");
    let copied = json!({"inherited_from": "x"});
    say(&mut it, 10, Kind::UserPrompt, "old", copied.clone());
    say(&mut it, 11, Kind::AssistantMessage, "older", copied);
    say(&mut it, 20, Kind::UserPrompt, "new", json!({}));
    say(&mut it, 21, Kind::AssistantMessage, "newer", json!({}));
    spend(&mut it, 21);
    let got = steps(&it, &["message", "is_copied_context", "llm_call_count"]);
    let expected = [
        json!(["old", true, null]),
        json!(["older", true, null]),
        json!(["new", null, null]),
        json!(["newer", null, 1]),
    ];
    assert_eq!(got, json!(expected));
}

#[test]
fn a_sub_agent_is_named_by_the_call_that_started_it() {
    let check = |result: &str, prompt: &str, expected: bool| {
        let mut it = session("0f5c2d1e");
        let mut worker = session("a80915f0892e");
        say(&mut it, 10, Kind::UserPrompt, "delegate", json!({}));
        let input = json!({"call_id": "c1", "tool": "Agent", "input": {"prompt": "Count."}});
        say(&mut it, 11, Kind::ToolCall, "count", input);
        say(&mut it, 12, Kind::ToolResult, result, json!({"call_id": "c1"}));
        say(&mut worker, 13, Kind::UserPrompt, prompt, json!({}));
        let id = worker.id.to_string();
        it.workers.push(worker);
        it.workers.push(session("silent-one"));
        let got = written(&it);
        assert_eq!(faults(&got), [""; 0], "{got:#}");
        assert_eq!(got["subagent_trajectories"].as_array().unwrap().len(), 1);
        let refs = &got["steps"][1]["observation"]["results"][0]["subagent_trajectory_ref"];
        let expected =
            expected.then(|| json!([{"trajectory_id": id, "session_id": "a80915f0892e"}]));
        assert_eq!(refs, &expected.unwrap_or_default(), "{result}, {prompt}");
    };
    check("agentId: a80915f0892e, running", "Look around.", true);
    check("Launched.", " Count.\n", true);
    check("Launched.", "Look around.", false);
    check("xa80915f0892ex", "Look around.", false);
}
