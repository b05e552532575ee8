//! Applies one more entry to a roster, or refuses it.

use super::request::vouches;
use super::{
    Device, Entry, Fault, Index, InviteId, Member, Op, Proof, Role, Since, State, Statement, Vouch,
    start_of,
};
use crate::bytes::{Digest, TeamId};
use std::collections::{BTreeMap, BTreeSet};
use taffrail_model::DeviceId;

/// The longest name, in characters.
const MOST_CHARACTERS: usize = 64;

impl State {
    /// A team without an entry.
    pub(super) fn of(team: TeamId) -> Self {
        Self {
            team,
            entries: Vec::new(),
            hashes: Vec::new(),
            starts: Vec::new(),
            members: BTreeMap::new(),
            recovery: BTreeMap::new(),
            invites: BTreeSet::new(),
            index: Index::default(),
            expected: None,
        }
    }

    pub(super) fn head(&self) -> Digest {
        self.hashes.last().copied().unwrap_or_else(|| start_of(&self.team))
    }

    pub(super) fn epoch(&self) -> u64 {
        (self.starts.len() as u64).saturating_sub(1)
    }

    /// Appends an entry. A refused one leaves the roster unchanged.
    pub(super) fn take(&mut self, entry: Entry, proof: Proof) -> Result<(), Fault> {
        let Statement { team, n, prev, epoch, .. } = entry.statement;
        let expected = self.entries.len() as u64;
        if team != self.team {
            return Err(Fault::OtherTeam { team });
        }
        if n != expected {
            return Err(Fault::Gap { expected, n });
        }
        if prev != self.head() {
            return Err(Fault::Forked { n: n.saturating_sub(1) });
        }
        self.check_signer(&entry, proof)?;
        let expected = self.epoch_after(&entry.statement.op);
        if epoch != expected {
            return Err(Fault::WrongEpoch { n, epoch, expected });
        }
        self.apply(&entry.statement, proof)?;
        if self.starts.len() as u64 <= epoch {
            self.starts.push(self.entries.len());
        }
        self.hashes.push(entry.hash());
        self.entries.push(entry);
        Ok(())
    }

    /// The epoch after an entry with this operation.
    pub(super) fn epoch_after(&self, op: &Op) -> u64 {
        match op {
            Op::Remove { .. } | Op::Rotate => self.epoch().saturating_add(1),
            Op::Found { .. } | Op::Add { .. } | Op::Admin { .. } | Op::Recovery { .. } => {
                self.epoch()
            }
        }
    }

    fn check_signer(&self, entry: &Entry, proof: Proof) -> Result<(), Fault> {
        let Statement { n, ref by, ref op, .. } = entry.statement;
        let keys = match (op, self.entries.is_empty()) {
            (Op::Found { device }, true) if device.id == *by => &device.keys,
            (Op::Found { .. }, _) | (_, true) => return Err(Fault::NotFounded { n }),
            (_, false) => {
                let signer = self.current(by).ok_or(Fault::NotAMember { n, by: by.clone() })?;
                if signer.role != Role::Admin {
                    return Err(Fault::NotAnAdmin { n, by: by.clone() });
                }
                &signer.device.keys
            }
        };
        match proof {
            Proof::Signatures => entry.verify(keys).map_err(|_| Fault::Forged { n }),
            Proof::Head => Ok(()),
        }
    }

    fn apply(&mut self, statement: &Statement, proof: Proof) -> Result<(), Fault> {
        let n = statement.n;
        match &statement.op {
            Op::Found { device } => self.add(device, Role::Admin, statement),
            Op::Add { device, invite, vouch } => {
                self.check_invite(invite, n)?;
                if proof == Proof::Signatures {
                    self.check_vouched(device, (invite, vouch.as_ref()), statement)?;
                }
                self.add(device, Role::Member, statement)?;
                self.invites.insert(*invite);
                Ok(())
            }
            Op::Admin { device } => {
                let was = std::mem::replace(&mut self.current_mut(device, n)?.role, Role::Admin);
                self.index.admins += usize::from(was == Role::Member);
                Ok(())
            }
            Op::Remove { device } => self.remove(device, statement),
            Op::Rotate => Ok(()),
            Op::Recovery { user, recipient, door } => {
                check_name(user, n)?;
                self.check_own(user, statement)?;
                let named = (recipient.clone(), door.clone());
                self.recovery.insert(user.clone(), named);
                Ok(())
            }
        }
    }

    /// Checks that a user with a device gets another one only through a device of their own: each
    /// device can read and answer everything of its user.
    fn check_vouched(
        &self,
        device: &Device,
        (invite, vouch): (&InviteId, Option<&Vouch>),
        said: &Statement,
    ) -> Result<(), Fault> {
        let own = self.check_own(&device.user, said);
        let Some(vouch) = vouch.filter(|_| own.is_err()) else { return own };
        let voucher = self.current(&vouch.by).filter(|it| it.device.user == device.user);
        let is_so =
            |it: &Member| vouches(&it.device.keys, (&self.team, invite, device), &vouch.signature);
        if voucher.is_some_and(is_so) { Ok(()) } else { own }
    }

    /// Checks that the user has no device, or that one of the user's own devices signs.
    fn check_own(&self, user: &str, said: &Statement) -> Result<(), Fault> {
        let is_signer = self.current(&said.by).is_some_and(|it| it.device.user == user);
        if is_signer || self.index.devices_of(user).next().is_none() {
            return Ok(());
        }
        Err(Fault::NotVouched { n: said.n, user: user.to_owned() })
    }

    fn check_invite(&self, invite: &InviteId, n: u64) -> Result<(), Fault> {
        if self.invites.contains(invite) { Err(Fault::InviteUsed { n }) } else { Ok(()) }
    }

    fn add(&mut self, device: &Device, role: Role, said: &Statement) -> Result<(), Fault> {
        let (n, id) = (said.n, &device.id);
        check_name(&device.name, n)?;
        check_name(&device.user, n)?;
        check_id(id, n)?;
        if self.index.named(&device.name).is_some() {
            return Err(Fault::SameName { n, name: device.name.clone() });
        }
        // A removed key must not come back under another name.
        if self.members.contains_key(id) || self.index.knows_key_of(device) {
            return Err(Fault::SameDevice { n, device: id.clone() });
        }
        let joined = Since { n, epoch: said.epoch };
        let admitted_by = said.by.clone();
        let member = Member { device: device.clone(), role, joined, admitted_by, left: None };
        self.members.insert(id.clone(), member);
        self.index.add(device);
        self.index.admins += usize::from(role == Role::Admin);
        Ok(())
    }

    fn remove(&mut self, device: &DeviceId, said: &Statement) -> Result<(), Fault> {
        let n = said.n;
        let admins = self.index.admins;
        let leaving = self.current_mut(device, n)?;
        let stay = admins.saturating_sub(usize::from(leaving.role == Role::Admin));
        if stay == 0 {
            return Err(Fault::LastAdmin { n });
        }
        leaving.left = Some(Since { n, epoch: said.epoch });
        let device = leaving.device.clone();
        self.index.remove(&device);
        self.index.admins = stay;
        Ok(())
    }

    fn current(&self, device: &DeviceId) -> Option<&Member> {
        self.members.get(device).filter(|member| member.is_current())
    }

    fn current_mut(&mut self, device: &DeviceId, n: u64) -> Result<&mut Member, Fault> {
        let member = self.members.get_mut(device).filter(|member| member.is_current());
        member.ok_or_else(|| Fault::NoSuchDevice { n, device: device.clone() })
    }
}

/// Ids become parts of NATS subjects and object keys.
fn check_id(id: &DeviceId, n: u64) -> Result<(), Fault> {
    let id = id.as_str();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if (1..=MOST_CHARACTERS).contains(&id.len()) && id.bytes().all(plain) {
        Ok(())
    } else {
        Err(Fault::BadName { n, name: id.to_owned() })
    }
}

/// Names are shown on terminals and typed by people.
fn check_name(name: &str, n: u64) -> Result<(), Fault> {
    let plain = |c: char| c.is_alphanumeric() || " ._-@+".contains(c);
    let length = name.chars().count();
    let fits = (1..=MOST_CHARACTERS).contains(&length) && name.trim() == name;
    if fits && name.chars().all(plain) {
        Ok(())
    } else {
        Err(Fault::BadName { n, name: name.to_owned() })
    }
}
