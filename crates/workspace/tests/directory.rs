//! The directory through its own functions, in one process: what is written, what is refused, what
//! is rolled forward and what is mended.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests fail the test they help"
)]

#[path = "directory/broken_off.rs"]
mod broken_off;
#[path = "directory/changed.rs"]
mod changed;
#[path = "directory/kit.rs"]
mod kit;
#[path = "directory/made.rs"]
mod made;
#[path = "directory/mended.rs"]
mod mended;
#[path = "directory/others.rs"]
mod others;
#[path = "directory/readers.rs"]
mod readers;
