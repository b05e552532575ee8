//! Finds and checks the newest checkpoint of another device's stream.
//!
//! A hub can withhold a checkpoint or show an old one, and neither costs more than time: the reader then
//! reads more entries. A checkpoint that anybody else made is refused.

use super::super::engine::{Exchange, ItemSink};
use super::super::keyring::KeyLookup;
use super::super::publish::chain_of;
use super::super::segments::unpack;
use super::super::{ExchangeError, Inbox, Item, Outbox, names};
use super::latest::{Numbered, parse};
use crate::hub::{BlobName, Hub};
use crate::seal::{Chain, CheckpointPlace, Refused, SealedCheckpoint, open_checkpoint};
use taffrail_model::exchange::StreamOrigin;

/// How many checkpoints are tried, the newest first.
const TRIES: usize = 3;
/// The largest checkpoint that is read.
const CHECKPOINT_LIMIT: u64 = 256 * 1024 * 1024;

/// A checkpoint that was opened.
#[derive(Debug)]
pub(super) struct Checkpoint {
    /// The last batch that it covers, and the chain after it.
    pub(super) seq: u64,
    pub(super) chain: Chain,
    pub(super) items: Vec<Numbered>,
}

impl<H: Hub, S: Outbox + Inbox, A: ItemSink> Exchange<H, S, A> {
    /// The newest checkpoint of a stream that covers a batch after this one.
    pub(super) async fn newest_checkpoint(
        &mut self,
        origin: &StreamOrigin,
        after: u64,
    ) -> Result<Option<Checkpoint>, ExchangeError> {
        let prefix = names::checkpoints_of(origin)?;
        let there = match self.checkpoint_hub().blobs(&prefix).await {
            Ok(there) => there,
            Err(error) if self.durable.other().is_some() => {
                tracing::warn!(%error, "cannot look for checkpoints");
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        };
        let numbered = there.into_iter().filter_map(|it| Some((names::covered(&it)?.1, it)));
        let mut numbered: Vec<_> = numbered.filter(|(seq, _)| *seq > after).collect();
        numbered.sort();
        for (seq, name) in numbered.into_iter().rev().take(TRIES) {
            match self.opened_checkpoint(origin, seq, &name).await? {
                Ok(checkpoint) => return Ok(Some(checkpoint)),
                Err(why) => {
                    let device = origin.device.as_str();
                    tracing::warn!(device, seq, %why, "a checkpoint of another device is not used");
                }
            }
        }
        Ok(None)
    }

    async fn opened_checkpoint(
        &mut self,
        origin: &StreamOrigin,
        seq: u64,
        name: &BlobName,
    ) -> Result<Result<Checkpoint, Refused>, ExchangeError> {
        let bytes = match self.checkpoint_hub().get_blob(name).await {
            Ok(Some(blob)) => blob.bytes(CHECKPOINT_LIMIT).await,
            Ok(None) => return Ok(Err(Refused::NotUnderstood)),
            Err(error) => Err(error),
        };
        if let Err(error) = &bytes
            && error.is_retryable()
            && self.durable.other().is_none()
        {
            return Err(error.clone().into());
        }
        let Ok(bytes) =
            bytes.inspect_err(|error| tracing::warn!(%error, "cannot read a checkpoint"))
        else {
            return Ok(Err(Refused::NotUnderstood));
        };
        let parsed: Result<Vec<_>, _> =
            unpack(&bytes).iter().map(|it| SealedCheckpoint::parse(it)).collect();
        let parts = match parsed {
            Ok(parts) if is_whole(&parts, seq) => parts,
            Ok(_) => return Ok(Err(Refused::NotUnderstood)),
            Err(refused) => return Ok(Err(refused)),
        };
        let Some(place) = parts.first().map(|it| it.place.clone()) else {
            return Ok(Err(Refused::NotUnderstood));
        };
        let key = match self.their_key(origin, place.epoch).await? {
            KeyLookup::Key(key) => key,
            KeyLookup::Nothing | KeyLookup::NotForUs => return Ok(Err(Refused::NotForUs)),
            KeyLookup::RosterBehind => {
                let known = self.roster.epoch();
                return Ok(Err(Refused::RosterBehind { epoch: place.epoch, known }));
            }
            KeyLookup::Refused(refused) => return Ok(Err(refused)),
        };
        Ok(chain_of(None, origin, &self.roster).and_then(|of| {
            let opened = parts.iter().map(|it| open_checkpoint(it, &of, &key, &self.roster));
            let contents = opened.collect::<Result<Vec<_>, _>>()?;
            checkpoint(place, &contents)
        }))
    }
}

/// Whether these are all parts of one checkpoint that ends with this batch.
fn is_whole(parts: &[SealedCheckpoint], seq: u64) -> bool {
    let Some(first) = parts.first().map(|it| &it.place) else { return false };
    let is_part = |(part, it): (u64, &SealedCheckpoint)| {
        it.place == CheckpointPlace { part, ..first.clone() }
    };
    first.seq == seq && first.parts == parts.len() as u64 && (0..).zip(parts).all(is_part)
}

/// What a checkpoint holds: history only, each item under a number that the stream had by then, once.
fn checkpoint(place: CheckpointPlace, contents: &[Vec<u8>]) -> Result<Checkpoint, Refused> {
    let parsed = contents.iter().map(|it| parse(it)).collect::<Option<Vec<_>>>();
    let items = parsed.ok_or(Refused::NotUnderstood)?.concat();
    let is_history = |item: &Item| item.history_of().is_some();
    let mut before = 0;
    for (number, item) in &items {
        if *number <= before || *number >= place.after.next || !is_history(item) {
            return Err(Refused::NotUnderstood);
        }
        before = *number;
    }
    Ok(Checkpoint { seq: place.seq, chain: place.after, items })
}
