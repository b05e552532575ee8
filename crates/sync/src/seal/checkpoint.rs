//! Checkpoints: what a stream says after one of its batches, sealed and signed by the stream's writer.
//!
//! A checkpoint is bound to the chain after that batch, so that a reader can continue from it in both
//! directions. A large one has several parts.

use super::batch::{Stream, cipher, member_in};
use super::{Chain, DataKey, Refused};
use crate::bytes::{Digest, Signature, TeamId};
use crate::compression;
use crate::roster::{Roster, Signer};
use crate::signing::{Purpose, decode, encode, sign, verify};
use chacha20poly1305::XNonce;
use chacha20poly1305::aead::{Aead, Payload};
use taffrail_model::DeviceId;

/// The place of a part of a checkpoint. Its ciphertext opens nowhere else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointPlace {
    /// The chain after the last batch that the checkpoint covers.
    pub after: Chain,
    /// The number of that batch on the hub.
    pub seq: u64,
    /// The epoch of the key.
    pub epoch: u64,
    /// Which part this is, from 0 on.
    pub part: u64,
    /// How many parts there are.
    pub parts: u64,
}

/// A part of a checkpoint as a hub keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedCheckpoint {
    /// Its place.
    pub place: CheckpointPlace,
    pub(super) commitment: Digest,
    pub(super) nonce: [u8; 24],
    pub(super) ciphertext: Vec<u8>,
    pub(super) signature: Signature,
}

impl CheckpointPlace {
    /// The bytes that ciphertext and signature are bound to.
    fn bound(&self, commitment: &Digest) -> Vec<u8> {
        let chain = &self.after;
        let fields: [&[u8]; 11] = [
            chain.team.as_bytes(),
            chain.stream.as_str().as_bytes(),
            chain.device.as_str().as_bytes(),
            &chain.next.to_le_bytes(),
            chain.head.as_bytes(),
            &chain.epoch.to_le_bytes(),
            &self.seq.to_le_bytes(),
            &self.epoch.to_le_bytes(),
            &self.part.to_le_bytes(),
            &self.parts.to_le_bytes(),
            commitment.as_bytes(),
        ];
        encode(Purpose::CheckpointPlace, &fields)
    }

    fn read(bytes: &[u8]) -> Option<(Self, Digest)> {
        let [team, stream, device, next, head, last_epoch, seq, epoch, part, parts, commitment] =
            decode(Purpose::CheckpointPlace, bytes)?;
        let number = |bytes: &[u8]| bytes.try_into().ok().map(u64::from_le_bytes);
        let digest = |bytes: &[u8]| bytes.try_into().ok().map(Digest::from_bytes);
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
        let after = Chain {
            team: TeamId::from_bytes(team.try_into().ok()?),
            stream: Stream::new(text(stream)?),
            device: DeviceId::new(text(device)?),
            next: number(next)?,
            head: digest(head)?,
            epoch: number(last_epoch)?,
        };
        let (seq, epoch) = (number(seq)?, number(epoch)?);
        let (part, parts) = (number(part)?, number(parts)?);
        Some((Self { after, seq, epoch, part, parts }, digest(commitment)?))
    }
}

impl SealedCheckpoint {
    /// The serialized form for a hub.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let place = self.place.bound(&self.commitment);
        let fields: [&[u8]; 4] = [&place, &self.nonce, &self.ciphertext, self.signature.as_bytes()];
        encode(Purpose::Checkpoint, &fields)
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

    fn read(bytes: &[u8]) -> Option<Self> {
        let [place, nonce, ciphertext, signature] = decode(Purpose::Checkpoint, bytes)?;
        let (place, commitment) = CheckpointPlace::read(place)?;
        let signature = Signature::from_bytes(signature.try_into().ok()?);
        let (nonce, ciphertext) = (nonce.try_into().ok()?, ciphertext.to_vec());
        Some(Self { place, commitment, nonce, ciphertext, signature })
    }
}

/// Seals a part of a checkpoint of this device's stream, with a fresh random nonce.
///
/// # Errors
///
/// The content is too large, or the chain belongs to another device.
pub fn seal_checkpoint(
    place: CheckpointPlace,
    bytes: &[u8],
    key: &DataKey,
    by: &Signer<'_>,
    nonce: [u8; 24],
) -> Result<SealedCheckpoint, Refused> {
    if place.after.device != *by.device {
        return Err(Refused::OtherPlace);
    }
    let commitment = key.commitment();
    let bound = place.bound(&commitment);
    let payload = Payload { msg: &compression::pack(bytes)?, aad: &bound };
    let sealed = cipher(key).encrypt(XNonce::from_slice(&nonce), payload);
    let ciphertext = sealed.map_err(|_| Refused::TooLarge)?;
    let signature = sign(by.secret.signing(), Purpose::Checkpoint, &[&bound, &nonce, &ciphertext]);
    Ok(SealedCheckpoint { place, commitment, nonce, ciphertext, signature })
}

/// Opens a part of a checkpoint of the stream that this chain begins: its writer is in the team now and
/// was in the checkpoint's epoch.
///
/// # Errors
///
/// Returns the reason for a refusal. Nothing of a refused checkpoint is returned.
pub fn open_checkpoint(
    checkpoint: &SealedCheckpoint,
    of: &Chain,
    key: &DataKey,
    roster: &Roster,
) -> Result<Vec<u8>, Refused> {
    let (place, after) = (&checkpoint.place, &checkpoint.place.after);
    let is_here = (&after.team, &after.stream, &after.device) == (&of.team, &of.stream, &of.device);
    if !is_here || of.team != *roster.team() || after.epoch > place.epoch {
        return Err(Refused::OtherPlace);
    }
    let (device, epoch) = (&after.device, place.epoch);
    let member = member_in(roster, device, epoch)?;
    if !member.is_current() {
        return Err(Refused::NotAMember { device: device.clone(), epoch });
    }
    let bound = place.bound(&checkpoint.commitment);
    let fields: [&[u8]; 3] = [&bound, &checkpoint.nonce, &checkpoint.ciphertext];
    verify(member.device.keys.signing(), Purpose::Checkpoint, &fields, &checkpoint.signature)
        .map_err(|_| Refused::Forged)?;
    if checkpoint.commitment != key.commitment() {
        return Err(Refused::Damaged);
    }
    let payload = Payload { msg: &checkpoint.ciphertext, aad: &bound };
    let opened = cipher(key).decrypt(XNonce::from_slice(&checkpoint.nonce), payload);
    Ok(compression::unpack(&opened.map_err(|_| Refused::Damaged)?)?)
}
