//! Our copies of imported documents.

use std::path::Path;
use taffrail_adapters::by_id;
use taffrail_context::{Error, Settings};
use taffrail_model::observed::SourceState;
use taffrail_store::StoreError;

/// The folder of imported documents, below the data folder.
pub const IMPORTED: &str = "imported";

/// Removes our copy of an imported document; never an agent's file.
pub(crate) fn remove_given(settings: &Settings, source: &SourceState) -> Result<(), Error> {
    let is_given = by_id(source.agent.as_str()).is_some_and(|it| it.importer().is_some());
    let ours = settings.data.join(IMPORTED).canonicalize().ok();
    if !is_given || ours.as_deref() != Some(Path::new(&source.home)) {
        return Ok(());
    }
    match std::fs::remove_file(Path::new(&source.home).join(&source.path)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(StoreError::from(error).into())
        }
        // The file may be gone already.
        Ok(()) | Err(_) => Ok(()),
    }
}
