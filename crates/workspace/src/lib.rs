//! A project's `.ai-session` directory: finds, reads, changes and repairs it.
//!
//! The history is the write-ahead log. A change is appended and synced first; the plan, the list of
//! features and the state follow, each replaced atomically. The next process completes an interrupted
//! change. This crate uses no database, no network and no daemon; the clock is a parameter.

mod acknowledge;
mod active;
mod archive;
mod archived;
mod audit;
mod change;
mod create;
mod directory;
mod edit;
mod error;
mod failure;
mod feature;
mod folder;
mod held;
mod history;
mod import;
mod invocation;
mod locate;
mod lock;
mod migrate;
mod names;
mod overview;
mod place;
mod plan;
mod recover;
mod render;
mod replan;
mod roll_forward;
mod tasks;
mod tree;
mod validate;
mod yaml;

pub use archived::Archived;
pub use audit::Audit;
pub use create::New;
pub use directory::{Directory, find, linkable, relative};
pub use edit::{Edit, Unfit, edited};
pub use error::WorkError;
pub use feature::{Feature, State};
pub use held::{Held, Origin};
pub use invocation::Invocation;
pub use migrate::Migrated;
pub use overview::Overview;
pub use recover::{Recovered, Repair};
pub use tasks::{NewTask, TaskChange};
pub use validate::{validate_path, validate_text};
pub use yaml::read as read_yaml;
