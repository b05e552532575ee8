//! Facts derived from a session's events: files, plans, decisions, checks, failures.
//!
//! Tools are recognized by their input, not by their agent: an input with `todos` is a to-do list, no
//! matter which agent wrote it.

mod calls;
mod check_output;
mod check_programs;
mod checks;
mod decisions;
mod edits;
mod failure;
mod file_states;
mod files;
mod goal;
mod lines;
mod open_points;
mod patch;
mod paths;
mod plan;
mod result;
mod reversal;
mod seeds;
mod shell;
mod shell_files;
mod shell_run;
mod small_talk;
mod tasks;
mod written;

pub use calls::{Call, calls};
pub use checks::{Check, Outcome, checks};
pub use decisions::{Choice, choices, denied, subject};
pub use failure::{Trouble, trouble};
pub use files::{Changes, FileFact, changed_paths, changes};
pub use goal::{Goal, asked, goal};
pub(crate) use open_points::is_nothing;
pub use open_points::{OpenPoints, open_points};
pub use plan::{Plan, plan};
pub use result::{WorkFailure, shown, work_failure};
pub use seeds::{began_by, kind_of_worker, seeds};
pub use tasks::{Tasks, answered_points, tasks};
pub use written::{Written, written};
