//! Devices of one user with a hub: homes with their own daemons, over a directory and over a real
//! NATS server. Tests the promises of `docs/sync.md` and `docs/teleport.md` as a person would.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

mod away;
mod carrying;
mod choosing;
mod config;
mod linking;
mod members;
mod moving;
mod places;
mod recovering;
mod standing;
mod world;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
