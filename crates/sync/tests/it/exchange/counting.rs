//! The requests of idle devices to a hub: counted, never timed.

use crate::exchange::cases::Bench;
use crate::exchange::fleet::{Own, Shelf, at, line, random};
use crate::exchange::weather::{Traffic, Weather};
use taffrail_sync::Roster;
use taffrail_sync::exchange::{
    Durable, Exchange, Item, MemoryStore, Parts, Readers, approval_stream, own_stream, share_stream,
};
use taffrail_sync::roster::Op;
use taffrail_testkit::Chance;

type Carrier = Exchange<Weather, MemoryStore, Shelf>;

const USERS: [&str; 5] = ["ada", "bob", "cyd", "dan", "eve"];

/// Five people with three devices each; the first of each is an admin and admits the others.
fn team() -> (Bench, Vec<(Own, &'static str)>) {
    let mut bench = Bench::new(&["ada-0"]);
    let admin = bench.devices[0].clone();
    let mut all = vec![(admin.clone(), "ada")];
    for user in USERS {
        let first = if user == "ada" { 1 } else { 0 };
        for number in first..3 {
            let device = Own::new(&format!("{user}-{number}"));
            let theirs = all.iter().find(|(_, it)| *it == user).map_or(&admin, |(it, _)| it);
            let ops =
                [(device.add(user), theirs), (Op::Admin { device: device.id.clone() }, &admin)];
            for (op, by) in ops.into_iter().take(if number == 0 { 2 } else { 1 }) {
                bench.roster = bench.roster.with(op, &by.signer(), at(0)).unwrap().0;
            }
            all.push((device, user));
        }
    }
    (bench, all)
}

fn carrier(bench: &Bench, (who, user): &(Own, &str), roster: &Roster) -> (Carrier, Shelf) {
    let shelf = Shelf::default();
    let mut it = Exchange::new(Parts {
        hub: bench.hub.clone(),
        durable: Durable::Segments(bench.hub.clone()),
        store: MemoryStore::default(),
        applied: shelf.clone(),
        us: who.us(),
        roster: roster.clone(),
        random: random(Chance::new(7).fork(who.id.as_str())),
    });
    for stream in [own_stream(), approval_stream()] {
        it.open(&stream, &Readers::user(*user)).unwrap();
    }
    (it, shelf)
}

fn sum(all: &[Traffic]) -> Traffic {
    all.iter().fold(Traffic::default(), |sum, it| Traffic {
        requests: sum.requests + it.requests,
        bytes: sum.bytes + it.bytes,
        listings: sum.listings + it.listings,
        entries: sum.entries + it.entries,
        sent: sum.sent + it.sent,
    })
}

/// The traffic of each device in one scan.
async fn look(bench: &Bench, carriers: &mut [(Carrier, Shelf)]) -> Vec<Traffic> {
    let mut out = Vec::new();
    bench.hub.pass(30_000);
    for (carrier, _) in carriers {
        bench.hub.traffic();
        carrier.look(at(bench.hub.now())).await.unwrap();
        out.push(bench.hub.traffic());
    }
    out
}

/// Every device has written 200 lines, and every device has received those of its own user.
async fn settled() -> (Bench, Vec<(Own, &'static str)>, Vec<(Carrier, Shelf)>) {
    let (bench, all) = team();
    let roster = bench.roster.clone();
    let mut carriers: Vec<_> = all.iter().map(|it| carrier(&bench, it, &roster)).collect();
    for part in 0..20 {
        for ((carrier, _), (who, _)) in carriers.iter_mut().zip(&all) {
            let lines = (0..10).map(|n| line(format!("{} {part} {n} {}", who.id, "x".repeat(200))));
            let lines: Vec<Item> = lines.collect();
            carrier.push(&own_stream(), &lines, at(bench.hub.now())).unwrap();
        }
        look(&bench, &mut carriers).await;
    }
    for _ in 0..6 {
        look(&bench, &mut carriers).await;
    }
    (bench, all, carriers)
}

#[tokio::test]
async fn a_device_at_rest_downloads_what_is_sealed_to_others_at_every_look() {
    let (bench, all, mut carriers) = settled().await;
    let looks = look(&bench, &mut carriers).await;
    let whole = sum(&looks);
    eprintln!("15 devices of 5 users at rest, one look each: {whole:?}");
    assert_eq!(whole.entries, 0, "nobody downloads an entry when nothing is new");
    let most = looks.iter().map(|it| it.requests).max().unwrap();
    assert!(most <= 3, "a look at rest asks {most} times");
    let bytes = looks.iter().map(|it| it.bytes).max().unwrap();
    assert!(bytes < 4_000, "a look at rest is answered with {bytes} bytes");
    // The other two devices of the user download one line of one device, and no other device does.
    carriers[4].0.push(&own_stream(), &[line("news")], at(bench.hub.now())).unwrap();
    look(&bench, &mut carriers).await;
    look(&bench, &mut carriers).await;
    let looks = look(&bench, &mut carriers).await;
    for ((_, user), (it, (_, shelf))) in all.iter().zip(looks.iter().zip(&carriers)) {
        let heard = shelf.said(&all[4].0.id, &own_stream()).len();
        let expected = if *user == all[4].1 { 201 } else { 0 };
        let is_teller = shelf.said(&all[3].0.id, &own_stream()).len() == 200 && heard == 0;
        assert!(heard == expected || is_teller, "{user}: {heard}");
        assert_eq!(it.entries, 0, "{user}: it was heard the look before");
    }
}

#[tokio::test]
async fn a_look_costs_more_with_every_epoch_there_ever_was() {
    let (bench, _, mut carriers) = settled().await;
    let before = sum(&look(&bench, &mut carriers).await).requests;
    for n in 0..10 {
        let admin = bench.devices[0].clone();
        let rotated =
            carriers[0].0.change_roster(|it| Ok(it.with(Op::Rotate, &admin.signer(), at(0))?.0));
        rotated.await.unwrap();
        for (carrier, _) in &mut carriers {
            carrier.push(&own_stream(), &[line(n.to_string())], at(bench.hub.now())).unwrap();
        }
        for _ in 0..3 {
            look(&bench, &mut carriers).await;
        }
    }
    bench.hub.pass(11 * 60 * 1_000);
    for _ in 0..3 {
        look(&bench, &mut carriers).await;
    }
    let after = sum(&look(&bench, &mut carriers).await).requests;
    assert_eq!(after, before, "ten epochs later");
}

#[tokio::test]
async fn names_of_segments_are_listed_at_every_look() {
    let (bench, _, mut carriers) = settled().await;
    let listings = |all: &[Traffic]| sum(all).listings;
    for _ in 0..5 {
        assert_eq!(listings(&look(&bench, &mut carriers).await), 0);
    }
}

#[tokio::test]
async fn a_share_is_downloaded_by_its_readers_alone() {
    let (bench, all, mut carriers) = settled().await;
    let shared = share_stream([9; 8]);
    let readers = Readers { users: vec!["bob".to_owned()], devices: Vec::new() };
    carriers[0].0.open(&shared, &readers).unwrap();
    for n in 0..80 {
        carriers[0].0.push(&shared, &[line(n.to_string())], at(bench.hub.now())).unwrap();
        bench.hub.pass(200);
        carriers[0].0.publish(at(bench.hub.now())).await.unwrap();
    }
    let first = look(&bench, &mut carriers).await;
    let again = look(&bench, &mut carriers).await;
    for (at, (who, user)) in all.iter().enumerate().skip(1) {
        let said = carriers[at].1.said(&all[0].0.id, &shared).len();
        assert_eq!(said, if *user == "bob" { 80 } else { 0 }, "{}", who.id);
        assert_eq!(first[at].entries > 0, *user == "bob", "{}", who.id);
        assert!(again[at].requests <= 3, "{}: {:?}", who.id, again[at]);
    }
    // Now eve may read it, too: her devices query again after the key changed.
    let readers = Readers { users: vec!["bob".to_owned(), "eve".to_owned()], devices: Vec::new() };
    carriers[0].0.open(&shared, &readers).unwrap();
    for _ in 0..22 {
        look(&bench, &mut carriers).await;
    }
    let eve = all.iter().position(|it| it.1 == "eve").unwrap();
    assert_eq!(carriers[eve].1.said(&all[0].0.id, &shared).len(), 80);
}

/// Two copies of one device write, and both detect it. A single restored copy does not.
#[tokio::test]
async fn nobody_is_told_that_a_device_runs_twice() {
    let bench = Bench::new(&["a", "b"]);
    let mut first = bench.plain(0);
    first.push(&own_stream(), &[line("1")], at(bench.hub.now())).unwrap();
    bench.round(&mut [&mut first]).await;
    let backup = first.store().clone();
    first.push(&own_stream(), &[line("2")], at(bench.hub.now())).unwrap();
    bench.round(&mut [&mut first]).await;
    bench.hub.pass(7);
    let mut second = bench.carrier(0, backup, Durable::Log);
    for n in 0..4 {
        second.push(&own_stream(), &[line(format!("second {n}"))], at(bench.hub.now())).unwrap();
        bench.round(&mut [&mut second]).await;
    }
    assert_eq!(second.health().twice, None, "it was restored, and is alone");
    for n in 0..3 {
        first.push(&own_stream(), &[line(format!("first {n}"))], at(bench.hub.now())).unwrap();
        second.push(&own_stream(), &[line(format!("again {n}"))], at(bench.hub.now())).unwrap();
        bench.round(&mut [&mut first, &mut second]).await;
    }
    assert!(first.health().twice.is_some() && second.health().twice.is_some());
    bench.hub.pass(15 * 60 * 1_000);
    bench.round(&mut [&mut second]).await;
    assert_eq!(second.health().twice, None, "the other was switched off");
}
