//! The kinds of secrets, the more telling first.

mod ai;
mod cloud;
mod forges;
mod names;
mod services;

use super::rule::Rule;

/// Every rule. What is known by itself comes before what is known by a name.
pub(super) fn all() -> impl Iterator<Item = &'static Rule> {
    [ai::RULES, cloud::RULES, forges::RULES, services::RULES, names::RULES].into_iter().flatten()
}
