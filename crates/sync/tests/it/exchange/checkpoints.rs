//! A device that joins late uses a checkpoint: it knows every session at once, and reads the history
//! behind it backwards. A hub that forges, hides or repeats checkpoints costs it time and nothing else.

use crate::exchange::cases::Bench;
use crate::exchange::crashing::Crashing;
use crate::exchange::fleet::{Arrival, Shelf, at, exchange, facts};
use crate::exchange::weather::Weather;
use bytes::Bytes;
use taffrail_sync::exchange::{
    CheckpointPace, Durable, Exchange, Inbox, Item, MemoryStore, Outbox, StallReason, own_stream,
};
use taffrail_sync::hub::{BlobName, Content, Hub, KeyName, LogName, MemoryHub, PAGE_LIMIT, Prefix};
use taffrail_testkit::Chance;

const PACE: CheckpointPace = CheckpointPace { batches: 8, bytes: 2_000, far: 20 };
const SESSIONS: usize = 6;
const ITEMS: usize = 100;

type Carrier = Exchange<Weather, MemoryStore, Shelf>;

fn item(n: usize) -> Item {
    facts(&format!("session {}", n % SESSIONS), n.to_string())
}

fn all(count: usize) -> Vec<Item> {
    (1..=count).map(item).collect()
}

fn carrier(bench: &Bench, who: usize, store: MemoryStore) -> Carrier {
    bench.carrier(who, store, Durable::Segments(bench.hub.clone())).with_checkpoints(PACE)
}

/// The first device publishes items from `first` on, each in a batch of its own.
async fn publish(bench: &Bench, a: &mut Carrier, numbers: std::ops::RangeInclusive<usize>) {
    for n in numbers {
        a.push(&own_stream(), &[item(n)], at(bench.hub.now())).unwrap();
        bench.hub.pass(1_000);
        a.look(at(bench.hub.now())).await.unwrap();
    }
}

fn said(bench: &Bench, reader: usize) -> Vec<Item> {
    bench.shelves[reader].said(&bench.devices[0].id, &own_stream())
}

/// The checkpoints on the hub, by the batch that they cover.
async fn checkpoints(hub: &MemoryHub) -> Vec<(u64, BlobName)> {
    let all = hub.blobs(&Prefix::new("checkpoint").unwrap()).await.unwrap();
    let seq = |it: &BlobName| {
        let last = it.as_str().rsplit('/').next().unwrap().split('-').next().unwrap();
        last.parse().unwrap()
    };
    let mut all: Vec<_> = all.into_iter().map(|it| (seq(&it), it)).collect();
    all.sort();
    all
}

#[tokio::test]
async fn a_device_that_joins_late_knows_every_session_before_their_history() {
    let bench = Bench::new(&["a", "b"]);
    let mut a = carrier(&bench, 0, MemoryStore::default());
    publish(&bench, &mut a, 1..=ITEMS).await;
    let (seq, _) = checkpoints(&bench.hub.inner()).await.pop().unwrap();
    let mut b = carrier(&bench, 1, MemoryStore::default());
    bench.round(&mut [&mut b]).await;
    assert_eq!(said(&bench, 1), all(ITEMS));
    let arrivals = bench.shelves[1].0.lock().unwrap().arrivals.clone();
    let newest: Vec<u64> = (seq + 1 - SESSIONS as u64..=seq).collect();
    let after = (seq + 1..=ITEMS as u64).map(|n| Arrival::Run(n, n));
    let mut expected = vec![Arrival::Checkpoint(newest)];
    expected.extend(after);
    let behind = expected.len();
    assert_eq!(arrivals[..behind], expected, "every session, then what is newer");
    let mut last = seq;
    for arrival in &arrivals[behind..] {
        let Arrival::Run(from, to) = arrival else { panic!("another checkpoint") };
        assert_eq!(*to, last, "then the history, backwards and without a gap");
        last = from - 1;
    }
    assert_eq!((last, b.health().refused, b.health().standing.len()), (0, 0, 0));
    publish(&bench, &mut a, ITEMS + 1..=ITEMS + 2).await;
    bench.round(&mut [&mut b]).await;
    assert_eq!(said(&bench, 1), all(ITEMS + 2));
}

#[tokio::test]
async fn checkpoints_are_a_quarter_of_what_they_are_made_of() {
    let bench = Bench::new(&["a"]);
    let mut a = carrier(&bench, 0, MemoryStore::default());
    publish(&bench, &mut a, 1..=4 * ITEMS).await;
    let stored = bench.hub.inventory().await.unwrap();
    let is_checkpoint =
        |it: &&taffrail_sync::hub::Stored| format!("{it:?}").contains("checkpoint/");
    let sum = |it: Vec<u64>| it.into_iter().sum::<u64>();
    let ours = sum(stored.iter().filter(is_checkpoint).map(|it| it.bytes).collect());
    let log = bench.hub.logs(&Prefix::everything()).await.unwrap().remove(0);
    let entries = bench.hub.inner().read_since(&log, 0, PAGE_LIMIT).await.unwrap();
    let entries = sum(entries.iter().map(|it| it.bytes.len() as u64).collect());
    assert!(ours > 0 && ours * 3 < entries, "{ours} of {entries}");
}

/// What a device that joins late reads before it lists all sessions: a checkpoint and what is newer,
/// beside the items that it then has, and beside all that was ever said.
#[tokio::test]
async fn a_late_join_costs_what_is_shown_and_not_what_was_ever_said() {
    let bench = Bench::new(&["a"]);
    let mut a = bench.carrier(0, MemoryStore::default(), Durable::Segments(bench.hub.clone()));
    let (sessions, lines) = (1_000, 100);
    for session in 0..sessions {
        let text =
            |n: usize| format!("branch {}", blake3::hash(format!("{session} {n}").as_bytes()));
        let items: Vec<Item> =
            (0..lines).map(|n| facts(&format!("session {session}"), text(n))).collect();
        a.push(&own_stream(), &items, at(bench.hub.now())).unwrap();
        bench.hub.pass(1_000);
        a.publish(at(bench.hub.now())).await.unwrap();
    }
    let hub = bench.hub.inner();
    let (seq, name) = checkpoints(&hub).await.pop().unwrap();
    let blob = hub.get_blob(&name).await.unwrap().unwrap().bytes(1 << 30).await.unwrap();
    let log = hub.logs(&Prefix::everything()).await.unwrap().remove(0);
    let mut sizes = Vec::new();
    loop {
        let page = hub.read_since(&log, sizes.len() as u64, PAGE_LIMIT).await.unwrap();
        if page.is_empty() {
            break;
        }
        sizes.extend(page.iter().map(|it| it.bytes.len()));
    }
    let after: usize = sizes.iter().skip(usize::try_from(seq).unwrap()).sum();
    let (first, all) = (blob.len() + after, sizes.iter().sum::<usize>());
    let shown: usize = (0..sessions)
        .map(|it| facts(&format!("session {it}"), "x".repeat(71)).to_bytes().len())
        .sum();
    eprintln!("{first} bytes, {} of them a checkpoint; shown: {shown}; all: {all}", blob.len());
    assert!(first <= 3 * shown && first * 5 < all, "{first} of {all}, {shown} are shown");
}

#[tokio::test]
async fn a_device_that_was_away_for_long_uses_a_checkpoint_too() {
    let bench = Bench::new(&["a", "b"]);
    let mut a = carrier(&bench, 0, MemoryStore::default());
    let mut b = carrier(&bench, 1, MemoryStore::default());
    publish(&bench, &mut a, 1..=3).await;
    bench.round(&mut [&mut b]).await;
    publish(&bench, &mut a, 4..=ITEMS).await;
    bench.round(&mut [&mut b]).await;
    assert_eq!(said(&bench, 1), all(ITEMS));
    let arrivals = bench.shelves[1].0.lock().unwrap().arrivals.clone();
    let first = (1..=3).map(|n| Arrival::Run(n, n)).collect::<Vec<_>>();
    assert_eq!(arrivals[..3], first);
    assert!(matches!(arrivals[3], Arrival::Checkpoint(_)), "{:?}", arrivals[3]);
    let last = arrivals.last().unwrap();
    assert!(matches!(last, Arrival::Run(4, _)), "what it had is not read again: {last:?}");
}

/// What is on the hub, ready to be changed.
#[derive(Clone)]
struct Held {
    log: LogName,
    batches: Vec<Bytes>,
    blobs: Vec<(BlobName, Bytes)>,
    keys: Vec<(KeyName, Bytes)>,
}

async fn held(hub: &MemoryHub) -> Held {
    let everything = Prefix::everything();
    let log = hub.logs(&everything).await.unwrap().remove(0);
    let entries = hub.read_since(&log, 0, PAGE_LIMIT).await.unwrap();
    let batches = entries.into_iter().map(|it| it.bytes).collect();
    let (mut blobs, mut keys) = (Vec::new(), Vec::new());
    for (_, name) in checkpoints(hub).await {
        let blob = hub.get_blob(&name).await.unwrap().unwrap();
        blobs.push((name, blob.bytes(1 << 20).await.unwrap()));
    }
    for key in hub.keys(&everything).await.unwrap() {
        let value = hub.get(&key).await.unwrap().unwrap();
        keys.push((key, value.bytes));
    }
    Held { log, batches, blobs, keys }
}

async fn hub_of(held: &Held) -> MemoryHub {
    let hub = MemoryHub::new();
    for (seq, bytes) in (1..).zip(&held.batches) {
        hub.append(&held.log, seq, bytes.clone()).await.unwrap();
    }
    for (name, bytes) in &held.blobs {
        hub.put_blob(name, &Content::Bytes(bytes.clone())).await.unwrap();
    }
    for (key, bytes) in &held.keys {
        hub.cas(key, None, bytes.clone()).await.unwrap();
    }
    hub
}

fn flipped(bytes: &Bytes) -> Bytes {
    let mut bytes = bytes.to_vec();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    bytes.into()
}

/// What a new device has after a hub did this, and why it is stalled.
struct Outcome {
    /// The batch of the checkpoint that was used.
    used: Option<u64>,
    whole: bool,
    why: Vec<String>,
}

async fn outcome(name: &str, change: impl FnOnce(&mut Held)) -> Outcome {
    let bench = Bench::new(&["a", "b"]);
    let mut a = carrier(&bench, 0, MemoryStore::default());
    publish(&bench, &mut a, 1..=ITEMS).await;
    let good = held(&bench.hub.inner()).await;
    let mut bad = good.clone();
    change(&mut bad);
    bench.hub.replace(hub_of(&bad).await);
    let mut b = carrier(&bench, 1, MemoryStore::default());
    bench.round(&mut [&mut b]).await;
    bench.round(&mut [&mut b]).await;
    let said_then = said(&bench, 1);
    let whole = said_then == all(ITEMS);
    assert!(all(ITEMS).starts_with(&said_then), "{name}: nothing made up");
    let checkpoint = bench.shelves[1].checkpoint_of(&bench.devices[0].id);
    let used = checkpoint.last().map(|(number, _)| *number);
    let why = b.health().standing.values().map(|it| reason(&it.why)).collect::<Vec<_>>();
    let refused = why.iter().filter(|it| !it.starts_with('(')).count() as u64;
    assert_eq!(b.health().refused, refused, "{name}: counted once");
    bench.hub.replace(hub_of(&good).await);
    bench.round(&mut [&mut b]).await;
    assert_eq!(said(&bench, 1), all(ITEMS), "{name}: it goes on");
    assert_eq!(b.health().standing.len(), 0, "{name}");
    Outcome { used, whole, why }
}

fn reason(why: &StallReason) -> String {
    match why {
        StallReason::Refused(why) => why.clone(),
        StallReason::NotForUs => "(not for us)".to_owned(),
        StallReason::NoKey => "(no key)".to_owned(),
        StallReason::RosterBehind => "(roster)".to_owned(),
        StallReason::Missing => "(missing)".to_owned(),
    }
}

fn seq_of(name: &BlobName) -> u64 {
    name.as_str().rsplit('/').next().unwrap().split('-').next().unwrap().parse().unwrap()
}

#[tokio::test]
async fn a_hub_that_forges_hides_or_repeats_checkpoints_costs_time_only() {
    let honest = outcome("honest", |_| {}).await;
    let newest = honest.used.unwrap();
    assert!(honest.whole && honest.why.is_empty());
    let check = async |name: &str, change: fn(&mut Held), used: Option<u64>| {
        let out = outcome(name, change).await;
        assert_eq!((out.used, out.whole, out.why), (used, true, Vec::new()), "{name}");
    };
    let older = outcome("the newest hidden", |it| drop(it.blobs.pop())).await;
    assert!(older.used.unwrap() < newest && older.whole && older.why.is_empty());
    let older = older.used;
    check("all hidden", |it| it.blobs.clear(), None).await;
    let forged =
        |it: &mut Held| it.blobs.last_mut().unwrap().1 = flipped(&it.blobs.last().unwrap().1);
    check("the newest forged", forged, older).await;
    check("all forged", |it| it.blobs.iter_mut().for_each(|it| it.1 = flipped(&it.1)), None).await;
    let cut =
        |it: &mut Held| it.blobs.iter_mut().for_each(|it| it.1 = it.1.slice(..it.1.len() / 2));
    check("cut", cut, None).await;
    check("empty", |it| it.blobs.iter_mut().for_each(|it| it.1 = Bytes::new()), None).await;
    let doubled = |it: &mut Held| {
        for blob in &mut it.blobs {
            blob.1 = [blob.1.clone(), blob.1.clone()].concat().into();
        }
    };
    check("with a part twice", doubled, None).await;
    let repeated = |it: &mut Held| {
        let old = it.blobs[0].1.clone();
        it.blobs.iter_mut().skip(1).for_each(|it| it.1 = old.clone());
    };
    let first = outcome("an old one under newer names", repeated).await;
    assert!(first.whole && first.why.is_empty() && first.used < older, "{:?}", first.used);
    let ahead = |it: &mut Held| {
        let (name, bytes) = it.blobs.last().unwrap().clone();
        let seq = seq_of(&name);
        let renamed = name.as_str().replace(&format!("/{seq}-"), &format!("/{}-", seq + 2));
        it.blobs.push((BlobName::new(renamed).unwrap(), bytes));
    };
    check("the newest under a later number", ahead, Some(newest)).await;
}

#[tokio::test]
async fn a_hub_that_changes_the_history_behind_a_checkpoint_is_noticed() {
    let check = async |name: &str, change: fn(&mut Held), why: &str| {
        let out = outcome(name, change).await;
        assert_eq!((out.whole, out.why), (false, vec![why.to_owned()]), "{name}");
        assert!(out.used.is_some(), "{name}: the sessions are known");
    };
    let other = "it is not the batch that the one after it names";
    let shape = "it is cut off or of another form";
    check("replayed", |it| it.batches[20] = it.batches[21].clone(), other).await;
    check("swapped", |it| it.batches.swap(10, 11), other).await;
    let moved = |it: &mut Held| {
        let batch = it.batches.remove(10);
        it.batches.insert(30, batch);
    };
    check("moved", moved, other).await;
    check("a bit", |it| it.batches[20] = flipped(&it.batches[20]), other).await;
    check("cut", |it| it.batches[20] = it.batches[20].slice(..200), shape).await;
    check("the first one", |it| it.batches[0] = flipped(&it.batches[0]), other).await;
    check("withheld from the middle on", |it| it.batches.truncate(20), "(missing)").await;
}

/// A reader is stopped at every write of its store, and at every delivery.
#[tokio::test]
async fn a_cold_join_that_is_killed_goes_on() {
    let bench = Bench::new(&["a", "b"]);
    let mut a = carrier(&bench, 0, MemoryStore::default());
    publish(&bench, &mut a, 1..=ITEMS).await;
    for seed in 0..40 {
        let shelf = Shelf::default();
        let chance = Chance::new(seed);
        let mut store = Crashing::new(MemoryStore::default(), chance.fork("store"), 2);
        shelf.0.lock().unwrap().crash = Some(Crashing::new((), chance.fork("apply"), 2));
        for kill in 0.. {
            assert!(kill < 1_000, "it never ends");
            if kill == 30 {
                store.calm();
                shelf.0.lock().unwrap().crash = None;
            }
            let hubs = (bench.hub.clone(), Durable::Segments(bench.hub.clone()));
            let parts = taffrail_sync::exchange::Parts {
                hub: hubs.0,
                durable: hubs.1,
                store,
                applied: shelf.clone(),
                us: bench.devices[1].us(),
                roster: bench.roster.clone(),
                random: crate::exchange::fleet::random(chance.fork(&kill.to_string())),
            };
            let mut b = Exchange::new(parts).with_checkpoints(PACE);
            let read = b.read().await;
            store = b.into_parts().store;
            if read.is_ok() {
                break;
            }
        }
        assert_eq!(shelf.said(&bench.devices[0].id, &own_stream()), all(ITEMS), "seed {seed}");
        assert!(!shelf.checkpoint_of(&bench.devices[0].id).is_empty());
    }
}

/// A program that does not know checkpoints, on the data of one that was stopped behind one.
#[tokio::test]
async fn an_older_version_reads_the_gap_from_its_beginning() {
    let bench = Bench::new(&["a", "b"]);
    let mut a = carrier(&bench, 0, MemoryStore::default());
    publish(&bench, &mut a, 1..=ITEMS).await;
    // The hub withholds the history, so the reader stops right behind the checkpoint.
    let good = held(&bench.hub.inner()).await;
    let mut bad = good.clone();
    bad.batches.iter_mut().take(40).for_each(|it| *it = flipped(it));
    bench.hub.replace(hub_of(&bad).await);
    let mut b = carrier(&bench, 1, MemoryStore::default());
    bench.round(&mut [&mut b]).await;
    assert!(!bench.shelves[1].checkpoint_of(&bench.devices[0].id).is_empty());
    bench.hub.replace(hub_of(&good).await);
    let mut store = b.into_parts().store;
    let log = good.log.as_str().split('/').collect::<Vec<_>>();
    let incarnation = taffrail_model::exchange::Incarnation::parse(log[2]).unwrap();
    let device = bench.devices[0].id.clone();
    let origin =
        taffrail_sync::exchange::StreamOrigin { device, stream: own_stream(), incarnation };
    assert_eq!(store.read_to(&origin), Ok(None), "the cursor of every version");
    for note in store.notes("history/").unwrap() {
        store.keep_note(&note, b"").unwrap();
    }
    let far = CheckpointPace { far: u64::MAX, ..PACE };
    bench.hub.replace(hub_of(&Held { blobs: Vec::new(), ..good }).await);
    let shelf = Shelf::default();
    let hubs = (bench.hub.clone(), Durable::Segments(bench.hub.clone()));
    let roster = bench.roster.clone();
    let mut old = exchange(&bench.devices[1], hubs, (store, shelf.clone()), roster, Chance::new(1))
        .with_checkpoints(far);
    bench.round(&mut [&mut old]).await;
    assert_eq!(shelf.said(&bench.devices[0].id, &own_stream()), all(ITEMS));
}
