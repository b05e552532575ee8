//! A file in which an agent keeps the limits of its account.

use taffrail_model::quota::Observation;

/// Such a file. It may hold anything else, secrets too: Taffrail reads it when it is asked for
/// limits, keeps nothing of it, and never archives it.
#[derive(Debug)]
pub struct LimitsFile {
    /// Its name, in the home or beside it.
    pub name: &'static str,
    /// Reads the limits in it.
    pub read: fn(&str) -> Vec<Observation>,
}
