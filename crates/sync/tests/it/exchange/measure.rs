//! The cost of sealing and publishing compared with a bare publish, and the delay until another
//! device has an item. Numbers are printed; only documented limits are asserted.

use crate::exchange::engines::{Running, now, open};
use crate::exchange::fleet::{Own, Shelf, exchange, line, team_of};
use async_nats::jetstream;
use bytes::Bytes;
use std::time::{Duration, Instant};
use taffrail_sync::exchange::{BATCH_BYTES, Durable, Item, MemoryStore, own_stream};
use taffrail_testkit::Chance;
use taffrail_testkit::hubs::{Flush, NatsServer};

const ITEMS: usize = 40_000;

/// Lines as agents write them: some words repeat, some do not.
fn items() -> Vec<Item> {
    let mut chance = Chance::new(3);
    let words: Vec<String> = (0..2_000).map(|_| format!("{:x}", chance.bits() >> 36)).collect();
    let text = |chance: &mut Chance| {
        (0..80).map(|_| chance.pick(&words).as_str()).collect::<Vec<_>>().join(" ")
    };
    (0..ITEMS).map(|_| line(text(&mut chance))).collect()
}

fn own_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields = stat.rsplit_once(") ").unwrap().1.split(' ').skip(11).take(2);
    fields.map(|it| it.parse::<f64>().unwrap()).sum::<f64>() / 100.0
}

/// Prints the processor time of both for the same items.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it measures, and needs a quiet machine"]
async fn sealing_and_publishing_beside_bare_publishing() {
    let server = NatsServer::start(Flush::Lazily);
    let context = jetstream::new(async_nats::connect(server.url()).await.unwrap());
    let subjects = vec!["bare.>".to_owned()];
    let config =
        jetstream::stream::Config { name: "bare".to_owned(), subjects, ..Default::default() };
    context.create_stream(config).await.unwrap();
    let items = items();
    let bytes: Vec<Bytes> = items.iter().map(|it| it.to_bytes().into()).collect();
    let all: usize = bytes.iter().map(Bytes::len).sum();
    let batches: Vec<Bytes> =
        bytes.concat().chunks(BATCH_BYTES).map(Bytes::copy_from_slice).collect();
    println!("{ITEMS} items, {all} bytes, {} batches", batches.len());
    for _ in 0..3 {
        let start = server.cpu_seconds();
        let singly = bare(&context, &bytes).await;
        let after_single = server.cpu_seconds();
        let batched = bare(&context, &batches).await;
        let after_batched = server.cpu_seconds();
        let sealed = sealed(&server, &items).await;
        println!(
            "bare, one by one: {singly:.2} s; bare, in batches: {batched:.2} s; sealed: {sealed:.2} s \
             ({:.2} of one by one, {:.2} of batches); the server's own: {:.2} s, {:.2} s, {:.2} s",
            sealed / singly,
            sealed / batched,
            after_single - start,
            after_batched - after_single,
            server.cpu_seconds() - after_batched,
        );
    }
}

async fn bare(context: &jetstream::Context, messages: &[Bytes]) -> f64 {
    let before = own_seconds();
    for message in messages {
        let sent = context.publish("bare.x", message.clone()).await.unwrap();
        sent.await.unwrap();
    }
    own_seconds() - before
}

async fn sealed(server: &NatsServer, items: &[Item]) -> f64 {
    let team = [Own::new("a")];
    let memory = (MemoryStore::default(), Shelf::default());
    let hubs = (open(&server.url()).await, Durable::Log);
    let chance = Chance::new(now().as_nanosecond() as u64);
    let mut carrier = exchange(&team[0], hubs, memory, team_of(&team), chance);
    carrier.push(&own_stream(), items, now()).unwrap();
    let before = own_seconds();
    carrier.publish(now()).await.unwrap();
    own_seconds() - before
}

/// From the push on one device to the item on the other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it measures, and needs a quiet machine"]
async fn another_device_knows_within_half_a_second() {
    let server = NatsServer::start(Flush::Always);
    let team = [Own::new("a"), Own::new("b")];
    let mut a = Running::start(&team, 0, &server.url(), true).await;
    let b = Running::start(&team, 1, &server.url(), true).await;
    a.push(&[line("first")]);
    b.heard(&a.who, 1).await;
    let mut took = Vec::new();
    let mut chance = Chance::new(1);
    for n in 0..300 {
        let started = Instant::now();
        a.push(&[line(format!("{n}"))]);
        b.heard(&a.who, n + 2).await;
        took.push(started.elapsed());
        tokio::time::sleep(Duration::from_millis(chance.below(30) as u64)).await;
    }
    took.sort_unstable();
    let (middle, late) = (took[took.len() / 2], took[took.len() * 99 / 100]);
    println!("p50 {middle:?}, p99 {late:?}, longest {:?}", took[took.len() - 1]);
    assert!(late < Duration::from_millis(500), "{late:?}");
    a.stop().await;
    b.stop().await;
}
