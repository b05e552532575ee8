//! The key of a roster's head in an epoch. It follows from the entry that began the epoch, which a
//! device that was removed by then does not know.

use super::super::{Audience, Op, Roster, SealedRosterError};
use crate::bytes::TeamId;
use crate::envelope::{EnvelopeFault, open_with, seal_to};
use crate::keys::{Identity, Recipient};
use crate::signing::{Purpose, decode, encode};
use std::collections::BTreeSet;
use std::fmt;
use zeroize::{Zeroize, ZeroizeOnDrop};

const KEY: &str = "taffrail 1 2026-11-19 roster epoch key";
/// The largest content: a key, its place and their lengths.
const MOST_BYTES: usize = 4096;
/// About how many recipients share a wrapped key.
const BUCKET: usize = 128;

/// The key of an epoch. It is never printed, and is wiped on drop.
#[derive(Clone, PartialEq, Eq, Zeroize, ZeroizeOnDrop)]
pub(crate) struct EpochKey([u8; 32]);

impl fmt::Debug for EpochKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EpochKey")
    }
}

impl EpochKey {
    pub(super) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The key, sealed to recipients.
    pub(crate) fn wrap(
        &self,
        (team, epoch): (&TeamId, u64),
        recipients: &[Recipient],
    ) -> Result<Vec<u8>, SealedRosterError> {
        let fields: [&[u8]; 3] = [team.as_bytes(), &epoch.to_le_bytes(), &self.0];
        let plain = zeroize::Zeroizing::new(encode(Purpose::RosterKey, &fields));
        Ok(seal_to(recipients, &plain)?)
    }

    /// Opens what [`Self::wrap`] sealed.
    pub(crate) fn unwrap(
        (team, epoch): (&TeamId, u64),
        sealed: &[u8],
        identity: &Identity,
    ) -> Result<Self, SealedRosterError> {
        let plain = open_with(identity, sealed, MOST_BYTES)?;
        let fields = decode(Purpose::RosterKey, &plain);
        let [of, at, key] = fields.ok_or(SealedRosterError::NotUnderstood)?;
        if of != team.as_bytes() || at != epoch.to_le_bytes() {
            return Err(EnvelopeFault::Damaged.into());
        }
        key.try_into().map(Self).map_err(|_| SealedRosterError::NotUnderstood)
    }
}

impl Roster {
    /// The key of an epoch, if its first entry is known here. An invite tells the hash of an entry,
    /// and nobody outside the team knows its signature.
    pub(crate) fn epoch_key(&self, epoch: u64) -> Option<EpochKey> {
        let (entry, hash) = self.start_of_epoch(epoch)?;
        let known = [entry.signature.as_bytes().as_slice(), hash.as_bytes()].concat();
        Some(EpochKey(blake3::derive_key(KEY, &known)))
    }

    /// All recipients of the team in buckets, so that each finds its own without opening the others.
    pub(crate) fn buckets(&self) -> Vec<Vec<Recipient>> {
        let all = self.recipients(Audience::Team);
        let count = all.len().div_ceil(BUCKET);
        let mut buckets = vec![Vec::new(); count];
        for recipient in all.iter().cloned() {
            if let Some(bucket) = buckets.get_mut(bucket_of(&recipient, count)) {
                bucket.push(recipient);
            }
        }
        // Nothing can be sealed to nobody, and the number of a bucket is its place.
        for empty in buckets.iter_mut().filter(|it| it.is_empty()) {
            empty.extend(all.first().cloned());
        }
        buckets
    }

    /// The recipients that came after this many entries.
    pub(crate) fn recipients_since(&self, entries: usize) -> Vec<Recipient> {
        let current: BTreeSet<String> =
            self.recipients(Audience::Team).iter().map(ToString::to_string).collect();
        let new = self.entries().iter().skip(entries).filter_map(|it| match &it.statement.op {
            Op::Found { device } | Op::Add { device, .. } => Some(device.keys.recipient()),
            Op::Recovery { recipient, .. } => Some(recipient),
            Op::Admin { .. } | Op::Remove { .. } | Op::Rotate => None,
        });
        new.filter(|it| current.contains(&it.to_string())).cloned().collect()
    }
}

/// The bucket of a recipient.
pub(super) fn bucket_of(recipient: &Recipient, count: usize) -> usize {
    let hash = blake3::hash(recipient.to_string().as_bytes());
    let [a, b, c, d, ..] = *hash.as_bytes();
    let number = usize::try_from(u32::from_le_bytes([a, b, c, d])).unwrap_or_default();
    number.checked_rem(count).unwrap_or_default()
}
