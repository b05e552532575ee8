//! Makes checkpoints of this device's own stream, from the batches that are on the hub.
//!
//! Checkpoints together have at most a quarter of the bytes of the batches: each waits until four times
//! its own size was published since.

use super::super::engine::{Exchange, ItemSink};
use super::super::item::split;
use super::super::keyring::{KeyLookup, sealing};
use super::super::publish::chain_of;
use super::super::segments::pack;
use super::super::{ExchangeError, Inbox, Outbox, names, own_stream};
use super::latest::{LatestItems, parse, parts};
use crate::hub::{Content, Entry, Hub, HubError};
use crate::seal::{Chain, CheckpointPlace, Sealed, open, seal_checkpoint};
use serde::{Deserialize, Serialize};
use taffrail_model::exchange::{Incarnation, StreamOrigin, Writing};
use taffrail_model::{StreamName, Timestamp};

/// How many times batches are taken up at most in one round of publishing.
const ROUNDS: usize = 4;
/// The bytes of batches for each byte of a checkpoint.
const SHARE: u64 = 4;
/// How long a failed checkpoint is left alone.
const PAUSE_SECONDS: i64 = 60;

/// How far the next checkpoint of a stream has come.
#[derive(Debug)]
pub(crate) struct Progress {
    life: Incarnation,
    /// The last batch that was taken up, and the chain after it.
    seq: u64,
    chain: Chain,
    latest: LatestItems,
    /// The bytes of batches since the last checkpoint.
    bytes: u64,
    /// The size of the last checkpoint.
    size: u64,
    /// Until when it is left alone after a failure.
    pause: Option<Timestamp>,
}

/// The first line of the store's note of a checkpoint; the other lines are its content.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    life: String,
    seq: u64,
    chain: Chain,
    size: u64,
}

impl<H: Hub, S: Outbox + Inbox, A: ItemSink> Exchange<H, S, A> {
    /// Takes up what is on the hub, and makes a checkpoint if it is time. A failure costs later readers
    /// time and nothing else, so it is logged and tried again.
    pub(in super::super) async fn follow_checkpoint(
        &mut self,
        writing: &Writing,
        now: Timestamp,
    ) -> Result<(), ExchangeError> {
        if writing.stream != own_stream() {
            return Ok(());
        }
        let mut progress = match self.progress.take() {
            Some(known) if known.life == writing.incarnation => known,
            Some(_) | None => self.kept_progress(writing)?,
        };
        if progress.pause.is_none_or(|until| now >= until) {
            progress.pause = None;
            if let Err(error) = self.advance(writing, &mut progress).await {
                tracing::warn!(%error, "cannot make a checkpoint");
                let until = now.as_second().saturating_add(PAUSE_SECONDS);
                progress.pause = Timestamp::from_second(until).ok();
            }
        }
        self.progress = Some(progress);
        Ok(())
    }

    async fn advance(
        &mut self,
        writing: &Writing,
        progress: &mut Progress,
    ) -> Result<(), ExchangeError> {
        let origin = self.origin_of(writing);
        for _ in 0..ROUNDS {
            if writing.batches < progress.seq + self.checkpoint_pace.batches {
                break;
            }
            self.take_up(&origin, progress).await?;
        }
        let is_current = writing.batches < progress.seq + self.checkpoint_pace.batches;
        if is_current && progress.bytes >= self.checkpoint_pace.bytes.max(SHARE * progress.size) {
            self.put_checkpoint(writing, &origin, progress).await?;
        }
        Ok(())
    }

    /// Takes up the next batches.
    async fn take_up(
        &mut self,
        origin: &StreamOrigin,
        progress: &mut Progress,
    ) -> Result<(), ExchangeError> {
        for entry in self.own_batches(origin, progress.seq).await? {
            let sealed = Sealed::parse(&entry.bytes).map_err(|why| refused(&origin.stream, why))?;
            let KeyLookup::Key(key) = self.their_key(origin, sealed.place.epoch).await? else {
                return Err(HubError::Refused("a key of this device is missing".to_owned()).into());
            };
            let has_gap = entry.seq != progress.seq + 1;
            let chain =
                if has_gap { progress.chain.before(&sealed) } else { progress.chain.clone() };
            let opened = open(&sealed, &chain, &key, &self.roster)
                .map_err(|why| refused(&origin.stream, why))?;
            let numbers = sealed.place.first..;
            numbers.zip(split(&opened.bytes)).for_each(|(n, it)| progress.latest.take(n, &it));
            progress.bytes += entry.bytes.len() as u64;
            (progress.seq, progress.chain) = (entry.seq, opened.chain);
        }
        Ok(())
    }

    /// Batches of this device after a number: from the outbox, or from the hub if they are old. What
    /// retention removed is left out.
    async fn own_batches(
        &mut self,
        origin: &StreamOrigin,
        after: u64,
    ) -> Result<Vec<Entry>, ExchangeError> {
        let limit = usize::try_from(self.checkpoint_pace.batches).unwrap_or(0);
        let kept = self.store.batches(&origin.stream, after, limit)?;
        if kept.first().is_some_and(|it| it.seq == after + 1) {
            let entry = |it: taffrail_model::exchange::OutBatch| Entry {
                seq: it.seq,
                bytes: it.bytes.into(),
            };
            return Ok(kept.into_iter().map(entry).collect());
        }
        let log = names::log(origin)?;
        match self.hub.read_since(&log, after, limit).await {
            Ok(entries) => Ok(entries),
            Err(HubError::Gone { first }) => {
                let found = self.segment_after(origin, after).await?;
                match found.is_empty() {
                    true => Ok(self.hub.read_since(&log, first - 1, limit).await?),
                    false => Ok(found),
                }
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn put_checkpoint(
        &mut self,
        writing: &Writing,
        origin: &StreamOrigin,
        progress: &mut Progress,
    ) -> Result<(), ExchangeError> {
        let contents = parts(&progress.latest.items());
        let (key, epoch) = (self.own_key(writing).await?, self.roster.epoch());
        let (seq, parts) = (progress.seq, contents.len() as u64);
        let mut sealed = Vec::new();
        for (part, content) in (0..).zip(&contents) {
            let place = CheckpointPlace { after: progress.chain.clone(), seq, epoch, part, parts };
            let nonce = self.random.bytes();
            let part = seal_checkpoint(place, content, &key, &self.us.signer(), nonce)
                .map_err(|why| sealing(writing, why))?;
            sealed.push(part.to_bytes());
        }
        let bytes = pack(sealed.iter().map(Vec::as_slice));
        progress.size = bytes.len() as u64;
        if !sealed.is_empty() {
            let hash = blake3::hash(&bytes).to_hex();
            let name = names::checkpoint(origin, seq, hash.as_str())?;
            self.checkpoint_hub().put_blob(&name, &Content::Bytes(bytes.into())).await?;
        }
        progress.bytes = 0;
        Ok(self.store.keep_note(&note(&writing.stream), &progress.to_bytes(&contents))?)
    }

    /// Where checkpoints are: beside the segments.
    pub(super) fn checkpoint_hub(&self) -> &H {
        self.durable.hub().unwrap_or(&self.hub)
    }

    /// From the last checkpoint that was made, or from the beginning.
    fn kept_progress(&mut self, writing: &Writing) -> Result<Progress, ExchangeError> {
        let life = writing.incarnation;
        let kept = self.store.note(&note(&writing.stream))?;
        if let Some(kept) = kept.and_then(|it| Progress::parse(&it, life)) {
            return Ok(kept);
        }
        let chain = chain_of(None, &self.origin_of(writing), &self.roster)
            .map_err(|why| sealing(writing, why))?;
        let latest = LatestItems::default();
        Ok(Progress { life, seq: 0, chain, latest, bytes: 0, size: 0, pause: None })
    }
}

fn refused(stream: &StreamName, why: crate::seal::Refused) -> ExchangeError {
    ExchangeError::Sealing { stream: stream.clone(), why }
}

fn note(stream: &StreamName) -> String {
    format!("checkpoint/{stream}")
}

impl Progress {
    fn to_bytes(&self, contents: &[Vec<u8>]) -> Vec<u8> {
        let (life, chain) = (self.life.to_string(), self.chain.clone());
        let head = Head { life, seq: self.seq, chain, size: self.size };
        // Hashes, names and numbers always serialize.
        let mut out = serde_json::to_vec(&head).unwrap_or_default();
        for content in contents {
            out.push(b'\n');
            out.extend_from_slice(content);
        }
        out
    }

    fn parse(bytes: &[u8], life: Incarnation) -> Option<Self> {
        let end = bytes.iter().position(|it| *it == b'\n').unwrap_or(bytes.len());
        let (head, rest) = bytes.split_at_checked(end)?;
        let head: Head = serde_json::from_slice(head).ok()?;
        let mut latest = LatestItems::default();
        if let Some(content) = rest.get(1..) {
            parse(content)?.iter().for_each(|(number, item)| latest.take(*number, item));
        }
        let Head { seq, chain, size, .. } = head;
        let is_same = head.life == life.to_string();
        is_same.then_some(Self { life, seq, chain, latest, bytes: 0, size, pause: None })
    }
}
