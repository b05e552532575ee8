//! The process table, as far as it tells which session runs where.

use std::fs;

/// When the system started a process, in its own ticks; `None` if there is none of this number.
#[must_use]
pub fn start_of(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name is in parentheses and may hold any character; what follows the last one is plain.
    let (_, after) = stat.rsplit_once(')')?;
    after.split_whitespace().nth(19)?.parse().ok()
}
