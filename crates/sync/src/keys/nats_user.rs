//! The key that authenticates to a NATS server. A server chooses what such a key signs, so it is a
//! separate key: derived one-way from the signing key, and used for nothing else.

use crate::signing::{Purpose, digest};
use ed25519_dalek::SigningKey;
use nkeys::{KeyPair, KeyPairType};
use serde::{Deserialize, Serialize};
use std::fmt;
use zeroize::Zeroizing;

/// The public half, as a server's configuration names it: `U` and 55 more letters and digits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NatsUserKey(String);

/// The text is not such a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not the public key of a NATS user")]
pub struct NatsUserKeyError;

impl NatsUserKey {
    /// The text for a server's configuration.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for NatsUserKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for NatsUserKey {
    type Error = NatsUserKeyError;

    fn try_from(text: String) -> Result<Self, NatsUserKeyError> {
        let is_user = text.starts_with('U') && KeyPair::from_public_key(&text).is_ok();
        if is_user { Ok(Self(text)) } else { Err(NatsUserKeyError) }
    }
}

impl From<NatsUserKey> for String {
    fn from(key: NatsUserKey) -> Self {
        key.0
    }
}

/// The key pair of a device; `None` only if `nkeys` refuses 32 bytes.
fn pair(signing: &SigningKey) -> Option<KeyPair> {
    let own = Zeroizing::new(signing.to_bytes());
    let made = digest(Purpose::Door, &[own.as_slice()]);
    KeyPair::new_from_raw(KeyPairType::User, *made.as_bytes()).ok()
}

/// The public key that a server lists.
pub(super) fn public(signing: &SigningKey) -> Option<NatsUserKey> {
    pair(signing).map(|it| NatsUserKey(it.public_key()))
}

/// The seed that signs a server's challenge.
pub(super) fn seed(signing: &SigningKey) -> Option<Zeroizing<String>> {
    pair(signing)?.seed().ok().map(Zeroizing::new)
}
