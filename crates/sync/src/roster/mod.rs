//! Who is in a team: entries that are only ever appended, each signed by an admin device and bound
//! to the one before. What the team is now is a fold over them.

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

/// What a device may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It reads and writes.
    Member,
    /// It also signs entries of the roster.
    Admin,
}

/// A place in the roster, and the epoch that holds from there on.
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
    /// What it may do.
    pub role: Role,
    /// When it came.
    pub joined: Since,
    /// Who let it in.
    pub admitted_by: DeviceId,
    /// When it was removed, if it was.
    pub left: Option<Since>,
}

impl Member {
    /// The device is in the team now.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.left.is_none()
    }

    /// The device was in the team in this epoch.
    #[must_use]
    pub fn was_in(&self, epoch: u64) -> bool {
        self.joined.epoch <= epoch && self.left.is_none_or(|left| epoch < left.epoch)
    }
}

/// The last entry a device has seen: what it will not go back behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pin {
    /// The team.
    pub team: TeamId,
    /// The place of the entry.
    pub n: u64,
    /// Its hash.
    pub head: Digest,
}

/// For whom a key is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience<'a> {
    /// All devices of the team.
    Team,
    /// The devices of these users.
    Users(&'a [&'a str]),
}

/// A team, as its entries say.
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

    /// Reads a roster from its first entry on.
    ///
    /// # Errors
    ///
    /// Says which entry is refused and why.
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

    /// Reads a roster and compares it with what was known here.
    ///
    /// # Errors
    ///
    /// It is refused in itself, or it is another team's, forked or rolled back.
    pub fn pinned(entries: impl IntoIterator<Item = Entry>, pin: &Pin) -> Result<Self, Fault> {
        let roster = Self::of(entries)?;
        roster.check_pin(pin)?;
        Ok(roster)
    }

    /// This roster with entries that others carried here. Those that are known must be the same.
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

    /// The next entry, signed by a device of ours, and the roster with it.
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

    /// What to remember, so as never to go back behind it.
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

    /// The epoch that holds now.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// All entries, to be kept or carried elsewhere.
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

    /// The device that has this name now.
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

    /// Users with a recovery key, and what a NATS server knows who has it by, where that is known.
    pub fn recovery_nats_keys(&self) -> impl Iterator<Item = (&str, Option<&NatsUserKey>)> {
        self.recovery.iter().map(|(user, (_, door))| (user.as_str(), door.as_ref()))
    }

    /// The user whose recovery recipient this is now.
    #[must_use]
    pub fn recovered_by(&self, recipient: &Recipient) -> Option<&str> {
        let found = self.recovery.iter().find(|(_, (it, _))| it == recipient);
        found.map(|(user, _)| user.as_str())
    }

    /// Whom to wrap a key to: current devices, and their users' recovery recipients.
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

/// A device of ours, to sign with.
#[derive(Debug, Clone, Copy)]
pub struct Signer<'a> {
    /// Its id.
    pub device: &'a DeviceId,
    /// Its secret.
    pub secret: &'a DeviceSecret,
}

#[cfg(test)]
pub(crate) mod tests;
