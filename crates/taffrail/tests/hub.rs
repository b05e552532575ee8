//! Devices of one user, joined by a hub: homes with daemons of their own, over a directory and over a
//! real NATS server. What is promised in `docs/sync.md` and `docs/teleport.md` is tried as a person would.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

#[path = "hub/away.rs"]
mod away;
#[path = "hub/carrying.rs"]
mod carrying;
#[path = "hub/choosing.rs"]
mod choosing;
#[path = "hub/config.rs"]
mod config;
#[path = "hub/members.rs"]
mod members;
#[path = "hub/recovering.rs"]
mod recovering;
#[path = "hub/standing.rs"]
mod standing;
#[path = "hub/world.rs"]
mod world;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
