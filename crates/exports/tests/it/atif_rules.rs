//! The structural rules of ATIF 1.8, written independently of the code that makes trajectories.

use serde_json::Value;
use std::collections::BTreeSet;

const ROOT: &str = "schema_version session_id trajectory_id agent steps notes final_metrics \
                    continued_trajectory_ref subagent_trajectories extra";
const AGENT: &str = "name version model_name tool_definitions extra";
const STEP: &str = "step_id timestamp source message model_name reasoning_effort \
                    reasoning_content tool_calls metrics observation llm_call_count \
                    is_copied_context extra";
const CALL: &str = "tool_call_id function_name arguments extra";
const METRICS: &str = "prompt_tokens completion_tokens cached_tokens cost_usd prompt_token_ids \
                       completion_token_ids logprobs extra";
const RESULT: &str = "source_call_id content subagent_trajectory_ref extra";
const FINAL: &str = "total_prompt_tokens total_completion_tokens total_cached_tokens \
                     total_cost_usd total_steps extra";
const AGENT_ONLY: [&str; 5] =
    ["model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics"];

/// The faults of a trajectory and of its sub-agents.
pub(crate) fn faults(root: &Value) -> Vec<String> {
    let mut out = Vec::new();
    only(root, ROOT, "root", &mut out);
    only(&root["agent"], AGENT, "agent", &mut out);
    only(&root["final_metrics"], FINAL, "final_metrics", &mut out);
    check(root["schema_version"] == "ATIF-v1.8", "schema_version", &mut out);
    let is_agent = root["agent"]["name"].is_string() && root["agent"]["version"].is_string();
    check(is_agent, "agent without name and version", &mut out);
    let workers = list(&root["subagent_trajectories"]);
    let ids: BTreeSet<_> = workers.iter().filter_map(|it| it["trajectory_id"].as_str()).collect();
    check(ids.len() == workers.len(), "sub-agents without ids of their own", &mut out);
    let steps = list(&root["steps"]);
    check(!steps.is_empty(), "no steps", &mut out);
    for (number, step) in (1..).zip(steps) {
        check(step["step_id"] == number, &format!("step {number} has another id"), &mut out);
        step_faults(step, &ids, &mut out);
    }
    out.extend(workers.iter().flat_map(faults));
    out
}

fn step_faults(step: &Value, workers: &BTreeSet<&str>, out: &mut Vec<String>) {
    let name = format!("step {}", step["step_id"]);
    only(step, STEP, &name, out);
    only(&step["metrics"], METRICS, &name, out);
    let source = step["source"].as_str().unwrap_or_default();
    check(["system", "user", "agent"].contains(&source), &format!("{name}: source"), out);
    check(step["message"].is_string(), &format!("{name}: message"), out);
    let has = |field: &&&str| !step[**field].is_null();
    let alien: Vec<_> = AGENT_ONLY.iter().filter(has).collect();
    check(source == "agent" || alien.is_empty(), &format!("{name}: {alien:?}"), out);
    let calls = list(&step["tool_calls"]);
    let ids: BTreeSet<_> = calls.iter().filter_map(|it| it["tool_call_id"].as_str()).collect();
    let is_unique = ids.len() == calls.len() && !ids.contains("");
    check(is_unique, &format!("{name}: ids of calls"), out);
    for call in calls {
        only(call, CALL, &name, out);
        let is_call = call["arguments"].is_object() && call["function_name"].is_string();
        check(is_call, &format!("{name}: a call"), out);
    }
    for result in list(&step["observation"]["results"]) {
        only(result, RESULT, &name, out);
        let id = result["source_call_id"].as_str();
        check(id.is_none_or(|it| ids.contains(it)), &format!("{name}: a result"), out);
        let refs = list(&result["subagent_trajectory_ref"]);
        let is_there = |it: &Value| workers.contains(it["trajectory_id"].as_str().unwrap_or(""));
        check(refs.iter().all(is_there), &format!("{name}: a sub-agent"), out);
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn check(holds: bool, fault: &str, out: &mut Vec<String>) {
    if !holds {
        out.push(fault.to_owned());
    }
}

fn only(value: &Value, names: &str, place: &str, out: &mut Vec<String>) {
    let known: BTreeSet<_> = names.split_whitespace().collect();
    let fields = value.as_object().into_iter().flatten().map(|(name, _)| name.as_str());
    let alien = fields.filter(|name| !known.contains(name));
    out.extend(alien.map(|name| format!("{place}: unknown field {name}")));
}
