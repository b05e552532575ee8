//! The directory through its own functions, in one process: what is written, refused, rolled
//! forward and repaired.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests fail the test they help"
)]

mod broken_off;
mod changed;
mod elsewhere;
mod kit;
mod made;
mod mended;
mod others;
mod readers;
