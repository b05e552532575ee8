//! How Codex is answered. Its dialog is shown only when the hook gave no answer.

use super::hooks::{QUESTION_TOOLS, whose};
use super::install::APPROVAL;
use crate::desk::{answer_in, request_in};
use crate::{DeskPlan, Dialog, Request, Unattended};

pub(super) static DESK: DeskPlan = DeskPlan {
    dialog: Dialog::After,
    request,
    answer: answer_in,
    seconds: APPROVAL as i64,
    unattended: Unattended { variables: &[], words: &["exec"], entrypoints: &[] },
};

fn request(payload: &str) -> Option<Request> {
    request_in(payload, QUESTION_TOOLS, |it| whose(it).0)
}
