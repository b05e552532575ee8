//! How a rule denies a call of Goose. Goose asks its person before it calls the hook, so a hook
//! cannot allow a call.

use super::hooks::payload_in;
use super::identity;
use serde_json::json;
use taffrail_kit::approvals::request_of;
use taffrail_kit::{Answer, ApprovalPlan, Dialog, Request, Unattended};

pub(super) static PLAN: ApprovalPlan = ApprovalPlan {
    dialog: Dialog::Beside,
    request: |_| None,
    answer: no_answer,
    call,
    denial,
    seconds: 2,
    unattended: Unattended { variables: &[], words: &["run"], entrypoints: &[] },
};

fn call(payload: &str) -> Option<Request> {
    let payload = payload_in(payload)?;
    let is_call = payload.hook_event_name.as_deref() == Some("PreToolUse");
    is_call.then(|| request_of(&payload, identity("", payload.session())))
}

fn denial(reason: &str) -> String {
    json!({ "decision": "block", "reason": reason }).to_string()
}

/// The agent reads no answer to a request.
fn no_answer(_: &Answer) -> String {
    json!({}).to_string()
}
