//! The key of a scope in an epoch, wrapped with age to its readers.
//!
//! Age does not prove who sealed something, so every wrapped key is signed: otherwise a hub could
//! hand out its own keys and read what is sealed with them.

use super::Refused;
use crate::bytes::{Digest, Signature, TeamId};
use crate::envelope::{open_with, seal_to};
use crate::keys::{Identity, Recipient};
use crate::roster::{Roster, Signer};
use crate::signing::{Purpose, decode, digest, encode, sign, verify};
use serde::{Deserialize, Serialize};
use std::fmt;
use taffrail_model::DeviceId;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// The largest wrapped key: a header and a little more.
const MOST_WRAPPED_BYTES: usize = 512 * 1024;
/// The largest content: a key, its place and their lengths.
const MOST_KEY_BYTES: usize = 4096;

/// The scope of a key: a session, a project or a stream, by a name that reveals nothing to
/// outsiders.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Scope(String);

impl Scope {
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

/// The scope and epoch of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPlace {
    /// The team.
    pub team: TeamId,
    /// The scope.
    pub scope: Scope,
    /// The epoch in which it was made.
    pub epoch: u64,
}

impl KeyPlace {
    fn fields(&self) -> [Vec<u8>; 3] {
        let scope = self.scope.as_str().as_bytes().to_vec();
        [self.team.as_bytes().to_vec(), scope, self.epoch.to_le_bytes().to_vec()]
    }
}

/// The key that seals batches. It is never printed, and is wiped on drop.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct DataKey([u8; 32]);

impl DataKey {
    /// Makes a key from random bytes.
    #[must_use]
    pub fn from_random(random: [u8; 32]) -> Self {
        Self(random)
    }

    pub(super) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The commitment in a batch, so that the batch opens with one key only.
    pub(super) fn commitment(&self) -> Digest {
        digest(Purpose::KeyCommitment, &[&self.0])
    }
}

impl fmt::Debug for DataKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DataKey")
    }
}

/// A key as stored on a hub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrappedKey {
    /// The place of the key.
    pub place: KeyPlace,
    /// The device that wrapped it.
    pub by: DeviceId,
    pub(super) sealed: Vec<u8>,
    pub(super) signature: Signature,
}

impl WrappedKey {
    /// The serialized form for a hub.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let [team, scope, epoch] = self.place.fields();
        let by = self.by.as_str().as_bytes();
        let fields: [&[u8]; 6] =
            [&team, &scope, &epoch, by, &self.sealed, self.signature.as_bytes()];
        encode(Purpose::WrappedKey, &fields)
    }

    /// Parses the serialized form. Nothing is verified so far.
    ///
    /// # Errors
    ///
    /// The bytes are truncated or something else.
    pub fn parse(bytes: &[u8]) -> Result<Self, Refused> {
        if bytes.len() > MOST_WRAPPED_BYTES {
            return Err(Refused::TooLarge);
        }
        Self::read(bytes).ok_or(Refused::NotUnderstood)
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let [team, scope, epoch, by, sealed, signature] = decode(Purpose::WrappedKey, bytes)?;
        let team = TeamId::from_bytes(team.try_into().ok()?);
        let scope = Scope::new(String::from_utf8(scope.to_vec()).ok()?);
        let epoch = u64::from_le_bytes(epoch.try_into().ok()?);
        let by = DeviceId::new(String::from_utf8(by.to_vec()).ok()?);
        let signature = Signature::from_bytes(signature.try_into().ok()?);
        Some(Self {
            place: KeyPlace { team, scope, epoch },
            by,
            sealed: sealed.to_vec(),
            signature,
        })
    }
}

/// Wraps a key to recipients. Age reads its randomness from the system itself.
///
/// # Errors
///
/// There are no recipients.
pub fn wrap(
    key: &DataKey,
    place: &KeyPlace,
    recipients: &[Recipient],
    by: &Signer<'_>,
) -> Result<WrappedKey, Refused> {
    let [team, scope, epoch] = place.fields();
    let inside = Zeroizing::new(encode(Purpose::Key, &[&team, &scope, &epoch, key.bytes()]));
    let sealed = seal_to(recipients, &inside)?;
    let fields = signed(place, by.device, &sealed);
    let signature = sign(by.secret.signing(), Purpose::WrappedKey, &[&fields]);
    Ok(WrappedKey { place: place.clone(), by: by.device.clone(), sealed, signature })
}

/// Unwraps the key, if a device of the team wrapped it for this place and to this identity.
///
/// # Errors
///
/// Returns the reason for a refusal.
pub fn unwrap(
    wrapped: &WrappedKey,
    place: &KeyPlace,
    roster: &Roster,
    identity: &Identity,
) -> Result<DataKey, Refused> {
    let WrappedKey { by, sealed, signature, .. } = wrapped;
    if wrapped.place != *place || place.team != *roster.team() {
        return Err(Refused::OtherPlace);
    }
    let member = super::batch::member_in(roster, by, place.epoch)?;
    let fields = signed(place, by, sealed);
    verify(member.device.keys.signing(), Purpose::WrappedKey, &[&fields], signature)
        .map_err(|_| Refused::Forged)?;
    let inside = open_with(identity, sealed, MOST_KEY_BYTES)?;
    let [team, scope, epoch, key] = decode(Purpose::Key, &inside).ok_or(Refused::NotUnderstood)?;
    if [team, scope, epoch] != place.fields().each_ref().map(Vec::as_slice) {
        return Err(Refused::OtherPlace);
    }
    key.try_into().map(DataKey).map_err(|_| Refused::NotUnderstood)
}

/// The bytes that the wrapping device signs.
pub(super) fn signed(place: &KeyPlace, by: &DeviceId, sealed: &[u8]) -> Vec<u8> {
    let [team, scope, epoch] = place.fields();
    encode(Purpose::WrappedKey, &[&team, &scope, &epoch, by.as_str().as_bytes(), sealed])
}
