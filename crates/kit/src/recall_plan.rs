//! When a hook may give its agent text to read, and in which form.

use serde_json::{Value, json};

/// When an agent's hook may give it text that it did not ask for.
#[derive(Debug)]
pub struct RecallPlan {
    /// The event at the start of a session.
    pub start: &'static str,
    /// The sources of a start after which the agent knows nothing of earlier work.
    pub sources: &'static [&'static str],
    /// The event after a call that failed, whose payload has its `error`; `None` if the agent has
    /// no such event.
    pub failure: Option<&'static str>,
}

/// A moment at which earlier sessions may help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecallMoment {
    /// The agent's name of the event.
    pub event: String,
    /// The agent's own id of its session.
    pub session: String,
    /// The folder that it works in.
    pub project: String,
    /// What may help.
    pub need: RecallNeed,
}

/// What may help an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecallNeed {
    /// A brief of the project.
    Brief,
    /// What fixed this error before.
    Fix(String),
}

impl RecallPlan {
    /// The moment that a hook's payload describes; `None` for any other payload.
    #[must_use]
    pub fn moment(&self, payload: &str) -> Option<RecallMoment> {
        let payload: Value = serde_json::from_str(payload).ok()?;
        let word = |name: &str| payload.get(name)?.as_str().map(str::to_owned);
        let event = word("hook_event_name")?;
        let need = if event == self.start {
            let source = word("source")?;
            self.sources.contains(&source.as_str()).then_some(RecallNeed::Brief)?
        } else if self.failure == Some(event.as_str()) {
            RecallNeed::Fix(word("error")?)
        } else {
            return None;
        };
        Some(RecallMoment { session: word("session_id")?, project: word("cwd")?, event, need })
    }
}

impl RecallMoment {
    /// What the hook prints, so that its agent reads a text.
    #[must_use]
    pub fn context(&self, text: &str) -> String {
        let output = json!({"hookEventName": self.event, "additionalContext": text});
        json!({"hookSpecificOutput": output}).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: RecallPlan =
        RecallPlan { start: "Start", sources: &["startup"], failure: Some("Failed") };

    #[test]
    fn a_payload_is_a_moment_or_it_is_not() {
        let check = |payload: Value, expected: Option<RecallNeed>| {
            let got = PLAN.moment(&payload.to_string()).map(|it| it.need);
            assert_eq!(got, expected, "{payload}");
        };
        let of = |event: &str, more: Value| {
            let mut it = json!({"hook_event_name": event, "session_id": "s", "cwd": "/w"});
            it.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            it
        };
        check(of("Start", json!({"source": "startup"})), Some(RecallNeed::Brief));
        check(of("Start", json!({"source": "resume"})), None);
        check(of("Start", json!({})), None);
        check(of("Failed", json!({"error": "no wick"})), Some(RecallNeed::Fix("no wick".into())));
        check(of("Failed", json!({"error": 7})), None);
        check(of("Stop", json!({"error": "no wick"})), None);
        check(json!({"hook_event_name": "Failed", "error": "x"}), None);
        check(json!("Start"), None);
        assert_eq!(PLAN.moment("{"), None);
    }

    #[test]
    fn text_is_given_in_the_form_of_the_event() {
        let (event, session, project) = ("Start".to_owned(), "s".to_owned(), "/w".to_owned());
        let moment = RecallMoment { event, session, project, need: RecallNeed::Brief };
        let expected =
            r#"{"hookSpecificOutput":{"additionalContext":"a\n\"b\"","hookEventName":"Start"}}"#;
        let got: Value = serde_json::from_str(&moment.context("a\n\"b\"")).unwrap();
        assert_eq!(got, serde_json::from_str::<Value>(expected).unwrap());
    }
}
