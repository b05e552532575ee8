//! The messages of a meeting, sealed under the key of its code and bound to their slot.

use super::PairingSecret;
use crate::bytes::Digest;
use crate::hub::Slot;
use crate::roster::{Entry, Pin};
use crate::signing::{Purpose, digest, encode};
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use taffrail_model::Timestamp;

/// A message is padded to a multiple of this, so that its length says little.
const STEP: usize = 1024;
const NONCE: usize = 24;

/// What the first device leaves: an invite, as `device invite` makes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// The invite, which is secret.
    pub invite: String,
    /// How long the first device waits.
    pub until: Timestamp,
}

/// What the new device leaves: a request, as `device join` makes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The request.
    pub request: String,
}

/// What the first device answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The request that it answers.
    pub request: Digest,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The device is in the team: the entries of the roster.
    In(Vec<Entry>),
    /// The device is in the team, whose roster is too long for a message: its last entry. The hub has
    /// the roster.
    InAt(Pin),
    /// It is not, and why.
    Refused(String),
}

/// The new device has read the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {}

impl Request {
    /// What an answer names it by.
    #[must_use]
    pub fn digest(&self) -> Digest {
        digest(Purpose::Pairing, &[b"request", self.request.as_bytes()])
    }
}

/// Why a message is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MessageFault {
    /// It was not sealed with this code, or was changed or moved.
    #[error("what stands at the hub was not written with this code, or was changed there")]
    Forged,
    /// It holds something else.
    #[error("the other device has another version of Taffrail")]
    NotUnderstood,
}

/// Seals a message for a slot of the meeting.
///
/// # Errors
///
/// It cannot be encoded.
pub fn seal(
    (secret, slot): (&PairingSecret, Slot),
    message: &impl Serialize,
    nonce: [u8; NONCE],
) -> Result<Vec<u8>, MessageFault> {
    let mut plain = serde_json::to_vec(message).map_err(|_| MessageFault::NotUnderstood)?;
    // White space at the end of JSON says nothing.
    plain.resize(plain.len().next_multiple_of(STEP), b' ');
    let bound = bound(secret, slot);
    let payload = Payload { msg: &plain, aad: &bound };
    let sealed = cipher(secret).encrypt(XNonce::from_slice(&nonce), payload);
    let sealed = sealed.map_err(|_| MessageFault::NotUnderstood)?;
    Ok([nonce.as_slice(), &sealed].concat())
}

/// Opens the message of a slot.
///
/// # Errors
///
/// It was not sealed with this code for this slot, or is of another version.
pub fn open<T: DeserializeOwned>(
    (secret, slot): (&PairingSecret, Slot),
    sealed: &[u8],
) -> Result<T, MessageFault> {
    let (nonce, sealed) = sealed.split_at_checked(NONCE).ok_or(MessageFault::Forged)?;
    let bound = bound(secret, slot);
    let payload = Payload { msg: sealed, aad: &bound };
    let plain = cipher(secret).decrypt(XNonce::from_slice(nonce), payload);
    let plain = plain.map_err(|_| MessageFault::Forged)?;
    serde_json::from_slice(&plain).map_err(|_| MessageFault::NotUnderstood)
}

fn cipher(secret: &PairingSecret) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(secret.key().as_slice().into())
}

fn bound(secret: &PairingSecret, slot: Slot) -> Vec<u8> {
    encode(Purpose::Pairing, &[secret.place().as_bytes(), slot.as_str().as_bytes()])
}
