//! The roster on the hub: one key, sealed to the team, changed by compare-and-set. A long roster has its
//! older entries in blobs, which the key names.
//!
//! A device never rolls back its roster. If the hub has less, the device writes the missing
//! entries; if the hub has a different history, the device rejects it.

mod read;
mod write;

use super::engine::{Exchange, ItemSink};
use super::relocation::{is_left, leaving};
use super::{ExchangeError, Inbox, Outbox, names};
use crate::envelope::EnvelopeFault;
use crate::hub::{Hub, HubError, NameError, Revision, Value};
use crate::keys::Identity;
use crate::roster::pages::{Body, Head};
use crate::roster::{Fault, Pin, Roster, SealedRosterError};
use read::read;
use write::write;

/// How many times a contested roster is tried.
const TRIES: usize = 8;

/// Why a roster was not fetched or changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RosterFault {
    /// The hub failed.
    #[error(transparent)]
    Hub(#[from] HubError),
    /// The hub has no roster.
    #[error("The hub has nothing of this team")]
    Nothing,
    /// It is not sealed to this device.
    #[error("The roster on the hub is not sealed to this device: it was removed, or is not in yet")]
    NotForUs,
    /// The roster on the hub is invalid.
    #[error("The roster on the hub is refused: {0}")]
    Refused(SealedRosterError),
    /// The change is not allowed, or no longer.
    #[error("The roster cannot be changed: {0}")]
    NotAllowed(#[from] Fault),
}

impl From<SealedRosterError> for RosterFault {
    fn from(fault: SealedRosterError) -> Self {
        match fault {
            SealedRosterError::Envelope(EnvelopeFault::NotForUs) => Self::NotForUs,
            SealedRosterError::Envelope(
                EnvelopeFault::Nobody | EnvelopeFault::Damaged | EnvelopeFault::TooLarge,
            )
            | SealedRosterError::NotUnderstood
            | SealedRosterError::Missing
            | SealedRosterError::OtherKey
            | SealedRosterError::Roster(_) => Self::Refused(fault),
        }
    }
}

impl From<NameError> for RosterFault {
    fn from(fault: NameError) -> Self {
        Self::Hub(HubError::Refused(fault.to_string()))
    }
}

/// The roster on the hub.
struct Fetched {
    roster: Roster,
    revision: Option<Revision>,
    /// The hub has every entry known here.
    is_whole: bool,
    /// The head, if the roster is in pages there.
    head: Option<(Head, Body)>,
}

/// Extends the roster by the hub's entries. If the hub has fewer entries or none, writes ours.
///
/// # Errors
/// The hub cannot be reached, or its roster is not sealed to us, forked, or of another team.
pub async fn fetch_roster<H: Hub>(
    hub: &H,
    roster: &Roster,
    identity: &Identity,
) -> Result<Roster, RosterFault> {
    for _ in 0..TRIES {
        let fetched = look(hub, roster, identity).await?;
        // A hub that the team leaves has the roster that was carried away.
        let is_there = fetched.is_whole
            || is_left(hub, &fetched.roster).await?
            || match write(hub, &fetched.roster, &fetched).await {
                // A server may accept the roster from admins only. Our entries are not lost: an
                // admin's next scan writes the missing ones.
                Err(RosterFault::Hub(_)) => true,
                written => written?,
            };
        if is_there {
            return Ok(fetched.roster);
        }
    }
    Err(contested())
}

/// The roster of a team on a hub, for a reader that has only a pin. Writes nothing.
///
/// # Errors
/// The hub cannot be reached, has no roster of the team, or has one that does not follow from the
/// pin.
pub async fn recovered_roster<H: Hub>(
    hub: &H,
    pin: &Pin,
    identity: &Identity,
) -> Result<Roster, RosterFault> {
    Ok(look(hub, &Roster::awaited(*pin, None), identity).await?.roster)
}

/// Changes the roster: applies the change to the newest one, again after each lost race, and
/// refuses it if it is no longer allowed.
///
/// # Errors
/// The hub cannot be reached, its roster is refused, or the change is.
pub async fn publish_roster<H: Hub>(
    hub: &H,
    roster: &Roster,
    identity: &Identity,
    change: impl Fn(&Roster) -> Result<Roster, Fault>,
) -> Result<Roster, RosterFault> {
    for _ in 0..TRIES {
        let fetched = look(hub, roster, identity).await?;
        // Read after the revision: a change that overlaps with the announcement of a move conflicts.
        if is_left(hub, &fetched.roster).await? {
            return Err(leaving().into());
        }
        let changed = change(&fetched.roster)?;
        if write(hub, &changed, &fetched).await? {
            return Ok(changed);
        }
    }
    Err(contested())
}

/// Writes the roster to a hub that lacks entries of it, whether the team left that hub once or not.
pub(super) async fn carry_roster<H: Hub>(
    hub: &H,
    roster: &Roster,
    identity: &Identity,
) -> Result<Roster, RosterFault> {
    for _ in 0..TRIES {
        let fetched = look(hub, roster, identity).await?;
        if fetched.is_whole || write(hub, &fetched.roster, &fetched).await? {
            return Ok(fetched.roster);
        }
    }
    Err(contested())
}

/// Writes the roster again as it is, on a hub that the team leaves: a change that began before the
/// announcement of the move conflicts, and one that begins now is refused.
pub(super) async fn fence_roster<H: Hub>(
    hub: &H,
    roster: &Roster,
    identity: &Identity,
) -> Result<Roster, RosterFault> {
    for _ in 0..TRIES {
        let fetched = look(hub, roster, identity).await?;
        if write(hub, &fetched.roster, &fetched).await? {
            return Ok(fetched.roster);
        }
    }
    Err(contested())
}

/// The roster of a hub on top of the one known here. Writes nothing.
pub(super) async fn read_roster<H: Hub>(
    hub: &H,
    roster: &Roster,
    identity: &Identity,
) -> Result<Roster, RosterFault> {
    Ok(look(hub, roster, identity).await?.roster)
}

async fn look<H: Hub>(
    hub: &H,
    known: &Roster,
    identity: &Identity,
) -> Result<Fetched, RosterFault> {
    let mut before = None;
    for _ in 0..TRIES {
        let Some(value) = there(hub).await? else {
            let roster = known.clone();
            // Nothing can be written by a device that has only a promise.
            return match known.entries().is_empty() {
                true => Err(RosterFault::Nothing),
                false => Ok(Fetched { roster, revision: None, is_whole: false, head: None }),
            };
        };
        let missing = RosterFault::from(SealedRosterError::Missing);
        match read(hub, &value, known, identity).await {
            // A part of an older head goes when a newer head is written: look at that one.
            Err(fault) if fault == missing && before != Some(value.revision) => {
                before = Some(value.revision);
            }
            fetched => return fetched,
        }
    }
    Err(contested())
}

async fn there<H: Hub>(hub: &H) -> Result<Option<Value>, RosterFault> {
    Ok(hub.get(&names::roster()?).await?)
}

fn contested() -> RosterFault {
    HubError::Unreachable("the roster is written by others again and again".to_owned()).into()
}

impl<H: Hub, S: Outbox + Inbox, A: ItemSink> Exchange<H, S, A> {
    /// Fetches the roster, and wraps our keys to its current readers.
    ///
    /// # Errors
    /// Returns an error of the hub or the store.
    pub async fn follow_roster(&mut self) -> Result<(), ExchangeError> {
        let identity = self.us.secret.identity();
        let roster = fetch_roster(&self.hub, &self.roster, identity).await?;
        self.needs_roster = false;
        if roster != self.roster {
            self.applied.roster_changed(&roster)?;
            self.roster = roster;
        }
        self.refresh_keys().await
    }

    /// Adopts roster changes that another program of this device made: a removed device must not
    /// read what is sealed afterwards, whether the hub's hint has arrived or not.
    pub(super) async fn take_up_roster(&mut self) -> Result<(), ExchangeError> {
        let Some(here) = self.applied.roster_here()? else { return Ok(()) };
        let roster = self.with_roster(here).map_err(SealedRosterError::Roster);
        let roster = roster.map_err(RosterFault::from)?;
        if roster == self.roster {
            return Ok(());
        }
        self.roster = roster;
        self.refresh_keys().await
    }

    /// Our roster with what is known on this device.
    fn with_roster(&self, here: Roster) -> Result<Roster, Fault> {
        if here.team() != self.roster.team() {
            return Err(Fault::OtherTeam { team: *here.team() });
        }
        if self.roster.entries().is_empty() {
            return Ok(here);
        }
        self.roster.extended(here.entries().iter().cloned())
    }

    /// Changes the roster on the hub and on this device.
    ///
    /// # Errors
    /// The hub cannot be reached, its roster is refused, or the change is.
    pub async fn change_roster(
        &mut self,
        change: impl Fn(&Roster) -> Result<Roster, Fault>,
    ) -> Result<(), ExchangeError> {
        let identity = self.us.secret.identity();
        let roster = publish_roster(&self.hub, &self.roster, identity, change).await?;
        self.applied.roster_changed(&roster)?;
        self.roster = roster;
        self.refresh_keys().await
    }
}
