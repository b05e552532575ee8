//! The tests of `contracts` from outside, as one program: linking is what takes time.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "recordings and documents are files, and helpers fail the test they help"
)]

mod adapters;
mod breaking;
mod conformance;
mod derived;
mod golden;
mod mutations;
mod support;
