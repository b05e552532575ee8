//! The open contracts that Taffrail supports: the types of their documents, their validation, and the
//! conversion of a captured session.
//!
//! A contract is declared once, as a [`shape`] and a few [`rule::Rule`]s; its validation and its JSON
//! Schema both derive from that. This crate reads no file, no clock and no environment.

pub mod ai_session;
pub mod binding;
pub mod captured;
pub mod check;
pub mod craft;
pub mod derived;
pub mod digest;
pub mod ecc;
pub mod event;
pub mod feature_state;
pub mod form;
pub mod kit;
pub mod prose;
pub mod registry;
pub mod report;
pub mod rule;
pub mod schema;
mod serde_helpers;
pub mod shape;
pub mod status_table;
pub mod vocabulary;

pub use derived as deeds;
pub use registry::{ALL, Contract, Reading, find, rules, schema_of, validate, validate_text};
pub use report::{Fault, Level, Report, Strictness};
