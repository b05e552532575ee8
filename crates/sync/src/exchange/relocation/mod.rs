//! A team moves from one hub to another while its devices run.
//!
//! An admin device writes a signed announcement on the old hub, with the new address sealed to the team.
//! From then on the old hub gives no lease and no claim, and its roster does not change. The admin carries
//! what decides (roster, leases, claims) to the new hub, and only then writes there, signed, that the team
//! has arrived. A device follows once it finds that note; until then it publishes to the old hub.
//! Entries and segments are not carried: each device sends its own again, as to a hub that was emptied.
//!
//! The order makes it safe. A device that takes a lease writes it first and then looks for the announcement;
//! the admin writes the announcement first and then reads the leases. So either the device finds the
//! announcement and gives the lease back, or the admin finds the lease and carries it.

mod carry;
mod statement;

pub use carry::{Carried, carry};
pub use statement::Relocation;

use super::engine::{Exchange, ItemSink};
use super::team::{RosterFault, fence_roster, fetch_roster, read_roster};
use super::{ExchangeError, Inbox, LocalDevice, Outbox};
use crate::hub::lease::{self, Lease};
use crate::hub::{Hub, HubError, KeyName, Swapped, Value};
use crate::keys::Identity;
use crate::roster::{Role, Roster};
use statement::Announcement;
use taffrail_model::Timestamp;

/// How many times a contested key is tried.
const TRIES: usize = 8;

/// Why a team is not moved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RelocationFault {
    /// A hub failed.
    #[error(transparent)]
    Hub(#[from] HubError),
    /// The roster could not be carried.
    #[error(transparent)]
    Roster(#[from] RosterFault),
    /// Only an admin device moves a team.
    #[error("only an admin device can move the team")]
    NotAdmin,
    /// The announcement cannot be sealed.
    #[error("the announcement cannot be sealed to the team")]
    NotSealed,
    /// Another move began, and has not ended.
    #[error("the team moves to another hub already: {0}")]
    Elsewhere(String),
    /// The devices arrived, and what they do there must not be overwritten.
    #[error("the team has arrived there already")]
    Arrived,
}

impl From<crate::hub::NameError> for RelocationFault {
    fn from(error: crate::hub::NameError) -> Self {
        HubError::Refused(error.to_string()).into()
    }
}

/// Announces on a hub that the team leaves it, and fences its roster. A move to the same address that began
/// before goes on. Numbers grow: `last` is the last number that this device followed.
///
/// The first announcement has no address. Only the second one, after the fence, does, and is sealed to everybody who
/// is in the team by then: a device that joins while a move breaks off must be able to follow, too.
///
/// # Errors
/// This device is not an admin, the team moves elsewhere already, or the hub fails.
pub async fn leave<H: Hub>(
    old: &H,
    (roster, us): (&Roster, &LocalDevice),
    (to, last): (&str, u64),
) -> Result<Relocation, RelocationFault> {
    let member = roster.member(&us.device).filter(|it| it.is_current());
    if member.is_none_or(|it| it.role != Role::Admin) {
        return Err(RelocationFault::NotAdmin);
    }
    let (key, identity) = (statement::announcement_key()?, us.secret.identity());
    for _ in 0..TRIES {
        let roster = &fetch_roster(old, roster, identity).await?;
        let there = old.get(&key).await?;
        let arrived = arrival(old, roster).await?.map_or(0, |it| it.n);
        let known = there.as_ref().and_then(|it| Announcement::parse(&it.bytes, roster));
        let known = known.filter(|it| it.n > arrived);
        if let Some(begun) =
            known.as_ref().map(|it| it.opened(identity)).filter(|it| it.to.is_some())
        {
            return begun_before(begun, to);
        }
        let mut revision = there.map(|it| it.revision);
        let n = match known {
            Some(known) => known.n,
            None => {
                let n = last.max(number(old).await?) + 1;
                let intent = signed((n, ""), (roster, us))?;
                match old.cas(&key, revision, intent.to_bytes().into()).await? {
                    Swapped::Done(written) => revision = Some(written),
                    Swapped::Conflict => continue,
                }
                n
            }
        };
        let fenced = fence_roster(old, roster, identity).await?;
        let said = signed((n, to), (&fenced, us))?;
        if let Swapped::Done(_) = old.cas(&key, revision, said.to_bytes().into()).await? {
            return Ok(said.opened(identity));
        }
    }
    Err(contested(&key).into())
}

/// A move that has its address goes on, if it is the same one.
fn begun_before(begun: Relocation, to: &str) -> Result<Relocation, RelocationFault> {
    match begun.to.as_deref() == Some(to) {
        true => Ok(begun),
        false => Err(RelocationFault::Elsewhere(begun.to.unwrap_or_default())),
    }
}

fn signed(
    (n, to): (u64, &str),
    (roster, us): (&Roster, &LocalDevice),
) -> Result<Announcement, RelocationFault> {
    let said = Announcement::sign(n, to, roster, &us.signer());
    said.map_err(|_| RelocationFault::NotSealed)
}

/// Writes on the new hub that what decides is there. Devices follow from then on. An announcement from an
/// earlier time, when the team left that hub, is cleared. A later arrival there, and the announcement of a later
/// move, stay.
///
/// # Errors
/// The hub fails.
pub async fn arrive<H: Hub>(
    new: &H,
    (roster, us): (&Roster, &LocalDevice),
    relocation: &Relocation,
) -> Result<(), RelocationFault> {
    // An admin that is not known here may have signed a later arrival.
    let roster = &fetch_roster(new, roster, us.secret.identity()).await?;
    let key = statement::arrival_key()?;
    let bytes = statement::sign_arrival(relocation, roster, &us.signer());
    for _ in 0..TRIES {
        let revision = new.get(&key).await?.map(|it| it.revision);
        if has_arrived(new, roster, relocation).await? {
            return clear(new, relocation.n).await;
        }
        if let Swapped::Done(_) = new.cas(&key, revision, bytes.clone().into()).await? {
            return clear(new, relocation.n).await;
        }
    }
    Err(contested(&key).into())
}

/// Clears the announcement of a move up to this one. The arrival outweighs it while its signer is an admin.
async fn clear<H: Hub>(hub: &H, n: u64) -> Result<(), RelocationFault> {
    let key = statement::announcement_key()?;
    for _ in 0..TRIES {
        let is_past = |it: &Value| !it.bytes.is_empty() && statement::number(&it.bytes) <= n;
        let Some(there) = hub.get(&key).await?.filter(is_past) else { return Ok(()) };
        let cleared = hub.cas(&key, Some(there.revision), bytes::Bytes::new()).await?;
        if let Swapped::Done(_) = cleared {
            return Ok(());
        }
    }
    Err(contested(&key).into())
}

/// The highest number of a move that a hub names. Not verified: the signer may be removed by now, and a
/// number that is too high does no harm.
async fn number<H: Hub>(hub: &H) -> Result<u64, RelocationFault> {
    let mut highest = 0;
    for key in [statement::announcement_key()?, statement::arrival_key()?] {
        let there = hub.get(&key).await?;
        highest = there.map_or(0, |it| statement::number(&it.bytes)).max(highest);
    }
    Ok(highest)
}

/// Whether the team has arrived with this move or with a later one, by the note of an admin of this roster. The
/// number of a move is higher than that of any arrival before it.
///
/// # Errors
/// The hub fails.
pub async fn has_arrived<H: Hub>(
    new: &H,
    roster: &Roster,
    relocation: &Relocation,
) -> Result<bool, HubError> {
    let there = arrival(new, roster).await?;
    Ok(there.is_some_and(|it| {
        it.n > relocation.n || it.n == relocation.n && it.announcement == relocation.announcement
    }))
}

/// Whether a device may follow: the team has arrived with this move or, while the device was away, left that hub
/// and came back. An admin whom the device does not know yet may have signed that, so the roster there counts, too.
///
/// # Errors
/// The hub fails.
pub async fn may_follow<H: Hub>(
    new: &H,
    (roster, identity): (&Roster, &Identity),
    relocation: &Relocation,
) -> Result<bool, HubError> {
    if has_arrived(new, roster, relocation).await? {
        return Ok(true);
    }
    let key = statement::arrival_key().map_err(|it| odd(&it))?;
    let there = new.get(&key).await?.map_or(0, |it| statement::number(&it.bytes));
    if there <= relocation.n {
        return Ok(false);
    }
    match read_roster(new, roster, identity).await {
        Ok(newer) => has_arrived(new, &newer, relocation).await,
        Err(RosterFault::Hub(error)) => Err(error),
        Err(_) => Ok(false),
    }
}

/// Whether the team has announced that it leaves this hub. What decides must then happen elsewhere.
///
/// # Errors
/// The hub fails.
pub async fn is_left<H: Hub>(hub: &H, roster: &Roster) -> Result<bool, HubError> {
    Ok(announced(hub, roster).await?.is_some())
}

/// The move that leads away from a hub, if there is one.
///
/// # Errors
/// The hub fails.
pub async fn relocation_of<H: Hub>(
    hub: &H,
    roster: &Roster,
    identity: &Identity,
) -> Result<Option<Relocation>, HubError> {
    Ok(announced(hub, roster).await?.map(|it| it.opened(identity)))
}

/// Takes a lease, as [`lease::acquire`] does. On a hub that the team leaves nobody gets one: looked at after
/// the lease was written, so that it is either carried to the new hub or given to nobody.
///
/// # Errors
/// The hub fails, or the team leaves it.
pub async fn acquire_lease<H: Hub>(
    hub: &H,
    roster: &Roster,
    (key, holder): (&KeyName, &str),
    (until, now): (Timestamp, Timestamp),
) -> Result<Lease, HubError> {
    let got = lease::acquire(hub, key, holder, until, now).await?;
    if matches!(got, Lease::Held(_)) && is_left(hub, roster).await? {
        return Err(leaving());
    }
    Ok(got)
}

/// The error of an operation that must not happen on a hub that the team leaves.
pub(super) fn leaving() -> HubError {
    HubError::Unreachable("the team moves to another hub; try again in a moment".to_owned())
}

/// Whether an operation failed because the team leaves the hub.
#[must_use]
pub fn is_leaving(error: &HubError) -> bool {
    *error == leaving()
}

async fn announced<H: Hub>(hub: &H, roster: &Roster) -> Result<Option<Announcement>, HubError> {
    let key = statement::announcement_key().map_err(|it| odd(&it))?;
    let Some(Value { bytes, .. }) = hub.get(&key).await? else { return Ok(None) };
    let Some(said) = Announcement::parse(&bytes, roster) else { return Ok(None) };
    let arrived = arrival(hub, roster).await?.map_or(0, |it| it.n);
    Ok((said.n > arrived).then_some(said))
}

async fn arrival<H: Hub>(hub: &H, roster: &Roster) -> Result<Option<statement::Arrival>, HubError> {
    let key = statement::arrival_key().map_err(|it| odd(&it))?;
    let there = hub.get(&key).await?;
    Ok(there.and_then(|it| statement::arrival(&it.bytes, roster)))
}

fn odd(error: &crate::hub::NameError) -> HubError {
    HubError::Refused(error.to_string())
}

fn contested(key: &KeyName) -> HubError {
    HubError::Unreachable(format!("{key} is written by others again and again"))
}

impl<H: Hub, S: Outbox + Inbox, A: ItemSink> Exchange<H, S, A> {
    /// Learns whether the team leaves this hub.
    pub(super) async fn learn_relocation(&mut self) -> Result<(), ExchangeError> {
        let identity = self.us.secret.identity();
        let found = relocation_of(&self.hub, &self.roster, identity).await?;
        Ok(self.applied.hub_moved(found.as_ref())?)
    }

    /// Whether a hint is about a move.
    pub(super) fn is_relocation(key: &KeyName) -> Result<bool, ExchangeError> {
        Ok(*key == statement::announcement_key()?)
    }
}
