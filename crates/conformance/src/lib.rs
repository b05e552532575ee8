//! Checks of documents against open contracts, and the kit that others run against theirs.
//!
//! The kit holds documents with the verdict that a validator must reach on each; [`compare`] runs a
//! validator on all of them; [`torture()`] lets two writers change one directory at once.

mod comparison;
mod documents;
mod error;
mod kit;
mod program;
mod report;
mod torture;
mod watch;

pub use comparison::{Comparison, Disagreement, Question, compare};
pub use documents::{Document, documents};
pub use error::KitError;
pub use kit::{MANIFEST, write};
pub use program::Program;
pub use report::{Checked, Placed, check_directory, check_documents};
pub use torture::{Outcome, Writers, torture};
