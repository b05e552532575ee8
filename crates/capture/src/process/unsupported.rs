//! The process table of systems that we cannot read: every answer is unknown.

use super::{Stat, Terminal};
use std::path::PathBuf;

/// Unknown.
pub(super) fn stat(_pid: u32) -> Option<Stat> {
    None
}

/// Unknown.
pub(super) fn terminal(_pid: u32) -> Option<Terminal> {
    None
}

/// Unknown.
pub(super) fn command_line(_pid: u32) -> Vec<String> {
    Vec::new()
}

/// Unknown.
pub(super) fn environment(_pid: u32) -> Option<Vec<u8>> {
    None
}

/// Unknown.
pub(super) fn executable(_pid: u32) -> Option<PathBuf> {
    None
}

/// Who started whom: unknown.
pub(super) struct Children;

impl Children {
    pub(super) fn read() -> Self {
        Self
    }

    #[expect(clippy::unused_self, reason = "other systems read the whole table first")]
    pub(super) fn of(&self, _pid: u32) -> Vec<u32> {
        Vec::new()
    }
}

/// Unknown.
pub(super) fn written_by(_pid: u32) -> Vec<PathBuf> {
    Vec::new()
}
