//! Segments: several batches in one blob, where they outlive the log.

use super::engine::{Durable, Exchange, ItemSink};
use super::names::{self, Span};
use super::{ExchangeError, Inbox, Outbox};
use crate::hub::{BlobName, Content, Entry, Hub, Prefix};
use bytes::Bytes;
use taffrail_model::exchange::{OutBatch, StreamOrigin, Writing};
use taffrail_model::{DeviceId, StreamName, Timestamp};

/// A segment ends at a number that is divisible by this.
const SEGMENT_BATCHES: u64 = 64;
/// Batches that waited this long become a segment of their own, in milliseconds.
const SEGMENT_WAIT: i64 = 10 * 60 * 1000;
/// The largest segment that is read.
const SEGMENT_LIMIT: u64 = 64 * 1024 * 1024;

/// Whether a segment may wait to grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hurry {
    Wait,
    Now,
}

impl<H: Hub, S: Outbox + Inbox, A: ItemSink> Exchange<H, S, A> {
    /// Writes batches of the hub's log into segments.
    pub(super) async fn confirm(
        &mut self,
        stream: &StreamName,
        now: Timestamp,
        hurry: Hurry,
    ) -> Result<(), ExchangeError> {
        loop {
            let Durable::Segments(_) = self.durable else { return Ok(()) };
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
        let Durable::Segments(durable) = &self.durable else { return Ok(()) };
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
        let Durable::Segments(durable) = &self.durable else { return Ok(Vec::new()) };
        let has_next = |name: &BlobName| {
            let span = names::span(name).map(|(_, span)| span)?;
            let is_next = (span.first..=span.last).contains(&(after + 1));
            is_next.then(|| (span.last, span.first, name.clone()))
        };
        let there = durable.blobs(&names::segments_of(origin)?).await?;
        let Some((_, first, name)) = there.iter().filter_map(has_next).max() else {
            return Ok(Vec::new());
        };
        let Some(blob) = durable.get_blob(&name).await? else { return Ok(Vec::new()) };
        let entries = unpack(&blob.bytes(SEGMENT_LIMIT).await?);
        let numbered = (first..).zip(entries).map(|(seq, bytes)| Entry { seq, bytes });
        Ok(numbered.filter(|entry| entry.seq > after).collect())
    }

    /// The streams of a device that have segments.
    pub(super) async fn segmented(
        &mut self,
        device: &DeviceId,
    ) -> Result<Vec<StreamOrigin>, ExchangeError> {
        let Durable::Segments(durable) = &self.durable else { return Ok(Vec::new()) };
        let below: Prefix = names::segments_of_device(device)?;
        let there = durable.blobs(&below).await?;
        Ok(there.iter().filter_map(|name| Some(names::span(name)?.0)).collect())
    }
}

/// Writes each batch after its length in eight bytes, little-endian.
fn pack<'b>(batches: impl Iterator<Item = &'b [u8]>) -> Vec<u8> {
    let mut out = Vec::new();
    for batch in batches {
        out.extend_from_slice(&(batch.len() as u64).to_le_bytes());
        out.extend_from_slice(batch);
    }
    out
}

/// The batches of a segment, up to a truncation.
fn unpack(bytes: &Bytes) -> Vec<Bytes> {
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
