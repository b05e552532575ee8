//! The open contracts: documents that other tools write and read, as types and checks.
//!
//! Nothing in here does I/O or tells the time.

pub mod ai_session;
pub mod check;
pub mod form;
pub mod report;
pub mod schema;
pub mod shape;

pub use report::{Fault, Report, Strictness};
