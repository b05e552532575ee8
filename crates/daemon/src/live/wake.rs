//! Everything that can wake the loop.

use crate::Settings;
use std::path::PathBuf;
use tokio::sync::oneshot;

/// Something that needs the writer for itself: the loop gives it up while this runs.
pub(crate) type Alone = Box<dyn FnOnce(&Settings) + Send>;

/// What woke the loop.
pub(crate) enum Wake {
    /// These files or folders may have changed.
    Touched(Vec<PathBuf>),
    /// The watcher lost count: everything is looked at.
    Overflow,
    /// A process ended.
    Died(u32),
    /// Everything on disk is to be indexed; told when it is.
    Settle(oneshot::Sender<()>),
    /// Search is to have all that is indexed; told when it has, and whether it does.
    Search(oneshot::Sender<bool>),
    /// Something needs the writer for itself.
    Alone(Alone),
    /// Time to end.
    Stop,
}
