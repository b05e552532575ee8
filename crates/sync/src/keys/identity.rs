//! The age keys: identities and recipients.

use age::secrecy::ExposeSecret;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use zeroize::Zeroizing;

const SECRET_PREFIX: bech32::Hrp = bech32::Hrp::parse_unchecked("age-secret-key-");

/// An age X25519 secret: a device's, or a user's for recovery. It is never printed implicitly.
#[derive(Clone)]
pub struct Identity(age::x25519::Identity);

impl Identity {
    /// Makes an identity from random bytes.
    #[must_use]
    #[expect(
        clippy::expect_used,
        reason = "32 bytes under this prefix are always a key of age's form"
    )]
    pub fn from_random(random: &Zeroizing<[u8; 32]>) -> Self {
        let text = bech32::encode_upper::<bech32::Bech32>(SECRET_PREFIX, random.as_slice());
        let text = Zeroizing::new(text.expect("74 characters are fewer than 90"));
        Self::parse(&text).expect("age reads its own form")
    }

    /// Parses `AGE-SECRET-KEY-1...`, as age writes it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        text.trim().parse().ok().map(Self)
    }

    /// `AGE-SECRET-KEY-1...`, to write to a file of mode 0600 or to show once.
    #[must_use]
    pub fn to_text(&self) -> Zeroizing<String> {
        Zeroizing::new(self.0.to_string().expose_secret().to_owned())
    }

    /// Its public half.
    #[must_use]
    pub fn recipient(&self) -> Recipient {
        Recipient(self.0.to_public())
    }

    pub(crate) fn as_age(&self) -> &dyn age::Identity {
        &self.0
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identity(of {})", self.recipient())
    }
}

/// An age X25519 public key: `age1...`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Recipient(age::x25519::Recipient);

impl Recipient {
    /// Parses `age1...`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok().map(Self)
    }

    pub(crate) fn as_age(&self) -> &dyn age::Recipient {
        &self.0
    }
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recipient({self})")
    }
}

impl Serialize for Recipient {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Recipient {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("not an age recipient"))
    }
}
