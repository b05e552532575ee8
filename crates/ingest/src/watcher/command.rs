//! The commands of a watcher.

use super::walk::Walked;

/// A command to a watcher.
#[derive(Debug, PartialEq, Eq)]
pub enum WatcherCommand {
    /// Files were touched.
    Touched,
    /// Scan everything.
    Whole,
    /// Scan everything, and report under this number.
    Settle(u64),
    /// A walk over everything has ended.
    Walked(Box<Walked>),
}
