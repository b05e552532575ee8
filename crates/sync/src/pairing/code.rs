//! The code that a person carries from one device to the other: the address of the hub, and a
//! secret in groups of four letters.

use crate::bytes::Digest;
use crate::hub::{HubUrl, UrlError};
use crate::letters::Letters;
use crate::roster::Door;
use zeroize::Zeroizing;

const PLACE: &str = "taffrail 1 2026-11-19 pairing place";
const KEY: &str = "taffrail 1 2026-11-19 pairing key";
/// How many hex digits name a place.
const PLACE_DIGITS: usize = 32;

/// Why a text is not a code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CodeFault {
    /// No address, or no secret.
    #[error("this is not a code of `taffrail link`")]
    NotACode,
    /// The secret was cut or mistyped.
    #[error("the code was cut off or mistyped: five groups of four letters follow the `#`")]
    Secret,
    /// The address is invalid.
    #[error("the address in the code cannot be used: {0}")]
    Address(#[from] UrlError),
}

/// The secret of one meeting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairingSecret(Letters);

impl PairingSecret {
    /// Makes a secret from random bytes.
    #[must_use]
    pub fn from_random(random: &[u8; 32]) -> Self {
        Self(Letters::from_random(random))
    }

    /// The place at the hub where the devices meet.
    #[must_use]
    pub fn place(&self) -> String {
        let place = blake3::derive_key(PLACE, self.0.as_bytes());
        Digest::from_bytes(place).to_string().chars().take(PLACE_DIGITS).collect()
    }

    /// The key of all messages there.
    pub(super) fn key(&self) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(blake3::derive_key(KEY, self.0.as_bytes()))
    }
}

/// A code: where the devices meet, and the secret of the meeting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    /// The hub.
    pub url: HubUrl,
    /// The secret, which is used once.
    pub secret: PairingSecret,
    /// What opens a server that knows only the team's devices.
    pub door: Option<Door>,
}

impl Code {
    /// Parses a code: `ADDRESS#SECRET`, or `ADDRESS#SECRET.DOOR`.
    ///
    /// # Errors
    ///
    /// The text is something else, or was mistyped.
    pub fn parse(typed: &str) -> Result<Self, CodeFault> {
        let (address, secrets) = typed.trim().rsplit_once('#').ok_or(CodeFault::NotACode)?;
        let url = HubUrl::parse(address)?;
        let (secret, door) = match secrets.split_once('.') {
            None => (secrets, None),
            Some((secret, door)) => (secret, Some(Door::parse(door).ok_or(CodeFault::Secret)?)),
        };
        let secret = PairingSecret(Letters::parse(secret).ok_or(CodeFault::Secret)?);
        Ok(Self { url, secret, door })
    }

    /// The code as people carry it.
    #[must_use]
    pub fn to_text(&self) -> Zeroizing<String> {
        let mut out = Zeroizing::new(format!("{}#", self.url));
        out.push_str(&self.secret.0.to_text());
        if let Some(door) = &self.door {
            out.push('.');
            out.push_str(&door.to_text());
        }
        out
    }
}
