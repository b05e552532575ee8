//! What a session did, worked out from its events: files, plans, decisions, checks, failures.
//!
//! Tools are known by what they were given, not by whose they are: an input with `todos` is a list
//! of things to do, whichever agent keeps it.

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
