//! The execution mode of an exported session. No agent records one, so only a person can give it.

use crate::error::CliError;
use anyhow::Context;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use taffrail_contracts::craft::State;

/// The modes of the contract.
pub(super) const MODES: [&str; 4] = ["debug", "default", "optimize", "release"];

/// The document with this mode. Its metadata says that the mode was given.
pub(super) fn with_mode(document: &RawValue, mode: &str) -> Result<Box<RawValue>, CliError> {
    let unread = "the session state cannot be read again";
    let mut state: State = serde_json::from_str(document.get()).context(unread)?;
    state.mode = serde_json::from_value(json!(mode)).context(unread)?;
    let metadata = state.metadata.get_or_insert_default();
    let own = metadata.entry("taffrail").or_insert_with(|| json!({}));
    if let Some(own) = own.as_object_mut() {
        own.insert("mode_from".to_owned(), json!("given"));
    }
    Ok(to_raw_value(&state).context(unread)?)
}
