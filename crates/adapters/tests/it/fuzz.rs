//! Damaged files and damaged hook payloads through every adapter. Reading twice gives the same events, and
//! the output stays within a bound of the input's size.
//!
//! `mutations.rs` damages single records by their members; this test damages whole files and
//! payloads as bytes. `TAFFRAIL_FULL=1` tries many inputs, `TAFFRAIL_SEED` selects them.

mod files;
use crate::fixtures;
mod hooks;
mod recorder;
