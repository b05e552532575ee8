//! Everything that can wake the loop.

use taffrail_context::{Error, LoopRequest, WatcherNumber};
use taffrail_ingest::watcher::WatcherMessage;
use taffrail_run::Located;
use taffrail_store::FinalRow;
use tokio::sync::oneshot;

/// A message that wakes the loop.
pub enum LoopMessage {
    /// A watcher reports something.
    Watcher(WatcherMessage),
    /// A process ended.
    Died(u32),
    /// The search for the location of a process ended.
    Executor(u32, Located),
    /// Another part requests something.
    Request(LoopRequest),
    /// The search index was updated, or could not be.
    Searched(Result<(), Error>),
    /// Final summaries to save.
    Finals(Vec<FinalRow>),
}

/// A caller that waits until everything is indexed.
pub(super) struct Settling {
    pub number: u64,
    pub watchers: Vec<WatcherNumber>,
    pub done: oneshot::Sender<()>,
}
