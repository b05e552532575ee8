//! The open contracts Taffrail speaks: what their documents are, whether one conforms, and how one
//! is made from a captured session.
//!
//! A contract is told once, as a [`shape`] and a few [`contract::Rule`]s; its check and its JSON
//! Schema both come from that. Nothing in this crate reads a file, a clock or the environment.

pub mod ai_session;
pub mod binding;
pub mod captured;
pub mod check;
pub mod contract;
pub mod craft;
pub mod deeds;
pub mod digest;
pub mod ecc;
pub mod event;
pub mod form;
pub mod prose;
pub mod report;
pub mod schema;
pub mod shape;
pub mod states;
mod told;

pub use contract::{ALL, Contract, Reading, find, rules, schema_of, validate, validate_text};
pub use report::{Fault, Level, Report, Strictness};
