//! One entry of a roster: a statement of an admin device, bound to all statements before.

use crate::bytes::{Digest, Signature, TeamId, fixed_bytes};
use crate::keys::{DeviceKeys, DeviceSecret, NatsUserKey, Recipient};
use crate::signing::{Forged, Purpose, digest, encode, sign, verify};
use serde::{Deserialize, Serialize};
use taffrail_model::{DeviceId, Timestamp};

fixed_bytes! {
    /// An invite, by the hash of its secret.
    InviteId, 32
}

/// A device as the roster knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// Generated once by the device itself.
    pub id: DeviceId,
    /// The name for people; no two current devices of a team share one.
    pub name: String,
    /// The user.
    pub user: String,
    /// Its public keys.
    #[serde(flatten)]
    pub keys: DeviceKeys,
}

/// A device of a user vouches for one more device of that user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vouch {
    /// The device that vouches.
    pub by: DeviceId,
    /// Its signature of the request.
    pub signature: Signature,
}

/// The operation of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Op {
    /// Opens the roster. The device vouches for itself and is the first admin.
    Found {
        /// The first device.
        device: Device,
    },
    /// Adds a device.
    Add {
        /// The new device.
        device: Device,
        /// The invite it answered; one invite admits one device.
        invite: InviteId,
        /// The vouch of a device of the same user, if that user has one and another device signs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        vouch: Option<Vouch>,
    },
    /// Lets a device sign entries.
    Admin {
        /// A device of the team.
        device: DeviceId,
    },
    /// Removes a device and starts an epoch.
    Remove {
        /// A device of the team.
        device: DeviceId,
    },
    /// Starts an epoch, so that new keys are made.
    Rotate,
    /// Sets a user's recovery recipient, replacing the previous one.
    Recovery {
        /// The user.
        user: String,
        /// The additional recipient of that user's keys.
        recipient: Recipient,
        /// The key with which a recovery authenticates to a NATS server, if the recovery key has
        /// one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        door: Option<NatsUserKey>,
    },
}

impl Op {
    fn encoded(&self) -> Vec<u8> {
        let of = |fields: &[&[u8]]| encode(Purpose::RosterOp, fields);
        match self {
            Self::Found { device } => of(&[b"found", &device.encoded()]),
            Self::Add { device, invite, vouch } => {
                let device = device.encoded();
                let mut fields = vec![b"add".as_slice(), &device, invite.as_bytes()];
                fields.extend(vouch.iter().flat_map(Vouch::fields));
                of(&fields)
            }
            Self::Admin { device } => of(&[b"admin", device.as_str().as_bytes()]),
            Self::Remove { device } => of(&[b"remove", device.as_str().as_bytes()]),
            Self::Rotate => of(&[b"rotate"]),
            Self::Recovery { user, recipient, door } => {
                let recipient = recipient.to_string();
                let mut fields =
                    vec![b"recovery".as_slice(), user.as_bytes(), recipient.as_bytes()];
                fields.extend(door.as_ref().map(|it| it.as_str().as_bytes()));
                of(&fields)
            }
        }
    }
}

impl Vouch {
    fn fields(&self) -> [&[u8]; 2] {
        [self.by.as_str().as_bytes(), self.signature.as_bytes()]
    }
}

impl Device {
    /// The signed encoding of the device.
    pub(super) fn encoded(&self) -> Vec<u8> {
        let recipient = self.keys.recipient().to_string();
        let door = self.keys.nats_user().map_or("", NatsUserKey::as_str);
        let fields: [&[u8]; 6] = [
            self.id.as_str().as_bytes(),
            self.name.as_bytes(),
            self.user.as_bytes(),
            self.keys.signing().as_bytes(),
            recipient.as_bytes(),
            door.as_bytes(),
        ];
        encode(Purpose::RosterOp, &fields)
    }
}

/// The content of an entry, before it is signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// The team.
    pub team: TeamId,
    /// Its position, from 0.
    pub n: u64,
    /// The hash of the entry before, or of the team for the first.
    pub prev: Digest,
    /// The epoch from this entry on.
    pub epoch: u64,
    /// The signer's time; nothing depends on it.
    pub at: Timestamp,
    /// The signer.
    pub by: DeviceId,
    /// The operation.
    #[serde(flatten)]
    pub op: Op,
}

/// A signed statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The statement.
    #[serde(flatten)]
    pub statement: Statement,
    /// The signature of its signer.
    pub signature: Signature,
}

impl Entry {
    /// Signs a statement.
    #[must_use]
    pub fn sign(statement: Statement, secret: &DeviceSecret) -> Self {
        let fields = statement.fields();
        let signature = sign(secret.signing(), Purpose::RosterEntry, &[&fields]);
        Self { statement, signature }
    }

    /// The hash that the next entry contains.
    #[must_use]
    pub fn hash(&self) -> Digest {
        let fields = self.statement.fields();
        digest(Purpose::RosterEntry, &[&fields, self.signature.as_bytes()])
    }

    pub(super) fn verify(&self, keys: &DeviceKeys) -> Result<(), Forged> {
        let fields = self.statement.fields();
        verify(keys.signing(), Purpose::RosterEntry, &[&fields], &self.signature)
    }
}

impl Statement {
    fn fields(&self) -> Vec<u8> {
        let fields: [&[u8]; 7] = [
            self.team.as_bytes(),
            &self.n.to_le_bytes(),
            self.prev.as_bytes(),
            &self.epoch.to_le_bytes(),
            &self.at.as_nanosecond().to_le_bytes(),
            self.by.as_str().as_bytes(),
            &self.op.encoded(),
        ];
        encode(Purpose::RosterEntry, &fields)
    }
}

/// The previous hash in the first entry of a team.
#[must_use]
pub fn start_of(team: &TeamId) -> Digest {
    digest(Purpose::RosterStart, &[team.as_bytes()])
}
