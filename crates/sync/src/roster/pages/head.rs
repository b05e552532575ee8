//! The head of a roster in pages: the one value that changes.
//!
//! Outside are the team, the epoch, and where the key of the epoch is wrapped; all of that is bound to
//! the sealed part.

use super::epoch_key::{EpochKey, bucket_of};
use super::{Entry, PAGE_ENTRIES, PageRef, SealedRosterError};
use crate::bytes::{Digest, TeamId};
use crate::compression::{pack, unpack};
use crate::envelope::EnvelopeFault;
use crate::keys::Identity;
use crate::signing::{Purpose, decode, encode};
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

const NONCE: &str = "taffrail 1 2026-11-19 roster head nonce";
const NONCE_BYTES: usize = 24;
const HASH_BYTES: usize = 32;

/// The head, as a hub holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) team: TeamId,
    pub(crate) epoch: u64,
    /// The wrapped keys of those who were there when the epoch's keys were wrapped, by bucket.
    pub(crate) buckets: Vec<Digest>,
    /// The wrapped keys of devices that joined later, in groups, the oldest first.
    pub(crate) groups: Vec<Digest>,
    /// The key wrapped to the latest devices; empty if there are none.
    pub(crate) late: Vec<u8>,
    sealed: Vec<u8>,
}

/// What only the team reads of a head.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Body {
    /// All full pages.
    pub(crate) pages: Vec<PageRef>,
    /// The entries after them.
    pub(crate) tail: Vec<Entry>,
    /// The hash of the last entry.
    pub(crate) last: Digest,
    /// How many entries there were when the buckets and the groups were wrapped.
    pub(crate) wrapped: usize,
}

impl Body {
    /// How many entries the roster has.
    pub(crate) fn length(&self) -> usize {
        self.pages.len().saturating_mul(PAGE_ENTRIES).saturating_add(self.tail.len())
    }
}

impl Head {
    /// Seals a body. The places of the wrapped keys are bound to it.
    pub(crate) fn seal(self, body: &Body, key: &EpochKey) -> Result<Self, SealedRosterError> {
        let json = serde_json::to_vec(body).map_err(|_| SealedRosterError::NotUnderstood)?;
        let plain = pack(&json).map_err(|_| EnvelopeFault::TooLarge)?;
        let bound = self.bound();
        let nonce = nonce(key, &bound, &plain);
        let payload = Payload { msg: &plain, aad: &bound };
        let sealed = cipher(key).encrypt(XNonce::from_slice(&nonce), payload);
        let sealed = sealed.map_err(|_| EnvelopeFault::Damaged)?;
        Ok(Self { sealed: [nonce.as_slice(), &sealed].concat(), ..self })
    }

    /// A head without a body.
    pub(crate) fn new((team, epoch): (TeamId, u64)) -> Self {
        let (buckets, groups, late, sealed) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { team, epoch, buckets, groups, late, sealed }
    }

    /// The body, if it is sealed with this key.
    pub(crate) fn open(&self, key: &EpochKey) -> Result<Body, SealedRosterError> {
        let damaged = || SealedRosterError::from(EnvelopeFault::Damaged);
        let (nonce, sealed) = self.sealed.split_at_checked(NONCE_BYTES).ok_or_else(damaged)?;
        let payload = Payload { msg: sealed, aad: &self.bound() };
        let plain = cipher(key).decrypt(XNonce::from_slice(nonce), payload);
        let plain = Zeroizing::new(plain.map_err(|_| damaged())?);
        let json = unpack(&plain).map_err(|_| damaged())?;
        let body: Body =
            serde_json::from_slice(&json).map_err(|_| SealedRosterError::NotUnderstood)?;
        let fits = (1..=body.length()).contains(&body.wrapped) && body.tail.len() < PAGE_ENTRIES;
        if fits { Ok(body) } else { Err(SealedRosterError::NotUnderstood) }
    }

    /// The value of the key on a hub.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let [team, epoch, buckets, groups] = self.places();
        let fields: [&[u8]; 6] = [&team, &epoch, &buckets, &groups, &self.late, &self.sealed];
        encode(Purpose::RosterHead, &fields)
    }

    /// The head in a value; `None` if it is something else.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let [team, epoch, buckets, groups, late, sealed] = decode(Purpose::RosterHead, bytes)?;
        Some(Self {
            team: TeamId::from_bytes(team.try_into().ok()?),
            epoch: u64::from_le_bytes(epoch.try_into().ok()?),
            buckets: hashes(buckets)?,
            groups: hashes(groups)?,
            late: late.to_vec(),
            sealed: sealed.to_vec(),
        })
    }

    /// Where the key may be wrapped to this identity, the likeliest first.
    pub(crate) fn wrapped_for(&self, identity: &Identity) -> Vec<Digest> {
        let own = bucket_of(&identity.recipient(), self.buckets.len());
        let own = self.buckets.get(own);
        own.into_iter().chain(self.groups.iter().rev()).copied().collect()
    }

    fn places(&self) -> [Vec<u8>; 4] {
        let all = |it: &[Digest]| it.iter().flat_map(|it| *it.as_bytes()).collect();
        let (team, epoch) = (self.team.as_bytes().to_vec(), self.epoch.to_le_bytes().to_vec());
        [team, epoch, all(&self.buckets), all(&self.groups)]
    }

    fn bound(&self) -> Vec<u8> {
        let [team, epoch, buckets, groups] = self.places();
        encode(Purpose::RosterHead, &[&team, &epoch, &buckets, &groups, &self.late])
    }
}

fn hashes(bytes: &[u8]) -> Option<Vec<Digest>> {
    let all = bytes.chunks(HASH_BYTES).map(|it| it.try_into().ok().map(Digest::from_bytes));
    all.collect()
}

/// Follows from the key and from everything that is sealed and bound, so that no nonce seals two
/// different heads.
fn nonce(key: &EpochKey, bound: &[u8], plain: &[u8]) -> [u8; NONCE_BYTES] {
    let key = Zeroizing::new(blake3::derive_key(NONCE, key.bytes()));
    let mut hash = blake3::Hasher::new_keyed(&key);
    hash.update(&(bound.len() as u64).to_le_bytes()).update(bound).update(plain);
    hash.finalize().as_bytes().first_chunk().copied().unwrap_or_default()
}

fn cipher(key: &EpochKey) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(key.bytes().into())
}
