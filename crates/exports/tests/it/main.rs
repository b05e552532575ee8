//! The integration tests of `exports` as one program, because linking is slow.
#![expect(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "fixtures are files, and helpers fail the test they help"
)]

mod atif;
mod atif_rules;
mod fixtures;
mod otlp;
mod session;
mod trace;
