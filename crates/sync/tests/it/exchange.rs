//! The exchange between devices: over a bad hub, a hostile one, and real ones.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

mod cases;
mod counting;
mod crashing;
mod engines;
mod fleet;
mod hostile;
mod measure;
mod memories;
mod rosters;
mod storm;
mod weather;
