//! Requests for approval: the hook that asks, the rules that answer, and the broker that lets at
//! most one decision out.
//!
//! Each request is one row in the ledger; every decision and every refused attempt is in the audit
//! log.

mod attempts;
pub mod broker;
mod callers;
mod decision_log;
mod hook;
mod list;
mod pipe;
mod refusal;
mod request_body;
mod rule_request;
pub mod rules;
mod screen_requests;

pub use attempts::{Attempt, note_attempt};
pub use broker::Broker;
pub use callers::{SCRIPTS_KEY, caller, own_caller, scripts};
pub use decision_log::{sign_log, verify_decisions};
pub use hook::{
    Question, Said, ask_desk, deny_call, is_anothers, recall_moment, take_down, take_down_line,
};
pub use list::decisions;
pub use pipe::{PipeObserver, PipedAgent};
pub use request_body::body_of;
pub use taffrail_adapters::{RecallMoment, RecallNeed};
