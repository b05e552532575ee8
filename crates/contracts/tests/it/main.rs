//! The integration tests of `contracts` as one program, because linking is slow.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "recordings and documents are files, and helpers fail the test they help"
)]

mod adapters;
mod conformance;
mod derived;
mod golden;
mod mutations;
mod real_work;
mod support;
