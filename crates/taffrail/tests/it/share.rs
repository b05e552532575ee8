//! One session for chosen readers: devices of several users in one team, each with a daemon, over a
//! directory. Tests the promises of `docs/share.md` as a person would.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests fail the test they help"
)]

mod becoming;
mod reading;
mod refused;
mod revoking;
mod world;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
