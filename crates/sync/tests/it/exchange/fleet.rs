//! The devices of a team, what they write, and what they receive.

use crate::exchange::crashing::Crashing;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use taffrail_model::exchange::StorageResult;
use taffrail_model::replication::{Relayed, RelayedFacts, Says};
use taffrail_model::{AgentId, DeviceId, RuntimeIdentity, SessionId, StreamName, Timestamp};
use taffrail_sync::TeamId;
use taffrail_sync::exchange::{
    Durable, Exchange, Inbox, Item, ItemSink, LocalDevice, Outbox, Parts, Random, Readers,
    Relocation, StreamOrigin, own_stream,
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

/// The facts of a session, with this text as its branch: the last ones go into a checkpoint.
pub(crate) fn facts(session: &str, text: impl Into<String>) -> Item {
    let who = RuntimeIdentity::new(AgentId::new("toy"), "", session);
    let facts = RelayedFacts { branch: Some(text.into()), ..RelayedFacts::default() };
    let session = who.session();
    let line = Relayed { number: 1, says: Says::Facts(who, Box::new(facts)) }.write();
    Item::Line { session, line }
}

/// Stands for an item that was removed before it was read.
pub(crate) fn gone() -> Item {
    line("(gone)")
}

/// The items a device received; they survive crashes. A duplicate, omitted or changed item fails
/// the test.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shelf(pub(crate) Arc<Mutex<SentItems>>);

/// What arrived at a device at one time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Arrival {
    Checkpoint(Vec<u64>),
    Run(u64, u64),
}

#[derive(Debug, Default)]
pub(crate) struct SentItems {
    pub(crate) items: BTreeMap<StreamOrigin, BTreeMap<u64, Item>>,
    /// What arrived, in order: the numbers of a checkpoint's items, or the first and the last one of a run.
    pub(crate) arrivals: Vec<Arrival>,
    /// The items of checkpoints.
    pub(crate) checkpoints: BTreeMap<StreamOrigin, BTreeMap<u64, Item>>,
    pub(crate) roster: Option<Roster>,
    pub(crate) anew: Vec<StreamName>,
    /// Devices that sent beats, and the times of their clocks.
    pub(crate) lives: Vec<(DeviceId, Timestamp)>,
    /// Batches that the hub's retention removed, by stream.
    pub(crate) gone: BTreeMap<StreamOrigin, Vec<(u64, u64)>>,
    /// The move that leads away from the hub in use.
    pub(crate) moved: Option<Relocation>,
    /// How many batches were repetitions.
    pub(crate) again: u64,
    /// Crashes, if there are any.
    pub(crate) crash: Option<Crashing<()>>,
}

impl Shelf {
    /// Everything a device published in a stream, over all its lives, up to what is missing of each.
    pub(crate) fn said(&self, device: &DeviceId, stream: &StreamName) -> Vec<Item> {
        let told = self.0.lock().unwrap();
        let of = told.items.iter().filter(|(it, _)| it.device == *device && it.stream == *stream);
        of.flat_map(|(origin, items)| told.whole(origin, items)).collect()
    }

    /// The items of the checkpoints of a device.
    pub(crate) fn checkpoint_of(&self, device: &DeviceId) -> Vec<(u64, Item)> {
        let told = self.0.lock().unwrap();
        let of = told.checkpoints.iter().filter(|(it, _)| it.device == *device);
        of.flat_map(|(_, items)| items.clone()).collect()
    }
}

impl SentItems {
    fn whole(&self, origin: &StreamOrigin, items: &BTreeMap<u64, Item>) -> Vec<Item> {
        let last = items.keys().next_back().copied().unwrap_or(0);
        let gone = self.gone.contains_key(origin).then(gone);
        (1..=last).map_while(|n| items.get(&n).cloned().or_else(|| gone.clone())).collect()
    }

    /// An item that comes again is the same.
    fn check(known: &BTreeMap<u64, Item>, number: u64, item: &Item) {
        assert!(known.get(&number).is_none_or(|it| it == item), "another item came as {number}");
    }
}

impl ItemSink for Shelf {
    fn apply(&mut self, origin: &StreamOrigin, first: u64, items: &[Item]) -> StorageResult<()> {
        let mut told = self.0.lock().unwrap();
        let after = match &mut told.crash {
            Some(crash) => crash.before()?,
            None => crate::exchange::crashing::After::Fine,
        };
        let told = &mut *told;
        let known = told.items.entry(origin.clone()).or_default();
        let checkpoint = told.checkpoints.entry(origin.clone()).or_default();
        let last = known.keys().next_back().copied().unwrap_or(0);
        let may_jump = !checkpoint.is_empty() || told.gone.contains_key(origin);
        assert!(first <= last + 1 || may_jump, "{origin:?}: {first} comes after {last}");
        told.again += u64::from(known.contains_key(&first));
        told.arrivals.push(Arrival::Run(first, first + items.len() as u64 - 1));
        for (number, item) in (first..).zip(items) {
            SentItems::check(known, number, item);
            SentItems::check(checkpoint, number, item);
            known.insert(number, item.clone());
        }
        after.check()
    }

    fn checkpoint(&mut self, origin: &StreamOrigin, items: &[(u64, Item)]) -> StorageResult<()> {
        let mut told = self.0.lock().unwrap();
        let after = match &mut told.crash {
            Some(crash) => crash.before()?,
            None => crate::exchange::crashing::After::Fine,
        };
        let told = &mut *told;
        let known = told.items.entry(origin.clone()).or_default();
        let checkpoint = told.checkpoints.entry(origin.clone()).or_default();
        told.arrivals.push(Arrival::Checkpoint(items.iter().map(|(number, _)| *number).collect()));
        for (number, item) in items {
            SentItems::check(known, *number, item);
            SentItems::check(checkpoint, *number, item);
            checkpoint.insert(*number, item.clone());
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

    fn gone(&mut self, origin: &StreamOrigin, batches: (u64, u64)) -> StorageResult<()> {
        self.0.lock().unwrap().gone.entry(origin.clone()).or_default().push(batches);
        Ok(())
    }

    fn hub_moved(&mut self, to: Option<&Relocation>) -> StorageResult<()> {
        self.0.lock().unwrap().moved = to.cloned();
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
