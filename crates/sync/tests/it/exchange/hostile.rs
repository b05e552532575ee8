//! A hub that shows false data: none of it is applied, and the reader continues when the right data
//! is back.

use crate::exchange::cases::Bench;
use crate::exchange::fleet::{Own, at, line};
use bytes::Bytes;
use taffrail_model::DeviceId;
use taffrail_sync::Digest;
use taffrail_sync::exchange::{Item, StallReason, own_stream};
use taffrail_sync::hub::{Hub, KeyName, LogName, MemoryHub, PAGE_LIMIT, Prefix};
use taffrail_sync::roster::Signer;
use taffrail_sync::seal::{
    Chain, Content, DataKey, KeyPlace, Scope, Sealed, Stream, WrappedKey, seal, wrap,
};

/// The content of the hub, ready to be changed.
struct Held {
    /// The first device's batches: three with an item each.
    batches: Vec<Bytes>,
    /// The second device's batches.
    others: Vec<Bytes>,
    log: LogName,
    key: Vec<u8>,
}

fn everything() -> Prefix {
    Prefix::everything()
}

async fn honest(bench: &Bench) -> Held {
    let (mut a, mut b) = (bench.plain(0), bench.plain(2));
    for text in ["1", "2", "3"] {
        for carrier in [&mut a, &mut b] {
            carrier.push(&own_stream(), &[line(text)], at(bench.hub.now())).unwrap();
        }
        bench.round(&mut [&mut a, &mut b]).await;
    }
    let hub = bench.hub.inner();
    let mut logs = Vec::new();
    for log in hub.logs(&everything()).await.unwrap() {
        let entries = hub.read_since(&log, 0, PAGE_LIMIT).await.unwrap();
        logs.push((log, entries.into_iter().map(|it| it.bytes).collect::<Vec<_>>()));
    }
    let is_first = |log: &LogName| log.as_str().starts_with("id-a/");
    let (mut first, mut second) = (None, None);
    for (log, batches) in logs {
        if is_first(&log) { first = Some((log, batches)) } else { second = Some(batches) }
    }
    let ((log, batches), others) = (first.unwrap(), second.unwrap());
    let key = hub.get(&key_name()).await.unwrap().unwrap().bytes.to_vec();
    Held { batches, others, log, key }
}

fn key_name() -> KeyName {
    KeyName::new("key/id-a/own/0").unwrap()
}

/// A hub with this content.
async fn hub_of(bench: &Bench, held: &Held) -> MemoryHub {
    let hub = MemoryHub::new();
    for (seq, bytes) in (1..).zip(&held.batches) {
        hub.append(&held.log, seq, bytes.clone()).await.unwrap();
    }
    hub.cas(&key_name(), None, held.key.clone().into()).await.unwrap();
    let roster = KeyName::new("roster").unwrap();
    hub.cas(&roster, None, bench.roster.to_sealed().unwrap().into()).await.unwrap();
    hub
}

/// Checks how much is applied, why the reader stalls, and that it continues afterwards.
async fn check(name: &str, change: impl FnOnce(&mut Held, &Bench), applied: usize, why: &str) {
    let bench = Bench::new(&["a", "b", "c"]);
    let held = honest(&bench).await;
    let good = hub_of(&bench, &held).await;
    let mut bad = held;
    change(&mut bad, &bench);
    bench.hub.replace(hub_of(&bench, &bad).await);
    let mut reader = bench.plain(1);
    for _ in 0..2 {
        bench.round(&mut [&mut reader]).await;
    }
    let a = &bench.devices[0].id;
    let all = ["1", "2", "3"].map(line);
    assert_eq!(bench.shelves[1].said(a, &own_stream()), all[..applied], "{name}");
    let of = reader.health().standing.iter().filter(|(it, _)| it.device == *a);
    let reasons: Vec<String> = of.map(|(_, still)| reason(&still.why)).collect();
    assert_eq!(reasons.join(", "), why, "{name}");
    let refused = u64::from(!why.is_empty() && !why.starts_with('('));
    assert_eq!(reader.health().refused, refused, "{name}: counted once");
    bench.hub.replace(good);
    bench.round(&mut [&mut reader]).await;
    assert_eq!(bench.shelves[1].said(a, &own_stream()), all, "{name}: it goes on");
    assert_eq!(reader.health().standing.keys().filter(|it| it.device == *a).count(), 0, "{name}");
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

fn flipped(bytes: &Bytes, at: usize) -> Bytes {
    let mut bytes = bytes.to_vec();
    bytes[at] ^= 1;
    bytes.into()
}

/// The second batch as forged by someone without either key.
fn forged(held: &Held, bench: &Bench, by: &Own) -> Bytes {
    let first = Sealed::parse(&held.batches[0]).unwrap();
    forged_after(held, bench, by, first.hash())
}

fn forged_after(held: &Held, bench: &Bench, by: &Own, head: Digest) -> Bytes {
    let first = Sealed::parse(&held.batches[0]).unwrap();
    let place = first.place;
    let team = *bench.roster.team();
    let device: DeviceId = place.device.clone();
    let chain =
        Chain { team, stream: Stream::new(place.stream.as_str()), device, next: 2, head, epoch: 0 };
    let bytes = line("forged").to_bytes();
    let content = Content { events: 1, bytes: &bytes, epoch: 0 };
    let signer = Signer { device: &place.device, secret: &by.secret };
    let key = DataKey::from_random([3; 32]);
    seal(&chain, content, &key, &signer, [4; 24]).unwrap().0.to_bytes().into()
}

/// A key made by the hub, wrapped to all.
fn own_key(bench: &Bench, by: (&DeviceId, &Own)) -> Vec<u8> {
    let scope = Scope::new("id-a/own");
    let place = KeyPlace { team: *bench.roster.team(), scope, epoch: 0 };
    let recipients: Vec<_> =
        bench.roster.members().map(|it| it.device.keys.recipient().clone()).collect();
    let signer = Signer { device: by.0, secret: &by.1.secret };
    wrap(&DataKey::from_random([3; 32]), &place, &recipients, &signer).unwrap().to_bytes()
}

#[tokio::test]
async fn what_a_hub_makes_up_is_never_applied() {
    let forged_why = "the signature does not hold";
    let elsewhere = "it belongs somewhere else";
    let shape = "it is cut off or of another form";
    check("honest", |_, _| {}, 3, "").await;
    check(
        "replayed",
        |it, _| it.batches[2] = it.batches[1].clone(),
        2,
        "it holds 2, 3 was to come",
    )
    .await;
    check("swapped", |it, _| it.batches.swap(1, 2), 1, "it holds 3, 2 was to come").await;
    check("left out", |it, _| drop(it.batches.remove(1)), 1, "it holds 3, 2 was to come").await;
    check("the first left out", |it, _| drop(it.batches.remove(0)), 0, "it holds 2, 1 was to come")
        .await;
    check("cut", |it, _| it.batches[1] = it.batches[1].slice(..200), 1, shape).await;
    check("empty", |it, _| it.batches[1] = Bytes::new(), 1, shape).await;
    let last = |it: &Held| it.batches[1].len() - 1;
    check(
        "a bit of the signature",
        |it, _| it.batches[1] = flipped(&it.batches[1], last(it)),
        1,
        forged_why,
    )
    .await;
    check("another's batch", |it, _| it.batches[1] = it.others[1].clone(), 1, elsewhere).await;
    let by_stranger =
        |it: &mut Held, bench: &Bench| it.batches[1] = forged(it, bench, &Own::new("hub"));
    check("forged", by_stranger, 1, forged_why).await;
    let by_member =
        |it: &mut Held, bench: &Bench| it.batches[1] = forged(it, bench, &bench.devices[2]);
    check("forged by a device of the team", by_member, 1, forged_why).await;
    // A device that writes two histories: the second does not follow from what was read.
    let other_history = |it: &mut Held, bench: &Bench| {
        it.batches[1] = forged(it, bench, &bench.devices[0]);
    };
    check(
        "another history",
        other_history,
        1,
        "it does not open: it was changed, or the key is another one",
    )
    .await;
    let not_after = |it: &mut Held, bench: &Bench| {
        it.batches[1] = forged_after(it, bench, &bench.devices[0], Digest::from_bytes([0; 32]));
    };
    check("not after the first", not_after, 1, "it does not follow the batch before it").await;
}

#[tokio::test]
async fn a_key_of_the_hubs_own_opens_nothing() {
    let its_key = |why: &str| format!("its key: {why}");
    let a = DeviceId::new("id-a");
    let check_key = async |name: &str, key: &dyn Fn(&Held, &Bench) -> Vec<u8>, why: &str| {
        check(name, |it, bench| it.key = key(it, bench), 0, why).await;
    };
    let stranger = Own::new("hub");
    let key = |_: &Held, bench: &Bench| own_key(bench, (&a, &stranger));
    check_key("signed by the hub", &key, &its_key("the signature does not hold")).await;
    let key = |_: &Held, bench: &Bench| own_key(bench, (&stranger.id, &stranger));
    check_key("by a stranger", &key, &its_key("it belongs somewhere else")).await;
    let key = |_: &Held, bench: &Bench| own_key(bench, (&bench.devices[2].id, &bench.devices[2]));
    check_key("by a device of the team", &key, &its_key("it belongs somewhere else")).await;
    let key = |it: &Held, _: &Bench| it.key[..it.key.len() / 2].to_vec();
    check_key("cut", &key, &its_key("it is cut off or of another form")).await;
    let to_others = |it: &Held, bench: &Bench| {
        let place = WrappedKey::parse(&it.key).unwrap().place;
        let only_c = [bench.devices[2].secret.keys().recipient().clone()];
        let key = DataKey::from_random([3; 32]);
        wrap(&key, &place, &only_c, &bench.devices[0].signer()).unwrap().to_bytes()
    };
    check_key("from before it was ours to read", &to_others, "(not for us)").await;
}

#[tokio::test]
async fn a_life_of_a_stream_cannot_be_shown_as_another() {
    let bench = Bench::new(&["a", "b", "c"]);
    let held = honest(&bench).await;
    let hub = hub_of(&bench, &held).await;
    let later = LogName::new("id-a/own/9-0000000000000001").unwrap();
    for (seq, bytes) in (1..).zip(&held.batches) {
        hub.append(&later, seq, bytes.clone()).await.unwrap();
    }
    bench.hub.replace(hub);
    let mut reader = bench.plain(1);
    bench.round(&mut [&mut reader]).await;
    let said: Vec<Item> = bench.shelves[1].said(&bench.devices[0].id, &own_stream());
    assert_eq!((said.len(), reader.health().refused), (3, 1));
}
