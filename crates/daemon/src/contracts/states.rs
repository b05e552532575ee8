//! Session state 1.0.0 of a captured session; of one that was given, the document as it came.

use super::captured::captured;
use super::imported::document_of;
use super::{Known, checked};
use crate::{DaemonError, Settings, Target, resolve};
use serde_json::value::RawValue;
use taffrail_contracts::craft;

/// The state of a session.
///
/// # Errors
/// When the session or the index cannot be read. `Bug` when what we made does not conform.
pub fn export_state(settings: &Settings, target: &Target) -> Result<Box<RawValue>, DaemonError> {
    state_with(settings, target, &|_| None)
}

/// The same, where somebody may have its card.
pub(crate) fn state_with(
    settings: &Settings,
    target: &Target,
    known: Known<'_>,
) -> Result<Box<RawValue>, DaemonError> {
    let row = resolve(settings, target)?;
    if let Some(document) = document_of(settings, &row)? {
        return Ok(document);
    }
    checked("state", &craft::of(&captured(settings, row, known)?))
}
