//! The keys of a device: one for signing, one for sealing, and the words that identify both. A
//! third one, derived from the first, only authenticates to NATS servers.

mod fingerprint;
mod identity;
mod nats_user;
mod passphrase;

pub use fingerprint::Fingerprint;
pub use identity::{Identity, Recipient};
pub use nats_user::{NatsUserKey, NatsUserKeyError};
pub use passphrase::{PassphraseFault, open_with_passphrase, seal_with_passphrase};

use crate::bytes::fixed_bytes;
use crate::signing::{Purpose, digest};
use ed25519_dalek::{SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};
use zeroize::Zeroizing;

const FIRST_LINE: &str = "taffrail-device-1";

/// Keys that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyFault {
    /// The file is not a key file, or is of a later version.
    #[error("this is not a device key of version 1")]
    NotAKey,
    /// The signing key is truncated, mistyped or weak.
    #[error("the signing key cannot be used")]
    Signing,
    /// The age key is truncated or mistyped.
    #[error("the age key cannot be used")]
    Age,
}

/// A device's secret keys. They are never printed, and are wiped on drop.
pub struct DeviceSecret {
    signing: SigningKey,
    identity: Identity,
}

impl DeviceSecret {
    /// Makes both keys from random bytes.
    #[must_use]
    pub fn from_random(random: &Zeroizing<[u8; 64]>) -> Self {
        let (mut signing, mut age) = (Zeroizing::new([0; 32]), Zeroizing::new([0; 32]));
        let (first, second) = random.split_at(32);
        signing.copy_from_slice(first);
        age.copy_from_slice(second);
        Self { signing: SigningKey::from_bytes(&signing), identity: Identity::from_random(&age) }
    }

    /// The secret of a recovery: it opens with the recovery identity, but its signing key is in no
    /// roster. That key is derived from the identity, so that a server can list it in advance.
    #[must_use]
    pub fn of_recovery(identity: Identity) -> Self {
        let made = digest(Purpose::Recovery, &[identity.to_text().trim().as_bytes()]);
        let made = Zeroizing::new(*made.as_bytes());
        Self { signing: SigningKey::from_bytes(&made), identity }
    }

    /// Parses what `to_text` wrote.
    ///
    /// # Errors
    ///
    /// Returns which of the keys cannot be read.
    pub fn parse(text: &str) -> Result<Self, KeyFault> {
        let mut lines = text.lines().map(str::trim);
        if lines.next() != Some(FIRST_LINE) {
            return Err(KeyFault::NotAKey);
        }
        let (signing, age) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
        let bytes = Zeroizing::new(crate::bytes::from_hex(signing).ok_or(KeyFault::Signing)?);
        let bytes: &[u8; 32] = bytes.as_slice().try_into().map_err(|_| KeyFault::Signing)?;
        let identity = Identity::parse(age).ok_or(KeyFault::Age)?;
        Ok(Self { signing: SigningKey::from_bytes(bytes), identity })
    }

    /// The text for a file of mode 0600.
    #[must_use]
    pub fn to_text(&self) -> Zeroizing<String> {
        let age = self.identity.to_text();
        // The full capacity is reserved first, so that growing leaves no copy behind.
        let mut text = Zeroizing::new(String::with_capacity(256));
        text.push_str(FIRST_LINE);
        text.push('\n');
        let bytes = Zeroizing::new(self.signing.to_bytes());
        for byte in bytes.iter() {
            // Writing to a String cannot fail.
            write!(text, "{byte:02x}").ok();
        }
        text.push('\n');
        text.push_str(&age);
        text.push('\n');
        text
    }

    /// The public half.
    #[must_use]
    pub fn keys(&self) -> DeviceKeys {
        let signing = self.signing.verifying_key();
        let nats_user = nats_user::public(&self.signing);
        DeviceKeys { signing, recipient: self.identity.recipient(), nats_user }
    }

    /// The seed that signs a NATS server's challenge, and nothing else.
    #[must_use]
    pub fn nats_seed(&self) -> Option<Zeroizing<String>> {
        nats_user::seed(&self.signing)
    }

    /// The identity that opens what is sealed to this device.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    pub(crate) fn signing(&self) -> &SigningKey {
        &self.signing
    }
}

impl fmt::Debug for DeviceSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceSecret({})", self.keys().fingerprint())
    }
}

/// The public half of a device's keys.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "WrittenKeys", into = "WrittenKeys")]
pub struct DeviceKeys {
    signing: VerifyingKey,
    recipient: Recipient,
    nats_user: Option<NatsUserKey>,
}

impl DeviceKeys {
    /// Six words for both keys; two people compare them aloud.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(self.signing.as_bytes(), &self.recipient.to_string())
    }

    /// The recipient to seal to.
    #[must_use]
    pub fn recipient(&self) -> &Recipient {
        &self.recipient
    }

    /// The key that a NATS server lists.
    #[must_use]
    pub fn nats_user(&self) -> Option<&NatsUserKey> {
        self.nats_user.as_ref()
    }

    pub(crate) fn signing(&self) -> &VerifyingKey {
        &self.signing
    }
}

impl fmt::Debug for DeviceKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceKeys({})", self.fingerprint())
    }
}

/// The key pair that a NATS server knows, from these bytes.
pub(crate) fn nats_pair(bytes: &Zeroizing<[u8; 32]>) -> Option<(NatsUserKey, Zeroizing<String>)> {
    let signing = SigningKey::from_bytes(bytes);
    nats_user::public(&signing).zip(nats_user::seed(&signing))
}

fixed_bytes! {
    /// The bytes of an ed25519 public key.
    SigningKeyBytes, 32
}

#[derive(Serialize, Deserialize)]
struct WrittenKeys {
    ed25519_pub: SigningKeyBytes,
    age_recipient: Recipient,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nats_pub: Option<NatsUserKey>,
}

impl TryFrom<WrittenKeys> for DeviceKeys {
    type Error = KeyFault;

    fn try_from(written: WrittenKeys) -> Result<Self, KeyFault> {
        let signing = VerifyingKey::from_bytes(written.ed25519_pub.as_bytes());
        let signing = signing.map_err(|_| KeyFault::Signing)?;
        if signing.is_weak() {
            return Err(KeyFault::Signing);
        }
        Ok(Self { signing, recipient: written.age_recipient, nats_user: written.nats_pub })
    }
}

impl From<DeviceKeys> for WrittenKeys {
    fn from(keys: DeviceKeys) -> Self {
        let ed25519_pub = SigningKeyBytes::from_bytes(keys.signing.to_bytes());
        Self { ed25519_pub, age_recipient: keys.recipient, nats_pub: keys.nats_user }
    }
}

#[cfg(test)]
mod tests;
