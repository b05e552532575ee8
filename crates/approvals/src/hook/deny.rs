//! Lets a deny rule answer a call that is about to run: from the files, without a daemon, and in
//! every mode of the agent, even one that asks nobody.

use crate::request_body::body_of;
use crate::rule_request::RuleRequest;
use crate::rules;
use std::path::Path;
use taffrail_adapters::{Adapter, by_id};
use taffrail_model::rules::{Decision, decide};

/// The text to print for a call that a rule denies; `None` for every other call. `places` are our
/// configuration folder and the user's home.
#[must_use]
pub fn deny_call(places: (&Path, &Path), agent: &str, payload: &[u8]) -> Option<String> {
    let plan = by_id(agent).and_then(Adapter::approval_plan)?;
    let request = (plan.call)(std::str::from_utf8(payload).ok()?)?;
    let body = body_of(request, "", taffrail_model::Timestamp::UNIX_EPOCH);
    let book = rules::load_from(places, body.project.as_deref().map(Path::new));
    let verdict = RuleRequest::of(&body).with(&body, |it| decide(it, &book.rules));
    let reason = format!("Denied by a rule of the user: {}", verdict.why);
    (verdict.decision == Decision::Deny).then(|| (plan.denial)(&reason))
}
