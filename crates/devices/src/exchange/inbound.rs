//! Applies items that other devices published.

use super::gate::{Admission, Gate};
use super::remote_approvals;
use crate::device_list::names_in;
use crate::link::ExchangeHandle;
use crate::replication;
use crate::replication::{Inbound, Placed};
use taffrail_model::exchange::{StorageFault, StorageResult, StreamOrigin};
use taffrail_model::replication::Order;
use taffrail_model::{DeviceId, StreamName, Timestamp};
use taffrail_store::Ledger;
use taffrail_sync::Roster;
use taffrail_sync::exchange::{Item, ItemSink, Relocation, own_stream};
use taffrail_sync::hub::KeyName;
use taffrail_team::Edition;

/// Receives what is read from the hub.
#[derive(Debug)]
pub(super) struct InboundItems {
    handle: ExchangeHandle,
    gate: Gate,
    /// The last roster edition that was seen.
    roster: Option<Edition>,
    inbound: Inbound,
}

impl InboundItems {
    pub(super) fn new(handle: ExchangeHandle, gate: Gate) -> Self {
        Self { handle, gate, roster: None, inbound: Inbound::default() }
    }

    fn apply_share(&mut self, origin: &StreamOrigin, told: &[Placed<'_>]) -> StorageResult<()> {
        if told.is_empty() {
            return Ok(());
        }
        let from = (&origin.device, &origin.stream);
        replication::apply_share_now((&self.handle, &mut self.inbound), from, told)
            .map_err(|error| fault(&error))
    }
}

fn fault(error: &impl std::fmt::Display) -> StorageFault {
    StorageFault(error.to_string())
}

impl ItemSink for InboundItems {
    fn apply(&mut self, origin: &StreamOrigin, first: u64, items: &[Item]) -> StorageResult<()> {
        let told = placed(origin, first, items);
        match self.gate.admits(origin) {
            Admission::Own => {}
            Admission::Share => return self.apply_share(origin, &told),
            Admission::Nothing => return Ok(()),
        }
        remote_approvals::hear(&self.handle, origin, items).map_err(|error| fault(&error))?;
        if told.is_empty() {
            return Ok(());
        }
        let heard =
            replication::apply_now((&self.handle, &mut self.inbound), &origin.device, &told);
        heard.map_err(|error| fault(&error))
    }

    fn checkpoint(&mut self, origin: &StreamOrigin, items: &[(u64, Item)]) -> StorageResult<()> {
        match self.gate.admits(origin) {
            Admission::Own => {}
            // Only a device's own stream has checkpoints.
            Admission::Share | Admission::Nothing => return Ok(()),
        }
        let order = |number| Some(Order { life: origin.incarnation, number });
        let placed: Vec<Placed<'_>> = items.iter().map(|(n, item)| (order(*n), item)).collect();
        let to = (&self.handle, &mut self.inbound);
        replication::apply_checkpoint_now(to, &origin.device, &placed)
            .map_err(|error| fault(&error))
    }

    fn roster_changed(&mut self, roster: &Roster) -> StorageResult<()> {
        self.gate.learn(roster);
        let settings = self.handle.settings();
        let notice = taffrail_team::notice_of(settings, roster).map_err(|error| fault(&error))?;
        taffrail_team::take_in(settings, roster).map_err(|error| fault(&error))?;
        settings.devices.others.learn(names_in(roster));
        notice.into_iter().for_each(|it| self.handle.notify(it));
        Ok(())
    }

    fn roster_here(&mut self) -> StorageResult<Option<Roster>> {
        let newer = taffrail_team::newer_roster(self.handle.settings(), &mut self.roster);
        let newer = newer.map_err(|error| fault(&error))?;
        newer.iter().for_each(|it| self.gate.learn(it));
        Ok(newer)
    }

    fn republish(&mut self, stream: &StreamName) -> StorageResult<()> {
        let settings = self.handle.settings();
        let ledger = Ledger::open(&settings.data, &settings.new_device);
        let done = ledger.and_then(|mut it| match *stream == own_stream() {
            true => it.tell_anew(),
            false => it.tell_share_anew(stream),
        });
        done.map_err(|error| StorageFault(error.to_string()))
    }

    fn hub_moved(&mut self, to: Option<&Relocation>) -> StorageResult<()> {
        self.handle.state().announced.send_if_modified(|before| {
            let is_other = before.as_ref() != to;
            *before = to.cloned();
            is_other
        });
        Ok(())
    }

    fn lives(&mut self, device: &DeviceId, at: Timestamp) -> StorageResult<()> {
        replication::apply_beat(&self.handle, device, at).map_err(|error| fault(&error))
    }

    fn key_moved(&mut self, _: &KeyName) -> StorageResult<()> {
        Ok(())
    }
}

/// The items of sessions' histories, each with its position in the stream.
pub(super) fn placed<'i>(origin: &StreamOrigin, first: u64, items: &'i [Item]) -> Vec<Placed<'i>> {
    let order = |number| Some(Order { life: origin.incarnation, number });
    let numbered = (first..).zip(items).filter(|(_, item)| item.history_of().is_some());
    numbered.map(|(number, item)| (order(number), item)).collect()
}
