//! An entry that a device was promised, and does not have so far: the pin of an invite or of a
//! recovery key. Whatever comes has to contain it.

use super::{Device, Fault, Op, Pin, Role, Roster, State};
use std::sync::Arc;

/// The promised entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Expected {
    pub(super) pin: Pin,
    /// The device that promised it: an admin of the team at that entry.
    pub(super) inviter: Option<Device>,
}

impl Roster {
    /// A team of which nothing is known but one entry.
    #[must_use]
    pub fn awaited(pin: Pin, inviter: Option<Device>) -> Self {
        let expected = Some(Expected { pin, inviter });
        Self(Arc::new(State { expected, ..State::of(pin.team) }))
    }

    /// This roster, to which an entry has to come if it is not known here.
    ///
    /// # Errors
    ///
    /// Another entry is known in its place, or the device that promised it is not an admin.
    pub fn awaiting(&self, pin: Pin, inviter: Option<Device>) -> Result<Self, Fault> {
        if pin.team != *self.team() {
            return Err(Fault::OtherTeam { team: pin.team });
        }
        let later = self.0.expected.clone().filter(|it| it.pin.n > pin.n);
        let is_known = self.hash_at(pin.n).is_some();
        let mut roster = self.clone();
        roster.state_mut().expected = Some(Expected { pin, inviter });
        if is_known {
            roster.settle()?;
        }
        if later.is_some() {
            roster.state_mut().expected = later;
        }
        Ok(roster)
    }

    /// This roster, to which the device that promised an entry promises a later one.
    ///
    /// # Errors
    ///
    /// The entry is of another team, or another one is known in its place.
    pub fn promised(&self, pin: Pin) -> Result<Self, Fault> {
        self.awaiting(pin, self.awaited_from().cloned())
    }

    /// Whether an entry was promised and has not come.
    #[must_use]
    pub fn is_awaited(&self) -> bool {
        self.0.expected.is_some()
    }

    /// The device that promised the entry that has not come.
    #[must_use]
    pub fn awaited_from(&self) -> Option<&Device> {
        self.0.expected.as_ref()?.inviter.as_ref()
    }

    /// Checks the promised entry against what came.
    pub(super) fn settle(&mut self) -> Result<(), Fault> {
        let Some(Expected { pin, inviter }) = self.0.expected.clone() else { return Ok(()) };
        self.check_pin(&pin)?;
        if let Some(inviter) = inviter.filter(|it| !self.was_admin(it, pin.n)) {
            return Err(Fault::NotAnAdmin { n: pin.n, by: inviter.id });
        }
        self.state_mut().expected = None;
        Ok(())
    }

    /// Whether this very device was in the team and an admin right after an entry.
    fn was_admin(&self, device: &Device, n: u64) -> bool {
        let member = self.member(&device.id).filter(|it| it.device == *device);
        let is_in = |it: &super::Member| it.left.is_none_or(|left| n < left.n) && it.joined.n <= n;
        let until = self.entries().iter().take_while(|it| it.statement.n <= n);
        let named = |op: &Op| match op {
            Op::Found { device: it } => it.id == device.id,
            Op::Admin { device: it } => *it == device.id,
            Op::Add { .. } | Op::Remove { .. } | Op::Rotate | Op::Recovery { .. } => false,
        };
        member.is_some_and(|it| is_in(it) && it.role == Role::Admin)
            && until.map(|it| &it.statement.op).any(named)
    }
}
