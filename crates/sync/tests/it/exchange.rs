//! The exchange between devices: over a bad hub, a hostile one, and real ones.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

mod cases;
mod cells;
mod checkpoints;
mod counting;
mod crashing;
mod engines;
mod fleet;
mod hostile;
mod large_teams;
mod long_rosters;
mod measure;
mod memories;
mod moves;
mod places;
mod retention;
mod rosters;
mod storm;
mod weather;
