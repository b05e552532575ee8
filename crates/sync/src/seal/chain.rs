//! The read or write position in a device's stream, so that no batch is omitted, repeated or moved.

use super::Sealed;
use super::batch::Stream;
use crate::bytes::{Digest, TeamId};
use crate::signing::{Purpose, digest};
use serde::{Deserialize, Serialize};
use taffrail_model::DeviceId;

/// The known end of one device's batches in one stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chain {
    /// The team.
    pub team: TeamId,
    /// The stream.
    pub stream: Stream,
    /// The device that writes it.
    pub device: DeviceId,
    /// The number of the next event; the first is 1.
    pub next: u64,
    /// The hash of the last batch, or of the stream's name before the first.
    pub head: Digest,
    /// The epoch of the last batch.
    pub epoch: u64,
}

impl Chain {
    /// The chain before its first batch.
    #[must_use]
    pub fn start(team: TeamId, stream: Stream, device: DeviceId) -> Self {
        let names = [team.as_bytes(), stream.as_str().as_bytes(), device.as_str().as_bytes()];
        let head = digest(Purpose::ChainStart, &names);
        Self { team, stream, device, next: 1, head, epoch: 0 }
    }

    /// The chain after a batch that was sealed here or opened.
    pub(super) fn after(&self, batch: &Sealed) -> Self {
        let next = batch.place.last.saturating_add(1);
        Self { next, head: batch.hash(), epoch: batch.place.epoch, ..self.clone() }
    }
}
