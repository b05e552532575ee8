//! How much output of terminals under `taffrail run` is kept.

/// How much output of terminals under `taffrail run` is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunSettings {
    /// The most bytes of one run; 0 keeps no output.
    pub scrollback: u64,
    /// The most bytes of all runs.
    pub total: u64,
}

impl Default for RunSettings {
    fn default() -> Self {
        Self { scrollback: 1024 * 1024, total: 64 * 1024 * 1024 }
    }
}
