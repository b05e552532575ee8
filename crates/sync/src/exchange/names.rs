//! Names on a hub. Ids and random words only: a hub can read names.

use crate::bytes::Digest;
use crate::hub::{BlobName, KeyName, LogName, NameError, Prefix};
use taffrail_model::exchange::{Incarnation, StreamOrigin};
use taffrail_model::{DeviceId, StreamName};

/// The stream between the devices of one user.
#[must_use]
pub fn own_stream() -> StreamName {
    StreamName::new("own")
}

/// The stream of this device's approval requests, and of its answers to other devices.
#[must_use]
pub fn approval_stream() -> StreamName {
    StreamName::new("desk")
}

/// The stream of one shared session, named by random bytes.
#[must_use]
pub fn share_stream(random: [u8; 8]) -> StreamName {
    StreamName::new(format!("share-{:016x}", u64::from_le_bytes(random)))
}

/// The log of a stream: `DEVICE/STREAM/INCARNATION`.
pub(super) fn log(of: &StreamOrigin) -> Result<LogName, NameError> {
    LogName::new(format!("{}/{}/{}", of.device, of.stream, of.incarnation))
}

/// The stream of a log's name.
pub(super) fn origin(log: &LogName) -> Option<StreamOrigin> {
    let mut parts = log.as_str().split('/');
    let (device, stream, life) = (parts.next()?, parts.next()?, parts.next()?);
    let incarnation = Incarnation::parse(life).filter(|_| parts.next().is_none())?;
    let (device, stream) = (DeviceId::new(device), StreamName::new(stream));
    Some(StreamOrigin { device, stream, incarnation })
}

/// The logs of a device.
pub(super) fn logs_of(device: &DeviceId) -> Result<Prefix, NameError> {
    Prefix::new(device.as_str())
}

/// The key of a stream in an epoch: `key/DEVICE/STREAM/EPOCH`.
pub(super) fn key(
    device: &DeviceId,
    stream: &StreamName,
    epoch: u64,
) -> Result<KeyName, NameError> {
    KeyName::new(format!("key/{device}/{stream}/{epoch}"))
}

/// The keys of a stream.
pub(super) fn keys_of(device: &DeviceId, stream: &StreamName) -> Result<Prefix, NameError> {
    Prefix::new(format!("key/{device}/{stream}"))
}

/// The device and the stream a key belongs to.
pub(super) fn key_of(key: &KeyName) -> Option<(DeviceId, StreamName)> {
    let mut parts = key.as_str().strip_prefix("key/")?.split('/');
    Some((DeviceId::new(parts.next()?), StreamName::new(parts.next()?)))
}

/// The epoch a key is of.
pub(super) fn epoch_of(key: &KeyName) -> Option<u64> {
    key.as_str().strip_prefix("key/")?.rsplit('/').next()?.parse().ok()
}

/// The key of the roster.
pub(super) fn roster() -> Result<KeyName, NameError> {
    KeyName::new("roster")
}

/// What a roster in pages has beside its head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RosterPart {
    /// A page of entries.
    Page,
    /// The key of an epoch, wrapped to some devices.
    Key,
}

impl RosterPart {
    fn as_str(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Key => "key",
        }
    }
}

/// A part of the roster: `roster/page/HASH`. If another blob has that name, the part is at
/// `roster/page/HASH/1`, and so on.
pub(super) fn roster_part(
    part: RosterPart,
    hash: &Digest,
    attempt: usize,
) -> Result<BlobName, NameError> {
    let name = format!("roster/{}/{hash}", part.as_str());
    BlobName::new(if attempt == 0 { name } else { format!("{name}/{attempt}") })
}

/// The pages of the roster.
pub(super) fn roster_pages() -> Result<Prefix, NameError> {
    Prefix::new(format!("roster/{}", RosterPart::Page.as_str()))
}

/// The key of a decision's claim: `decision/HASH`.
pub(super) fn decision(request: &Digest) -> Result<KeyName, NameError> {
    KeyName::new(format!("decision/{request}"))
}

/// The batches in a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) first: u64,
    pub(super) last: u64,
}

/// The segments of a stream.
pub(super) fn segments_of(of: &StreamOrigin) -> Result<Prefix, NameError> {
    Prefix::new(format!("seg/{}/{}/{}", of.device, of.stream, of.incarnation))
}

/// The segments of a device.
pub(super) fn segments_of_device(device: &DeviceId) -> Result<Prefix, NameError> {
    Prefix::new(format!("seg/{device}"))
}

/// A segment: `seg/DEVICE/STREAM/INCARNATION/FIRST-LAST-HASH`. The hash in the name keeps two
/// copies of one device apart.
pub(super) fn segment(of: &StreamOrigin, span: Span, hash: &str) -> Result<BlobName, NameError> {
    let (first, last) = (span.first, span.last);
    let short: String = hash.chars().take(16).collect();
    let prefix = segments_of(of)?;
    BlobName::new(format!("{}/{first}-{last}-{short}", prefix.as_str()))
}

/// The stream of a segment, and its batches.
pub(super) fn span(segment: &BlobName) -> Option<(StreamOrigin, Span)> {
    let (log, range) = segment.as_str().strip_prefix("seg/")?.rsplit_once('/')?;
    let of = origin(&LogName::new(log).ok()?)?;
    let mut parts = range.split('-');
    let (first, last) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Some((of, Span { first, last }))
}

/// The checkpoints of a stream.
pub(super) fn checkpoints_of(of: &StreamOrigin) -> Result<Prefix, NameError> {
    Prefix::new(format!("checkpoint/{}/{}/{}", of.device, of.stream, of.incarnation))
}

/// A checkpoint: `checkpoint/DEVICE/STREAM/INCARNATION/SEQ-HASH`, by the last batch that it covers.
pub(super) fn checkpoint(of: &StreamOrigin, seq: u64, hash: &str) -> Result<BlobName, NameError> {
    let short: String = hash.chars().take(16).collect();
    BlobName::new(format!("{}/{seq}-{short}", checkpoints_of(of)?.as_str()))
}

/// The stream of a checkpoint, and the last batch that it covers.
pub(super) fn covered(checkpoint: &BlobName) -> Option<(StreamOrigin, u64)> {
    let (log, rest) = checkpoint.as_str().strip_prefix("checkpoint/")?.rsplit_once('/')?;
    let (seq, _) = rest.split_once('-')?;
    Some((origin(&LogName::new(log).ok()?)?, seq.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        let incarnation = Incarnation { count: 2, random: 9 };
        let of = StreamOrigin { device: DeviceId::new("d-1"), stream: own_stream(), incarnation };
        let name = log(&of).unwrap();
        assert_eq!(name.as_str(), "d-1/own/2-0000000000000009");
        assert_eq!(origin(&name), Some(of.clone()));
        let it = segment(&of, Span { first: 3, last: 9 }, &"ab".repeat(32)).unwrap();
        assert_eq!(it.as_str(), "seg/d-1/own/2-0000000000000009/3-9-abababababababab");
        assert_eq!(span(&it), Some((of.clone(), Span { first: 3, last: 9 })));
        assert_eq!(covered(&it), None);
        let it = checkpoint(&of, 9, &"ab".repeat(32)).unwrap();
        assert_eq!(it.as_str(), "checkpoint/d-1/own/2-0000000000000009/9-abababababababab");
        assert_eq!((span(&it), covered(&it)), (None, Some((of, 9))));
        for other in ["d-1", "d-1/own", "d-1/own/x", "d-1/own/2-0000000000000009/more"] {
            assert_eq!(origin(&LogName::new(other).unwrap()), None, "{other}");
        }
        let key = key(&DeviceId::new("d-1"), &approval_stream(), 4).unwrap();
        assert_eq!(key.as_str(), "key/d-1/desk/4");
        assert_eq!(key_of(&key), Some((DeviceId::new("d-1"), approval_stream())));
        assert_eq!(epoch_of(&key), Some(4));
        assert_eq!(key_of(&roster().unwrap()), None);
        assert_eq!(share_stream([1, 0, 0, 0, 0, 0, 0, 0]).as_str(), "share-0000000000000001");
    }
}
