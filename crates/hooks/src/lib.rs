//! Our hook in the agents' settings: planned as a change of text, shown, and only then written.
//!
//! What we put into a file is noted, so that taking it out again leaves the bytes that were there.
//! If someone changed the file in between, our calls are found by what they are and taken out, and
//! nothing else is.

mod ban;
mod call;
mod change;
mod edit;
mod error;
mod files;
mod json;
mod json_strip;
mod json_tree;
mod made;
mod note;
mod plan;
mod plugin;
mod report;
mod settings;
mod status;
mod text;
mod toml;
mod trust;

#[cfg(test)]
mod tests;

pub use change::HookChange;
pub use error::HooksError;
pub use plan::{carry_out, plan_hooks};
pub use plugin::write_plugin;
pub use report::{hook_report, unified};
pub use settings::{HookSettings, HookWish};
pub use status::hook_status;

pub(crate) use error::Unfit;
pub(crate) use made::Made;
