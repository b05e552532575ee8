//! The roster on the hub: one key, sealed to the team, changed by compare-and-set.
//!
//! A device never rolls back its roster. If the hub has less, the device writes the missing
//! entries; if the hub has a different history, the device rejects it.

use super::engine::{Exchange, ItemSink};
use super::{ExchangeError, Inbox, Outbox, names};
use crate::envelope::EnvelopeFault;
use crate::hub::{Hub, HubError, Revision, Swapped, Value};
use crate::keys::Identity;
use crate::roster::{Fault, Pin, Roster, SealedRosterError, entries_of_sealed};

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
            | SealedRosterError::Roster(_) => Self::Refused(fault),
        }
    }
}

/// The roster on the hub.
struct Fetched {
    roster: Roster,
    revision: Option<Revision>,
    /// The hub has every entry known here.
    is_whole: bool,
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
        let is_there = fetched.is_whole
            || match write(hub, &fetched.roster, fetched.revision).await {
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
    let name = names::roster().map_err(|error| HubError::Refused(error.to_string()))?;
    let value = hub.get(&name).await?.ok_or(RosterFault::Nothing)?;
    let entries = entries_of_sealed(&value.bytes, identity)?;
    Ok(Roster::pinned(entries, pin).map_err(SealedRosterError::Roster)?)
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
        let changed = change(&fetched.roster)?;
        if write(hub, &changed, fetched.revision).await? {
            return Ok(changed);
        }
    }
    Err(contested())
}

async fn look<H: Hub>(
    hub: &H,
    known: &Roster,
    identity: &Identity,
) -> Result<Fetched, RosterFault> {
    let name = names::roster().map_err(|error| HubError::Refused(error.to_string()))?;
    match hub.get(&name).await? {
        None => Ok(Fetched { roster: known.clone(), revision: None, is_whole: false }),
        Some(Value { revision, bytes }) => {
            let entries = entries_of_sealed(&bytes, identity)?;
            let is_whole = entries.len() >= known.entries().len();
            let roster = known.extended(entries).map_err(SealedRosterError::Roster)?;
            Ok(Fetched { roster, revision: Some(revision), is_whole })
        }
    }
}

/// Whether the roster is on the hub now. Without an answer, it reads the key again.
async fn write<H: Hub>(
    hub: &H,
    roster: &Roster,
    revision: Option<Revision>,
) -> Result<bool, RosterFault> {
    let name = names::roster().map_err(|error| HubError::Refused(error.to_string()))?;
    let sealed = bytes::Bytes::from(roster.to_sealed()?);
    match hub.cas(&name, revision, sealed.clone()).await {
        Ok(Swapped::Done(_)) => Ok(true),
        Ok(Swapped::Conflict) => Ok(false),
        Err(error) => match hub.get(&name).await {
            Ok(Some(there)) if there.bytes == sealed => Ok(true),
            // The first error is more specific.
            Ok(_) | Err(_) => Err(error.into()),
        },
    }
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
        let entries = here.entries().iter().cloned();
        let roster = self.roster.extended(entries).map_err(SealedRosterError::Roster);
        let roster = roster.map_err(RosterFault::from)?;
        if roster == self.roster {
            return Ok(());
        }
        self.roster = roster;
        self.refresh_keys().await
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
