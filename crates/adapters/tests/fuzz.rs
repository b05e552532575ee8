//! Damaged files and damaged hook payloads through every adapter. Reading twice gives the same events, and
//! the output stays within a bound of the input's size.
//!
//! `mutations.rs` damages single records by their members; here whole files and payloads are damaged as
//! bytes. `TAFFRAIL_FULL=1` tries many, `TAFFRAIL_SEED` chooses which.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]
#![expect(clippy::disallowed_methods, reason = "fixtures are files")]

#[path = "fuzz/files.rs"]
mod files;
mod fixtures;
#[path = "fuzz/hooks.rs"]
mod hooks;
#[path = "fuzz/recorder.rs"]
mod recorder;
