//! Everything that can wake the loop.

use taffrail_context::{Error, LoopRequest, WatcherNumber};
use taffrail_ingest::watcher::WatcherMessage;
use taffrail_run::Located;
use taffrail_store::FinalRow;
use tokio::sync::oneshot;

/// What woke the loop.
pub enum LoopMessage {
    /// A watcher has something.
    Watcher(WatcherMessage),
    /// A process ended.
    Died(u32),
    /// Where a process runs was looked for.
    Executor(u32, Located),
    /// Another part asks for something.
    Request(LoopRequest),
    /// Search was brought up, or could not be.
    Searched(Result<(), Error>),
    /// Final summaries are to be kept.
    Finals(Vec<FinalRow>),
}

/// Somebody waits until everything is indexed.
pub(super) struct Settling {
    pub number: u64,
    pub eyes: Vec<WatcherNumber>,
    pub done: oneshot::Sender<()>,
}
