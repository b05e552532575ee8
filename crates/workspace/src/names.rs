//! Names that people type: ids of tasks and phases, and agents.

use crate::error::WorkError;

/// The longest name, in bytes.
const NAME_MAX: usize = 200;

/// Checks that a name is one line without control characters.
pub(crate) fn must_be_name(what: &str, text: &str) -> Result<(), WorkError> {
    let is_name = !text.trim().is_empty() && text.trim() == text && text.len() <= NAME_MAX;
    if is_name && !text.chars().any(char::is_control) {
        return Ok(());
    }
    Err(WorkError::refused(format!("{what} is one line of 1 to {NAME_MAX} bytes, not {text:?}")))
}
