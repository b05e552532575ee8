//! A hub in memory behind a bad network, which loses data and shows old keys.

use crate::exchange::fleet::at;
use bytes::Bytes;
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use taffrail_model::DeviceId;
use taffrail_sync::hub::{
    Appended, Blob, BlobName, Content, Entry, Hints, Hub, HubCheck, HubError, KeyName, LogName,
    MemoryHub, Name, Prefix, Put, Result, Revision, Stored, Swapped, Usage, Value, Watched,
};
use taffrail_testkit::Chance;

/// How bad it is: each failure happens once in this many times.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Climate {
    pub(crate) lost: usize,
    pub(crate) old_key: usize,
    /// A request arrives twice, and the second answer is the one that comes.
    pub(crate) twice: usize,
}

pub(crate) const CALM: Climate =
    Climate { lost: usize::MAX, old_key: usize::MAX, twice: usize::MAX };
pub(crate) const BAD: Climate = Climate { lost: 12, old_key: 20, twice: usize::MAX };

/// A fault in the hub that the simulation must find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Planted {
    Nothing,
    /// Trimming a log removes one entry more than it should.
    TrimsOneMore,
    /// Removing a segment removes the newest one of its stream, too.
    RemovesTwo,
}

#[derive(Debug)]
struct Sky {
    planted: Planted,
    hub: MemoryHub,
    chance: Chance,
    climate: Climate,
    /// The earlier values of keys.
    before: BTreeMap<KeyName, Value>,
    now: i64,
    faults: u64,
    traffic: Traffic,
}

/// The number of requests to the hub, and the bytes of its answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Traffic {
    pub(crate) requests: u64,
    pub(crate) bytes: u64,
    /// How many of them listed blobs.
    pub(crate) listings: u64,
    /// The bytes of entries that were read.
    pub(crate) entries: u64,
    /// The bytes of keys and blobs that were written.
    pub(crate) sent: u64,
}

/// The hub; clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Weather(Arc<Mutex<Sky>>);

impl Weather {
    pub(crate) fn new(climate: Climate, chance: Chance) -> Self {
        let hub = MemoryHub::new();
        let sky = Sky {
            hub,
            chance,
            climate,
            before: BTreeMap::new(),
            now: 0,
            faults: 0,
            traffic: Traffic::default(),
            planted: Planted::Nothing,
        };
        Self(Arc::new(Mutex::new(sky)))
    }

    /// Empties the hub.
    pub(crate) fn wipe(&self) {
        let mut sky = self.0.lock().unwrap();
        sky.hub = MemoryHub::new();
        sky.before.clear();
    }

    /// Replaces the hub.
    pub(crate) fn replace(&self, hub: MemoryHub) {
        self.0.lock().unwrap().hub = hub;
    }

    pub(crate) fn plant(&self, fault: Planted) {
        self.0.lock().unwrap().planted = fault;
    }

    pub(crate) fn climate(&self, climate: Climate) {
        self.0.lock().unwrap().climate = climate;
    }

    /// Milliseconds since the start.
    pub(crate) fn now(&self) -> i64 {
        self.0.lock().unwrap().now
    }

    pub(crate) fn pass(&self, milliseconds: i64) {
        let mut sky = self.0.lock().unwrap();
        sky.now += milliseconds;
        sky.hub.set_time(at(sky.now));
    }

    pub(crate) fn faults(&self) -> u64 {
        self.0.lock().unwrap().faults
    }

    /// The traffic since the last call.
    pub(crate) fn traffic(&self) -> Traffic {
        std::mem::take(&mut self.0.lock().unwrap().traffic)
    }

    /// Counts a request and the bytes of its answer.
    fn count<T>(&self, answer: Result<T>, size: impl Fn(&T) -> usize) -> Result<T> {
        let traffic = &mut self.0.lock().unwrap().traffic;
        traffic.requests += 1;
        traffic.bytes += answer.as_ref().map_or(0, size) as u64;
        answer
    }

    fn send(&self, bytes: usize) {
        self.0.lock().unwrap().traffic.sent += bytes as u64;
    }

    pub(crate) fn inner(&self) -> MemoryHub {
        self.0.lock().unwrap().hub.clone()
    }

    /// The way to the hub or back: it takes time, and may lose the message.
    async fn way(&self) -> Result<()> {
        let steps = self.0.lock().unwrap().chance.below(3);
        for _ in 0..steps {
            let step = i64::try_from(self.0.lock().unwrap().chance.below(20)).unwrap();
            self.pass(step);
            yield_once().await;
        }
        let mut sky = self.0.lock().unwrap();
        let lost = sky.climate.lost;
        if lost != usize::MAX && sky.chance.one_in(lost) {
            sky.faults += 1;
            return Err(HubError::Unreachable("lost".to_owned()));
        }
        Ok(())
    }

    /// Whether a request arrives twice.
    fn is_doubled(&self) -> bool {
        let mut sky = self.0.lock().unwrap();
        let rate = sky.climate.twice;
        rate != usize::MAX && sky.chance.one_in(rate)
    }

    fn old_value(&self, key: &KeyName) -> Option<Value> {
        let mut sky = self.0.lock().unwrap();
        let rate = sky.climate.old_key;
        if rate == usize::MAX || !sky.chance.one_in(rate) {
            return None;
        }
        sky.before.get(key).cloned()
    }
}

/// Lets other tasks run first.
pub(crate) async fn yield_once() {
    let mut is_second = false;
    poll_fn(|context| {
        if is_second {
            return Poll::Ready(());
        }
        is_second = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Sends a request and its answer over the network.
macro_rules! through {
    ($self:ident, $hub:ident => $answer:expr) => {
        through!($self, $hub => $answer, |_| 0)
    };
    ($self:ident, $hub:ident => $answer:expr, $size:expr) => {{
        $self.way().await?;
        let $hub = $self.inner();
        let answer = $self.count($answer, $size);
        $self.way().await?;
        answer
    }};
}

fn names_size<K>(names: &[Name<K>]) -> usize {
    names.iter().map(|it| it.as_str().len()).sum()
}

fn entries_size(entries: &[Entry]) -> usize {
    entries.iter().map(|it| it.bytes.len()).sum()
}

fn value_size(value: Option<&Value>) -> usize {
    value.map_or(0, |it| it.bytes.len())
}

impl Hub for Weather {
    async fn append(&self, log: &LogName, seq: u64, bytes: Bytes) -> Result<Appended> {
        if self.is_doubled() {
            self.inner().append(log, seq, bytes.clone()).await?;
        }
        through!(self, hub => hub.append(log, seq, bytes).await)
    }

    async fn last(&self, log: &LogName) -> Result<u64> {
        through!(self, hub => hub.last(log).await)
    }

    async fn read_since(&self, log: &LogName, after: u64, limit: usize) -> Result<Vec<Entry>> {
        let answer = through!(self, hub => hub.read_since(log, after, limit).await, |it: &Vec<Entry>| entries_size(it));
        let size = answer.as_ref().map_or(0, |it| entries_size(it)) as u64;
        self.0.lock().unwrap().traffic.entries += size;
        answer
    }

    async fn logs(&self, below: &Prefix) -> Result<Vec<LogName>> {
        through!(self, hub => hub.logs(below).await, |it| names_size(it))
    }

    async fn get(&self, key: &KeyName) -> Result<Option<Value>> {
        if let Some(old) = self.old_value(key) {
            return Ok(Some(old));
        }
        through!(self, hub => hub.get(key).await, |it: &Option<Value>| value_size(it.as_ref()))
    }

    async fn cas(
        &self,
        key: &KeyName,
        expected: Option<Revision>,
        bytes: Bytes,
    ) -> Result<Swapped> {
        self.way().await?;
        let hub = self.inner();
        if let Some(now) = hub.get(key).await? {
            self.0.lock().unwrap().before.insert(key.clone(), now);
        }
        self.send(bytes.len());
        if self.is_doubled() {
            hub.cas(key, expected, bytes.clone()).await?;
        }
        let answer = hub.cas(key, expected, bytes).await;
        self.way().await?;
        answer
    }

    async fn keys(&self, below: &Prefix) -> Result<Vec<KeyName>> {
        through!(self, hub => hub.keys(below).await, |it| names_size(it))
    }

    async fn put_blob(&self, name: &BlobName, content: &Content) -> Result<Put> {
        if let Content::Bytes(bytes) = content {
            self.send(bytes.len());
        }
        if self.is_doubled() {
            self.inner().put_blob(name, content).await?;
        }
        through!(self, hub => hub.put_blob(name, content).await)
    }

    async fn get_blob(&self, name: &BlobName) -> Result<Option<Blob>> {
        let size =
            |it: &Option<Blob>| it.as_ref().map_or(0, |it| usize::try_from(it.size()).unwrap());
        through!(self, hub => hub.get_blob(name).await, size)
    }

    async fn blobs(&self, below: &Prefix) -> Result<Vec<BlobName>> {
        self.0.lock().unwrap().traffic.listings += 1;
        through!(self, hub => hub.blobs(below).await, |it| names_size(it))
    }

    async fn lengths(&self, below: &Prefix) -> Result<Vec<(LogName, Option<u64>)>> {
        through!(self, hub => hub.lengths(below).await, |all| all.iter().map(|it| it.0.as_str().len() + 8).sum())
    }

    async fn mark(&self) -> Result<Option<u64>> {
        if self.0.lock().unwrap().climate.old_key != usize::MAX {
            return Ok(None);
        }
        through!(self, hub => hub.mark().await)
    }

    async fn beat(&self, device: &DeviceId, bytes: Bytes) -> Result<()> {
        through!(self, hub => hub.beat(device, bytes).await)
    }

    async fn trim(&self, log: &LogName, first: u64) -> Result<()> {
        let more = u64::from(self.0.lock().unwrap().planted == Planted::TrimsOneMore);
        through!(self, hub => hub.trim(log, first + more).await)
    }

    async fn remove_blob(&self, name: &BlobName) -> Result<()> {
        if self.0.lock().unwrap().planted == Planted::RemovesTwo {
            let (of, _) = name.as_str().rsplit_once('/').unwrap();
            let all = self.inner().blobs(&Prefix::new(of).unwrap()).await?;
            self.inner().remove_blob(all.last().unwrap_or(name)).await?;
        }
        through!(self, hub => hub.remove_blob(name).await)
    }

    async fn inventory(&self) -> Result<Vec<Stored>> {
        through!(self, hub => hub.inventory().await)
    }

    async fn usage(&self) -> Result<Option<Usage>> {
        self.inner().usage().await
    }

    async fn watch(&self, watched: &Watched) -> Result<Hints> {
        self.inner().watch(watched).await
    }

    async fn doctor(&self) -> Vec<HubCheck> {
        Vec::new()
    }
}
