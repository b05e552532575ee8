//! How a device joins a team, by hand: an invite to it, a request back, and an entry.
//!
//! Nothing has to go back to the new device: the invite contains the roster so far, which the
//! device pins, and its first bundle or hub has the entries since, including its own admission.

use super::{Device, Entry, Fault, InviteId, Op, Pin, Role, Roster, Signer, Vouch};
use crate::bytes::{Digest, Signature, TeamId};
use crate::keys::{DeviceKeys, DeviceSecret};
use crate::roster::alike::looks_like;
use crate::signing::{Purpose, digest, encode, sign, verify};
use crate::word::{WordFault, from_word, to_word};
use serde::{Deserialize, Serialize};
use std::fmt;
use taffrail_model::{DeviceId, Timestamp};
use zeroize::{Zeroize, ZeroizeOnDrop};

const INVITE: &str = "taffrail-invite-";
const REQUEST: &str = "taffrail-request-";
const MAC_CONTEXT: &str = "taffrail 1 2026-11-15 join request";

/// Why an invite or a request is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JoinFault {
    /// The word cannot be parsed.
    #[error(transparent)]
    Word(#[from] WordFault),
    /// The word contains something else, or a later version.
    #[error("it is of another version")]
    NotUnderstood,
    /// The roster in it, or the resulting entry, is refused.
    #[error(transparent)]
    Roster(#[from] Fault),
    /// The inviter is not an admin of the team.
    #[error("the inviting device may not let anybody in")]
    NotAnAdmin,
    /// The invite has expired.
    #[error("the invite was good until {until}")]
    Late {
        /// When it expired.
        until: Timestamp,
    },
    /// The request answers another invite.
    #[error("the request answers another invite")]
    OtherInvite,
    /// The request is for another user.
    #[error("the invite is for {invited}, the request is for {asks}")]
    OtherUser {
        /// The invited user.
        invited: String,
        /// The requesting user.
        asks: String,
    },
    /// People would confuse its name with another one.
    #[error("the name {name:?} looks like {known:?}, which is in the team")]
    LooksLike {
        /// The new name.
        name: String,
        /// The similar name.
        known: String,
    },
    /// It was not made with the invite's secret, or was changed.
    #[error("the request was not made with this invite")]
    Forged,
}

#[derive(Clone, Serialize, Deserialize, Zeroize, ZeroizeOnDrop)]
#[serde(from = "Digest", into = "Digest")]
struct Secret([u8; 32]);

impl Secret {
    fn id(&self) -> InviteId {
        InviteId::from_bytes(*digest(Purpose::Invite, &[&self.0]).as_bytes())
    }
}

impl From<Digest> for Secret {
    fn from(written: Digest) -> Self {
        Self(*written.as_bytes())
    }
}

impl From<Secret> for Digest {
    fn from(secret: Secret) -> Self {
        Self::from_bytes(secret.0)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// The user and the expiry of an invite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The user of the new device.
    pub user: String,
    /// When it expires.
    pub until: Timestamp,
}

/// An invite, as the new device receives it.
#[derive(Debug, Clone)]
pub struct Invite {
    written: WrittenInvite,
    roster: Roster,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct WrittenInvite {
    by: DeviceId,
    user: String,
    until: Timestamp,
    secret: Secret,
    entries: Vec<Entry>,
}

/// What the inviting device stores until the request arrives, including the secret.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OpenInvite {
    team: TeamId,
    user: String,
    until: Timestamp,
    secret: Secret,
}

impl Invite {
    /// Makes an invite to a team, with its own random secret.
    ///
    /// # Errors
    ///
    /// The device may not admit others.
    pub fn new(
        roster: &Roster,
        by: &DeviceId,
        offer: Offer,
        secret: [u8; 32],
    ) -> Result<Self, JoinFault> {
        let Offer { user, until } = offer;
        let (by, entries) = (by.clone(), roster.entries().to_vec());
        Self::checked(WrittenInvite { by, user, until, secret: Secret(secret), entries })
    }

    fn checked(written: WrittenInvite) -> Result<Self, JoinFault> {
        let roster = Roster::of(written.entries.iter().cloned())?;
        let by = roster.member(&written.by);
        if !by.is_some_and(|by| by.is_current() && by.role == Role::Admin) {
            return Err(JoinFault::NotAnAdmin);
        }
        Ok(Self { written, roster })
    }

    /// The invite as one word, for the invited person's eyes only.
    ///
    /// # Errors
    ///
    /// The roster is too large for a word.
    pub fn to_text(&self) -> Result<String, JoinFault> {
        let json = serde_json::to_vec(&self.written).map_err(|_| JoinFault::NotUnderstood)?;
        Ok(to_word(INVITE, &json)?)
    }

    /// Parses the word and checks its roster.
    ///
    /// # Errors
    ///
    /// It cannot be parsed, its roster is refused, or its author is not an admin there.
    pub fn parse(text: &str) -> Result<Self, JoinFault> {
        let json = from_word(INVITE, text)?;
        let written = serde_json::from_slice(&json).map_err(|_| JoinFault::NotUnderstood)?;
        Self::checked(written)
    }

    /// The part that the inviting device stores.
    #[must_use]
    pub fn open(&self) -> OpenInvite {
        let WrittenInvite { user, until, secret, .. } = self.written.clone();
        OpenInvite { team: *self.roster.team(), user, until, secret }
    }

    /// The roster so far; the new device stores it and pins its head.
    #[must_use]
    pub fn roster(&self) -> &Roster {
        &self.roster
    }

    /// The pin of the new device, which prevents a rollback.
    #[must_use]
    pub fn pin(&self) -> Pin {
        self.roster.pin()
    }

    /// The inviting device, for comparing its six words.
    #[must_use]
    pub fn inviter(&self) -> Option<&Device> {
        self.roster.member(&self.written.by).map(|member| &member.device)
    }

    /// The user of the new device.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.written.user
    }
}

impl OpenInvite {
    /// The invite's id; requests and entries contain it.
    #[must_use]
    pub fn id(&self) -> InviteId {
        self.secret.id()
    }

    /// When it expires.
    #[must_use]
    pub fn until(&self) -> Timestamp {
        self.until
    }
}

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

    fn check(&self, open: &OpenInvite, now: Timestamp) -> Result<(), JoinFault> {
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
