//! Processes of this machine, distinguished from later ones with the same pid.

use serde::{Deserialize, Serialize};

/// A process, distinguished from every later one with the same pid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Process {
    /// The pid.
    pub pid: u32,
    /// The start time, in the system's ticks.
    pub start: u64,
}

/// An ancestor of a process, with the name of its program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ancestor {
    /// The pid.
    pub pid: u32,
    /// The start time, in the system's ticks: it reveals a reused pid.
    pub start: u64,
    /// The name of the program.
    pub name: String,
}
