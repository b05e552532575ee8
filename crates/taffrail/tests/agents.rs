//! Real coding agents, driven by a scripted model on machines of their own, and what Taffrail says
//! of them. `TAFFRAIL_FULL=1` runs everything, else `TAFFRAIL_SEED` chooses a slice.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

#[path = "agents/acting.rs"]
mod acting;
#[path = "agents/board.rs"]
mod board;
#[path = "agents/carrying.rs"]
mod carrying;
#[path = "agents/desk.rs"]
mod desk;
#[path = "agents/driving.rs"]
mod driving;
#[path = "agents/elsewhere.rs"]
mod elsewhere;
#[path = "agents/expected.rs"]
mod expected;
#[path = "agents/handing.rs"]
mod handing;
#[path = "agents/plays.rs"]
mod plays;
#[path = "agents/resuming.rs"]
mod resuming;
#[path = "agents/running.rs"]
mod running;
#[path = "agents/sending.rs"]
mod sending;
#[path = "agents/servers.rs"]
mod servers;
#[path = "agents/smoke.rs"]
mod smoke;
#[path = "agents/stage.rs"]
mod stage;
#[path = "agents/status_line.rs"]
mod status_line;
#[path = "agents/telemetry.rs"]
mod telemetry;

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
