//! One test suite for every hub, and tests of what only some must withstand.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

mod attacks;
mod cell;
mod conf;
mod conformance;
mod engines;
mod lease;
mod mailbox;
mod measure;
mod model;
mod restart;
mod storm;
