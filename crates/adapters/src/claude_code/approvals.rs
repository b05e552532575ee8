//! How to answer Claude Code. It shows its dialog while the hook is running; the first answer wins.

use super::hooks::{QUESTION_TOOLS, whose};
use super::install::APPROVAL;
use taffrail_kit::approvals::{answer_in, call_in, denial_in, request_in};
use taffrail_kit::{ApprovalPlan, Dialog, Request, Unattended};

pub(super) static PLAN: ApprovalPlan = ApprovalPlan {
    dialog: Dialog::Beside,
    request,
    answer: answer_in,
    call,
    denial: denial_in,
    seconds: APPROVAL as i64,
    unattended: Unattended {
        variables: &[("CLAUDE_CODE_ENTRYPOINT", "sdk-")],
        words: &["-p", "--print"],
        entrypoints: &["sdk-"],
    },
};

fn request(payload: &str) -> Option<Request> {
    request_in(payload, QUESTION_TOOLS, |it| whose(it).0)
}

fn call(payload: &str) -> Option<Request> {
    call_in(payload, QUESTION_TOOLS, |it| whose(it).0)
}
