//! Whether a hook's payload is a moment at which earlier sessions may help its agent.

use taffrail_adapters::{RecallMoment, by_id};

/// The moment that a payload describes; `None` for every other payload.
#[must_use]
pub fn recall_moment(agent: &str, payload: &[u8]) -> Option<RecallMoment> {
    let plan = by_id(agent)?.recall_plan()?;
    plan.moment(std::str::from_utf8(payload).ok()?)
}
