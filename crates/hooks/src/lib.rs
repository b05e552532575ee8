//! Installs our hook in the agents' settings: planned as a change of text, shown, and only then
//! written.
//!
//! We record what we insert, so that uninstalling restores the original bytes. If someone changed
//! the file in between, we recognize our calls by their content and remove only those.

mod ban;
mod call;
mod change;
mod edit;
mod edits;
mod entry;
mod entry_json;
mod entry_name;
mod entry_toml;
mod entry_yaml;
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
mod servers;
mod settings;
mod status;
mod text;
mod toml;
mod trust;

#[cfg(test)]
mod tests;

pub use change::HookChange;
pub use edits::{Edits, HOOKS, SERVERS};
pub use error::HooksError;
pub use plan::{carry_out, plan_hooks};
pub use plugin::{FROM_PLUGIN, Plugin, is_in_settings, write_plugin};
pub use report::{hook_report, unified};
pub use servers::plan_servers;
pub use settings::{HookSettings, HookWish};
pub use status::hook_status;

pub(crate) use error::Unfit;
pub(crate) use made::Made;
