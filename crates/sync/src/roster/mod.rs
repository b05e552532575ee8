//! The members of a team: append-only entries, each signed by an admin device and bound to the one
//! before. The current team is a fold over them.

mod alike;
mod entry;
mod fault;
mod fold;
mod invite;
mod recovery;
mod sealed;

pub use alike::looks_like;
pub use entry::{Device, Entry, InviteId, Op, Statement, Vouch, start_of};
pub use fault::Fault;
pub use invite::{Invite, JoinFault, JoinRequest, Offer, OpenInvite, approve};
pub use recovery::RecoveryKey;
pub use sealed::SealedRosterError;
pub(crate) use sealed::entries_of_sealed;

use crate::bytes::{Digest, TeamId};
use crate::keys::{DeviceSecret, NatsUserKey, Recipient};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use taffrail_model::{DeviceId, Timestamp};

/// The role of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Reads and writes.
    Member,
    /// Also signs entries of the roster.
    Admin,
}

/// A position in the roster, and the epoch from there on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Since {
    /// The entry.
    pub n: u64,
    /// The epoch.
    pub epoch: u64,
}

/// A device that is or was in the team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The device.
    pub device: Device,
    /// The role.
    pub role: Role,
    /// When it joined.
    pub joined: Since,
    /// The device that admitted it.
    pub admitted_by: DeviceId,
    /// When it was removed, if it was.
    pub left: Option<Since>,
}

impl Member {
    /// Whether the device is in the team now.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.left.is_none()
    }

    /// Whether the device was in the team in this epoch.
    #[must_use]
    pub fn was_in(&self, epoch: u64) -> bool {
        self.joined.epoch <= epoch && self.left.is_none_or(|left| epoch < left.epoch)
    }
}

/// The last entry that a device has seen; a roster must not roll back behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pin {
    /// The team.
    pub team: TeamId,
    /// The position of the entry.
    pub n: u64,
    /// Its hash.
    pub head: Digest,
}

/// The recipients of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience<'a> {
    /// All devices of the team.
    Team,
    /// The devices of these users.
    Users(&'a [&'a str]),
}

/// A team, derived from its entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roster {
    team: TeamId,
    entries: Vec<Entry>,
    hashes: Vec<Digest>,
    epoch: u64,
    members: BTreeMap<DeviceId, Member>,
    recovery: BTreeMap<String, (Recipient, Option<NatsUserKey>)>,
    invites: BTreeSet<InviteId>,
}

impl Roster {
    /// A new team of one device.
    ///
    /// # Errors
    ///
    /// The device's name cannot be used.
    pub fn found(
        team: TeamId,
        device: Device,
        secret: &DeviceSecret,
        at: Timestamp,
    ) -> Result<Self, Fault> {
        let by = device.id.clone();
        let op = Op::Found { device };
        let prev = start_of(&team);
        let first = Statement { team, n: 0, prev, epoch: 0, at, by, op };
        Self::of([Entry::sign(first, secret)])
    }

    /// Builds a roster from its first entry on.
    ///
    /// # Errors
    ///
    /// Returns the refused entry and the reason.
    pub fn of(entries: impl IntoIterator<Item = Entry>) -> Result<Self, Fault> {
        let mut entries = entries.into_iter();
        let first = entries.next().ok_or(Fault::Empty)?;
        let mut roster = Self {
            team: first.statement.team,
            entries: Vec::new(),
            hashes: Vec::new(),
            epoch: 0,
            members: BTreeMap::new(),
            recovery: BTreeMap::new(),
            invites: BTreeSet::new(),
        };
        roster.take(first)?;
        entries.try_for_each(|entry| roster.take(entry))?;
        Ok(roster)
    }

    /// Builds a roster and compares it with the pin.
    ///
    /// # Errors
    ///
    /// It is invalid in itself, or it is another team's, forked or rolled back.
    pub fn pinned(entries: impl IntoIterator<Item = Entry>, pin: &Pin) -> Result<Self, Fault> {
        let roster = Self::of(entries)?;
        roster.check_pin(pin)?;
        Ok(roster)
    }

    /// This roster with entries from elsewhere. Entries that are known here must be the same.
    ///
    /// # Errors
    ///
    /// An entry is refused, or differs from the one known here.
    pub fn extended(&self, entries: impl IntoIterator<Item = Entry>) -> Result<Self, Fault> {
        let mut roster = self.clone();
        for entry in entries {
            let n = entry.statement.n;
            let known = usize::try_from(n).ok().and_then(|n| roster.hashes.get(n));
            match known {
                Some(hash) if *hash == entry.hash() => {}
                Some(_) if entry.statement.team != self.team => {
                    return Err(Fault::OtherTeam { team: entry.statement.team });
                }
                Some(_) => return Err(Fault::Forked { n }),
                None => roster.take(entry)?,
            }
        }
        Ok(roster)
    }

    /// The next entry, signed by our device, and the roster with it.
    ///
    /// # Errors
    ///
    /// The device may not do this.
    pub fn with(&self, op: Op, by: &Signer<'_>, at: Timestamp) -> Result<(Self, Entry), Fault> {
        let epoch = self.epoch_after(&op);
        let statement = Statement {
            team: self.team,
            n: self.entries.len() as u64,
            prev: self.head(),
            epoch,
            at,
            by: by.device.clone(),
            op,
        };
        let entry = Entry::sign(statement, by.secret);
        let mut roster = self.clone();
        roster.take(entry.clone())?;
        Ok((roster, entry))
    }

    /// The pin to store, which prevents a rollback.
    #[must_use]
    pub fn pin(&self) -> Pin {
        let n = (self.entries.len() as u64).saturating_sub(1);
        Pin { team: self.team, n, head: self.head() }
    }

    /// The team.
    #[must_use]
    pub fn team(&self) -> &TeamId {
        &self.team
    }

    /// The current epoch.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// All entries, to store or publish.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// All devices that are or were in the team.
    pub fn members(&self) -> impl Iterator<Item = &Member> {
        self.members.values()
    }

    /// A device that is or was in the team.
    #[must_use]
    pub fn member(&self, device: &DeviceId) -> Option<&Member> {
        self.members.get(device)
    }

    /// The device with this name now.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Member> {
        let same = |member: &&Member| member.device.name.to_lowercase() == name.to_lowercase();
        self.members.values().filter(|member| member.is_current()).find(same)
    }

    /// The recovery recipient of a user, if one was named.
    #[must_use]
    pub fn recovery(&self, user: &str) -> Option<&Recipient> {
        self.recovery.get(user).map(|(recipient, _)| recipient)
    }

    /// Users with a recovery key, and the key that a NATS server lists for it, if known.
    pub fn recovery_nats_keys(&self) -> impl Iterator<Item = (&str, Option<&NatsUserKey>)> {
        self.recovery.iter().map(|(user, (_, door))| (user.as_str(), door.as_ref()))
    }

    /// The user with this recovery recipient now.
    #[must_use]
    pub fn recovered_by(&self, recipient: &Recipient) -> Option<&str> {
        let found = self.recovery.iter().find(|(_, (it, _))| it == recipient);
        found.map(|(user, _)| user.as_str())
    }

    /// The recipients for a key: current devices, and their users' recovery recipients.
    #[must_use]
    pub fn recipients(&self, audience: Audience<'_>) -> Vec<Recipient> {
        let meant = |user: &str| match audience {
            Audience::Team => true,
            Audience::Users(users) => users.contains(&user),
        };
        let current = self.members.values().filter(|member| member.is_current());
        let devices: Vec<_> =
            current.map(|member| &member.device).filter(|device| meant(&device.user)).collect();
        let users: BTreeSet<_> = devices.iter().map(|device| device.user.as_str()).collect();
        let recovery = users.iter().filter_map(|user| self.recovery(user));
        devices.iter().map(|device| device.keys.recipient()).chain(recovery).cloned().collect()
    }

    fn head(&self) -> Digest {
        self.hashes.last().copied().unwrap_or_else(|| start_of(&self.team))
    }

    fn check_pin(&self, pin: &Pin) -> Result<(), Fault> {
        if self.team != pin.team {
            return Err(Fault::OtherTeam { team: self.team });
        }
        let known = usize::try_from(pin.n).ok().and_then(|n| self.hashes.get(n));
        match known {
            Some(hash) if *hash == pin.head => Ok(()),
            Some(_) => Err(Fault::Forked { n: pin.n }),
            None => Err(Fault::RolledBack { pinned: pin.n }),
        }
    }
}

/// Our device, as a signer.
#[derive(Debug, Clone, Copy)]
pub struct Signer<'a> {
    /// Its id.
    pub device: &'a DeviceId,
    /// Its secret.
    pub secret: &'a DeviceSecret,
}

#[cfg(test)]
pub(crate) mod tests;
