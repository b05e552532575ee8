//! The roster on the hub: one key, sealed to the team, changed by compare-and-set.
//!
//! A device never goes back behind what it knows. A hub that shows less is given what it lacks; one
//! that shows something else is not believed.

use super::engine::{Exchange, ItemSink};
use super::{ExchangeError, Inbox, Outbox, names};
use crate::envelope::EnvelopeFault;
use crate::hub::{Hub, HubError, Revision, Swapped, Value};
use crate::keys::Identity;
use crate::roster::{Fault, Pin, Roster, SealedRosterError, entries_of_sealed};

/// How often a contested roster is tried.
const TRIES: usize = 8;

/// Why a roster was not fetched or changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RosterFault {
    /// The hub did not do it.
    #[error(transparent)]
    Hub(#[from] HubError),
    /// The hub has no roster.
    #[error("The hub has nothing of this team")]
    Nothing,
    /// It is not sealed to this device.
    #[error("The roster on the hub is not sealed to this device: it was removed, or is not in yet")]
    NotForUs,
    /// The roster on the hub is not valid.
    #[error("The roster on the hub is refused: {0}")]
    Refused(SealedRosterError),
    /// The change is not allowed, or not any more.
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

/// What the hub had.
struct Fetched {
    roster: Roster,
    revision: Option<Revision>,
    /// The hub has all that is known here.
    is_whole: bool,
}

/// The roster with what the hub has of it. If the hub has less, or nothing, it is given ours.
///
/// # Errors
/// The hub cannot be reached, or what it has is not for us, forked or another team's.
pub async fn fetch_roster<H: Hub>(
    hub: &H,
    roster: &Roster,
    identity: &Identity,
) -> Result<Roster, RosterFault> {
    for _ in 0..TRIES {
        let fetched = look(hub, roster, identity).await?;
        let is_there = fetched.is_whole
            || match write(hub, &fetched.roster, fetched.revision).await {
                // A server may take the roster from admins only. What is known here is known, and an
                // admin's next look gives the hub what it lacks.
                Err(RosterFault::Hub(_)) => true,
                written => written?,
            };
        if is_there {
            return Ok(fetched.roster);
        }
    }
    Err(contested())
}

/// The roster of a team on a hub, for who has no more of it than a pin. Nothing is written.
///
/// # Errors
/// The hub cannot be reached, has nothing of the team, or shows what does not go on from the pin.
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

/// Changes the roster: the change is made to the newest one there is, as often as somebody else was
/// faster, and is refused where it is not allowed any more.
///
/// # Errors
/// The hub cannot be reached, what it has is refused, or the change is.
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

/// Whether the roster stands on the hub now. After an answer that never came it is looked for.
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
            // The first error says more.
            Ok(_) | Err(_) => Err(error.into()),
        },
    }
}

fn contested() -> RosterFault {
    HubError::Unreachable("the roster is written by others again and again".to_owned()).into()
}

impl<H: Hub, S: Outbox + Inbox, A: ItemSink> Exchange<H, S, A> {
    /// Learns of devices that came or went, and wraps our keys to who may read now.
    ///
    /// # Errors
    /// Says what the hub or memory did not do.
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

    /// Takes up what another program of this device did to the team: whom it took out must not read what is
    /// sealed after that, whether the hub's hint has come or not.
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

    /// Changes the roster on the hub and here.
    ///
    /// # Errors
    /// The hub cannot be reached, what it has is refused, or the change is.
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
