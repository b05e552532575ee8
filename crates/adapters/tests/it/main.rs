//! The integration tests of `adapters` as one program, because linking is slow.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "fixtures are files, slowness is measured, and helpers fail the test they help"
)]

mod findings;
mod fixtures;
mod fuzz;
mod maturity;
mod mutations;
mod recorded;
mod replay;
