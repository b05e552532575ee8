//! What an admin signs about a move: the announcement on the old hub, the arrival on the new one.
//!
//! The number and the signature are outside, so that every device can tell that the hub is left; the
//! address is sealed to the team, so that the hub learns neither the address nor its pins.

use crate::bytes::{Digest, Signature};
use crate::envelope::{EnvelopeFault, open_with, seal_to};
use crate::hub::{KeyName, NameError};
use crate::keys::Identity;
use crate::roster::{Audience, Role, Roster, Signer};
use crate::signing::{Purpose, decode, digest, encode, sign, verify};
use taffrail_model::DeviceId;

/// The longest address, in bytes.
const LONGEST: usize = 4096;
/// Addresses are padded to a multiple of this.
const STEP: usize = 256;

/// The highest number that is believed without a signature.
const HIGHEST: u64 = 1_000_000;

/// A move to another hub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relocation {
    /// The number of the move; a later one has a higher number.
    pub n: u64,
    /// The new address; `None` if it is not sealed to this device.
    pub to: Option<String>,
    /// The hash of the announcement.
    pub announcement: Digest,
}

/// The announcement, as the hub stores it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Announcement {
    pub(super) n: u64,
    by: DeviceId,
    sealed: Vec<u8>,
    signature: Signature,
}

/// The note that the team has arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Arrival {
    pub(super) n: u64,
    pub(super) announcement: Digest,
}

pub(super) fn announcement_key() -> Result<KeyName, NameError> {
    KeyName::new("move")
}

pub(super) fn arrival_key() -> Result<KeyName, NameError> {
    KeyName::new("arrival")
}

impl Announcement {
    pub(super) fn sign(
        n: u64,
        to: &str,
        roster: &Roster,
        by: &Signer<'_>,
    ) -> Result<Self, EnvelopeFault> {
        if to.len() > LONGEST {
            return Err(EnvelopeFault::TooLarge);
        }
        let width = to.len().next_multiple_of(STEP);
        let padded = format!("{to:width$}");
        let sealed = seal_to(&roster.recipients(Audience::Team), padded.as_bytes())?;
        let signature = signed(Purpose::Relocation, (n, &sealed), roster, by);
        Ok(Self { n, by: by.device.clone(), sealed, signature })
    }

    /// Reads an announcement that a current admin of the team signed.
    pub(super) fn parse(bytes: &[u8], roster: &Roster) -> Option<Self> {
        let (n, by, sealed, signature) = opened(Purpose::Relocation, bytes, roster)?;
        Some(Self { n, by, sealed: sealed.to_vec(), signature })
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        written(Purpose::Relocation, (self.n, &self.sealed), (&self.by, &self.signature))
    }

    /// The move, with the address as far as this device can open it.
    pub(super) fn opened(&self, identity: &Identity) -> Relocation {
        let text = open_with(identity, &self.sealed, LONGEST).ok();
        let text = text.and_then(|it| Some(std::str::from_utf8(&it).ok()?.trim_end().to_owned()));
        Relocation {
            n: self.n,
            to: text.filter(|it| !it.is_empty()),
            announcement: digest(Purpose::Relocation, &[&self.to_bytes()]),
        }
    }
}

pub(super) fn sign_arrival(of: &Relocation, roster: &Roster, by: &Signer<'_>) -> Vec<u8> {
    let said = (of.n, of.announcement.as_bytes().as_slice());
    let signature = signed(Purpose::Arrival, said, roster, by);
    written(Purpose::Arrival, said, (by.device, &signature))
}

/// The arrival, if a current admin of the team signed it.
pub(super) fn arrival(bytes: &[u8], roster: &Roster) -> Option<Arrival> {
    let (n, _, hash, _) = opened(Purpose::Arrival, bytes, roster)?;
    Some(Arrival { n, announcement: Digest::from_bytes(hash.try_into().ok()?) })
}

/// The number of a statement, whoever signed it; 0 for anything else.
pub(super) fn number(bytes: &[u8]) -> u64 {
    let said = decode::<4>(Purpose::Relocation, bytes);
    let [n, ..] = said.or_else(|| decode(Purpose::Arrival, bytes)).unwrap_or_default();
    let n = n.try_into().map_or(0, u64::from_le_bytes);
    if n <= HIGHEST { n } else { 0 }
}

fn signed(
    purpose: Purpose,
    (n, body): (u64, &[u8]),
    roster: &Roster,
    by: &Signer<'_>,
) -> Signature {
    let (team, device) = (roster.team().as_bytes(), by.device.as_str().as_bytes());
    sign(by.secret.signing(), purpose, &[team, &n.to_le_bytes(), device, body])
}

fn written(
    purpose: Purpose,
    (n, body): (u64, &[u8]),
    (by, signature): (&DeviceId, &Signature),
) -> Vec<u8> {
    encode(purpose, &[&n.to_le_bytes(), by.as_str().as_bytes(), body, signature.as_bytes()])
}

fn opened<'b>(
    purpose: Purpose,
    bytes: &'b [u8],
    roster: &Roster,
) -> Option<(u64, DeviceId, &'b [u8], Signature)> {
    let [n, device, body, signature] = decode(purpose, bytes)?;
    let by = DeviceId::new(std::str::from_utf8(device).ok()?);
    let member = roster.member(&by).filter(|it| it.is_current() && it.role == Role::Admin)?;
    let signature = Signature::from_bytes(signature.try_into().ok()?);
    let fields = [roster.team().as_bytes().as_slice(), n, device, body];
    verify(member.device.keys.signing(), purpose, &fields, &signature).ok()?;
    Some((u64::from_le_bytes(n.try_into().ok()?), by, body, signature))
}
