//! OpenTelemetry spans.

use crate::fixtures::sessions;
use crate::session::{one_turn, say, session, spend};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use taffrail_exports::Recorded;
use taffrail_exports::otlp::{Content, traces};
use taffrail_model::Kind;

/// The spans of a session, each with its attributes by name.
fn spans(session: &Recorded, content: Content) -> Vec<(Value, BTreeMap<String, Value>)> {
    let sent = traces(session, content, "0.1.0");
    let mut out = Vec::new();
    for request in &sent.requests {
        let request: Value = serde_json::from_str(request).unwrap();
        for span in request["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap() {
            let all = span["attributes"].as_array().unwrap().iter();
            let value = |it: &Value| it["value"].as_object().unwrap().values().next().cloned();
            let all = all.map(|it| (it["key"].as_str().unwrap().to_owned(), value(it).unwrap()));
            out.push((span.clone(), all.collect()));
        }
    }
    assert_eq!(out.len(), sent.spans);
    out
}

/// Name, parent's name, seconds and whether it failed, for every span.
fn tree(session: &Recorded) -> Vec<String> {
    let all = spans(session, Content::LeftOut);
    let names: BTreeMap<_, _> =
        all.iter().map(|(it, _)| (it["spanId"].to_string(), it["name"].clone())).collect();
    let second = |it: &Value| it.as_str().unwrap().parse::<u64>().unwrap() / 1_000_000_000;
    let line = |span: &Value| {
        let parent = names.get(&span["parentSpanId"].to_string());
        let parent = parent.and_then(Value::as_str).unwrap_or("-");
        let times = (second(&span["startTimeUnixNano"]), second(&span["endTimeUnixNano"]));
        let failed = if span["status"]["code"] == 2 { " failed" } else { "" };
        let name = span["name"].as_str().unwrap();
        format!("{name} < {parent}, {}..{}{failed}", times.0, times.1)
    };
    all.iter().map(|(span, _)| line(span)).collect()
}

#[test]
fn a_turn_an_answer_and_a_call_have_a_span_each() {
    let expected = [
        "session parrot < -, 10..17",
        "invoke_agent parrot < session parrot, 10..17",
        "chat claude-x-1 < invoke_agent parrot, 10..13",
        "execute_tool Bash < invoke_agent parrot, 13..15 failed",
        "chat claude-x-1 < invoke_agent parrot, 15..17",
    ];
    assert_eq!(tree(&one_turn()), expected);
}

#[test]
fn attributes_have_the_names_of_the_conventions() {
    let all = spans(&one_turn(), Content::LeftOut);
    let of = |at: usize| json!(all[at].1);
    let common = |operation: &str, more: Value| {
        let mut out = json!({
            "gen_ai.operation.name": operation, "gen_ai.conversation.id": "0f5c2d1e",
            "gen_ai.agent.name": "parrot", "gen_ai.agent.version": "1.2.3",
        });
        out.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        out
    };
    let turn = common("invoke_agent", json!({"gen_ai.provider.name": "anthropic"}));
    assert_eq!(of(1), turn);
    let call = json!({
        "gen_ai.tool.name": "Bash", "gen_ai.tool.call.id": "c1", "error.type": "_OTHER",
    });
    assert_eq!(of(3), common("execute_tool", call));
    let chat = json!({
        "gen_ai.provider.name": "anthropic", "gen_ai.response.model": "claude-x-1",
        "gen_ai.response.finish_reasons": {"values": [{"stringValue": "end_turn"}]},
        "gen_ai.usage.input_tokens": "105", "gen_ai.usage.output_tokens": "20",
        "gen_ai.usage.cache_read.input_tokens": "5",
    });
    assert_eq!(of(4), common("chat", chat));
}

#[test]
fn nothing_that_was_said_leaves_unless_it_is_asked_for() {
    let session = one_turn();
    let has_word = |content| traces(&session, content, "0").requests.concat().contains("zzwick");
    assert!(!has_word(Content::LeftOut));
    assert!(has_word(Content::Sent));
    let all = spans(&session, Content::Sent);
    let field = |at: usize, name: &str| all[at].1[name].as_str().unwrap().to_owned();
    assert_eq!(field(3, "gen_ai.tool.call.arguments"), r#"{"command":"ls zzwick"}"#);
    assert_eq!(field(3, "gen_ai.tool.call.result"), "no zzwick");
    let prompt: Value = serde_json::from_str(&field(1, "gen_ai.input.messages")).unwrap();
    let text = json!({"type": "text", "content": "run the zzwick"});
    assert_eq!(prompt, json!([{"role": "user", "parts": [text]}]));
}

#[test]
fn a_prompt_into_a_turn_begins_none_and_an_error_at_its_end_is_its_own() {
    let mut it = one_turn();
    say(&mut it, 20, Kind::UserPrompt, "again", json!({}));
    say(&mut it, 21, Kind::UserPrompt, "and this", json!({}));
    it.events[6].turn_id = it.events[5].turn_id;
    say(&mut it, 25, Kind::Error, "overloaded", json!({"code": "529"}));
    let all = tree(&it);
    assert_eq!(all[5..], ["invoke_agent parrot < session parrot, 20..25 failed"]);
    let last = spans(&it, Content::LeftOut).pop().unwrap().1;
    assert_eq!(last["error.type"], "529");
}

#[test]
fn a_sub_agent_is_below_its_call_and_copies_stay_where_they_were() {
    let mut it = session("0f5c2d1e");
    say(&mut it, 1, Kind::UserPrompt, "copied", json!({"inherited_from": "x"}));
    say(&mut it, 10, Kind::UserPrompt, "delegate", json!({}));
    let input = json!({"call_id": "c1", "tool": "Agent", "input": {"prompt": "Count."}});
    say(&mut it, 11, Kind::ToolCall, "count", input);
    let mut worker = session("a80915f0892e");
    say(&mut worker, 12, Kind::UserPrompt, "Count.", json!({}));
    say(&mut worker, 14, Kind::AssistantMessage, "Nine.", json!({}));
    spend(&mut worker, 14);
    it.workers.push(worker);
    let expected = [
        "session parrot < -, 10..14",
        "invoke_agent parrot < session parrot, 10..11",
        "chat < invoke_agent parrot, 10..11",
        "execute_tool Agent < invoke_agent parrot, 11..11",
        "invoke_agent parrot < execute_tool Agent, 12..14",
        "chat claude-x-1 < invoke_agent parrot, 12..14",
    ];
    assert_eq!(tree(&it), expected);
}

#[test]
fn spans_of_all_fixtures_are_one_tree_with_the_same_ids_each_time() {
    for (name, session) in sessions() {
        let all = spans(&session, Content::Sent);
        let ids: BTreeSet<_> = all.iter().map(|(it, _)| it["spanId"].to_string()).collect();
        assert_eq!(ids.len(), all.len(), "{name}: ids of their own");
        let traces: BTreeSet<_> = all.iter().map(|(it, _)| it["traceId"].to_string()).collect();
        assert!(traces.len() <= 1, "{name}: one trace");
        let is_below = |it: &Value| ids.contains(&it["parentSpanId"].to_string());
        let roots = all.iter().filter(|(it, _)| !is_below(it)).count();
        assert_eq!(roots, usize::from(!all.is_empty()), "{name}: one root");
        for (span, _) in &all {
            let time = |name: &str| span[name].as_str().unwrap().parse::<u64>().unwrap();
            assert!(time("startTimeUnixNano") <= time("endTimeUnixNano"), "{name}: {span}");
        }
        assert_eq!(spans(&session, Content::Sent), all, "{name}: the same again");
    }
}

#[test]
fn a_long_session_is_sent_in_several_requests() {
    let mut it = session("0f5c2d1e");
    for second in 0..1100 {
        say(&mut it, second, Kind::UserPrompt, "go on", json!({}));
    }
    let sent = traces(&it, Content::LeftOut, "0");
    assert_eq!((sent.requests.len(), sent.spans), (3, 1101));
}
