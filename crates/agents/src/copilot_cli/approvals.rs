//! How to answer Copilot CLI. It calls its hook for every call, even one that its own rules allow, and shows its dialog
//! only if neither hook nor rules decided.

use super::hooks::{QUESTION_TOOLS, payload_in, whose};
use super::install::APPROVAL;
use serde_json::json;
use taffrail_kit::approvals::{denial_in, request_of};
use taffrail_kit::{Answer, ApprovalPlan, Dialog, Request, Unattended};
use taffrail_model::approval::Decision;

pub(super) static PLAN: ApprovalPlan = ApprovalPlan {
    dialog: Dialog::After,
    request: |payload| asked(payload, "PermissionRequest"),
    answer,
    call: |payload| asked(payload, "PreToolUse"),
    denial: denial_in,
    seconds: APPROVAL as i64,
    unattended: Unattended { variables: &[], words: &["-p", "--prompt"], entrypoints: &[] },
};

fn asked(json: &str, hook: &str) -> Option<Request> {
    let payload = payload_in(json)?;
    let tool = payload.tool_name.as_deref().unwrap_or_default();
    let is_it = payload.hook_event_name.as_deref() == Some(hook) && !QUESTION_TOOLS.contains(&tool);
    is_it.then(|| request_of(&payload, whose(&payload)))
}

/// The decision has no frame around it, unlike that of other agents.
fn answer(answer: &Answer) -> String {
    let decision = match (&answer.decision, &answer.reason) {
        (Decision::Allow, _) => json!({ "behavior": "allow" }),
        (_, Some(reason)) => json!({ "behavior": "deny", "message": reason }),
        (_, None) => json!({ "behavior": "deny", "message": "Denied from Taffrail." }),
    };
    decision.to_string()
}

#[cfg(test)]
mod tests;
