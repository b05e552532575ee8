//! The answer to an invite, and the entry that admits the device that answered.

use super::alike::looks_like;
use super::invite::{JoinFault, Secret};
use super::{Device, Entry, Invite, InviteId, Op, OpenInvite, Roster, Signer, Vouch};
use crate::bytes::{Digest, Signature, TeamId};
use crate::keys::{DeviceKeys, DeviceSecret};
use crate::signing::{Purpose, encode, sign, verify};
use crate::word::{from_word, to_word};
use serde::{Deserialize, Serialize};
use taffrail_model::{DeviceId, Timestamp};

const REQUEST: &str = "taffrail-request-";
const MAC_CONTEXT: &str = "taffrail 1 2026-11-15 join request";

/// The answer to an invite: the new device's keys, proven by the invite's secret and by the keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JoinRequest {
    pub(super) team: TeamId,
    pub(super) invite: InviteId,
    pub(super) device: Device,
    pub(super) mac: Digest,
    pub(super) signature: Signature,
    /// The vouch of a device of the same user. The request's own proofs do not cover it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) vouch: Option<Vouch>,
}

impl JoinRequest {
    /// Answers an invite for our device.
    ///
    /// # Errors
    ///
    /// The invite has expired.
    pub fn answer(
        invite: &Invite,
        (id, name): (&DeviceId, &str),
        secret: &DeviceSecret,
        now: Timestamp,
    ) -> Result<Self, JoinFault> {
        let open = invite.open();
        if now > open.until {
            return Err(JoinFault::Late { until: open.until });
        }
        let (name, user) = (name.to_owned(), open.user.clone());
        let device = Device { id: id.clone(), name, user, keys: secret.keys() };
        let said = said(&open.team, &open.id(), &device);
        let mac = mac(&open.secret, &said);
        let signature =
            sign(secret.signing(), Purpose::JoinRequest, &[&said, mac.as_bytes().as_slice()]);
        let (team, invite) = (open.team, open.id());
        let mac = Digest::from_bytes(*mac.as_bytes());
        Ok(Self { team, invite, device, mac, signature, vouch: None })
    }

    /// Adds the vouch of a device of the same user.
    ///
    /// # Errors
    ///
    /// The request is forged, of another team or of another user.
    pub fn vouched(self, roster: &Roster, by: &Signer<'_>) -> Result<Self, JoinFault> {
        if self.team != *roster.team() {
            return Err(JoinFault::OtherInvite);
        }
        self.check_keys()?;
        let own = roster.member(by.device).filter(|it| it.is_current());
        let (invited, asks) = (own.map(|it| it.device.user.clone()), self.device.user.clone());
        if invited.as_ref() != Some(&asks) {
            return Err(JoinFault::OtherUser { invited: invited.unwrap_or_default(), asks });
        }
        let said = said(&self.team, &self.invite, &self.device);
        let signature = sign(by.secret.signing(), Purpose::Vouch, &[&said]);
        Ok(Self { vouch: Some(Vouch { by: by.device.clone(), signature }), ..self })
    }

    /// The request as one word, to carry back. It contains no secret.
    ///
    /// # Errors
    ///
    /// It is too large for a word.
    pub fn to_text(&self) -> Result<String, JoinFault> {
        let json = serde_json::to_vec(self).map_err(|_| JoinFault::NotUnderstood)?;
        Ok(to_word(REQUEST, &json)?)
    }

    /// Parses the word. Nothing is verified so far.
    ///
    /// # Errors
    ///
    /// It cannot be parsed.
    pub fn parse(text: &str) -> Result<Self, JoinFault> {
        let json = from_word(REQUEST, text)?;
        serde_json::from_slice(&json).map_err(|_| JoinFault::NotUnderstood)
    }

    /// The id of the invite, to find the stored one.
    #[must_use]
    pub fn invite(&self) -> InviteId {
        self.invite
    }

    /// The requesting device.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The requesting keys, for comparing their six words.
    #[must_use]
    pub fn keys(&self) -> &DeviceKeys {
        &self.device.keys
    }

    /// Checks that it answers this invite and is not forged.
    ///
    /// # Errors
    ///
    /// It answers another invite, came too late, or was changed.
    pub fn check(&self, open: &OpenInvite, now: Timestamp) -> Result<(), JoinFault> {
        if self.invite != open.id() || self.team != open.team {
            return Err(JoinFault::OtherInvite);
        }
        if now > open.until {
            return Err(JoinFault::Late { until: open.until });
        }
        let said = said(&self.team, &self.invite, &self.device);
        // The comparison takes constant time.
        let expected = mac(&open.secret, &said);
        if expected != *self.mac.as_bytes() {
            return Err(JoinFault::Forged);
        }
        self.check_keys()?;
        let (invited, asks) = (open.user.clone(), self.device.user.clone());
        if invited == asks { Ok(()) } else { Err(JoinFault::OtherUser { invited, asks }) }
    }

    /// Checks that the requester has the private keys.
    fn check_keys(&self) -> Result<(), JoinFault> {
        let said = said(&self.team, &self.invite, &self.device);
        let fields: [&[u8]; 2] = [&said, self.mac.as_bytes()];
        let key = self.device.keys.signing();
        verify(key, Purpose::JoinRequest, &fields, &self.signature).map_err(|_| JoinFault::Forged)
    }
}

/// Admits the device that answers this invite: returns the roster with the new entry, and the
/// entry.
///
/// # Errors
///
/// The request is for another invite, too late or forged, or the team refuses the device.
pub fn approve(
    roster: &Roster,
    (request, open): (&JoinRequest, &OpenInvite),
    by: &Signer<'_>,
    now: Timestamp,
) -> Result<(Roster, Entry), JoinFault> {
    request.check(open, now)?;
    check_alike(roster, &request.device)?;
    let (device, invite, vouch) = (request.device.clone(), request.invite, request.vouch.clone());
    Ok(roster.with(Op::Add { device, invite, vouch }, by, now)?)
}

/// Refuses a name that people would confuse with another one in the team.
fn check_alike(roster: &Roster, device: &Device) -> Result<(), JoinFault> {
    let current = || roster.members().filter(|it| it.is_current()).map(|it| &it.device);
    let devices = current().map(|it| (&device.name, &it.name));
    let users = current().map(|it| (&device.user, &it.user));
    let found = devices.chain(users).find(|(new, known)| looks_like(new, known));
    match found {
        None => Ok(()),
        Some((new, known)) => Err(JoinFault::LooksLike { name: new.clone(), known: known.clone() }),
    }
}

/// Whether a device's keys signed this request.
pub(super) fn vouches(
    keys: &DeviceKeys,
    (team, invite, device): (&TeamId, &InviteId, &Device),
    signature: &Signature,
) -> bool {
    let said = said(team, invite, device);
    verify(keys.signing(), Purpose::Vouch, &[&said], signature).is_ok()
}

/// The content of a request, before its proofs.
pub(super) fn said(team: &TeamId, invite: &InviteId, device: &Device) -> Vec<u8> {
    let fields: [&[u8]; 3] = [team.as_bytes(), invite.as_bytes(), &device.encoded()];
    encode(Purpose::JoinRequest, &fields)
}

fn mac(secret: &Secret, said: &[u8]) -> blake3::Hash {
    let key = zeroize::Zeroizing::new(blake3::derive_key(MAC_CONTEXT, &secret.0));
    blake3::keyed_hash(&key, said)
}
