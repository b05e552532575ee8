//! Carries what decides from the old hub to the new one: the roster, leases and claims to decisions.

use super::{RelocationFault, TRIES, contested, has_arrived};
use crate::exchange::team::{carry_roster, fence_roster};
use crate::exchange::{LocalDevice, Relocation};
use crate::hub::{Hub, KeyName, Prefix, Swapped};
use crate::roster::Roster;

/// What was carried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carried {
    /// The roster, as both hubs have it now.
    pub roster: Roster,
    /// How many leases.
    pub leases: usize,
    /// How many claims to decisions.
    pub claims: usize,
}

/// Carries the roster, leases and claims. The old hub is left, so none of them changes there in effect; the
/// new one gives none until the team has arrived there.
///
/// # Errors
/// A hub fails, or the team has arrived in the meantime. What was carried stays; repeat it.
pub async fn carry<O: Hub, N: Hub>(
    (old, new): (&O, &N),
    (roster, us): (&Roster, &LocalDevice),
    relocation: &Relocation,
) -> Result<Carried, RelocationFault> {
    let identity = us.secret.identity();
    let roster = fence_roster(old, roster, identity).await?;
    let roster = carry_roster(new, &roster, identity).await?;
    let mut counts = [0, 0];
    for (count, below) in counts.iter_mut().zip(["lease", "decision"]) {
        for key in old.keys(&Prefix::new(below)?).await? {
            *count += usize::from(carry_key((old, new), &key, &roster, relocation).await?);
        }
    }
    let [leases, claims] = counts;
    Ok(Carried { roster, leases, claims })
}

/// Copies a key. The revision is read before the arrival: what a device writes after it is not overwritten.
async fn carry_key<O: Hub, N: Hub>(
    (old, new): (&O, &N),
    key: &KeyName,
    roster: &Roster,
    relocation: &Relocation,
) -> Result<bool, RelocationFault> {
    let Some(value) = old.get(key).await? else { return Ok(false) };
    for _ in 0..TRIES {
        let there = new.get(key).await?;
        if has_arrived(new, roster, relocation).await? {
            return Err(RelocationFault::Arrived);
        }
        if there.as_ref().is_some_and(|it| it.bytes == value.bytes) {
            return Ok(true);
        }
        let revision = there.map(|it| it.revision);
        if let Swapped::Done(_) = new.cas(key, revision, value.bytes.clone()).await? {
            return Ok(true);
        }
    }
    Err(contested(key).into())
}
