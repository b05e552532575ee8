//! Retention: what is old or too much leaves the hub once nobody who counts needs it.
//!
//! An admin device with a limit in its settings announces the policy. From then on every device says how
//! far it has read. The admin removes, oldest first,
//!
//! - entries of a log that are in segments, when every reader that counts has them,
//! - entries and segments beyond the limits, when every reader that counts has them,
//! - bundles beyond the limits,
//! - checkpoints beyond the limits, and those that a newer one replaced.
//!
//! A reader counts until it was silent for as long as the policy keeps data. A reader that comes back
//! later learns from a signed statement what was removed, and goes on behind it: without the statement
//! it would take a gap for a loss. The last entry of a log always stays. Ages are measured by the hub's
//! clock, and silence by the admin's own observation, so no wrong clock of a device removes anything.

mod plan;
mod statement;
mod view;

use super::engine::{Exchange, ItemSink};
use super::relocation::is_left;
use super::{ExchangeError, Inbox, Outbox};
use crate::hub::{Hub, HubError, KeyName, Swapped};
use crate::roster::{Role, Roster};
use plan::{Plan, plan};
use serde::{Deserialize, Serialize};
use statement::{Floors, Positions};
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use taffrail_model::exchange::StreamOrigin;
use taffrail_model::{DeviceId, Timestamp};

/// How often a device says how far it has read, while that changes: an hour, in seconds.
const SAY_SECONDS: i64 = 60 * 60;
/// How often it says so at least: it shows that it is there.
const REPEAT_SECONDS: i64 = 20 * 60 * 60;
/// The store's note of the last statement of this device.
const SAID: &str = "retention/said";
/// How many times a contested key is tried.
const TRIES: usize = 8;

/// What a hub keeps of a team; without any limit, everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Keep {
    /// At most this many days.
    pub days: Option<NonZeroU32>,
    /// At most this many bytes.
    pub bytes: Option<u64>,
}

impl Keep {
    /// Whether anything is ever removed.
    #[must_use]
    pub fn has_limit(&self) -> bool {
        self.days.is_some() || self.bytes.is_some()
    }
}

/// What retention removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Removed {
    /// How many logs became shorter.
    pub logs: usize,
    /// How many entries went.
    pub entries: u64,
    /// How many segments and bundles.
    pub blobs: usize,
    /// How many bytes of the team the hub has now.
    pub left: u64,
}

/// The last statement of this device, as its store remembers it.
#[derive(Debug, Serialize, Deserialize)]
struct Said {
    at: i64,
    positions: Positions,
}

impl<H: Hub, S: Outbox + Inbox, A: ItemSink> Exchange<H, S, A> {
    /// Removes from the hub what the policy does not keep. Only an admin device does; any other does
    /// nothing.
    ///
    /// # Errors
    /// Returns an error of the hub or the store. What was removed before stays removed.
    pub async fn retain(&mut self, keep: Keep, now: Timestamp) -> Result<Removed, ExchangeError> {
        if !self.is_admin() {
            return Ok(Removed::default());
        }
        // A reader that joined while this device was away counts, too. On a hub that the team leaves this device may
        // not learn of it.
        self.follow_roster().await?;
        if !self.is_admin() || is_left(&self.hub, &self.roster).await? {
            return Ok(Removed::default());
        }
        self.announce(keep).await?;
        if !keep.has_limit() {
            return Ok(Removed::default());
        }
        self.say_positions(now).await?;
        let view = self.view(keep, now).await?;
        let plan = plan(&view, keep);
        self.state(&view.floors, &plan.floors).await?;
        self.carry_out(&plan).await?;
        Ok(plan.removed())
    }

    fn is_admin(&self) -> bool {
        let member = self.roster.member(&self.us.device).filter(|it| it.is_current());
        member.is_some_and(|it| it.role == Role::Admin)
    }

    /// Writes the policy, so that other devices say how far they have read.
    async fn announce(&mut self, keep: Keep) -> Result<(), ExchangeError> {
        let name = statement::policy_key()?;
        let there = self.hub.get(&name).await?;
        let known = there.as_ref().and_then(|it| statement::policy(&it.bytes, &self.roster));
        if known == Some(keep) || (known.is_none() && !keep.has_limit()) {
            return Ok(());
        }
        let bytes = statement::sign_policy(keep, &self.roster, &self.us.signer());
        self.put(&name, bytes).await
    }

    /// Writes where each log of a device begins now. What was stated before stays true.
    async fn state(
        &mut self,
        before: &BTreeMap<DeviceId, Floors>,
        now: &BTreeMap<DeviceId, Floors>,
    ) -> Result<(), ExchangeError> {
        for (device, floors) in now.iter().filter(|(device, it)| before.get(*device) != Some(*it)) {
            let bytes = statement::sign_floors(floors, &self.roster, &self.us.signer());
            self.put(&statement::floors_key(device)?, bytes).await?;
        }
        Ok(())
    }

    /// Removes what was planned. The readers' statements are on the hub.
    async fn carry_out(&mut self, plan: &Plan) -> Result<(), ExchangeError> {
        for (log, first) in &plan.trims {
            self.hub.trim(log, *first).await?;
        }
        for blob in &plan.blobs {
            self.hub.remove_blob(blob).await?;
            if let Some(other) = self.durable.other() {
                other.remove_blob(blob).await?;
            }
        }
        Ok(())
    }

    async fn put(&mut self, name: &KeyName, bytes: Vec<u8>) -> Result<(), ExchangeError> {
        for _ in 0..TRIES {
            let revision = self.hub.get(name).await?.map(|it| it.revision);
            if let Swapped::Done(_) = self.hub.cas(name, revision, bytes.clone().into()).await? {
                return Ok(());
            }
        }
        Err(HubError::Unreachable(format!("{name} is written by others again and again")).into())
    }

    /// Says how far this device has read, if a policy asks for it and it is time.
    pub(super) async fn follow_policy(&mut self, now: Timestamp) -> Result<(), ExchangeError> {
        if !self.attention.has_policy {
            return Ok(());
        }
        match self.say_positions(now).await {
            // A server whose configuration is older does not admit it. The admin then waits for this
            // device, as for one that is away.
            Err(ExchangeError::Hub(HubError::Refused(why))) => {
                tracing::warn!(why, "cannot say on the hub how far this device has read");
                Ok(())
            }
            said => said,
        }
    }

    /// Learns whether there is a policy.
    pub(super) async fn learn_policy(&mut self) -> Result<(), ExchangeError> {
        let there = self.hub.get(&statement::policy_key()?).await?;
        let policy = there.and_then(|it| statement::policy(&it.bytes, &self.roster));
        self.attention.has_policy = policy.is_some_and(|it| it.has_limit());
        Ok(())
    }

    async fn say_positions(&mut self, now: Timestamp) -> Result<(), ExchangeError> {
        let mut positions = Positions::new();
        for origin in self.attention.there.clone() {
            if let Some(read) = self.store.read_to(&origin)? {
                positions.insert(super::names::log(&origin)?.as_str().to_owned(), read.seq);
            }
        }
        let said = self.store.note(SAID)?.and_then(|it| serde_json::from_slice::<Said>(&it).ok());
        if said.is_some_and(|it| !it.is_due(&positions, now)) {
            return Ok(());
        }
        let at = now.as_second();
        let bytes = statement::sign_positions(&positions, at, &self.roster, &self.us.signer());
        self.put(&statement::positions_key(&self.us.device)?, bytes).await?;
        // Numbers and names always serialize.
        let said = serde_json::to_vec(&Said { at, positions }).unwrap_or_default();
        Ok(self.store.keep_note(SAID, &said)?)
    }

    /// Where a log begins, if an admin removed what came before.
    pub(super) async fn floor(
        &mut self,
        origin: &StreamOrigin,
    ) -> Result<Option<u64>, ExchangeError> {
        let there = self.hub.get(&statement::floors_key(&origin.device)?).await?;
        let floors = there.and_then(|it| statement::floors(&it.bytes, &self.roster));
        let log = super::names::log(origin)?;
        Ok(floors.and_then(|it| it.get(log.as_str()).copied()))
    }
}

/// How far a device has read, as it says on the hub; `None` if it does not.
pub(super) async fn positions_of<H: Hub>(
    hub: &H,
    roster: &Roster,
    device: &DeviceId,
) -> Result<Option<BTreeMap<String, u64>>, ExchangeError> {
    let said = hub.get(&statement::positions_key(device)?).await?;
    Ok(said.and_then(|it| statement::positions(&it.bytes, roster, device)))
}

impl Said {
    fn is_due(&self, positions: &Positions, now: Timestamp) -> bool {
        // A clock that was set back must not silence a device.
        let waited = now.as_second().saturating_sub(self.at);
        let wait = if *positions == self.positions { REPEAT_SECONDS } else { SAY_SECONDS };
        !(0..wait).contains(&waited)
    }
}
