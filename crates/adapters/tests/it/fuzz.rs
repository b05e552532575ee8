//! Damaged files and damaged hook payloads through every adapter. Reading twice gives the same events, and
//! the output stays within a bound of the input's size.
//!
//! `mutations.rs` damages single records by their members; here whole files and payloads are damaged as
//! bytes. `TAFFRAIL_FULL=1` tries many, `TAFFRAIL_SEED` chooses which.

mod files;
use crate::fixtures;
mod hooks;
mod recorder;
