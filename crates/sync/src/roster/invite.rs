//! How a device joins a team, by hand: an invite to it, a request back, and an entry.
//!
//! Nothing has to go back to the new device: the invite promises an entry of the roster, which the
//! device pins, and its first bundle or hub has the roster with that entry and its own admission.

use super::{Device, Entry, Fault, InviteId, Pin, Role, Roster, Signer};
use crate::bytes::{Digest, Signature, TeamId};
use crate::signing::{Purpose, digest, encode, sign, verify};
use crate::word::{WordFault, from_word, to_word};
use serde::{Deserialize, Serialize};
use std::fmt;
use taffrail_model::{DeviceId, Timestamp};
use zeroize::{Zeroize, ZeroizeOnDrop};

const INVITE: &str = "taffrail-invite-";

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
    /// The inviting device did not sign the invite.
    #[error("the invite was not made by the device that it names, or was changed")]
    OtherInviter,
}

#[derive(Clone, Serialize, Deserialize, Zeroize, ZeroizeOnDrop)]
#[serde(from = "Digest", into = "Digest")]
pub(super) struct Secret(pub(super) [u8; 32]);

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

/// What an invite offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The user of the new device.
    pub user: String,
    /// When it expires.
    pub until: Timestamp,
    /// The address of the team's hub, if there is one.
    pub hub: Option<String>,
}

/// An invite, as the new device receives it.
#[derive(Debug, Clone)]
pub struct Invite {
    written: WrittenInvite,
    inviter: Device,
    roster: Roster,
}

/// The content of the word.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum WrittenInvite {
    Pinned(Box<PinnedInvite>),
    Whole(WholeInvite),
}

/// An invite that names the last entry of the roster.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct PinnedInvite {
    pin: Pin,
    inviter: Device,
    user: String,
    until: Timestamp,
    secret: Secret,
    /// The address of the hub, if the team has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hub: Option<String>,
    signature: Signature,
}

/// An invite of an earlier version: it holds the roster.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct WholeInvite {
    by: DeviceId,
    user: String,
    until: Timestamp,
    secret: Secret,
    entries: Vec<Entry>,
}

/// What the inviting device stores until the request arrives, including the secret.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OpenInvite {
    pub(super) team: TeamId,
    pub(super) user: String,
    pub(super) until: Timestamp,
    pub(super) secret: Secret,
}

impl PinnedInvite {
    /// What the inviting device signs: its six words then stand for this team and no other.
    fn fields(&self) -> Vec<u8> {
        let invite = self.secret.id();
        let fields: [&[u8]; 8] = [
            self.pin.team.as_bytes(),
            &self.pin.n.to_le_bytes(),
            self.pin.head.as_bytes(),
            &self.inviter.encoded(),
            self.user.as_bytes(),
            &self.until.as_nanosecond().to_le_bytes(),
            invite.as_bytes(),
            self.hub.as_deref().unwrap_or_default().as_bytes(),
        ];
        encode(Purpose::InvitePin, &fields)
    }

    fn verify(&self) -> Result<(), JoinFault> {
        let key = self.inviter.keys.signing();
        let signed = verify(key, Purpose::InvitePin, &[&self.fields()], &self.signature);
        signed.map_err(|_| JoinFault::OtherInviter)
    }
}

impl Invite {
    /// Makes an invite to a team, with its own random secret.
    ///
    /// # Errors
    ///
    /// The device may not admit others.
    pub fn new(
        roster: &Roster,
        by: &Signer<'_>,
        offer: Offer,
        secret: [u8; 32],
    ) -> Result<Self, JoinFault> {
        let Offer { user, until, hub } = offer;
        let inviter = admin(roster, by.device)?.clone();
        let (pin, secret) = (roster.pin(), Secret(secret));
        let signature = Signature::from_bytes([0; 64]);
        let unsigned = PinnedInvite { pin, inviter, user, until, secret, hub, signature };
        let signature = sign(by.secret.signing(), Purpose::InvitePin, &[&unsigned.fields()]);
        Self::checked(WrittenInvite::Pinned(Box::new(PinnedInvite { signature, ..unsigned })))
    }

    fn checked(written: WrittenInvite) -> Result<Self, JoinFault> {
        let (inviter, roster) = match &written {
            WrittenInvite::Pinned(it) => {
                it.verify()?;
                (it.inviter.clone(), Roster::awaited(it.pin, Some(it.inviter.clone())))
            }
            WrittenInvite::Whole(it) => {
                let roster = Roster::of(it.entries.iter().cloned())?;
                (admin(&roster, &it.by)?.clone(), roster)
            }
        };
        Ok(Self { written, inviter, roster })
    }

    /// The invite as one word, for the invited person's eyes only.
    ///
    /// # Errors
    ///
    /// It is too large for a word.
    pub fn to_text(&self) -> Result<String, JoinFault> {
        let json = serde_json::to_vec(&self.written).map_err(|_| JoinFault::NotUnderstood)?;
        Ok(to_word(INVITE, &json)?)
    }

    /// Parses the word and checks what it says.
    ///
    /// # Errors
    ///
    /// It cannot be parsed, or the device that it names did not make it.
    pub fn parse(text: &str) -> Result<Self, JoinFault> {
        let json = from_word(INVITE, text)?;
        let written = serde_json::from_slice(&json).map_err(|_| JoinFault::NotUnderstood)?;
        Self::checked(written)
    }

    /// The part that the inviting device stores.
    #[must_use]
    pub fn open(&self) -> OpenInvite {
        let (user, until, secret) = match self.written.clone() {
            WrittenInvite::Pinned(it) => (it.user, it.until, it.secret),
            WrittenInvite::Whole(it) => (it.user, it.until, it.secret),
        };
        OpenInvite { team: *self.roster.team(), user, until, secret }
    }

    /// The roster as the invite tells it: what comes has to contain the entry that the invite names.
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
    pub fn inviter(&self) -> &Device {
        &self.inviter
    }

    /// The user of the new device.
    #[must_use]
    pub fn user(&self) -> &str {
        match &self.written {
            WrittenInvite::Pinned(it) => &it.user,
            WrittenInvite::Whole(it) => &it.user,
        }
    }

    /// The address of the team's hub, if the invite names one.
    #[must_use]
    pub fn hub(&self) -> Option<&str> {
        match &self.written {
            WrittenInvite::Pinned(it) => it.hub.as_deref(),
            WrittenInvite::Whole(_) => None,
        }
    }
}

/// The device, if it is an admin of the team now.
fn admin<'r>(roster: &'r Roster, device: &DeviceId) -> Result<&'r Device, JoinFault> {
    let member = roster.member(device).filter(|it| it.is_current() && it.role == Role::Admin);
    member.map(|it| &it.device).ok_or(JoinFault::NotAnAdmin)
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
