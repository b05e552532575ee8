//! Processes of this machine, each told from a later one with the same number.

use serde::{Deserialize, Serialize};

/// A process, told from every later one with the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// When the system started it, in its own ticks.
    pub start: u64,
}

/// A process above another one, with the name of its program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ancestor {
    /// Its number.
    pub pid: u32,
    /// When the system started it, in its own ticks: tells a number that is used again.
    pub start: u64,
    /// The name of its program.
    pub name: String,
}
