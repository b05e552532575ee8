//! The messages from a watcher to the loop.

use std::sync::Arc;
use taffrail_context::{ScanReport, WatcherNumber};
use taffrail_model::observed::Observed;

/// Sends a message to the loop; `false` when the loop has ended.
pub type ToLoop = Arc<dyn Fn(WatcherMessage) -> bool + Send + Sync>;

/// A message from a watcher to the loop.
#[derive(Debug)]
pub enum WatcherMessage {
    /// Known sources vanished, came back or moved.
    Moves(WatcherNumber, SourceMoves),
    /// A piece of a source was read.
    Piece(WatcherNumber, Box<Observed>),
    /// A command was carried out.
    Report(WatcherNumber, ScanReport),
}

/// Changes to known sources.
#[derive(Debug, Default)]
pub struct SourceMoves {
    /// Sources that are gone.
    pub vanished: Vec<i64>,
    /// Sources that are back.
    pub returned: Vec<i64>,
    /// Number, home, path and locator of the sources that moved.
    pub moved: Vec<(i64, String, String, String)>,
}
