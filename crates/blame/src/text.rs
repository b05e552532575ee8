//! Lines of a file, with the edits that wrote them.

use crate::Claim;

/// A known line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) text: String,
    /// The edit that wrote it; `None` if the line was there before.
    pub(crate) origin: Option<Claim>,
}

/// Lines that follow one another in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) lines: Vec<Known>,
}
