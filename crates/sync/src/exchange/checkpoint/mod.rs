//! Checkpoints: what the sessions of a device are now, beside everything that was ever said about them.
//!
//! A device makes a checkpoint of its own stream from time to time: of each session the last facts, the
//! last event and the last status, each under the number it has in the stream. A reader that is new
//! applies the newest checkpoint, continues after it, and reads the history behind it from its end to its
//! beginning. Nothing depends on a checkpoint: without one, a reader reads from the beginning.
//!
//! Order of reading: `latest`, `write`, `read`, `history`.

mod history;
mod latest;
mod read;
mod write;

pub(super) use history::Histories;
pub(super) use write::Progress;

/// How often a device makes a checkpoint, and uses one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckpointPace {
    /// How many batches are taken up at a time.
    pub batches: u64,
    /// After how many bytes of them a checkpoint is made, unless the last one was large.
    pub bytes: u64,
    /// A reader that lacks more batches than this uses a checkpoint, if there is one.
    pub far: u64,
}

impl Default for CheckpointPace {
    fn default() -> Self {
        Self { batches: 64, bytes: 256 * 1024, far: 256 }
    }
}
