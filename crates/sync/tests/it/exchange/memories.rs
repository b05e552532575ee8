//! The store on disk behaves like the one in memory, also after it is reopened.

use crate::exchange::fleet::{Own, Shelf, at, exchange, line, team_of};
use taffrail_model::exchange::{
    Inbox, Incarnation, OutBatch, Outbox, ReadTo, Retention, StreamOrigin, Writing,
};
use taffrail_model::{DeviceId, StreamName};
use taffrail_store::Ledger;
use taffrail_sync::exchange::{Durable, Item, MemoryStore, own_stream};
use taffrail_sync::hub::MemoryHub;
use taffrail_testkit::{Chance, Scale};

/// One call to a store, and its result as text.
fn ask(memory: &mut (impl Outbox + Inbox), chance: &mut Chance, now: i64) -> String {
    let stream = StreamName::new(*chance.pick(&["own", "desk"]));
    let small = |chance: &mut Chance| chance.below(12) as u64;
    let incarnation = Incarnation { count: small(chance) as u32, random: chance.bits() };
    match chance.below(14) {
        0 => format!(
            "{:?}",
            memory.open_stream(&Writing::new(stream, incarnation, "x".repeat(chance.below(3))))
        ),
        1 if chance.one_in(8) => format!("{:?}", memory.close_stream(&stream)),
        1..=4 => {
            let items: Vec<Vec<u8>> =
                (0..chance.below(4)).map(|n| vec![n as u8; chance.below(40)]).collect();
            format!("{:?}", memory.push(&stream, &items, at(now)).is_ok())
        }
        5 => format!("{:?}", memory.unsealed(&stream, chance.below(60)).unwrap_or_default()),
        6..=7 => seal(memory, &stream, chance, now),
        8 => format!(
            "{:?}",
            memory.batches(&stream, small(chance), chance.below(4)).unwrap_or_default()
        ),
        9 => {
            let writing = memory.streams().unwrap().into_iter().find(|it| it.stream == stream);
            let Some(writing) = writing else { return String::new() };
            let appended = chance.below(writing.batches as usize + 1) as u64;
            let confirmed = chance.below(appended as usize + 1) as u64;
            format!("{:?}", memory.reached(&stream, appended, confirmed))
        }
        10 if chance.one_in(4) => format!("{:?}", memory.begin_again(&stream, incarnation).is_ok()),
        10 => format!(
            "{:?}",
            memory.prune(Retention { before: at(now - 50), bytes: small(chance) * 20 })
        ),
        11 => {
            let name = format!("n/{}", chance.below(5));
            format!("{:?}", memory.keep_note(&name, &[chance.below(9) as u8]))
        }
        12 => format!("{:?} {:?}", memory.notes("n/"), memory.note("n/1")),
        _ => {
            let origin = StreamOrigin {
                device: DeviceId::new("d"),
                stream,
                incarnation: Incarnation { random: 1, ..incarnation },
            };
            let before = memory.read_to(&origin);
            let to = ReadTo { seq: small(chance), chain: "c".to_owned() };
            format!("{before:?} {:?}", memory.keep_read_to(&origin, &to))
        }
    }
}

fn seal(memory: &mut impl Outbox, stream: &StreamName, chance: &mut Chance, now: i64) -> String {
    let rows = memory.unsealed(stream, 50).unwrap_or_default();
    let writing = memory.streams().unwrap().into_iter().find(|it| it.stream == *stream);
    let (Some(last), Some(writing)) = (rows.last(), writing) else { return String::new() };
    let bytes = vec![1; chance.below(30)];
    let batch = OutBatch { seq: writing.batches + 1, last: last.number, at: at(now), bytes };
    format!("{:?}", memory.keep_batch(stream, &batch, "chain"))
}

#[test]
fn memory_on_disk_answers_as_the_one_in_memory() {
    let scale = Scale::from_env();
    for run in 0..scale.pick(20, 1_000) {
        let folder = tempfile::tempdir().unwrap();
        let open = || Ledger::open(folder.path(), &DeviceId::new("d")).unwrap();
        let (mut ledger, mut memory) = (open(), MemoryStore::default());
        let seed = scale.chance(&format!("memory {run}"));
        let mut restarts = seed.fork("restarts");
        for step in 0..150 {
            let (mut one, mut two) = (seed.fork(&step.to_string()), seed.fork(&step.to_string()));
            let expected = ask(&mut memory, &mut one, step);
            assert_eq!(ask(&mut ledger, &mut two, step), expected, "run {run} step {step}");
            assert_eq!(ledger.streams(), memory.streams(), "run {run} step {step}");
            if restarts.one_in(40) {
                drop(ledger);
                ledger = open();
            }
        }
    }
}

#[tokio::test]
async fn devices_with_ledgers_keep_up_over_restarts() {
    let hub = MemoryHub::new();
    let devices = [Own::new("a"), Own::new("b")];
    let roster = team_of(&devices);
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let shelves = [Shelf::default(), Shelf::default()];
    let mut expected = Vec::new();
    for round in 0..5_i64 {
        for who in 0..2 {
            let ledger = Ledger::open(folders[who].path(), &devices[who].id).unwrap();
            let memory = (ledger, shelves[who].clone());
            let hubs = (hub.clone(), Durable::Segments(hub.clone()));
            let chance = Chance::new(round as u64).fork(devices[who].id.as_str());
            let mut it = exchange(&devices[who], hubs, memory, roster.clone(), chance);
            if who == 0 {
                let items: Vec<Item> = (0..3).map(|n| line(format!("{round} {n}"))).collect();
                it.push(&own_stream(), &items, at(round * 1_000)).unwrap();
                expected.extend(items);
            }
            it.look(at(round * 1_000 + 500)).await.unwrap();
            assert_eq!((it.health().behind, it.health().refused), (0, 0));
        }
    }
    assert_eq!(shelves[1].said(&devices[0].id, &own_stream()), expected);
}
