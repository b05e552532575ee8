//! How a device comes into a team, carried by hand: an invite there, a request back, an entry.
//!
//! Nothing has to go back to the new device: the invite carries the roster so far, which it pins,
//! and the first bundle or hub it meets carries the entries since, its own admission among them.

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
    /// The word cannot be read.
    #[error(transparent)]
    Word(#[from] WordFault),
    /// The word holds something else, or something later.
    #[error("it is of another version")]
    NotUnderstood,
    /// The roster in it, or the entry it would become, is refused.
    #[error(transparent)]
    Roster(#[from] Fault),
    /// Who invites is not an admin of the team.
    #[error("the inviting device may not let anybody in")]
    NotAnAdmin,
    /// The invite is over.
    #[error("the invite was good until {until}")]
    Late {
        /// When it ended.
        until: Timestamp,
    },
    /// The request answers another invite.
    #[error("the request answers another invite")]
    OtherInvite,
    /// The request claims to be for somebody else.
    #[error("the invite is for {invited}, the request is for {asks}")]
    OtherUser {
        /// Whom the invite is for.
        invited: String,
        /// Whom the request is for.
        asks: String,
    },
    /// People would take its name for another one.
    #[error("the name {name:?} looks like {known:?}, which is in the team")]
    LooksLike {
        /// The new name.
        name: String,
        /// The one it looks like.
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

/// For whom an invite is, and for how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// Whose device will be let in.
    pub user: String,
    /// When it is over.
    pub until: Timestamp,
}

/// An invite as the new device gets it.
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

/// What the inviting device keeps until the request comes. It holds the secret.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OpenInvite {
    team: TeamId,
    user: String,
    until: Timestamp,
    secret: Secret,
}

impl Invite {
    /// Makes an invite to a team, with a secret that was drawn for it alone.
    ///
    /// # Errors
    ///
    /// The device may not let anybody in.
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

    /// One word, to be carried where only the invited person reads it.
    ///
    /// # Errors
    ///
    /// The roster is too large for a word.
    pub fn to_text(&self) -> Result<String, JoinFault> {
        let json = serde_json::to_vec(&self.written).map_err(|_| JoinFault::NotUnderstood)?;
        Ok(to_word(INVITE, &json)?)
    }

    /// Reads the word and checks the roster in it.
    ///
    /// # Errors
    ///
    /// It cannot be read, its roster is refused, or its maker is not an admin there.
    pub fn parse(text: &str) -> Result<Self, JoinFault> {
        let json = from_word(INVITE, text)?;
        let written = serde_json::from_slice(&json).map_err(|_| JoinFault::NotUnderstood)?;
        Self::checked(written)
    }

    /// What the inviting device keeps.
    #[must_use]
    pub fn open(&self) -> OpenInvite {
        let WrittenInvite { user, until, secret, .. } = self.written.clone();
        OpenInvite { team: *self.roster.team(), user, until, secret }
    }

    /// The roster so far; the new device keeps it and pins its head.
    #[must_use]
    pub fn roster(&self) -> &Roster {
        &self.roster
    }

    /// What the new device will not go back behind.
    #[must_use]
    pub fn pin(&self) -> Pin {
        self.roster.pin()
    }

    /// Who invites, to be compared by its six words.
    #[must_use]
    pub fn inviter(&self) -> Option<&Device> {
        self.roster.member(&self.written.by).map(|member| &member.device)
    }

    /// Whose device the new one will be.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.written.user
    }
}

impl OpenInvite {
    /// Its name; requests and entries carry it.
    #[must_use]
    pub fn id(&self) -> InviteId {
        self.secret.id()
    }

    /// When it is over.
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
    /// The word of a device of the same user. Nothing of the request's own rests on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) vouch: Option<Vouch>,
}

impl JoinRequest {
    /// Answers an invite for a device of ours.
    ///
    /// # Errors
    ///
    /// The invite is over.
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

    /// The request with the word of a device of the same user.
    ///
    /// # Errors
    ///
    /// It is forged, of another team or of another user.
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

    /// One word, to be carried back. It holds no secret.
    ///
    /// # Errors
    ///
    /// It is too large for a word.
    pub fn to_text(&self) -> Result<String, JoinFault> {
        let json = serde_json::to_vec(self).map_err(|_| JoinFault::NotUnderstood)?;
        Ok(to_word(REQUEST, &json)?)
    }

    /// Reads the word. Nothing is proven yet.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub fn parse(text: &str) -> Result<Self, JoinFault> {
        let json = from_word(REQUEST, text)?;
        serde_json::from_slice(&json).map_err(|_| JoinFault::NotUnderstood)
    }

    /// Which invite it answers, by which the kept one is found.
    #[must_use]
    pub fn invite(&self) -> InviteId {
        self.invite
    }

    /// The device that asks.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The keys that ask, to be compared by their six words.
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
        // The comparison takes the same time wherever they differ.
        let expected = mac(&open.secret, &said);
        if expected != *self.mac.as_bytes() {
            return Err(JoinFault::Forged);
        }
        self.check_keys()?;
        let (invited, asks) = (open.user.clone(), self.device.user.clone());
        if invited == asks { Ok(()) } else { Err(JoinFault::OtherUser { invited, asks }) }
    }

    /// Who asks has the keys it asks with.
    fn check_keys(&self) -> Result<(), JoinFault> {
        let said = said(&self.team, &self.invite, &self.device);
        let fields: [&[u8]; 2] = [&said, self.mac.as_bytes()];
        let key = self.device.keys.signing();
        verify(key, Purpose::JoinRequest, &fields, &self.signature).map_err(|_| JoinFault::Forged)
    }
}

/// Lets the device in that answers this invite: the roster with the new entry, and the entry.
///
/// # Errors
///
/// The request is not of this invite, too late or forged, or the team refuses the device.
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

/// Refuses a name that people would take for another one of the team.
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

/// Whether a device's keys signed for this.
pub(super) fn vouches(
    keys: &DeviceKeys,
    (team, invite, device): (&TeamId, &InviteId, &Device),
    signature: &Signature,
) -> bool {
    let said = said(team, invite, device);
    verify(keys.signing(), Purpose::Vouch, &[&said], signature).is_ok()
}

/// What a request says, before it is proven.
pub(super) fn said(team: &TeamId, invite: &InviteId, device: &Device) -> Vec<u8> {
    let fields: [&[u8]; 3] = [team.as_bytes(), invite.as_bytes(), &device.encoded()];
    encode(Purpose::JoinRequest, &fields)
}

fn mac(secret: &Secret, said: &[u8]) -> blake3::Hash {
    let key = zeroize::Zeroizing::new(blake3::derive_key(MAC_CONTEXT, &secret.0));
    blake3::keyed_hash(&key, said)
}
