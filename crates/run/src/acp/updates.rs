//! The states of tools and plans, as far as they changed.

use super::fact::Fact;
use super::message::ToolCall;
use serde_json::Value;
use std::collections::BTreeMap;

/// How many tool calls are remembered at once.
const MOST: usize = 256;
/// The longest title, in characters.
const TITLE: usize = 280;

/// What was last said about tools and plans.
#[derive(Debug, Default)]
pub(super) struct Updates {
    /// Title and state of each call that is not over.
    tools: BTreeMap<(String, String), (String, String)>,
    plans: BTreeMap<String, (String, String)>,
}

impl Updates {
    /// Takes an update of a session; `None` if nothing changed that matters.
    pub(super) fn take(&mut self, session: String, update: Value) -> Option<Fact> {
        let kind = update.get("sessionUpdate")?.as_str()?.to_owned();
        match kind.as_str() {
            "tool_call" | "tool_call_update" => {
                self.tool(session, serde_json::from_value(update).ok()?)
            }
            "plan" => self.plan(session, &update),
            _ => None,
        }
    }

    fn tool(&mut self, session: String, call: ToolCall) -> Option<Fact> {
        let key = (session.clone(), call.tool_call_id);
        let known = self.tools.get(&key).cloned().unwrap_or_default();
        let title = call.title.map_or(known.0, |it| cut(&it));
        let status = call.status.unwrap_or_else(|| match known.1.is_empty() {
            // A call without a state has not begun.
            true => "pending".to_owned(),
            false => known.1.clone(),
        });
        let is_new = known.1 != status;
        match status.as_str() {
            "completed" | "failed" => drop(self.tools.remove(&key)),
            _ if self.tools.len() < MOST || self.tools.contains_key(&key) => {
                self.tools.insert(key, (title.clone(), status.clone()));
            }
            _ => {}
        }
        is_new.then_some(Fact::Tool { session, title, status })
    }

    fn plan(&mut self, session: String, update: &Value) -> Option<Fact> {
        let entries = update.get("entries")?.as_array()?;
        let is = |it: &&Value, status: &str| it.get("status").is_some_and(|it| it == status);
        let done = entries.iter().filter(|it| is(it, "completed")).count();
        let current = entries.iter().find(|it| is(it, "in_progress"));
        let step = current.and_then(|it| it.get("content")?.as_str()).map(cut).unwrap_or_default();
        let new = (step, format!("{done}/{}", entries.len()));
        let is_new = self.plans.get(&session) != Some(&new);
        if self.plans.len() < MOST || self.plans.contains_key(&session) {
            self.plans.insert(session.clone(), new.clone());
        }
        is_new.then_some(Fact::Plan { session, step: new.0, progress: new.1 })
    }
}

fn cut(text: &str) -> String {
    text.chars().take(TITLE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_changes_are_facts() {
        let mut updates = Updates::default();
        let mut check = |update: Value, expected: Option<&str>| {
            let got = updates.take("s".to_owned(), update.clone()).map(|it| match it {
                Fact::Tool { title, status, .. } => format!("{title}: {status}"),
                Fact::Plan { step, progress, .. } => format!("{step}: {progress}"),
                other => format!("{other:?}"),
            });
            assert_eq!(got.as_deref(), expected, "{update}");
        };
        let call = |id: &str, rest: Value| {
            let mut call = json!({"sessionUpdate": "tool_call_update", "toolCallId": id});
            call.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
            call
        };
        check(call("1", json!({"title": "ls"})), Some("ls: pending"));
        check(call("1", json!({"content": []})), None);
        check(call("1", json!({"status": "in_progress"})), Some("ls: in_progress"));
        check(call("2", json!({"status": "in_progress"})), Some(": in_progress"));
        check(call("1", json!({"status": "completed"})), Some("ls: completed"));
        let plan = |first: &str, second: &str| {
            json!({"sessionUpdate": "plan", "entries": [
                {"content": "read", "priority": "high", "status": first},
                {"content": "write", "priority": "low", "status": second},
            ]})
        };
        check(plan("in_progress", "pending"), Some("read: 0/2"));
        check(plan("in_progress", "pending"), None);
        check(plan("completed", "in_progress"), Some("write: 1/2"));
        check(json!({"sessionUpdate": "agent_message_chunk"}), None);
        check(json!({"entries": []}), None);
    }
}
