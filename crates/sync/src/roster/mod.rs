//! The members of a team: append-only entries, each signed by an admin device and bound to the one
//! before. The current team is a fold over them.

mod alike;
mod door;
mod entry;
mod expected;
mod fault;
mod fold;
mod index;
mod invite;
pub(crate) mod pages;
mod pin;
mod recovery;
mod request;
mod sealed;

pub use alike::{alike, looks_like};
pub use door::Door;
pub use entry::{Device, Entry, InviteId, Op, Statement, Vouch, start_of};
pub use fault::Fault;
pub use invite::{Invite, JoinFault, Offer, OpenInvite};
pub use pin::Pin;
pub use recovery::RecoveryKey;
pub use request::{JoinRequest, approve};
pub use sealed::SealedRosterError;
pub(crate) use sealed::entries_of_sealed;

use crate::bytes::{Digest, TeamId};
use crate::keys::{DeviceSecret, NatsUserKey, Recipient};
use expected::Expected;
use index::Index;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
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

/// The recipients of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience<'a> {
    /// All devices of the team.
    Team,
    /// The devices of these users.
    Users(&'a [&'a str]),
}

/// A team, derived from its entries. Clones share them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roster(Arc<State>);

/// What the entries say.
#[derive(Debug, Clone, PartialEq, Eq)]
struct State {
    team: TeamId,
    entries: Vec<Entry>,
    hashes: Vec<Digest>,
    /// The position of the entry that began each epoch.
    starts: Vec<usize>,
    members: BTreeMap<DeviceId, Member>,
    recovery: BTreeMap<String, (Recipient, Option<NatsUserKey>)>,
    invites: BTreeSet<InviteId>,
    index: Index,
    /// An entry that must come, and has not come so far.
    expected: Option<Expected>,
}

/// What proves entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proof {
    /// Their signatures.
    Signatures,
    /// The hash of the last one: this device has verified the signatures before.
    Head,
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
        Self::proven(entries, Proof::Signatures)
    }

    fn proven(entries: impl IntoIterator<Item = Entry>, proof: Proof) -> Result<Self, Fault> {
        let mut entries = entries.into_iter();
        let first = entries.next().ok_or(Fault::Empty)?;
        let mut state = State::of(first.statement.team);
        state.take(first, proof)?;
        entries.try_for_each(|entry| state.take(entry, proof))?;
        Ok(Self(Arc::new(state)))
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

    /// Builds a roster from entries that this device verified when it pinned their head: the hashes
    /// lead to the head, so the signatures are not verified again.
    ///
    /// # Errors
    ///
    /// The entries are not the ones that were pinned.
    pub fn verified(entries: impl IntoIterator<Item = Entry>, pin: &Pin) -> Result<Self, Fault> {
        let roster = Self::proven(entries, Proof::Head)?;
        roster.check_pin(pin)?;
        if roster.pin() == *pin { Ok(roster) } else { Err(Fault::Forked { n: pin.n }) }
    }

    /// This roster with entries from elsewhere. Entries that are known here must be the same.
    ///
    /// # Errors
    ///
    /// An entry is refused, differs from the one known here, or an expected one does not come.
    pub fn extended(&self, entries: impl IntoIterator<Item = Entry>) -> Result<Self, Fault> {
        let mut roster = self.clone();
        for entry in entries {
            let n = entry.statement.n;
            match roster.hash_at(n) {
                Some(hash) if *hash == entry.hash() => {}
                Some(_) if entry.statement.team != self.0.team => {
                    return Err(Fault::OtherTeam { team: entry.statement.team });
                }
                Some(_) => return Err(Fault::Forked { n }),
                None => roster.state_mut().take(entry, Proof::Signatures)?,
            }
        }
        if roster.entries().len() > self.entries().len() {
            roster.settle()?;
        }
        Ok(roster)
    }

    /// The next entry, signed by our device, and the roster with it.
    ///
    /// # Errors
    ///
    /// The device may not do this.
    pub fn with(&self, op: Op, by: &Signer<'_>, at: Timestamp) -> Result<(Self, Entry), Fault> {
        let entry = self.next(op, by, at);
        let mut roster = self.clone();
        roster.state_mut().take(entry.clone(), Proof::Signatures)?;
        Ok((roster, entry))
    }

    /// This roster with one more entry, without a copy of those before.
    ///
    /// # Errors
    ///
    /// The device may not do this.
    pub fn grown(mut self, op: Op, by: &Signer<'_>, at: Timestamp) -> Result<Self, Fault> {
        let entry = self.next(op, by, at);
        self.state_mut().take(entry, Proof::Signatures)?;
        Ok(self)
    }

    fn next(&self, op: Op, by: &Signer<'_>, at: Timestamp) -> Entry {
        let statement = Statement {
            team: self.0.team,
            n: self.0.entries.len() as u64,
            prev: self.0.head(),
            epoch: self.0.epoch_after(&op),
            at,
            by: by.device.clone(),
            op,
        };
        Entry::sign(statement, by.secret)
    }

    fn state_mut(&mut self) -> &mut State {
        Arc::make_mut(&mut self.0)
    }

    /// The pin to store, which prevents a rollback.
    #[must_use]
    pub fn pin(&self) -> Pin {
        let n = (self.0.entries.len() as u64).saturating_sub(1);
        let known = Pin { team: self.0.team, n, head: self.0.head() };
        self.0.expected.as_ref().map_or(known, |it| it.pin)
    }

    /// The team.
    #[must_use]
    pub fn team(&self) -> &TeamId {
        &self.0.team
    }

    /// The current epoch.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    /// All entries, to store or publish.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.0.entries
    }

    /// All devices that are or were in the team.
    pub fn members(&self) -> impl Iterator<Item = &Member> {
        self.0.members.values()
    }

    /// A device that is or was in the team.
    #[must_use]
    pub fn member(&self, device: &DeviceId) -> Option<&Member> {
        self.0.members.get(device)
    }

    /// The device with this name now.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Member> {
        self.member(self.0.index.named(name)?)
    }

    /// The devices of a user now.
    pub fn devices_of(&self, user: &str) -> impl Iterator<Item = &Member> {
        self.0.index.devices_of(user).filter_map(|id| self.0.members.get(id))
    }

    /// The recovery recipient of a user, if one was named.
    #[must_use]
    pub fn recovery(&self, user: &str) -> Option<&Recipient> {
        self.0.recovery.get(user).map(|(recipient, _)| recipient)
    }

    /// Users with a recovery key, and the key that a NATS server lists for it, if known.
    pub fn recovery_nats_keys(&self) -> impl Iterator<Item = (&str, Option<&NatsUserKey>)> {
        self.0.recovery.iter().map(|(user, (_, door))| (user.as_str(), door.as_ref()))
    }

    /// The user with this recovery recipient now.
    #[must_use]
    pub fn recovered_by(&self, recipient: &Recipient) -> Option<&str> {
        let found = self.0.recovery.iter().find(|(_, (it, _))| it == recipient);
        found.map(|(user, _)| user.as_str())
    }

    /// The recipients for a key: current devices, and their users' recovery recipients.
    #[must_use]
    pub fn recipients(&self, audience: Audience<'_>) -> Vec<Recipient> {
        let users: BTreeSet<&str> = match audience {
            Audience::Team => self.0.index.users().collect(),
            Audience::Users(users) => users.iter().copied().collect(),
        };
        let devices = users.iter().flat_map(|user| self.devices_of(user));
        let present = users.iter().filter(|user| self.devices_of(user).next().is_some());
        let recovery = present.filter_map(|user| self.recovery(user));
        devices.map(|it| it.device.keys.recipient()).chain(recovery).cloned().collect()
    }

    /// The hash of the entry that began the current epoch. A hub does not know it, and a removed
    /// device does not know that of a later epoch.
    pub(crate) fn epoch_start(&self) -> Digest {
        let start = self.start_of_epoch(self.epoch()).map(|(_, hash)| hash);
        start.copied().unwrap_or_else(|| start_of(&self.0.team))
    }

    /// The entry that began an epoch, and its hash.
    pub(crate) fn start_of_epoch(&self, epoch: u64) -> Option<(&Entry, &Digest)> {
        let at = *self.0.starts.get(usize::try_from(epoch).ok()?)?;
        Some((self.0.entries.get(at)?, self.0.hashes.get(at)?))
    }

    /// The hash of an entry, if the entry is known here.
    pub(crate) fn hash_at(&self, n: u64) -> Option<&Digest> {
        self.0.hashes.get(usize::try_from(n).ok()?)
    }

    fn check_pin(&self, pin: &Pin) -> Result<(), Fault> {
        if self.0.team != pin.team {
            return Err(Fault::OtherTeam { team: self.0.team });
        }
        match self.hash_at(pin.n) {
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
