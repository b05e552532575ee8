//! Agents by the names people type.

use crate::error::Error;
use taffrail_adapters::{Adapter, owners};

/// Resolves an agent by its id or its short name.
///
/// # Errors
/// When no adapter has this name.
pub fn agent_id(word: &str) -> Result<String, Error> {
    let mut agents = owners().map(Adapter::descriptor);
    let found = agents.find(|it| it.id == word || it.short == word);
    found.map(|it| it.id.to_owned()).ok_or_else(|| Error::UnknownAgent(word.to_owned()))
}
