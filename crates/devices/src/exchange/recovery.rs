//! Recovers everything that lost devices gave the hub, with a recovery key.
//!
//! No other member of the team has to be present. Every batch is signed by a device of a roster
//! that descends from the one the key remembers: a hub can withhold data but cannot invent any.

use super::gate::{Admission, Gate};
use super::inbound::placed;
use crate::error::DevicesError;
use crate::error::HubFault;
use crate::hubs;
use crate::replication;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use taffrail_context::Settings;
use taffrail_model::exchange::{StorageFault, StorageResult, StreamOrigin};
use taffrail_model::{DeviceId, SessionId, StreamName};
use taffrail_sync::Roster;
use taffrail_sync::exchange::{
    Exchange, Item, ItemSink, LocalDevice, MemoryStore, Parts, Random, RosterFault, Stall,
    recovered_roster,
};
use taffrail_sync::hub::{HubUrl, KeyName};
use taffrail_sync::keys::DeviceSecret;
use taffrail_sync::roster::RecoveryKey;

/// What was recovered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Regained {
    /// The user the key belongs to.
    pub user: String,
    /// The devices of that user, with the number of sessions from each.
    pub devices: BTreeMap<String, usize>,
    /// Lines that were new here.
    pub lines: u64,
    /// Lines that were refused.
    pub refused: u64,
    /// What could not be read, and why.
    pub unread: Vec<String>,
}

/// Reads everything that the devices of the key's user gave a hub, and stores it under those
/// devices.
///
/// # Errors
/// When the hub does not answer or has nothing of the team, or when the key belongs to nobody
/// there.
pub fn recover(
    settings: &Settings,
    address: &str,
    key: RecoveryKey,
) -> Result<Regained, DevicesError> {
    let url = HubUrl::parse(address).map_err(HubFault::from)?;
    hubs::block_on(async {
        let draw = Random::new(settings.hub.draw.ok_or(HubFault::NoChance)?);
        let RecoveryKey { identity, pin } = key;
        let recipient = identity.recipient();
        let secret = DeviceSecret::of_recovery(identity);
        let hub = hubs::open(settings, &url, &pin.team, &secret).await?;
        let roster = recovered_roster(&hub, &pin, secret.identity()).await;
        let roster = roster.map_err(|fault| match fault {
            RosterFault::NotForUs => HubFault::NobodysKey,
            fault => HubFault::from(fault),
        })?;
        let user = roster.recovered_by(&recipient).ok_or(HubFault::NobodysKey)?.to_owned();
        let applied = Regaining::new(settings, (&user, &roster));
        let blobs = hubs::blob_place(settings, &pin.team, &secret)?;
        let us = LocalDevice { device: DeviceId::new("recovery"), secret: Arc::new(secret) };
        let (durable, store) = (super::durable(&hub, blobs), MemoryStore::default());
        let mut exchange =
            Exchange::new(Parts { hub, durable, store, applied, us, roster, random: draw });
        exchange.read().await.map_err(HubFault::from)?;
        let standing = exchange.health().standing.clone();
        exchange.into_parts().applied.done(user, &standing)
    })
}

type Standing = BTreeMap<StreamOrigin, Stall>;

/// Receives what is read from the hub.
#[derive(Debug)]
struct Regaining<'s> {
    settings: &'s Settings,
    gate: Gate,
    names: BTreeMap<DeviceId, String>,
    sessions: BTreeMap<DeviceId, BTreeSet<SessionId>>,
    lines: u64,
    refused: u64,
}

impl<'s> Regaining<'s> {
    fn new(settings: &'s Settings, (user, roster): (&str, &Roster)) -> Self {
        let gate = Gate::new(user, roster);
        let members = roster.members().map(|it| &it.device);
        let names = members.map(|it| (it.id.clone(), it.name.clone())).collect();
        Self { settings, gate, names, sessions: BTreeMap::new(), lines: 0, refused: 0 }
    }

    fn name(&self, device: &DeviceId) -> String {
        self.names.get(device).map_or_else(|| device.to_string(), Clone::clone)
    }

    fn done(self, user: String, standing: &Standing) -> Result<Regained, DevicesError> {
        if !self.sessions.is_empty() {
            taffrail_context::keep_names(&self.settings.data, &self.names)?;
        }
        let ours = standing.iter().filter(|(it, _)| self.gate.admits(it) == Admission::Own);
        let unread = ours.map(|(it, still)| format!("{}: {}", self.name(&it.device), still.why));
        let unread = unread.collect();
        let counted = |(device, all): (&DeviceId, &BTreeSet<_>)| (self.name(device), all.len());
        let devices = self.sessions.iter().map(counted).collect();
        let Self { lines, refused, .. } = self;
        Ok(Regained { user, devices, lines, refused, unread })
    }
}

impl ItemSink for Regaining<'_> {
    fn apply(&mut self, origin: &StreamOrigin, first: u64, items: &[Item]) -> StorageResult<()> {
        let told = placed(origin, first, items);
        if told.is_empty() || self.gate.admits(origin) != Admission::Own {
            return Ok(());
        }
        let heard = replication::Inbound::default().apply(self.settings, &origin.device, &told);
        let heard = heard.map_err(|error| StorageFault(error.to_string()))?;
        let sessions = self.sessions.entry(origin.device.clone()).or_default();
        sessions.extend(told.iter().filter_map(|(_, it)| it.history_of()));
        (self.lines, self.refused) = (self.lines + heard.lines, self.refused + heard.refused);
        Ok(())
    }

    fn roster_changed(&mut self, _: &Roster) -> StorageResult<()> {
        Ok(())
    }

    fn republish(&mut self, _: &StreamName) -> StorageResult<()> {
        Ok(())
    }

    fn key_moved(&mut self, _: &KeyName) -> StorageResult<()> {
        Ok(())
    }
}
