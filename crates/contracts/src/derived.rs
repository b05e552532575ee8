//! Facts derived from a session's events: files, plans, decisions, checks, failures.
//!
//! Tools are recognized by their input, not by their agent: an input with `todos` is a to-do list, no
//! matter which agent wrote it.

mod calls;
mod checks;
mod decisions;
mod failure;
mod files;
mod patch;
mod paths;
mod plan;
mod seeds;

pub use calls::{Call, calls};
pub use checks::checks;
pub use decisions::{Choice, choices};
pub use failure::{Trouble, trouble};
pub use files::{Changes, FileFact, changes};
pub use plan::{Plan, plan};
pub use seeds::{kind_of_worker, seeds};
