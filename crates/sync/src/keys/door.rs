//! The key that opens the door of a NATS server. A server chooses what such a key signs, so it is a
//! key of its own: made of the signing key in one direction, and never used for anything else.

use crate::signing::{Purpose, digest};
use ed25519_dalek::SigningKey;
use nkeys::{KeyPair, KeyPairType};
use serde::{Deserialize, Serialize};
use std::fmt;
use zeroize::Zeroizing;

/// The public half, as a server's configuration names it: `U` and 55 more letters and digits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DoorKey(String);

/// A text that is no such key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is no public key of a NATS user")]
pub struct NoDoorKey;

impl DoorKey {
    /// As a server's configuration names it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DoorKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for DoorKey {
    type Error = NoDoorKey;

    fn try_from(text: String) -> Result<Self, NoDoorKey> {
        let is_user = text.starts_with('U') && KeyPair::from_public_key(&text).is_ok();
        if is_user { Ok(Self(text)) } else { Err(NoDoorKey) }
    }
}

impl From<DoorKey> for String {
    fn from(key: DoorKey) -> Self {
        key.0
    }
}

/// The pair of a device; `None` only if the maker of such keys refuses 32 bytes.
fn pair(signing: &SigningKey) -> Option<KeyPair> {
    let own = Zeroizing::new(signing.to_bytes());
    let made = digest(Purpose::Door, &[own.as_slice()]);
    KeyPair::new_from_raw(KeyPairType::User, *made.as_bytes()).ok()
}

/// What the device shows a server.
pub(super) fn public(signing: &SigningKey) -> Option<DoorKey> {
    pair(signing).map(|it| DoorKey(it.public_key()))
}

/// What the device signs a server's challenge with.
pub(super) fn seed(signing: &SigningKey) -> Option<Zeroizing<String>> {
    pair(signing)?.seed().ok().map(Zeroizing::new)
}
