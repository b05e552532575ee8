//! How to read and answer an agent's approval requests.

use crate::hook_payload::Payload;
use serde_json::{Value, json};
use taffrail_model::RuntimeIdentity;
use taffrail_model::approval::Decision;

/// How to read and answer one agent's approval requests.
#[derive(Debug)]
pub struct ApprovalPlan {
    /// When the agent shows its own dialog relative to its hook.
    pub dialog: Dialog,
    /// Reads a hook's payload; `None` if the payload is not an approval request.
    pub request: fn(&str) -> Option<Request>,
    /// Writes what the hook prints as the answer.
    pub answer: fn(&Answer) -> String,
    /// Reads the payload of a tool call that is about to run, allowed or not.
    pub call: fn(&str) -> Option<Request>,
    /// Writes what the hook prints when a rule denies such a call, with the reason.
    pub denial: fn(&str) -> String,
    /// How long the agent waits for its hook, in seconds.
    pub seconds: i64,
    /// How to detect that no person attends the agent.
    pub unattended: Unattended,
}

/// When the agent shows its own dialog relative to its hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialog {
    /// Shown at the same time; the first answer wins.
    Beside,
    /// Shown only if the hook gave no answer.
    After,
}

/// How to detect that no person attends an agent.
#[derive(Debug, Clone, Copy)]
pub struct Unattended {
    /// Environment variables, each with the prefix of its value.
    pub variables: &'static [(&'static str, &'static str)],
    /// Arguments of the command line.
    pub words: &'static [&'static str],
    /// Prefixes of the session's entrypoint.
    pub entrypoints: &'static [&'static str],
}

/// An approval request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The session that asks: for a sub-agent, its own.
    pub who: RuntimeIdentity,
    /// The tool, as the agent names it.
    pub tool: String,
    /// The shell command, if the tool runs one.
    pub command: Option<String>,
    /// The request in one line.
    pub says: String,
    /// A digest of the exact input.
    pub mark: String,
    /// The folder it works in.
    pub project: Option<String>,
    /// Files the tool names.
    pub files: Vec<String>,
    /// The input of the tool.
    pub input: Option<Value>,
}

/// An answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The decision.
    pub decision: Decision,
    /// The reason that the agent gets with a refusal.
    pub reason: Option<String>,
}

impl Unattended {
    /// Whether these variables and this command line match. No person attends a CI machine,
    /// either.
    pub fn matches(&self, variable: impl Fn(&str) -> Option<String>, line: &[String]) -> bool {
        let set = |name: &str, value: &str| variable(name).is_some_and(|it| it.starts_with(value));
        let builds = variable("CI").is_some_and(|it| !matches!(it.as_str(), "" | "0" | "false"));
        let by_variable = self.variables.iter().any(|(name, value)| set(name, value));
        let own = line.iter().skip(1).take_while(|it| *it != "--");
        builds || by_variable || own.into_iter().any(|it| self.words.contains(&it.as_str()))
    }
}

/// A request in the shape that several agents share. A tool that asks a question is not a request.
pub fn request_in(
    json: &str,
    questions: &[&str],
    whose: fn(&Payload<'_>) -> RuntimeIdentity,
) -> Option<Request> {
    asked_in(json, "PermissionRequest", questions, whose)
}

/// A call that is about to run, in the shape that several agents share.
pub fn call_in(
    json: &str,
    questions: &[&str],
    whose: fn(&Payload<'_>) -> RuntimeIdentity,
) -> Option<Request> {
    asked_in(json, "PreToolUse", questions, whose)
}

/// A call or a request, by the name of its hook.
pub fn asked_in(
    json: &str,
    hook: &str,
    questions: &[&str],
    whose: fn(&Payload<'_>) -> RuntimeIdentity,
) -> Option<Request> {
    let payload = Payload::of(json)?;
    let tool = payload.tool_name.as_deref().unwrap_or_default();
    let asks = payload.hook_event_name.as_deref() == Some(hook);
    if !asks || questions.contains(&tool) {
        return None;
    }
    Some(request_of(&payload, whose(&payload)))
}

/// The request in a payload.
pub fn request_of(payload: &Payload<'_>, who: RuntimeIdentity) -> Request {
    Request {
        who,
        tool: payload.tool_name.as_deref().unwrap_or_default().to_owned(),
        command: payload.command(),
        says: payload.request().unwrap_or_default().into_owned(),
        mark: payload.input_mark(),
        project: payload.folder(),
        files: payload.file().into_iter().collect(),
        input: payload.input(),
    }
}

/// The refusal of a call that is about to run, in the shape that several agents share.
pub fn denial_in(reason: &str) -> String {
    let output = json!({
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": reason,
    });
    json!({ "hookSpecificOutput": output }).to_string()
}

/// The answer in the shape that several agents share.
pub fn answer_in(answer: &Answer) -> String {
    let decision = match (&answer.decision, &answer.reason) {
        (Decision::Allow, _) => json!({ "behavior": "allow" }),
        (_, Some(reason)) => json!({ "behavior": "deny", "message": reason }),
        (_, None) => json!({ "behavior": "deny", "message": "Denied from Taffrail." }),
    };
    let hook = "PermissionRequest";
    json!({ "hookSpecificOutput": { "hookEventName": hook, "decision": decision } }).to_string()
}
