//! One suite for every hub, and what only some of them must withstand.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

mod attacks;
mod conf;
mod conformance;
mod engines;
mod lease;
mod measure;
mod model;
mod restart;
mod storm;
