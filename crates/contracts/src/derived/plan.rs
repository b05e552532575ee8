//! The last to-do list of a session: a complete list, or individual tasks.

use super::calls::Call;
use crate::prose::said;
use serde_json::Value;
use std::collections::BTreeMap;

/// Completed and open items.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// Completed items.
    pub done: Vec<String>,
    /// Open items in the order of the list, items in progress first.
    pub open: Vec<String>,
}

impl Plan {
    /// The completed part, from 0 to 1.
    #[must_use]
    pub fn progress(&self) -> f64 {
        let all = self.done.len() + self.open.len();
        if all == 0 { 0.0 } else { self.done.len() as f64 / all as f64 }
    }
}

/// The last plan of a session, if it has one. A list counts even if its tool call failed, because it shows
/// the agent's intention; a task that could not be created or changed does not count.
#[must_use]
pub fn plan(calls: &[Call<'_>]) -> Option<Plan> {
    let mut list: Option<Vec<(String, String)>> = None;
    let mut tasks: BTreeMap<u64, (String, String)> = BTreeMap::new();
    let mut by_tasks = false;
    for call in calls {
        if let Some(written) = written(&call.input) {
            (list, by_tasks) = (Some(written), false);
        } else if !call.has_failed() && kept(call, &mut tasks) {
            by_tasks = true;
        }
    }
    let items = if by_tasks { tasks.into_values().collect() } else { list? };
    Some(sorted(items))
}

fn sorted(items: Vec<(String, String)>) -> Plan {
    let mut plan = Plan::default();
    for (text, status) in items {
        match status.as_str() {
            "completed" | "complete" | "done" => plan.done.push(text),
            "cancelled" | "canceled" | "deleted" | "abandoned" => {}
            _ => plan.open.push(text),
        }
    }
    plan
}

/// A complete list: `todos` or `plan`, of items with a text and a status.
fn written(input: &Value) -> Option<Vec<(String, String)>> {
    let list = input.get("todos").or_else(|| input.get("plan"))?.as_array()?;
    list.iter().map(item).collect()
}

fn item(item: &Value) -> Option<(String, String)> {
    let names = ["content", "step", "text", "title", "description", "subject"];
    let text = names.iter().find_map(|name| item.get(*name)?.as_str())?;
    let done = item.get("done").and_then(Value::as_bool) == Some(true);
    let status = item.get("status").and_then(Value::as_str);
    let status = status.unwrap_or(if done { "done" } else { "pending" });
    Some((said(text), status.to_owned()))
}

/// An individual task: created with a `subject`, changed by a `taskId`.
fn kept(call: &Call<'_>, tasks: &mut BTreeMap<u64, (String, String)>) -> bool {
    if !call.tool.to_ascii_lowercase().contains("task") {
        return false;
    }
    let number = call.input.get("taskId").and_then(number_in);
    match (number, call.field(&["subject"])) {
        (Some(number), subject) => {
            let Some(task) = tasks.get_mut(&number) else { return false };
            if let Some(subject) = subject {
                task.0 = said(subject);
            }
            if let Some(status) = call.field(&["status"]) {
                status.clone_into(&mut task.1);
            }
            true
        }
        (None, Some(subject)) => {
            // The result names the task's number; without it, tasks are numbered in order.
            let next = tasks.keys().next_back().map_or(1, |last| last + 1);
            let number = numbered(call.said()).unwrap_or(next);
            tasks.insert(number, (said(subject), "pending".to_owned()));
            true
        }
        (None, None) => false,
    }
}

fn number_in(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

fn numbered(text: &str) -> Option<u64> {
    let (_, after) = text.split_once('#')?;
    let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}
