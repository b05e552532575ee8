//! How a rule denies a call of Gemini CLI. No hook of it can allow one: its dialog appears whatever
//! the hooks say.

use super::hooks::QUESTION_TOOLS;
use super::identity;
use serde_json::json;
use taffrail_kit::approvals::asked_in;
use taffrail_kit::{Answer, ApprovalPlan, Dialog, Request, Unattended};

pub(super) static PLAN: ApprovalPlan = ApprovalPlan {
    dialog: Dialog::Beside,
    request: |_| None,
    answer: no_answer,
    call,
    denial,
    seconds: 2,
    unattended: Unattended { variables: &[], words: &["-p", "--prompt"], entrypoints: &[] },
};

fn call(payload: &str) -> Option<Request> {
    asked_in(payload, "BeforeTool", QUESTION_TOOLS, |it| identity(it.session()))
}

fn denial(reason: &str) -> String {
    json!({ "decision": "deny", "reason": reason }).to_string()
}

/// The agent reads no answer to a request.
fn no_answer(_: &Answer) -> String {
    json!({}).to_string()
}
