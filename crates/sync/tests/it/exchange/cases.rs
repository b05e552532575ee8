//! Events in the life of devices, one case each.

use crate::exchange::fleet::{Own, Shelf, USER, at, exchange, line, team_of};
use crate::exchange::weather::{CALM, Weather};
use std::time::Instant;
use taffrail_model::exchange::Retention;
use taffrail_sync::Roster;
use taffrail_sync::exchange::{
    Durable, Exchange, ExchangeError, Item, MemoryStore, Outbox, Readers, Republish, RosterFault,
    StallReason, State, approval_stream, own_stream, share_stream,
};
use taffrail_sync::roster::Op;
use taffrail_testkit::{Chance, Scale};

const DAY: i64 = 24 * 60 * 60 * 1000;

type Carrier = Exchange<Weather, MemoryStore, Shelf>;

/// Two devices or more over a reliable hub.
pub(crate) struct Bench {
    pub(crate) hub: Weather,
    pub(crate) devices: Vec<Own>,
    pub(crate) roster: Roster,
    pub(crate) shelves: Vec<Shelf>,
}

impl Bench {
    pub(crate) fn new(names: &[&str]) -> Self {
        let devices: Vec<Own> = names.iter().map(|name| Own::new(name)).collect();
        let roster = team_of(&devices);
        let shelves = names.iter().map(|_| Shelf::default()).collect();
        Self { hub: Weather::new(CALM, Chance::new(1)), devices, roster, shelves }
    }

    pub(crate) fn carrier(
        &self,
        who: usize,
        store: MemoryStore,
        durable: Durable<Weather>,
    ) -> Carrier {
        let memory = (store, self.shelves[who].clone());
        let chance = Chance::new(self.hub.now() as u64).fork(&who.to_string());
        let hubs = (self.hub.clone(), durable);
        exchange(&self.devices[who], hubs, memory, self.roster.clone(), chance)
    }

    pub(crate) fn plain(&self, who: usize) -> Carrier {
        self.carrier(who, MemoryStore::default(), Durable::Log)
    }

    fn said(&self, reader: usize, writer: usize) -> Vec<Item> {
        self.shelves[reader].said(&self.devices[writer].id, &own_stream())
    }

    /// Advances the time, and lets the devices scan everything.
    pub(crate) async fn round(&self, carriers: &mut [&mut Carrier]) {
        self.hub.pass(1_000);
        for carrier in carriers {
            carrier.look(at(self.hub.now())).await.unwrap();
        }
    }

    fn push(&self, carrier: &mut Carrier, texts: &[&str]) {
        let items: Vec<Item> = texts.iter().map(|text| line(*text)).collect();
        carrier.push(&own_stream(), &items, at(self.hub.now())).unwrap();
    }
}

fn lines(texts: &[&str]) -> Vec<Item> {
    texts.iter().map(|text| line(*text)).collect()
}

#[tokio::test]
async fn a_device_offline_for_thirty_days_catches_up() {
    let rows = Scale::from_env().pick(100_000, 1_000_000);
    let bench = Bench::new(&["a", "b"]);
    let (mut a, mut b) = (bench.plain(0), bench.plain(1));
    let expected: Vec<Item> = (0..rows).map(|n| line(format!("row {n}"))).collect();
    // Thirty days of items while the hub is unreachable.
    for (part, items) in expected.chunks(1_000).enumerate() {
        let when = 30 * DAY * part as i64 * 1_000 / rows as i64;
        a.push(&own_stream(), items, at(when)).unwrap();
    }
    bench.hub.pass(30 * DAY);
    let started = Instant::now();
    bench.round(&mut [&mut a, &mut b]).await;
    eprintln!("{rows} rows in {:?}", started.elapsed());
    assert_eq!(bench.said(1, 0), expected);
    assert_eq!(a.health().behind, 0);
}

#[tokio::test]
async fn a_hub_that_was_emptied_gets_everything_again() {
    for is_segmented in [false, true] {
        let bench = Bench::new(&["a", "b", "new"]);
        let durable = || match is_segmented {
            true => Durable::Segments(bench.hub.clone()),
            false => Durable::Log,
        };
        let mut a = bench.carrier(0, MemoryStore::default(), durable());
        let mut b = bench.carrier(1, MemoryStore::default(), durable());
        for text in ["1", "2", "3"] {
            bench.push(&mut a, &[text]);
            bench.round(&mut [&mut a, &mut b]).await;
        }
        bench.hub.wipe();
        bench.push(&mut a, &["4"]);
        bench.round(&mut [&mut b, &mut a]).await;
        let mut new = bench.carrier(2, MemoryStore::default(), durable());
        bench.round(&mut [&mut b, &mut a, &mut new]).await;
        bench.round(&mut [&mut b]).await;
        let all = lines(&["1", "2", "3", "4"]);
        assert_eq!((bench.said(1, 0), bench.said(2, 0)), (all.clone(), all));
        assert_eq!(a.applied().0.lock().unwrap().anew, []);
    }
}

#[tokio::test]
async fn what_the_outbox_has_no_more_is_told_anew() {
    let bench = Bench::new(&["a", "b"]);
    let (mut a, mut b) = (bench.plain(0), bench.plain(1));
    bench.push(&mut a, &["1"]);
    bench.round(&mut [&mut a, &mut b]).await;
    a.store().prune(Retention { before: at(DAY), bytes: 0 }).unwrap();
    bench.hub.wipe();
    bench.push(&mut a, &["2"]);
    // Scanned twice, in case the hub only seemed to have lost it.
    bench.hub.pass(1_000);
    a.audit(at(bench.hub.now())).await.unwrap();
    assert_eq!(a.publish(at(bench.hub.now())).await.unwrap().republish, []);
    let published = a.publish(at(bench.hub.now())).await.unwrap();
    assert_eq!(published.republish, [Republish::BeginningGone(own_stream())]);
    assert_eq!(a.applied().0.lock().unwrap().anew, [own_stream()]);
    bench.push(&mut a, &["1 again"]);
    bench.round(&mut [&mut a, &mut b]).await;
    assert_eq!(bench.said(1, 0), lines(&["1", "2", "1 again"]));
}

#[tokio::test]
async fn a_device_restored_from_a_backup_overwrites_nothing() {
    let bench = Bench::new(&["a", "b", "new"]);
    let (mut a, mut b) = (bench.plain(0), bench.plain(1));
    bench.push(&mut a, &["1"]);
    bench.round(&mut [&mut a, &mut b]).await;
    let backup = a.store().clone();
    bench.push(&mut a, &["2", "3"]);
    bench.round(&mut [&mut a, &mut b]).await;
    let mut a = bench.carrier(0, backup, Durable::Log);
    bench.push(&mut a, &["other 2"]);
    bench.hub.pass(1_000);
    let published = a.publish(at(bench.hub.now())).await.unwrap();
    assert_eq!(published.republish, [Republish::Restored(own_stream())]);
    let mut new = bench.plain(2);
    bench.round(&mut [&mut a, &mut b, &mut new]).await;
    let all = lines(&["1", "2", "3", "other 2"]);
    assert_eq!((bench.said(1, 0), bench.said(2, 0)), (all.clone(), all));
    assert_eq!(b.health().refused, 0);
}

#[tokio::test]
async fn two_copies_of_a_device_do_not_harm_each_other() {
    let bench = Bench::new(&["a", "b"]);
    let (mut first, mut b) = (bench.plain(0), bench.plain(1));
    bench.push(&mut first, &["1"]);
    bench.round(&mut [&mut first, &mut b]).await;
    bench.hub.pass(7);
    let mut second = bench.carrier(0, first.store().clone(), Durable::Log);
    for n in 2..6 {
        bench.push(&mut first, &[&format!("first {n}")]);
        bench.push(&mut second, &[&format!("second {n}")]);
        bench.round(&mut [&mut first, &mut second, &mut b]).await;
    }
    let said = bench.said(1, 0);
    for who in ["first", "second"] {
        let of = |item: &&Item| format!("{item:?}").contains(who);
        let expected: Vec<Item> = (2..6).map(|n| line(format!("{who} {n}"))).collect();
        assert_eq!(said.iter().filter(of).cloned().collect::<Vec<_>>(), expected);
    }
    assert_eq!((said.len(), b.health().refused), (9, 0));
}

#[tokio::test]
async fn a_removed_device_reads_nothing_new_while_others_do() {
    let bench = Bench::new(&["a", "b", "gone"]);
    let (mut a, mut b, mut gone) = (bench.plain(0), bench.plain(1), bench.plain(2));
    bench.push(&mut a, &["before"]);
    bench.push(&mut gone, &["mine"]);
    bench.round(&mut [&mut gone, &mut a, &mut b]).await;
    bench.round(&mut [&mut gone]).await;
    let (admin, device) = (bench.devices[0].clone(), bench.devices[2].id.clone());
    a.change_roster(|roster| {
        let remove = Op::Remove { device: device.clone() };
        Ok(roster.with(remove, &admin.signer(), at(0))?.0)
    })
    .await
    .unwrap();
    bench.push(&mut a, &["after"]);
    bench.push(&mut gone, &["still mine"]);
    bench.hub.pass(1_000);
    let now = at(bench.hub.now());
    assert_eq!(gone.look(now).await, Err(ExchangeError::Roster(RosterFault::NotForUs)));
    gone.publish(now).await.unwrap();
    bench.round(&mut [&mut a, &mut b]).await;
    gone.read().await.unwrap();
    assert_eq!(bench.said(1, 0), lines(&["before", "after"]));
    assert_eq!(bench.said(2, 0), lines(&["before"]));
    assert_eq!(bench.said(1, 2), lines(&["mine"]), "nothing of a device that is not in the team");
    let why = gone.health().standing.values().map(|it| it.why.clone()).collect::<Vec<_>>();
    assert_eq!(why, [StallReason::RosterBehind]);
}

#[tokio::test]
async fn a_device_that_comes_reads_from_the_beginning() {
    let bench = Bench::new(&["a", "b"]);
    let (mut a, mut b) = (bench.plain(0), bench.plain(1));
    bench.push(&mut a, &["1"]);
    bench.round(&mut [&mut a, &mut b]).await;
    let (admin, late) = (bench.devices[0].clone(), Own::new("late"));
    for op in [Op::Rotate, late.add(USER)] {
        a.change_roster(|roster| Ok(roster.with(op.clone(), &admin.signer(), at(0))?.0))
            .await
            .unwrap();
        bench.push(&mut a, &["2"]);
        bench.round(&mut [&mut a, &mut b]).await;
    }
    let shelf = Shelf::default();
    let memory = (MemoryStore::default(), shelf.clone());
    let hubs = (bench.hub.clone(), Durable::Log);
    let mut new = exchange(&late, hubs, memory, bench.roster.clone(), Chance::new(5));
    bench.round(&mut [&mut new, &mut a]).await;
    assert_eq!(shelf.said(&bench.devices[0].id, &own_stream()), lines(&["1", "2", "2"]));
}

#[tokio::test]
async fn a_share_is_for_its_readers_and_holds_one_session() {
    let bench = Bench::new(&["a", "b"]);
    let bob = Own::new("bob");
    let roster = bench.roster.with(bob.add("bob"), &bench.devices[0].signer(), at(0)).unwrap().0;
    let bench = Bench { roster, ..bench };
    let (mut a, mut b) = (bench.plain(0), bench.plain(1));
    let shelf = Shelf::default();
    let memory = (MemoryStore::default(), shelf.clone());
    let hubs = (bench.hub.clone(), Durable::Log);
    let mut bobs = exchange(&bob, hubs, memory, bench.roster.clone(), Chance::new(5));
    let shared = share_stream([7; 8]);
    a.open(&shared, &Readers { users: vec!["bob".to_owned()], devices: vec![] }).unwrap();
    a.open(&approval_stream(), &Readers::user(USER)).unwrap();
    bench.push(&mut a, &["private"]);
    for stream in [&shared, &approval_stream()] {
        a.push(stream, &[line(stream.as_str())], at(bench.hub.now())).unwrap();
    }
    bench.round(&mut [&mut a, &mut b, &mut bobs]).await;
    let id = &bench.devices[0].id;
    let said = |shelf: &Shelf| {
        [own_stream(), shared.clone(), approval_stream()].map(|it| shelf.said(id, &it).len())
    };
    assert_eq!((said(&shelf), said(&bench.shelves[1])), ([0, 1, 0], [1, 0, 1]));
    assert_eq!((bobs.health().refused, b.health().refused), (0, 0));
    // The readers change from now on: bob keeps what he could read, but cannot read what is new.
    a.open(&shared, &Readers::default()).unwrap();
    let admin = bench.devices[0].clone();
    a.change_roster(|it| Ok(it.with(Op::Rotate, &admin.signer(), at(0))?.0)).await.unwrap();
    a.push(&shared, &[line("not for bob")], at(bench.hub.now())).unwrap();
    bench.round(&mut [&mut a, &mut b, &mut bobs]).await;
    assert_eq!(said(&shelf), [0, 1, 0]);
}

#[tokio::test]
async fn segments_are_read_where_the_log_is_gone() {
    let bench = Bench::new(&["a", "b"]);
    let store = Weather::new(CALM, Chance::new(2));
    let durable = || Durable::Segments(store.clone());
    let mut a = bench.carrier(0, MemoryStore::default(), durable());
    let texts: Vec<String> = (0..200).map(|n| n.to_string()).collect();
    for text in &texts {
        bench.push(&mut a, &[text]);
        bench.hub.pass(200);
        a.publish(at(bench.hub.now())).await.unwrap();
    }
    bench.hub.pass(DAY);
    a.look(at(bench.hub.now())).await.unwrap();
    let writing = a.store().streams().unwrap().remove(0);
    assert_eq!((writing.batches, writing.confirmed), (200, 200));
    // The hub is emptied while the writer is offline.
    bench.hub.wipe();
    let keys = a.store().clone();
    let mut keeper = bench.carrier(0, keys, Durable::Log);
    keeper.follow_roster().await.unwrap();
    let mut b = bench.carrier(1, MemoryStore::default(), durable());
    bench.round(&mut [&mut b]).await;
    let expected: Vec<Item> = texts.iter().map(line).collect();
    assert_eq!(bench.said(1, 0), expected);
}

#[tokio::test]
async fn nothing_leaves_the_outbox_before_it_is_confirmed() {
    let bench = Bench::new(&["a", "b"]);
    let mut a = bench.carrier(0, MemoryStore::default(), Durable::Segments(bench.hub.clone()));
    bench.push(&mut a, &["1"]);
    bench.hub.pass(200);
    let now = at(bench.hub.now());
    a.publish(now).await.unwrap();
    let everything = Retention { before: at(DAY * 365), bytes: 0 };
    assert_eq!(a.store().prune(everything), Ok(0), "appended is not confirmed");
    a.publish(at(bench.hub.now() + DAY)).await.unwrap();
    assert_eq!(a.store().prune(everything), Ok(1));
    assert_eq!(a.store().size(), (0, 0));
}

#[tokio::test]
async fn items_of_a_kind_not_known_here_are_counted() {
    let bench = Bench::new(&["a", "b"]);
    let (mut a, mut b) = (bench.plain(0), bench.plain(1));
    let new = Item::Unknown("{\"v\":9,\"kind\":\"new\"}".to_owned());
    a.push(&own_stream(), &[line("1"), new.clone(), line("2")], at(0)).unwrap();
    bench.round(&mut [&mut a, &mut b]).await;
    assert_eq!(bench.said(1, 0), [line("1"), new, line("2")]);
    assert_eq!((b.health().unknown, b.health().refused), (1, 0));
}

#[tokio::test]
async fn an_item_that_is_too_large_is_refused_whole() {
    let bench = Bench::new(&["a"]);
    let mut a = bench.plain(0);
    let answer = a.push(&own_stream(), &[line("1"), line("x".repeat(300_000))], at(0));
    assert!(matches!(answer, Err(ExchangeError::ItemTooLarge { .. })), "{answer:?}");
    assert_eq!(a.store().streams().unwrap()[0].last, 0);
    a.push(&own_stream(), &[line("x".repeat(200_000))], at(0)).unwrap();
    bench.round(&mut [&mut a]).await;
    assert_eq!((a.health().behind, a.health().state), (0, State::Starting));
}

#[tokio::test]
async fn a_batch_waits_for_company_and_not_longer() {
    let bench = Bench::new(&["a"]);
    let mut a = bench.plain(0);
    a.push(&own_stream(), &[line("1")], at(0)).unwrap();
    let published = a.publish(at(40)).await.unwrap();
    assert_eq!((published.appended, published.due), (0, Some(at(100))));
    a.push(&own_stream(), &[line("2")], at(90)).unwrap();
    let published = a.publish(at(100)).await.unwrap();
    assert_eq!((published.appended, published.due), (1, None));
    // A clock that was set back delays nothing.
    a.push(&own_stream(), &[line("3")], at(DAY)).unwrap();
    assert_eq!(a.publish(at(0)).await.unwrap().appended, 1);
    // More items than fit into a batch are not delayed either.
    let many: Vec<Item> = (0..3).map(|_| line("x".repeat(40_000))).collect();
    a.push(&own_stream(), &many, at(0)).unwrap();
    let published = a.publish(at(0)).await.unwrap();
    assert_eq!((published.appended, published.due), (2, Some(at(100))));
}

#[tokio::test]
async fn keys_that_served_long_are_due_for_rotation() {
    let bench = Bench::new(&["a"]);
    let mut a = bench.plain(0);
    bench.round(&mut [&mut a]).await;
    assert!(!a.health().rotation_due);
    bench.hub.pass(91 * DAY);
    bench.round(&mut [&mut a]).await;
    assert!(a.health().rotation_due);
    let admin = bench.devices[0].clone();
    a.change_roster(|it| Ok(it.with(Op::Rotate, &admin.signer(), at(0))?.0)).await.unwrap();
    bench.round(&mut [&mut a]).await;
    assert!(!a.health().rotation_due);
}

/// What a hub sees of the exchange: no word of any item.
#[tokio::test]
async fn no_word_of_an_item_is_on_the_hub() {
    let bench = Bench::new(&["a", "b"]);
    let (mut a, mut b) = (bench.plain(0), bench.plain(1));
    let canaries: Vec<String> = (0..1_000).map(|n| format!("canary{n:04}")).collect();
    for part in canaries.chunks(10) {
        let items: Vec<Item> = part.iter().map(line).collect();
        a.push(&own_stream(), &items, at(bench.hub.now())).unwrap();
        bench.round(&mut [&mut a, &mut b]).await;
    }
    let held = format!("{:?}", bench.hub.inner());
    assert_eq!(bench.said(1, 0).len(), 1_000);
    let found = canaries.iter().filter(|it| held.contains(it.as_str())).count();
    assert_eq!((found, held.contains("canary")), (0, false));
}
