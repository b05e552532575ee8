//! Signed statements about retention: the policy, how far a device has read, and where logs begin.

use super::Keep;
use crate::bytes::Signature;
use crate::hub::{KeyName, NameError};
use crate::roster::{Role, Roster, Signer};
use crate::signing::{Purpose, decode, encode, sign, verify};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use taffrail_model::DeviceId;

/// The last batch that a device has read, by log.
pub(super) type Positions = BTreeMap<String, u64>;
/// The first batch that can still be read, by log.
pub(super) type Floors = BTreeMap<String, u64>;

#[derive(Debug, Serialize, Deserialize)]
struct ReadTo {
    /// When it was said, by the device's clock: two statements always differ.
    at: i64,
    positions: Positions,
}

/// Who may make a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum May {
    Admin,
    Member,
}

pub(super) fn policy_key() -> Result<KeyName, NameError> {
    KeyName::new("retention")
}

pub(super) fn positions_key(device: &DeviceId) -> Result<KeyName, NameError> {
    KeyName::new(format!("read/{device}"))
}

pub(super) fn floors_key(device: &DeviceId) -> Result<KeyName, NameError> {
    KeyName::new(format!("removed/{device}"))
}

pub(super) fn sign_policy(keep: Keep, roster: &Roster, by: &Signer<'_>) -> Vec<u8> {
    signed(Purpose::RetentionPolicy, &keep, roster, by)
}

pub(super) fn sign_floors(floors: &Floors, roster: &Roster, by: &Signer<'_>) -> Vec<u8> {
    signed(Purpose::RetentionFloors, floors, roster, by)
}

pub(super) fn sign_positions(
    positions: &Positions,
    at: i64,
    roster: &Roster,
    by: &Signer<'_>,
) -> Vec<u8> {
    let said = ReadTo { at, positions: positions.clone() };
    signed(Purpose::RetentionPositions, &said, roster, by)
}

/// The policy, if an admin of the team signed it.
pub(super) fn policy(bytes: &[u8], roster: &Roster) -> Option<Keep> {
    opened(Purpose::RetentionPolicy, bytes, roster, May::Admin).map(|(_, it)| it)
}

/// Where logs begin, if an admin of the team signed it.
pub(super) fn floors(bytes: &[u8], roster: &Roster) -> Option<Floors> {
    opened(Purpose::RetentionFloors, bytes, roster, May::Admin).map(|(_, it)| it)
}

/// How far this device has read, if it signed it itself.
pub(super) fn positions(bytes: &[u8], roster: &Roster, of: &DeviceId) -> Option<Positions> {
    let said = opened::<ReadTo>(Purpose::RetentionPositions, bytes, roster, May::Member);
    said.filter(|(by, _)| by == of).map(|(_, it)| it.positions)
}

fn signed(purpose: Purpose, said: &impl Serialize, roster: &Roster, by: &Signer<'_>) -> Vec<u8> {
    // Maps of texts and numbers always serialize.
    let body = serde_json::to_vec(said).unwrap_or_default();
    let device = by.device.as_str().as_bytes();
    let signature = sign(by.secret.signing(), purpose, &[roster.team().as_bytes(), device, &body]);
    encode(purpose, &[device, &body, signature.as_bytes()])
}

fn opened<T: DeserializeOwned>(
    purpose: Purpose,
    bytes: &[u8],
    roster: &Roster,
    may: May,
) -> Option<(DeviceId, T)> {
    let [device, body, signature] = decode(purpose, bytes)?;
    let by = DeviceId::new(std::str::from_utf8(device).ok()?);
    let member = roster.member(&by).filter(|it| it.is_current())?;
    if may == May::Admin && member.role != Role::Admin {
        return None;
    }
    let signature = Signature::from_bytes(signature.try_into().ok()?);
    let fields = [roster.team().as_bytes().as_slice(), device, body];
    verify(member.device.keys.signing(), purpose, &fields, &signature).ok()?;
    Some((by, serde_json::from_slice(body).ok()?))
}
