//! What an admin device sees before it removes anything.

use super::statement::{self, Floors, Positions};
use super::{Exchange, ExchangeError, Inbox, ItemSink, Keep, Outbox};
use crate::hub::{Hub, Stored, StoredItem};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use taffrail_model::{DeviceId, Timestamp};

/// For how many days a silent reader counts where the policy names none.
const COUNT_DAYS: i64 = 30;
const DAY: i64 = 24 * 60 * 60;
/// The store's note of when each device was last seen.
const SEEN: &str = "retention/seen";

/// The state of the hub and of the readers.
#[derive(Debug)]
pub(super) struct View {
    /// The time, by the hub's clock as far as it can be known.
    pub(super) now: Timestamp,
    /// Everything that is stored, with its time and its size.
    pub(super) stored: BTreeMap<StoredItem, (Timestamp, u64)>,
    /// Each current device.
    pub(super) devices: Vec<Reader>,
    /// Where logs begin, as stated so far.
    pub(super) floors: BTreeMap<DeviceId, Floors>,
}

/// A device as a reader.
#[derive(Debug)]
pub(super) struct Reader {
    pub(super) id: DeviceId,
    pub(super) user: String,
    /// How far it has read; `None` if it never said so.
    pub(super) positions: Option<Positions>,
    /// Whether the hub waits for it.
    pub(super) counts: bool,
}

/// The last statement of a device that was seen, and when.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Sight {
    hash: String,
    at: i64,
}

impl<H: Hub, S: Outbox + Inbox, A: ItemSink> Exchange<H, S, A> {
    /// Looks at everything that retention has to know.
    pub(super) async fn view(&mut self, keep: Keep, now: Timestamp) -> Result<View, ExchangeError> {
        let mut all = self.hub.inventory().await?;
        if let Some(other) = self.durable.other() {
            all.extend(other.inventory().await?);
        }
        let now = hub_time(&all, now);
        let stored = all.into_iter().map(|it| (it.item, (it.at, it.bytes))).collect();
        let devices = self.readers(keep, now).await?;
        let floors = self.stated(&stored).await?;
        Ok(View { now, stored, devices, floors })
    }

    async fn readers(&mut self, keep: Keep, now: Timestamp) -> Result<Vec<Reader>, ExchangeError> {
        let patience = keep.days.map_or(COUNT_DAYS, |it| i64::from(it.get())) * DAY;
        let before = self.store.note(SEEN)?;
        let before: Option<BTreeMap<String, Sight>> =
            before.and_then(|it| serde_json::from_slice(&it).ok());
        let (before, mut seen) = (before.unwrap_or_default(), BTreeMap::new());
        let current = self.roster.members().filter(|it| it.is_current());
        let current: Vec<_> =
            current.map(|it| (it.device.id.clone(), it.device.user.clone())).collect();
        let mut readers = Vec::new();
        for (id, user) in current {
            let said = self.hub.get(&statement::positions_key(&id)?).await?;
            let hash = said.as_ref().map(|it| blake3::hash(&it.bytes).to_hex().to_string());
            let hash = hash.unwrap_or_default();
            let known = before.get(id.as_str()).filter(|it| it.hash == hash);
            let at = known.map_or(now.as_second(), |it| it.at);
            seen.insert(id.as_str().to_owned(), Sight { hash, at });
            let counts = now.as_second() - at <= patience;
            let positions = said.and_then(|it| statement::positions(&it.bytes, &self.roster, &id));
            readers.push(Reader { id, user, positions, counts });
        }
        // Texts and numbers always serialize.
        let seen = serde_json::to_vec(&seen).unwrap_or_default();
        self.store.keep_note(SEEN, &seen)?;
        Ok(readers)
    }

    /// Where logs begin, as stated so far, for every device that stores anything.
    async fn stated(
        &mut self,
        stored: &BTreeMap<StoredItem, (Timestamp, u64)>,
    ) -> Result<BTreeMap<DeviceId, Floors>, ExchangeError> {
        let writers: BTreeSet<DeviceId> = stored.keys().filter_map(super::plan::writer).collect();
        let mut out = BTreeMap::new();
        for device in writers {
            let there = self.hub.get(&statement::floors_key(&device)?).await?;
            let floors = there.and_then(|it| statement::floors(&it.bytes, &self.roster));
            out.insert(device, floors.unwrap_or_default());
        }
        Ok(out)
    }
}

/// The time by the hub's clock: the clock of this device, but at most a day after the newest thing there.
/// A clock that runs years ahead removes nothing.
fn hub_time(all: &[Stored], now: Timestamp) -> Timestamp {
    let newest = all.iter().map(|it| it.at.as_second()).max().unwrap_or(i64::MIN);
    let latest = Timestamp::from_second(newest.saturating_add(DAY)).unwrap_or(now);
    now.min(latest)
}
