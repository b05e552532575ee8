//! Batches: compressed, padded, sealed to a place, signed and chained to the one before.

use super::{Chain, DataKey, Refused};
use crate::bytes::{Digest, Signature, TeamId};
use crate::compression;
use crate::roster::{Member, Roster, Signer};
use crate::signing::{Purpose, decode, encode, sign, verify};
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use serde::{Deserialize, Serialize};
use taffrail_model::DeviceId;

/// The stream in which batches are numbered, by an opaque name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Stream(String);

impl Stream {
    /// Wraps the text unchanged.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The place of a batch. Its ciphertext opens nowhere else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The team.
    pub team: TeamId,
    /// The stream.
    pub stream: Stream,
    /// The device that wrote it.
    pub device: DeviceId,
    /// The number of its first event.
    pub first: u64,
    /// The number of its last event.
    pub last: u64,
    /// The epoch of its key.
    pub epoch: u64,
    /// The hash of the batch before.
    pub prev: Digest,
}

/// A batch as a hub keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    /// Its place.
    pub place: Place,
    pub(super) commitment: Digest,
    pub(super) nonce: [u8; 24],
    pub(super) ciphertext: Vec<u8>,
    pub(super) signature: Signature,
}

/// Whether the writer of a batch is in the team now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriterStatus {
    /// It is in the team.
    Current,
    /// It was in the batch's epoch, and is not now.
    Removed,
}

/// A batch that was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// The content.
    pub bytes: Vec<u8>,
    /// The chain to open the next one with.
    pub chain: Chain,
    /// Whether its writer is in the team now.
    pub writer: WriterStatus,
}

/// The content to seal: the number of events, their bytes, and the epoch.
#[derive(Debug, Clone, Copy)]
pub struct Content<'a> {
    /// How many numbers it uses, at least one.
    pub events: u64,
    /// The events.
    pub bytes: &'a [u8],
    /// The epoch of the key.
    pub epoch: u64,
}

impl Sealed {
    /// The serialized form for a hub.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let place = self.bound();
        let fields: [&[u8]; 4] = [&place, &self.nonce, &self.ciphertext, self.signature.as_bytes()];
        encode(Purpose::Batch, &fields)
    }

    /// Parses the serialized form. Nothing is verified so far.
    ///
    /// # Errors
    ///
    /// The bytes are truncated, too many or something else.
    pub fn parse(bytes: &[u8]) -> Result<Self, Refused> {
        if bytes.len() > 2 * compression::MOST_BYTES {
            return Err(Refused::TooLarge);
        }
        Self::read(bytes).ok_or(Refused::NotUnderstood)
    }

    /// The hash that the next batch contains.
    #[must_use]
    pub fn hash(&self) -> Digest {
        Digest::from_bytes(*blake3::hash(&self.to_bytes()).as_bytes())
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let [place, nonce, ciphertext, signature] = decode(Purpose::Batch, bytes)?;
        let [team, stream, device, first, last, epoch, prev, commitment] =
            decode(Purpose::BatchPlace, place)?;
        let number = |bytes: &[u8]| bytes.try_into().ok().map(u64::from_le_bytes);
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
        let place = Place {
            team: TeamId::from_bytes(team.try_into().ok()?),
            stream: Stream::new(text(stream)?),
            device: DeviceId::new(text(device)?),
            first: number(first)?,
            last: number(last)?,
            epoch: number(epoch)?,
            prev: Digest::from_bytes(prev.try_into().ok()?),
        };
        Some(Self {
            place,
            commitment: Digest::from_bytes(commitment.try_into().ok()?),
            nonce: nonce.try_into().ok()?,
            ciphertext: ciphertext.to_vec(),
            signature: Signature::from_bytes(signature.try_into().ok()?),
        })
    }

    fn bound(&self) -> Vec<u8> {
        self.place.bound(&self.commitment)
    }
}

impl Place {
    /// The bytes that ciphertext and signature are bound to.
    pub(super) fn bound(&self, commitment: &Digest) -> Vec<u8> {
        let fields: [&[u8]; 8] = [
            self.team.as_bytes(),
            self.stream.as_str().as_bytes(),
            self.device.as_str().as_bytes(),
            &self.first.to_le_bytes(),
            &self.last.to_le_bytes(),
            &self.epoch.to_le_bytes(),
            self.prev.as_bytes(),
            commitment.as_bytes(),
        ];
        encode(Purpose::BatchPlace, &fields)
    }
}

/// Seals the next batch of this device's chain, with a fresh random nonce.
///
/// # Errors
///
/// The content is too large or empty, its epoch goes back, or the chain belongs to another device.
pub fn seal(
    chain: &Chain,
    content: Content<'_>,
    key: &DataKey,
    by: &Signer<'_>,
    nonce: [u8; 24],
) -> Result<(Sealed, Chain), Refused> {
    let Content { events, bytes, epoch } = content;
    check_epoch(chain, epoch)?;
    if chain.device != *by.device {
        return Err(Refused::OtherPlace);
    }
    let last = chain.next.checked_add(events).and_then(|end| end.checked_sub(1));
    let last = last.filter(|_| events > 0).ok_or(Refused::TooLarge)?;
    let place = Place {
        team: chain.team,
        stream: chain.stream.clone(),
        device: chain.device.clone(),
        first: chain.next,
        last,
        epoch,
        prev: chain.head,
    };
    let commitment = key.commitment();
    let bound = place.bound(&commitment);
    let payload = Payload { msg: &compression::pack(bytes)?, aad: &bound };
    let sealed = cipher(key).encrypt(XNonce::from_slice(&nonce), payload);
    let ciphertext = sealed.map_err(|_| Refused::TooLarge)?;
    let signature = sign(by.secret.signing(), Purpose::Batch, &[&bound, &nonce, &ciphertext]);
    let sealed = Sealed { place, commitment, nonce, ciphertext, signature };
    let chain = chain.after(&sealed);
    Ok((sealed, chain))
}

/// Opens the next batch of a chain: its signer was in the team at that time, and it follows the
/// batch before.
///
/// # Errors
///
/// Returns the reason for a refusal. Nothing of a refused batch is returned.
pub fn open(
    batch: &Sealed,
    chain: &Chain,
    key: &DataKey,
    roster: &Roster,
) -> Result<Opened, Refused> {
    let writer = check(batch, chain, roster)?;
    if batch.commitment != key.commitment() {
        return Err(Refused::Damaged);
    }
    let payload = Payload { msg: &batch.ciphertext, aad: &batch.bound() };
    let opened = cipher(key).decrypt(XNonce::from_slice(&batch.nonce), payload);
    let bytes = compression::unpack(&opened.map_err(|_| Refused::Damaged)?)?;
    Ok(Opened { bytes, chain: chain.after(batch), writer })
}

/// Checks everything about a batch that needs no key.
///
/// # Errors
///
/// Returns the reason for a refusal.
pub fn check(batch: &Sealed, chain: &Chain, roster: &Roster) -> Result<WriterStatus, Refused> {
    let place = &batch.place;
    let here = (&chain.team, &chain.stream, &chain.device);
    if (&place.team, &place.stream, &place.device) != here || chain.team != *roster.team() {
        return Err(Refused::OtherPlace);
    }
    let member = member_in(roster, &place.device, place.epoch)?;
    let fields: [&[u8]; 3] = [&batch.bound(), &batch.nonce, &batch.ciphertext];
    verify(member.device.keys.signing(), Purpose::Batch, &fields, &batch.signature)
        .map_err(|_| Refused::Forged)?;
    if place.last < place.first {
        return Err(Refused::NotUnderstood);
    }
    if place.first != chain.next {
        return Err(Refused::OutOfSequence { expected: chain.next, got: place.first });
    }
    if place.prev != chain.head {
        return Err(Refused::Unchained);
    }
    check_epoch(chain, place.epoch)?;
    Ok(if member.is_current() { WriterStatus::Current } else { WriterStatus::Removed })
}

fn check_epoch(chain: &Chain, epoch: u64) -> Result<(), Refused> {
    if epoch < chain.epoch { Err(Refused::OlderEpoch { known: chain.epoch }) } else { Ok(()) }
}

/// The device, if it was in the team in this epoch.
pub(super) fn member_in<'r>(
    roster: &'r Roster,
    device: &DeviceId,
    epoch: u64,
) -> Result<&'r Member, Refused> {
    if epoch > roster.epoch() {
        return Err(Refused::RosterBehind { epoch, known: roster.epoch() });
    }
    let member = roster.member(device).filter(|member| member.was_in(epoch));
    member.ok_or_else(|| Refused::NotAMember { device: device.clone(), epoch })
}

pub(super) fn cipher(key: &DataKey) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(key.bytes().into())
}
