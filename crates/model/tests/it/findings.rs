//! Tests of findings: what is reported, and what is not.
#![expect(clippy::unwrap_used, reason = "helpers fail the test they help")]

mod hours;
mod kinds;
mod kit;
mod limits;
mod ordinary;
mod properties;
mod quality;
