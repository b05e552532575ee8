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
mod bill;
mod board;
mod carrying;
mod desk;
mod driving;
mod editor;
mod elsewhere;
mod expected;
mod faces;
mod handing;
mod headless;
mod keys;
mod limits;
mod mcp;
mod others;
mod plays;
mod plugin;
mod reset;
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
