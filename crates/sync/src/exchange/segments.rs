//! Segments: several batches in one blob, where they outlive the log.

use super::engine::{Exchange, ItemSink};
use super::names::{self, Span};
use super::{ExchangeError, Inbox, Outbox};
use crate::hub::{BlobName, Content, Entry, Hub, HubError, Prefix};
use bytes::Bytes;
use taffrail_model::exchange::{OutBatch, StreamOrigin, Writing};
use taffrail_model::{DeviceId, StreamName, Timestamp};

/// A segment ends at a number that is divisible by this.
const SEGMENT_BATCHES: u64 = 64;
/// Batches that waited this long become a segment of their own, in milliseconds.
const SEGMENT_WAIT: i64 = 10 * 60 * 1000;
/// The largest segment that is read.
const SEGMENT_LIMIT: u64 = 64 * 1024 * 1024;
/// How long a place of segments that failed is left alone.
const PAUSE_SECONDS: i64 = 60;

/// Whether a segment may wait to grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hurry {
    Wait,
    Now,
}

/// Where to look for segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Durable,
    BesideLog,
}

impl<H: Hub, S: Outbox + Inbox, A: ItemSink> Exchange<H, S, A> {
    /// The same, where a place of its own may be away meanwhile: what waits stays in the outbox.
    pub(super) async fn try_confirm(
        &mut self,
        stream: &StreamName,
        now: Timestamp,
    ) -> Result<(), ExchangeError> {
        if self.durable.other().is_none() {
            return self.confirm(stream, now, Hurry::Wait).await;
        }
        if self.durable_pause.is_some_and(|until| now < until) {
            return Ok(());
        }
        match self.confirm(stream, now, Hurry::Wait).await {
            Ok(()) if self.durable_pause.is_some() => {
                (self.health.durable, self.durable_pause) = (None, None);
            }
            Ok(()) => {}
            Err(ExchangeError::Hub(error)) => {
                tracing::warn!(%error, "cannot store a segment");
                self.health.durable = Some(error.to_string());
                let until = now.as_second().saturating_add(PAUSE_SECONDS);
                self.durable_pause = Timestamp::from_second(until).ok();
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Writes batches of the hub's log into segments.
    pub(super) async fn confirm(
        &mut self,
        stream: &StreamName,
        now: Timestamp,
        hurry: Hurry,
    ) -> Result<(), ExchangeError> {
        loop {
            if self.durable.hub().is_none() {
                return Ok(());
            }
            let writing = self.store.streams()?.into_iter().find(|it| it.stream == *stream);
            let Some(writing) = writing else { return Ok(()) };
            let batches = self.next_segment(&writing)?;
            let (Some(first), Some(last)) = (batches.first(), batches.last()) else {
                return Ok(());
            };
            // The missing batches were confirmed before, and the hub has lost them since.
            if first.seq != writing.confirmed + 1 {
                return Ok(());
            }
            let is_whole = last.seq.is_multiple_of(SEGMENT_BATCHES);
            let waited = now.as_millisecond() - first.at.as_millisecond();
            if !is_whole && hurry == Hurry::Wait && waited < SEGMENT_WAIT {
                return Ok(());
            }
            let span = Span { first: first.seq, last: last.seq };
            self.put_segment(&writing, span, &batches).await?;
            self.store.reached(stream, writing.appended, span.last)?;
        }
    }

    /// The batches to confirm next.
    fn next_segment(&mut self, writing: &Writing) -> Result<Vec<OutBatch>, ExchangeError> {
        let after = writing.confirmed;
        let end = (after / SEGMENT_BATCHES + 1) * SEGMENT_BATCHES;
        let end = end.min(writing.appended);
        let limit = usize::try_from(end.saturating_sub(after)).unwrap_or(0);
        Ok(self.store.batches(&writing.stream, after, limit)?)
    }

    async fn put_segment(
        &mut self,
        writing: &Writing,
        span: Span,
        batches: &[OutBatch],
    ) -> Result<(), ExchangeError> {
        let bytes = pack(batches.iter().map(|it| it.bytes.as_slice()));
        let hash = blake3::hash(&bytes).to_hex();
        let name = names::segment(&self.origin_of(writing), span, hash.as_str())?;
        let Some(durable) = self.durable.hub() else { return Ok(()) };
        // New or already there: its name contains its hash.
        durable.put_blob(&name, &Content::Bytes(bytes.into())).await?;
        Ok(())
    }

    /// Batches after a number, from segments; empty if no segment has the next one.
    pub(super) async fn segment_after(
        &mut self,
        origin: &StreamOrigin,
        after: u64,
    ) -> Result<Vec<Entry>, ExchangeError> {
        let mut found = self.segment_holding(origin, after + 1).await?;
        found.retain(|entry| entry.seq > after);
        Ok(found)
    }

    /// The batches of the segment with this one; empty if no segment has it.
    pub(super) async fn segment_holding(
        &mut self,
        origin: &StreamOrigin,
        seq: u64,
    ) -> Result<Vec<Entry>, ExchangeError> {
        let found = self.segment_in(Place::Durable, origin, seq).await?;
        if !found.is_empty() || self.durable.other().is_none() {
            return Ok(found);
        }
        // Earlier segments are beside the log.
        self.attention.segments.remove(origin);
        self.segment_in(Place::BesideLog, origin, seq).await
    }

    async fn segment_in(
        &mut self,
        place: Place,
        origin: &StreamOrigin,
        seq: u64,
    ) -> Result<Vec<Entry>, ExchangeError> {
        let durable = match place {
            Place::Durable => self.durable.hub(),
            Place::BesideLog => Some(&self.hub),
        };
        let Some(durable) = durable else { return Ok(Vec::new()) };
        let known = self.attention.segments.remove(origin);
        let holds_it = |name: &BlobName| {
            let span = names::span(name).map(|(_, span)| span)?;
            let holds_it = (span.first..=span.last).contains(&seq);
            holds_it.then(|| (span.last, span.first, name.clone()))
        };
        let is_enough =
            known.as_ref().is_some_and(|it| it.iter().any(|name| holds_it(name).is_some()));
        let there = match known.filter(|_| is_enough) {
            Some(known) => known,
            None => match durable.blobs(&names::segments_of(origin)?).await {
                Ok(there) => there,
                Err(error) => return self.without_segments(error).map(|()| Vec::new()),
            },
        };
        let Some((_, first, name)) = there.iter().filter_map(holds_it).max() else {
            return Ok(Vec::new());
        };
        let blob = match durable.get_blob(&name).await {
            Ok(Some(blob)) => blob,
            Ok(None) => return Ok(Vec::new()),
            Err(error) => return self.without_segments(error).map(|()| Vec::new()),
        };
        self.attention.segments.insert(origin.clone(), there);
        if self.durable_pause.is_none() {
            self.health.durable = None;
        }
        let entries = unpack(&blob.bytes(SEGMENT_LIMIT).await?);
        Ok((first..).zip(entries).map(|(seq, bytes)| Entry { seq, bytes }).collect())
    }

    /// The streams of a device that have segments.
    pub(super) async fn segmented(
        &mut self,
        device: &DeviceId,
    ) -> Result<Vec<StreamOrigin>, ExchangeError> {
        let below: Prefix = names::segments_of_device(device)?;
        let beside =
            if self.durable.other().is_some() { self.hub.blobs(&below).await? } else { Vec::new() };
        let Some(durable) = self.durable.hub() else { return Ok(Vec::new()) };
        let there = match durable.blobs(&below).await {
            Ok(there) => there,
            Err(error) => {
                self.without_segments(error)?;
                Vec::new()
            }
        };
        if self.durable_pause.is_none() && self.health.durable.is_some() && !there.is_empty() {
            self.health.durable = None;
        }
        let named = there.iter().chain(&beside);
        Ok(named.filter_map(|name| Some(names::span(name)?.0)).collect())
    }

    /// A place of its own may be away: what is only there is missing until it is back.
    fn without_segments(&mut self, error: HubError) -> Result<(), ExchangeError> {
        if self.durable.other().is_none() {
            return Err(error.into());
        }
        tracing::warn!(%error, "cannot read segments");
        self.health.durable = Some(error.to_string());
        Ok(())
    }
}

/// Writes each batch after its length in eight bytes, little-endian.
pub(super) fn pack<'b>(batches: impl Iterator<Item = &'b [u8]>) -> Vec<u8> {
    let mut out = Vec::new();
    for batch in batches {
        out.extend_from_slice(&(batch.len() as u64).to_le_bytes());
        out.extend_from_slice(batch);
    }
    out
}

/// The batches of a segment, up to a truncation.
pub(super) fn unpack(bytes: &Bytes) -> Vec<Bytes> {
    let mut rest = bytes.clone();
    std::iter::from_fn(|| {
        let (length, _) = rest.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let end = length.checked_add(8).filter(|end| *end <= rest.len())?;
        let batch = rest.slice(8..end);
        rest = rest.slice(end..);
        Some(batch)
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_unpacked_as_far_as_it_is_whole() {
        let packed = Bytes::from(pack([b"one".as_slice(), b"", b"three"].into_iter()));
        assert_eq!(unpack(&packed), [&b"one"[..], b"", b"three"]);
        assert_eq!(unpack(&packed.slice(..packed.len() - 1)), [&b"one"[..], b""]);
        assert_eq!(unpack(&Bytes::from_static(&[255; 40])), Vec::<Bytes>::new());
    }
}
