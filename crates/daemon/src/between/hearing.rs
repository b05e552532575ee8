//! Taking in what other devices told.

use super::desk;
use super::gate::{Gate, Heard};
use crate::devices::{self, Edition};
use crate::live::Handle;
use crate::relay::Ears;
use crate::{DaemonError, relay};
use taffrail_model::StreamName;
use taffrail_model::exchange::{Kept, StorageFault, StreamOrigin};
use taffrail_model::relay::{Carried, Item as Relayed};
use taffrail_store::Ledger;
use taffrail_sync::Roster;
use taffrail_sync::exchange::{Applied, Item, own};
use taffrail_sync::hub::KeyName;

/// Where what is read from the hub goes.
#[derive(Debug)]
pub(crate) struct Hearing {
    handle: Handle,
    gate: Gate,
    /// Which state of the roster was seen last.
    roster: Option<Edition>,
    ears: Ears,
}

impl Hearing {
    pub(super) fn new(handle: Handle, gate: Gate) -> Self {
        Self { handle, gate, roster: None, ears: Ears::default() }
    }

    fn hear_share(&mut self, origin: &StreamOrigin, items: &[Item]) -> Kept<()> {
        let told: Vec<Relayed> = items.iter().filter_map(meant).collect();
        if told.is_empty() {
            return Ok(());
        }
        let from = (&origin.device, &origin.stream);
        relay::hear_share_now((&self.handle, &mut self.ears), from, &told)
            .map_err(|error| fault(&error))
    }
}

fn fault(error: &DaemonError) -> StorageFault {
    StorageFault(error.to_string())
}

impl Applied for Hearing {
    fn apply(&mut self, origin: &StreamOrigin, _: u64, items: &[Item]) -> Kept<()> {
        match self.gate.hears(origin) {
            Heard::Own => {}
            Heard::Share => return self.hear_share(origin, items),
            Heard::Nothing => return Ok(()),
        }
        desk::hear(&self.handle, origin, items).map_err(|error| fault(&error))?;
        let told: Vec<Relayed> = items.iter().filter_map(meant).collect();
        if told.is_empty() {
            return Ok(());
        }
        let heard = relay::hear_now((&self.handle, &mut self.ears), &origin.device, &told);
        heard.map_err(|error| fault(&error))
    }

    fn roster_changed(&mut self, roster: &Roster) -> Kept<()> {
        self.gate.learn(roster);
        devices::take_in(self.handle.settings(), roster).map_err(|error| fault(&error))
    }

    fn roster_here(&mut self) -> Kept<Option<Roster>> {
        let newer = devices::newer_roster(self.handle.settings(), &mut self.roster);
        let newer = newer.map_err(|error| fault(&error))?;
        newer.iter().for_each(|it| self.gate.learn(it));
        Ok(newer)
    }

    fn tell_anew(&mut self, stream: &StreamName) -> Kept<()> {
        let settings = self.handle.settings();
        let ledger = Ledger::open(&settings.data, &settings.new_device);
        let done = ledger.and_then(|mut it| match *stream == own() {
            true => it.tell_anew(),
            false => it.tell_share_anew(stream),
        });
        done.map_err(|error| StorageFault(error.to_string()))
    }

    fn key_moved(&mut self, _: &KeyName) -> Kept<()> {
        Ok(())
    }
}

/// An item as it is kept here; nothing of a kind that is not about the history of a session.
pub(super) fn meant(item: &Item) -> Option<Relayed> {
    match item {
        Item::Line { session, line } => {
            Some(Relayed { session: *session, carried: Carried::Line(line.clone()) })
        }
        Item::Status { session, body } => {
            let status = serde_json::from_str(body).ok()?;
            Some(Relayed { session: *session, carried: Carried::Status(status) })
        }
        Item::Gone { session } => Some(Relayed { session: *session, carried: Carried::Gone }),
        Item::Request { .. }
        | Item::Settled { .. }
        | Item::Answer(_)
        | Item::Prompt { .. }
        | Item::Receipt { .. }
        | Item::Unknown(_) => None,
    }
}
