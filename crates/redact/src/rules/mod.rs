//! The kinds of secrets, the more specific first.

mod addresses;
mod ai;
mod cloud;
mod commands;
mod forges;
mod names;
mod own;
mod services;
mod settings;

use super::rule::Rule;

/// Every rule. Secrets recognized by themselves come before those recognized by a name.
pub(super) fn all() -> impl Iterator<Item = &'static Rule> {
    let tokens = [ai::RULES, cloud::RULES, forges::RULES, services::RULES, own::RULES];
    let names = [addresses::RULES, commands::RULES, names::RULES, settings::RULES];
    tokens.into_iter().chain(names).flatten()
}
