//! What a watcher is asked to do.

use super::walk::Walked;

/// What a watcher is asked to do.
#[derive(Debug, PartialEq, Eq)]
pub enum WatcherCommand {
    /// Something was touched.
    Touched,
    /// Look at everything.
    Whole,
    /// Look at everything, and report under this number.
    Settle(u64),
    /// A walk over everything has ended.
    Walked(Box<Walked>),
}
