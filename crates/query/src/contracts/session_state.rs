//! Session state 1.0.0 of a captured session; for an imported one, the original document.

use super::captured::captured;
use super::checked;
use super::imported::document_of;
use crate::resolve::resolve;
use crate::status::StatusLookup;
use serde_json::value::RawValue;
use taffrail_context::{Error, Settings, Target};
use taffrail_contracts::craft;

/// The state of a session.
///
/// # Errors
/// When the session or the index cannot be read. `Bug` when our document does not conform.
pub fn state_with(
    settings: &Settings,
    target: &Target,
    known: StatusLookup<'_>,
) -> Result<Box<RawValue>, Error> {
    let row = resolve(settings, target)?;
    if let Some(document) = document_of(settings, &row)? {
        return Ok(document);
    }
    checked("state", &craft::of(&captured(settings, row, known)?))
}
