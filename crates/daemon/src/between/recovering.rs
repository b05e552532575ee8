//! Everything lost devices gave the hub, brought back with a recovery key.
//!
//! Nobody of the team has to be there. What is read was signed by the devices of a roster that goes on
//! from the one the key remembers: a hub can withhold, and make nothing up.

use super::gate::{Gate, Heard};
use super::hearing::meant;
use crate::hubs::{self, HubFault};
use crate::{DaemonError, Settings, relay};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use taffrail_model::exchange::{Kept, StorageFault, StreamOrigin};
use taffrail_model::relay::Item as Relayed;
use taffrail_model::{DeviceId, SessionId, StreamName};
use taffrail_sync::Roster;
use taffrail_sync::exchange::{
    Applied, Draw, Exchange, Item, MemoryStore, Parts, RosterFault, Standstill, Us,
    recovered_roster,
};
use taffrail_sync::hub::{HubUrl, KeyName};
use taffrail_sync::keys::DeviceSecret;
use taffrail_sync::roster::RecoveryKey;
use zeroize::Zeroizing;

/// What came back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Regained {
    /// Whose key it is.
    pub user: String,
    /// The devices of that user, with how many sessions each told of.
    pub devices: BTreeMap<String, usize>,
    /// Lines that were new here.
    pub lines: u64,
    /// Lines that were not believed.
    pub refused: u64,
    /// What could not be read, and why.
    pub unread: Vec<String>,
}

/// Reads all that the devices of the key's user gave a hub, as told by them.
///
/// # Errors
/// When the hub does not answer or has nothing of the team, or the key is nobody's there.
pub fn recover(
    settings: &Settings,
    address: &str,
    key: RecoveryKey,
) -> Result<Regained, DaemonError> {
    let url = HubUrl::parse(address).map_err(HubFault::from)?;
    hubs::block_on(async {
        let mut draw = Draw::new(settings.hub.draw.ok_or(HubFault::NoChance)?);
        let RecoveryKey { identity, pin } = key;
        let recipient = identity.recipient();
        let secret = DeviceSecret::of_recovery(identity, &Zeroizing::new(draw.bytes()));
        let hub = hubs::open(settings, &url, &pin.team, &secret).await?;
        let roster = recovered_roster(&hub, &pin, secret.identity()).await;
        let roster = roster.map_err(|fault| match fault {
            RosterFault::NotForUs => HubFault::NobodysKey,
            fault => HubFault::from(fault),
        })?;
        let user = roster.recovered_by(&recipient).ok_or(HubFault::NobodysKey)?.to_owned();
        let applied = Regaining::new(settings, (&user, &roster));
        let us = Us { device: DeviceId::new("recovery"), secret: Arc::new(secret) };
        let (durable, store) = (super::durable(&hub), MemoryStore::default());
        let mut exchange = Exchange::new(Parts { hub, durable, store, applied, us, roster, draw });
        exchange.read().await.map_err(HubFault::from)?;
        let standing = exchange.health().standing.clone();
        exchange.into_parts().applied.done(user, &standing)
    })
}

type Standing = BTreeMap<StreamOrigin, Standstill>;

/// Where what is read goes.
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

    fn done(self, user: String, standing: &Standing) -> Result<Regained, DaemonError> {
        if !self.sessions.is_empty() {
            relay::keep_names(&self.settings.data, &self.names)?;
        }
        let ours = standing.iter().filter(|(it, _)| self.gate.hears(it) == Heard::Own);
        let unread = ours.map(|(it, still)| format!("{}: {}", self.name(&it.device), still.why));
        let unread = unread.collect();
        let counted = |(device, all): (&DeviceId, &BTreeSet<_>)| (self.name(device), all.len());
        let devices = self.sessions.iter().map(counted).collect();
        let Self { lines, refused, .. } = self;
        Ok(Regained { user, devices, lines, refused, unread })
    }
}

impl Applied for Regaining<'_> {
    fn apply(&mut self, origin: &StreamOrigin, _: u64, items: &[Item]) -> Kept<()> {
        let told: Vec<Relayed> = items.iter().filter_map(meant).collect();
        if told.is_empty() || self.gate.hears(origin) != Heard::Own {
            return Ok(());
        }
        let heard = relay::hear(self.settings, &origin.device, &told);
        let heard = heard.map_err(|error| StorageFault(error.to_string()))?;
        let sessions = self.sessions.entry(origin.device.clone()).or_default();
        sessions.extend(told.iter().map(|it| it.session));
        (self.lines, self.refused) = (self.lines + heard.lines, self.refused + heard.refused);
        Ok(())
    }

    fn roster_changed(&mut self, _: &Roster) -> Kept<()> {
        Ok(())
    }

    fn tell_anew(&mut self, _: &StreamName) -> Kept<()> {
        Ok(())
    }

    fn key_moved(&mut self, _: &KeyName) -> Kept<()> {
        Ok(())
    }
}
