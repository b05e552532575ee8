//! Moves the team to another hub, and gives a move up.

use super::{address, block_on, open};
use crate::error::{DevicesError, HubFault};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use taffrail_context::Settings;
use taffrail_model::Timestamp;
use taffrail_model::exchange::Outbox;
use taffrail_store::Ledger;
use taffrail_sync::exchange::{
    LocalDevice, Relocation, RelocationFault, arrive, carry, fetch_roster, has_arrived, leave,
    may_follow, relocation_of,
};
use taffrail_sync::hub::{AnyHub, HubUrl};
use taffrail_sync::roster::{Role, Roster};
use taffrail_team::ThisDevice;

/// The ledger's note of the last move that this device followed.
const FOLLOWED: &str = "hub/followed";

/// What a move does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MovePlan {
    /// The hub that the team leaves.
    pub from: String,
    /// The hub that it goes to.
    pub to: String,
    /// The names of the other devices, which have to follow.
    pub devices: Vec<String>,
    /// Why devices do not follow by themselves, if so.
    pub by_hand: Option<ByHand>,
    /// Another move that began and has not ended leads there.
    pub goes_on: bool,
}

/// Why a device does not follow by itself: a hub that the admin names must not get what was meant for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ByHand {
    /// A bucket needs credentials, which each device's user gives.
    Bucket,
    /// A directory is a path of each machine; the old hub is not one.
    Directory,
    /// This device signs in with credentials from a file, which are for the old hub.
    Credentials,
}

impl ByHand {
    /// The reason in words.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bucket => "a bucket needs credentials",
            Self::Directory => "the new hub is a directory and the old one is not",
            Self::Credentials => "hub.credentials is for the old hub",
        }
    }
}

/// What was carried to the new hub.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Moved {
    /// How many leases.
    pub leases: usize,
    /// How many claims to decisions.
    pub claims: usize,
}

/// Why a device with these credentials does not follow from one hub to another by itself; `None` if it does.
#[must_use]
pub fn by_hand(from: &HubUrl, to: &HubUrl, has_credentials: bool) -> Option<ByHand> {
    match (from, to) {
        (_, HubUrl::Bucket(_)) => Some(ByHand::Bucket),
        (HubUrl::Directory(_), HubUrl::Directory(_)) => None,
        (HubUrl::Bucket(_) | HubUrl::Nats(_), HubUrl::Directory(_)) => Some(ByHand::Directory),
        (_, HubUrl::Nats(_)) if has_credentials => Some(ByHand::Credentials),
        (_, HubUrl::Nats(_)) => None,
    }
}

/// What a move from the hub in use to the hub of other settings does. Writes nothing.
///
/// # Errors
/// This device is not an admin, an address is invalid, the old hub does not answer, or the team moves
/// elsewhere already.
pub fn move_plan(settings: &Settings, new: &Settings) -> Result<MovePlan, DevicesError> {
    let (from, to) = (address(settings)?, address(new)?);
    block_on(async {
        let Old { us, roster, begun, .. } = Old::opened(settings, &from).await?;
        let (to_text, begun_to) = (to.to_string(), begun.as_ref().and_then(|it| it.to.as_deref()));
        if let Some(other) = begun_to.filter(|it| *it != to_text) {
            let elsewhere = RelocationFault::Elsewhere(other.to_owned());
            return Err(HubFault::from(elsewhere).into());
        }
        let by_hand = by_hand(&from, &to, settings.hub.credentials.is_some());
        let devices = others(&us, &roster);
        let goes_on = begun.is_some();
        Ok(MovePlan { from: from.to_string(), to: to_text, devices, by_hand, goes_on })
    })
}

/// Moves the team from the hub in use to the hub of other settings. A move there that broke off goes on.
///
/// # Errors
/// This device is not an admin, a hub does not answer, or the team moves elsewhere already. Repeat it.
pub fn move_team(settings: &Settings, new: &Settings) -> Result<Moved, DevicesError> {
    let (from, to) = (address(settings)?, address(new)?);
    let (moved, left) = block_on(async {
        let old = Old::opened(settings, &from).await?;
        let there = open(new, &to, old.roster.team(), &old.us.secret).await?;
        Ok(relocated(&old, &there, &to.to_string()).await.map_err(HubFault::from)?)
    })?;
    let (from, to, at) = (from.to_string(), to.to_string(), (settings.now)());
    note_followed(settings, &Followed { n: left.n, from, to, at })?;
    Ok(moved)
}

async fn relocated(
    old: &Old,
    new: &AnyHub,
    to: &str,
) -> Result<(Moved, Relocation), RelocationFault> {
    let by = (&old.roster, &old.us);
    let left = leave(&old.hub, by, (to, old.last)).await?;
    let moved = match carry((&old.hub, new), by, &left).await {
        Ok(carried) => Moved { leases: carried.leases, claims: carried.claims },
        // The answer to an earlier try was lost.
        Err(RelocationFault::Arrived) => Moved { leases: 0, claims: 0 },
        Err(error) => return Err(error),
    };
    arrive(new, by, &left).await?;
    Ok((moved, left))
}

/// Gives up a move that has not ended: the team stays at the hub in use. Returns where it led; `None` if the
/// team does not move. Two admins must not do this and move the team at the same moment.
///
/// # Errors
/// This device is not an admin, the new hub cannot say whether the team has arrived, or it has.
pub fn cancel_move(settings: &Settings, new: &Settings) -> Result<Option<String>, DevicesError> {
    let from = address(settings)?;
    block_on(async {
        let old = Old::opened(settings, &from).await?;
        let Some(begun) = &old.begun else { return Ok(None) };
        // Without an address the move broke off before any device could follow.
        if let Some(to) = &begun.to {
            let url = HubUrl::parse(to).map_err(HubFault::from)?;
            let there = open(new, &url, old.roster.team(), &old.us.secret).await?;
            if has_arrived(&there, &old.roster, begun).await.map_err(HubFault::from)? {
                return Err(HubFault::from(RelocationFault::Arrived).into());
            }
        }
        // Arriving where it left: from then on the announcement counts no more.
        arrive(&old.hub, (&old.roster, &old.us), begun).await.map_err(HubFault::from)?;
        Ok(Some(begun.to.clone().unwrap_or_default()))
    })
}

/// The hub that a team leaves, as an admin sees it.
struct Old {
    hub: AnyHub,
    us: LocalDevice,
    roster: Roster,
    /// The move that began there.
    begun: Option<Relocation>,
    /// The number of the last move that this device followed.
    last: u64,
}

impl Old {
    async fn opened(settings: &Settings, from: &HubUrl) -> Result<Self, DevicesError> {
        let ThisDevice { id, secret, roster, .. } = taffrail_team::own(settings)?;
        let hub = open(settings, from, roster.team(), &secret).await?;
        let roster =
            fetch_roster(&hub, &roster, secret.identity()).await.map_err(HubFault::from)?;
        let member = roster.member(&id).filter(|it| it.is_current());
        if member.is_none_or(|it| it.role != Role::Admin) {
            return Err(HubFault::from(RelocationFault::NotAdmin).into());
        }
        let begun = relocation_of(&hub, &roster, secret.identity()).await;
        let begun = begun.map_err(HubFault::from)?;
        let us = LocalDevice { device: id, secret: Arc::new(secret) };
        let last = last_followed(settings)?.map_or(0, |it| it.n);
        Ok(Self { hub, us, roster, begun, last })
    }
}

fn others(us: &LocalDevice, roster: &Roster) -> Vec<String> {
    let members = roster.members().filter(|it| it.is_current() && it.device.id != us.device);
    members.map(|it| it.device.name.clone()).collect()
}

/// Whether the team has arrived where it goes, as far as this device follows by itself.
pub(crate) async fn arrived(
    settings: &Settings,
    own: &ThisDevice,
    found: &Relocation,
) -> Result<Arrival, HubFault> {
    let Some(to) = &found.to else { return Ok(Arrival::Sealed) };
    let url = HubUrl::parse(to)?;
    if let Some(why) = by_hand(&address(settings)?, &url, settings.hub.credentials.is_some()) {
        return Ok(Arrival::ByHand(why, url));
    }
    let hub = open(settings, &url, own.roster.team(), &own.secret).await?;
    Ok(match may_follow(&hub, (&own.roster, own.secret.identity()), found).await? {
        true => Arrival::There(url),
        false => Arrival::NotThere,
    })
}

/// What a device finds of a move.
#[derive(Debug)]
pub(crate) enum Arrival {
    /// The address is not sealed to this device.
    Sealed,
    /// The user has to name the new hub.
    ByHand(ByHand, HubUrl),
    /// The team is there.
    There(HubUrl),
    /// The team is on its way.
    NotThere,
}

/// A move that this device followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Followed {
    /// The number of the move. An earlier one leads nowhere any more.
    pub(crate) n: u64,
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) at: Timestamp,
}

/// Remembers a move that this device follows.
pub(crate) fn note_followed(settings: &Settings, followed: &Followed) -> Result<(), DevicesError> {
    let mut ledger = Ledger::open(&settings.data, &settings.new_device)?;
    // Plain strings and times always serialize.
    let bytes = serde_json::to_vec(followed).unwrap_or_default();
    Ok(ledger.keep_note(FOLLOWED, &bytes).map_err(HubFault::from)?)
}

/// The last move that this device followed.
pub(crate) fn last_followed(settings: &Settings) -> Result<Option<Followed>, DevicesError> {
    let Some(mut ledger) = Ledger::open_read_only(&settings.data)? else { return Ok(None) };
    let note = Outbox::note(&mut ledger, FOLLOWED).map_err(HubFault::from)?;
    Ok(note.and_then(|it| serde_json::from_slice(&it).ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hub_that_an_admin_names_gets_nothing_that_was_for_another() {
        let check = |from: &str, to: &str, has_credentials: bool, expected: Option<ByHand>| {
            let (from, to) = (HubUrl::parse(from).unwrap(), HubUrl::parse(to).unwrap());
            assert_eq!(by_hand(&from, &to, has_credentials), expected, "{from} {to}");
        };
        check("nats://a", "tls://b?streams=16", false, None);
        check("nats://a", "nats://b", true, Some(ByHand::Credentials));
        check("file:///a", "nats://b", false, None);
        check("file:///a", "file:///b", true, None);
        check("nats://a", "file:///b", false, Some(ByHand::Directory));
        check("s3://a", "file:///b", false, Some(ByHand::Directory));
        check("s3://a", "s3://b", true, Some(ByHand::Bucket));
        check("file:///a", "s3://b", false, Some(ByHand::Bucket));
        check("s3://a", "nats://b", true, Some(ByHand::Credentials));
    }
}
