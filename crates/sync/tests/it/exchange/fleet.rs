//! The devices of a team, what they write, and what they receive.

use crate::exchange::crashing::Crashing;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use taffrail_model::exchange::StorageResult;
use taffrail_model::{DeviceId, SessionId, StreamName, Timestamp};
use taffrail_sync::TeamId;
use taffrail_sync::exchange::{
    Durable, Exchange, Inbox, Item, ItemSink, LocalDevice, Outbox, Parts, Random, Readers,
    StreamOrigin, own_stream,
};
use taffrail_sync::hub::{Hub, KeyName};
use taffrail_sync::keys::DeviceSecret;
use taffrail_sync::roster::{Device, InviteId, Op, Roster, Signer};
use taffrail_testkit::Chance;
use zeroize::Zeroizing;

pub(crate) const USER: &str = "ada";

/// A device with its secret.
#[derive(Debug, Clone)]
pub(crate) struct Own {
    pub(crate) id: DeviceId,
    pub(crate) secret: Arc<DeviceSecret>,
    name: String,
}

impl Own {
    pub(crate) fn new(name: &str) -> Self {
        let mut random = Zeroizing::new([0; 64]);
        let mut hash = blake3::Hasher::new();
        hash.update(name.as_bytes()).finalize_xof().fill(random.as_mut_slice());
        let secret = Arc::new(DeviceSecret::from_random(&random));
        Self { id: DeviceId::new(format!("id-{name}")), secret, name: name.to_owned() }
    }

    pub(crate) fn device(&self, user: &str) -> Device {
        let (id, name) = (self.id.clone(), self.name.clone());
        Device { id, name, user: user.to_owned(), keys: self.secret.keys() }
    }

    pub(crate) fn signer(&self) -> Signer<'_> {
        Signer { device: &self.id, secret: &self.secret }
    }

    pub(crate) fn us(&self) -> LocalDevice {
        LocalDevice { device: self.id.clone(), secret: Arc::clone(&self.secret) }
    }

    /// Adds this device.
    pub(crate) fn add(&self, user: &str) -> Op {
        let invite = InviteId::from_bytes(*blake3::hash(self.name.as_bytes()).as_bytes());
        Op::Add { device: self.device(user), invite, vouch: None }
    }
}

pub(crate) fn at(millisecond: i64) -> Timestamp {
    Timestamp::from_millisecond(1_800_000_000_000 + millisecond).unwrap()
}

/// The first device founds the team, and admits the others.
pub(crate) fn team_of(devices: &[Own]) -> Roster {
    let (first, others) = devices.split_first().unwrap();
    let team = TeamId::from_bytes([1; 16]);
    let roster = Roster::found(team, first.device(USER), &first.secret, at(0)).unwrap();
    others.iter().fold(roster, |roster, other| {
        roster.with(other.add(USER), &first.signer(), at(0)).unwrap().0
    })
}

pub(crate) fn random(mut chance: Chance) -> Random {
    Random::new(move |bytes| bytes.iter_mut().for_each(|byte| *byte = chance.bits() as u8))
}

pub(crate) fn line(text: impl Into<String>) -> Item {
    Item::Line { session: SessionId::from_bytes([7; 16]), line: text.into() }
}

/// The items a device received; they survive crashes. A duplicate, omitted or changed item fails
/// the test.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shelf(pub(crate) Arc<Mutex<SentItems>>);

#[derive(Debug, Default)]
pub(crate) struct SentItems {
    pub(crate) items: BTreeMap<StreamOrigin, Vec<Item>>,
    pub(crate) roster: Option<Roster>,
    pub(crate) anew: Vec<StreamName>,
    /// Devices that sent beats, and the times of their clocks.
    pub(crate) lives: Vec<(DeviceId, Timestamp)>,
    /// How many batches were repetitions.
    pub(crate) again: u64,
    /// Crashes, if there are any.
    pub(crate) crash: Option<Crashing<()>>,
}

impl Shelf {
    /// Everything a device published in a stream, over all its lives.
    pub(crate) fn said(&self, device: &DeviceId, stream: &StreamName) -> Vec<Item> {
        let told = self.0.lock().unwrap();
        let of = told.items.iter().filter(|(it, _)| it.device == *device && it.stream == *stream);
        of.flat_map(|(_, items)| items.clone()).collect()
    }
}

impl ItemSink for Shelf {
    fn apply(&mut self, origin: &StreamOrigin, first: u64, items: &[Item]) -> StorageResult<()> {
        let mut told = self.0.lock().unwrap();
        let after = match &mut told.crash {
            Some(crash) => crash.before()?,
            None => crate::exchange::crashing::After::Fine,
        };
        let known = told.items.entry(origin.clone()).or_default();
        let first = usize::try_from(first).unwrap() - 1;
        assert!(first <= known.len(), "{origin:?}: {first} comes after {}", known.len());
        if first < known.len() {
            assert_eq!(known[first..first + items.len()], *items, "other items came again");
            told.again += 1;
        } else {
            known.extend_from_slice(items);
        }
        after.check()
    }

    fn roster_changed(&mut self, roster: &Roster) -> StorageResult<()> {
        self.0.lock().unwrap().roster = Some(roster.clone());
        Ok(())
    }

    fn republish(&mut self, stream: &StreamName) -> StorageResult<()> {
        self.0.lock().unwrap().anew.push(stream.clone());
        Ok(())
    }

    fn lives(&mut self, device: &DeviceId, at: Timestamp) -> StorageResult<()> {
        self.0.lock().unwrap().lives.push((device.clone(), at));
        Ok(())
    }

    fn key_moved(&mut self, _: &KeyName) -> StorageResult<()> {
        Ok(())
    }
}

/// An exchange of a device with its own stream open.
pub(crate) fn exchange<H: Hub, S: Outbox + Inbox>(
    who: &Own,
    (hub, durable): (H, Durable<H>),
    (store, shelf): (S, Shelf),
    roster: Roster,
    chance: Chance,
) -> Exchange<H, S, Shelf> {
    let parts =
        Parts { hub, durable, store, applied: shelf, us: who.us(), roster, random: random(chance) };
    let mut exchange = Exchange::new(parts);
    exchange.open(&own_stream(), &Readers::user(USER)).unwrap();
    exchange
}
