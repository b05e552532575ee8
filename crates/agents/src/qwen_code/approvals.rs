//! How to answer Qwen Code. It shows its dialog only if the hook gave no answer.

use super::hooks::{QUESTION_TOOLS, whose};
use super::install::APPROVAL;
use taffrail_kit::approvals::{answer_in, call_in, denial_in, request_in};
use taffrail_kit::{ApprovalPlan, Dialog, Request, Unattended};

pub(super) static PLAN: ApprovalPlan = ApprovalPlan {
    dialog: Dialog::After,
    request,
    answer: answer_in,
    call,
    denial: denial_in,
    seconds: APPROVAL as i64,
    unattended: Unattended { variables: &[], words: &["-p", "--prompt"], entrypoints: &[] },
};

fn request(payload: &str) -> Option<Request> {
    request_in(payload, QUESTION_TOOLS, |it| whose(it).0)
}

fn call(payload: &str) -> Option<Request> {
    call_in(payload, QUESTION_TOOLS, |it| whose(it).0)
}

#[cfg(test)]
mod tests;
