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

    /// The chain before a batch whose predecessors were removed from the hub: as the batch itself says.
    /// Numbers never go back.
    #[must_use]
    pub fn before(&self, batch: &Sealed) -> Self {
        let place = &batch.place;
        Self { next: place.first.max(self.next), head: place.prev, ..self.clone() }
    }

    /// The chain right before a batch that this chain ends with: as the batch itself says, and its hash is
    /// the head here. `None` if this chain ends with another batch.
    #[must_use]
    pub fn back_over(&self, batch: &Sealed) -> Option<Self> {
        let place = &batch.place;
        let is_last = batch.hash() == self.head && place.last.saturating_add(1) == self.next;
        let before =
            Self { next: place.first, head: place.prev, epoch: place.epoch, ..self.clone() };
        (is_last && place.epoch <= self.epoch).then_some(before)
    }

    /// The chain after a batch that was sealed here or opened.
    pub(super) fn after(&self, batch: &Sealed) -> Self {
        let next = batch.place.last.saturating_add(1);
        Self { next, head: batch.hash(), epoch: batch.place.epoch, ..self.clone() }
    }
}
