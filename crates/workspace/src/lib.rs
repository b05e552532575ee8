//! A project's `.ai-session` directory: found, read, changed and mended.
//!
//! The history is the write-ahead log. A change is appended and synced first; the plan, the list of
//! features and the state follow, each replaced in one step. Whoever comes next rolls forward what
//! was broken off. No database, no network, no daemon; time comes in as a function.

mod acknowledge;
mod active;
mod archive;
mod audit;
mod change;
mod create;
mod directory;
mod edit;
mod error;
mod feature;
mod folder;
mod history;
mod lock;
mod migrate;
mod plan;
mod recover;
mod render;
mod tree;
mod validate;
mod yaml;

pub use audit::Audit;
pub use change::Asked;
pub use create::New;
pub use directory::{Directory, Overview, find, linkable};
pub use edit::{Edit, Unfit, edited};
pub use error::WorkError;
pub use feature::{Feature, State};
pub use migrate::Migrated;
pub use plan::{NewTask, TaskChange};
pub use recover::{Recovered, Repair};
pub use validate::{validate_path, validate_text};
pub use yaml::read as read_yaml;
