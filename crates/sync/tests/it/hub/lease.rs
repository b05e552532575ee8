//! Never two holders: five devices with different clocks, a hub that answers late or not at all,
//! and a seed that decides the order of events.

use bytes::Bytes;
use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use taffrail_model::{DeviceId, Timestamp};
use taffrail_sync::hub::lease::{self, Fence, Held, Lease, SKEW};
use taffrail_sync::hub::{
    Appended, Blob, BlobName, Content, Entry, Hints, Hub, HubCheck, HubError, KeyName, LogName,
    MemoryHub, Prefix, Put, Result, Revision, Stored, Swapped, Usage, Value, Watched,
};
use taffrail_testkit::{Chance, Scale};

const DEVICES: usize = 5;

/// The shared state: real time, the devices that believe they hold the lease, and the guarded
/// resource.
struct World {
    now: i64,
    chance: Chance,
    beliefs: [Option<Held>; DEVICES],
    fence: Fence,
    newest: Option<Revision>,
    tally: Tally,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Tally {
    held: usize,
    taken: usize,
    lost_answers: usize,
    stale_shut_out: usize,
}

type Shared = Arc<Mutex<World>>;

/// The clock of a device: any two differ by at most `SKEW`.
fn clock(world: &World, device: usize) -> Timestamp {
    let offset = SKEW * device as i64 / (DEVICES as i64 - 1);
    Timestamp::from_millisecond(world.now + offset).unwrap()
}

/// Advances the time, and checks that at most one device believes it holds the lease.
fn tick(world: &mut World) {
    world.now += i64::try_from(world.chance.below(3_000)).unwrap();
    let holds = |device: &usize| {
        let belief = world.beliefs[*device].as_ref();
        belief.is_some_and(|held| held.is_held(clock(world, *device)))
    };
    let holders: Vec<usize> = (0..DEVICES).filter(holds).collect();
    assert!(holders.len() < 2, "{holders:?} hold at {}: {:?}", world.now, world.beliefs);
}

/// A hub in memory whose requests and answers are slow and sometimes get lost.
struct Slow {
    hub: MemoryHub,
    world: Shared,
}

impl Slow {
    async fn way(&self) -> Result<()> {
        let steps = self.world.lock().unwrap().chance.below(4);
        for _ in 0..steps {
            step(&self.world).await;
        }
        let mut world = self.world.lock().unwrap();
        if world.chance.one_in(25) {
            world.tally.lost_answers += 1;
            return Err(HubError::Unreachable("lost".to_owned()));
        }
        Ok(())
    }
}

/// Lets other tasks run first, and time pass.
async fn step(world: &Shared) {
    tick(&mut world.lock().unwrap());
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

impl Hub for Slow {
    async fn get(&self, key: &KeyName) -> Result<Option<Value>> {
        self.way().await?;
        let answer = self.hub.get(key).await;
        self.way().await?;
        answer
    }

    async fn cas(
        &self,
        key: &KeyName,
        expected: Option<Revision>,
        bytes: Bytes,
    ) -> Result<Swapped> {
        self.way().await?;
        let answer = self.hub.cas(key, expected, bytes).await;
        self.way().await?;
        answer
    }

    async fn append(&self, log: &LogName, seq: u64, bytes: Bytes) -> Result<Appended> {
        self.hub.append(log, seq, bytes).await
    }

    async fn last(&self, log: &LogName) -> Result<u64> {
        self.hub.last(log).await
    }

    async fn read_since(&self, log: &LogName, after: u64, limit: usize) -> Result<Vec<Entry>> {
        self.hub.read_since(log, after, limit).await
    }

    async fn logs(&self, below: &Prefix) -> Result<Vec<LogName>> {
        self.hub.logs(below).await
    }

    async fn keys(&self, below: &Prefix) -> Result<Vec<KeyName>> {
        self.hub.keys(below).await
    }

    async fn put_blob(&self, name: &BlobName, content: &Content) -> Result<Put> {
        self.hub.put_blob(name, content).await
    }

    async fn get_blob(&self, name: &BlobName) -> Result<Option<Blob>> {
        self.hub.get_blob(name).await
    }

    async fn blobs(&self, below: &Prefix) -> Result<Vec<BlobName>> {
        self.hub.blobs(below).await
    }

    async fn lengths(&self, below: &Prefix) -> Result<Vec<(LogName, Option<u64>)>> {
        self.hub.lengths(below).await
    }

    async fn mark(&self) -> Result<Option<u64>> {
        self.hub.mark().await
    }

    async fn beat(&self, device: &DeviceId, bytes: Bytes) -> Result<()> {
        self.hub.beat(device, bytes).await
    }

    async fn trim(&self, log: &LogName, first: u64) -> Result<()> {
        self.hub.trim(log, first).await
    }

    async fn remove_blob(&self, name: &BlobName) -> Result<()> {
        self.hub.remove_blob(name).await
    }

    async fn inventory(&self) -> Result<Vec<Stored>> {
        self.hub.inventory().await
    }

    async fn usage(&self) -> Result<Option<Usage>> {
        self.hub.usage().await
    }

    async fn watch(&self, watched: &Watched) -> Result<Hints> {
        self.hub.watch(watched).await
    }

    async fn doctor(&self) -> Vec<HubCheck> {
        self.hub.doctor().await
    }
}

async fn device(hub: &Slow, number: usize, rounds: usize) {
    let key = KeyName::new("lease/session").unwrap();
    let holder = format!("device-{number}");
    for _ in 0..rounds {
        let (now, until) = times(hub, number);
        match lease::acquire(hub, &key, &holder, until, now).await {
            Ok(Lease::Held(held)) => work(hub, number, &key, held).await,
            Ok(Lease::Taken { .. }) => hub.world.lock().unwrap().tally.taken += 1,
            Ok(Lease::Free) => panic!("a free lease is taken"),
            Err(_) => {}
        }
        step(&hub.world).await;
    }
}

fn times(hub: &Slow, number: usize) -> (Timestamp, Timestamp) {
    let mut world = hub.world.lock().unwrap();
    let length = 1_000 + i64::try_from(world.chance.below(20_000)).unwrap();
    let now = clock(&world, number);
    (now, Timestamp::from_millisecond(now.as_millisecond() + length).unwrap())
}

/// Holds, writes, renews, and releases or forgets to.
async fn work(hub: &Slow, number: usize, key: &KeyName, mut held: Held) {
    believe(hub, number, Some(held.clone()));
    hub.world.lock().unwrap().tally.held += 1;
    for _ in 0..3 {
        step(&hub.world).await;
        write(hub, &held);
        let choice = hub.world.lock().unwrap().chance.below(3);
        if choice == 0 {
            let (now, until) = times(hub, number);
            match lease::renew(hub, key, &held, until, now).await {
                Ok(Lease::Held(longer)) => held = longer,
                Ok(Lease::Taken { .. } | Lease::Free) => break,
                Err(_) => continue,
            }
            believe(hub, number, Some(held.clone()));
        }
    }
    believe(hub, number, None);
    if hub.world.lock().unwrap().chance.one_in(2) {
        // If the answer is lost, the lease expires.
        lease::release(hub, key, &held.holder).await.ok();
    }
    // A write that was delayed all the time.
    write(hub, &held);
}

fn believe(hub: &Slow, number: usize, held: Option<Held>) {
    let mut world = hub.world.lock().unwrap();
    world.beliefs[number] = held;
    tick(&mut world);
}

/// The guarded resource accepts a write only from the newest holder it has seen.
fn write(hub: &Slow, held: &Held) {
    let mut world = hub.world.lock().unwrap();
    let is_stale = world.newest.is_some_and(|newest| held.token < newest);
    let is_admitted = world.fence.admits(held.token);
    assert_eq!(is_admitted, !is_stale, "{held:?}");
    world.newest = world.newest.max(Some(held.token));
    world.tally.stale_shut_out += usize::from(is_stale);
}

#[tokio::test]
async fn never_two_hold() {
    let scale = Scale::from_env();
    let races = scale.pick(4_000, 100_000);
    let world = World {
        now: 1_800_000_000_000,
        chance: scale.chance("leases"),
        beliefs: Default::default(),
        fence: Fence::default(),
        newest: None,
        tally: Tally::default(),
    };
    let world = Arc::new(Mutex::new(world));
    let hub = Slow { hub: MemoryHub::new(), world: Arc::clone(&world) };
    let rounds = races / DEVICES;
    let devices = (0..DEVICES).map(|number| device(&hub, number, rounds));
    futures_util::future::join_all(devices).await;
    let tally = world.lock().unwrap().tally;
    eprintln!("{races} races: {tally:?}");
    let least = [tally.held, tally.taken, tally.lost_answers, tally.stale_shut_out];
    assert!(least.iter().all(|it| *it > races / 200), "too little happened: {tally:?}");
}
