//! Real coding agents, driven by a scripted model on separate machines, and what Taffrail reports
//! about them. `TAFFRAIL_FULL=1` runs everything, otherwise `TAFFRAIL_SEED` chooses a slice.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

mod acting;
mod board;
mod carrying;
mod desk;
mod driving;
mod elsewhere;
mod expected;
mod faces;
mod handing;
mod headless;
mod others;
mod plays;
mod resuming;
mod running;
mod sending;
mod served;
mod servers;
mod smoke;
mod stage;
mod status_line;
mod telemetry;

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
