//! Retention over a real server and a real directory, and segments in a place of their own.

use crate::exchange::engines::{now, open};
use crate::exchange::fleet::{Own, Shelf, exchange, line, team_of};
use std::fs::File;
use std::num::NonZeroU32;
use std::path::Path;
use std::time::{Duration, SystemTime};
use taffrail_model::Timestamp;
use taffrail_sync::exchange::{
    Durable, Exchange, Item, Keep, MemoryStore, Removed, own_stream, unread, unread_there,
};
use taffrail_sync::hub::{AnyHub, Credentials, Hub, HubUrl, LateHub, Prefix, StoredItem, Team};
use taffrail_testkit::Chance;
use taffrail_testkit::hubs::{Flush, NatsServer};

type Carrier = Exchange<AnyHub, MemoryStore, Shelf>;

const DAYS: Keep = Keep { days: NonZeroU32::new(7), bytes: None };

fn device(team: &[Own], who: usize, hub: &AnyHub, durable: Durable<AnyHub>) -> (Carrier, Shelf) {
    let shelf = Shelf::default();
    let memory = (MemoryStore::default(), shelf.clone());
    let chance = Chance::new(7).fork(team[who].id.as_str());
    (exchange(&team[who], (hub.clone(), durable), memory, team_of(team), chance), shelf)
}

/// Publishes this many batches of one line each, long enough ago to be in segments.
async fn publish(carrier: &mut Carrier, count: usize) -> Vec<Item> {
    let items: Vec<Item> = (0..count).map(|n| line(format!("line {n}"))).collect();
    let began = now().as_second() - 3600;
    for item in &items {
        let at = Timestamp::from_second(began).unwrap();
        carrier.push(&own_stream(), std::slice::from_ref(item), at).unwrap();
        carrier.publish(now()).await.unwrap();
    }
    carrier.look(now()).await.unwrap();
    items
}

/// The others read and say so, then the admin removes.
async fn retained(admin: &mut Carrier, others: &mut [&mut Carrier]) -> Removed {
    // The policy is on the hub, and every device says how far it has read.
    admin.retain(DAYS, now()).await.unwrap();
    for other in others {
        other.look(now()).await.unwrap();
    }
    admin.retain(DAYS, now()).await.unwrap()
}

fn count(items: &[StoredItem], is: impl Fn(&StoredItem) -> bool) -> usize {
    items.iter().filter(|it| is(it)).count()
}

async fn stored(hub: &AnyHub) -> Vec<StoredItem> {
    hub.inventory().await.unwrap().into_iter().map(|it| it.item).collect()
}

#[tokio::test]
async fn on_a_server_segments_replace_entries_that_everyone_has() {
    let server = NatsServer::start(Flush::Lazily);
    for address in [server.url(), format!("{}?streams=2", server.url())] {
        let hub = open(&address).await;
        let team = ["a", "b", "late"].map(Own::new);
        let segments = || Durable::Segments(hub.clone());
        let (mut a, _) = device(&team, 0, &hub, segments());
        let (mut b, of_b) = device(&team, 1, &hub, segments());
        let (mut late, of_late) = device(&team, 2, &hub, segments());
        let wrote = publish(&mut a, 130).await;
        // One reader has nothing so far.
        let early = retained(&mut a, &mut [&mut b]).await;
        assert_eq!(early.entries, 0, "the third device needs them");
        assert_eq!(unread_there(&hub, b.roster(), (&team[0].id, &team[1].id)).await, Ok(Some(0)));
        let removed = retained(&mut a, &mut [&mut b, &mut late]).await;
        assert!(removed.entries >= 128, "{removed:?}");
        let kept = stored(&hub).await;
        let entries = count(
            &kept,
            |it| matches!(it, StoredItem::Entry(log, _) if log.as_str().starts_with("id-a")),
        );
        assert!(entries <= 2, "{kept:?}");
        // A device that has nothing reads segments, and goes on in the log.
        let (mut new, of_new) = device(&team, 1, &hub, segments());
        new.look(now()).await.unwrap();
        for shelf in [&of_b, &of_late, &of_new] {
            assert_eq!(shelf.said(&team[0].id, &own_stream()), wrote);
        }
        let health = new.health();
        assert!(health.gone.is_empty() && health.standing.is_empty(), "{health:?}");
        let more = publish(&mut a, 3).await;
        assert_eq!(unread(&hub, new.store(), &team[0].id).await, Ok(3));
        new.look(now()).await.unwrap();
        assert_eq!(of_new.said(&team[0].id, &own_stream()), [wrote, more].concat());
        assert_eq!(unread(&hub, new.store(), &team[0].id).await, Ok(0));
        server_forgets(&hub).await;
    }
}

/// The second address is another place on the same server.
async fn server_forgets(hub: &AnyHub) {
    assert!(!hub.logs(&Prefix::everything()).await.unwrap().is_empty());
}

/// Makes everything below a folder ten days old.
#[expect(
    clippy::disallowed_methods,
    reason = "a directory's hub ages files by the machine's clock"
)]
fn age(folder: &Path) {
    let then = SystemTime::now() - Duration::from_hours(240);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => age(&path),
            false => File::options().write(true).open(&path).unwrap().set_modified(then).unwrap(),
        }
    }
}

#[tokio::test]
async fn a_reader_that_was_away_too_long_is_told_what_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let hub = open(&format!("file://{}", folder.path().display())).await;
    let team = ["a", "b"].map(Own::new);
    let (mut a, _) = device(&team, 0, &hub, Durable::Log);
    let (mut b, _) = device(&team, 1, &hub, Durable::Log);
    publish(&mut a, 20).await;
    b.look(now()).await.unwrap();
    age(folder.path());
    let kept = publish(&mut a, 5).await;
    let removed = retained(&mut a, &mut [&mut b]).await;
    assert_eq!(removed.entries, 20, "{removed:?}");
    // A device without anything comes later.
    let (mut new, of_new) = device(&team, 1, &hub, Durable::Log);
    new.look(now()).await.unwrap();
    let told = of_new.said(&team[0].id, &own_stream());
    assert!(told.ends_with(&kept), "{told:?}");
    let gone = of_new.0.lock().unwrap().gone.values().flatten().copied().collect::<Vec<_>>();
    assert_eq!(gone, [(1, 20)]);
    let health = new.health();
    assert_eq!(health.gone.values().copied().collect::<Vec<_>>(), [20]);
    assert!(health.standing.is_empty(), "{health:?}");
    // The writer goes on.
    let more = publish(&mut a, 2).await;
    new.look(now()).await.unwrap();
    assert!(of_new.said(&team[0].id, &own_stream()).ends_with(&more));
}

/// A hub that lost its first entries without a statement is damaged, not tidy.
#[tokio::test]
async fn a_loss_is_not_taken_for_retention() {
    let folder = tempfile::tempdir().unwrap();
    let hub = open(&format!("file://{}", folder.path().display())).await;
    let team = ["a", "b"].map(Own::new);
    let (mut a, _) = device(&team, 0, &hub, Durable::Log);
    let (mut b, of_b) = device(&team, 1, &hub, Durable::Log);
    publish(&mut a, 9).await;
    let log = hub.logs(&Prefix::everything()).await.unwrap().remove(0);
    hub.trim(&log, 5).await.unwrap();
    b.look(now()).await.unwrap();
    assert!(of_b.said(&team[0].id, &own_stream()).is_empty());
    assert_eq!(b.health().standing.len(), 1, "{:?}", b.health());
}

#[tokio::test]
async fn live_entries_flow_while_the_place_of_blobs_is_away() {
    let server = NatsServer::start(Flush::Lazily);
    let hub = open(&server.url()).await;
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("blobs");
    let late = || {
        let url = HubUrl::parse(&format!("file://{}", place.display())).unwrap();
        let late = LateHub::new(url, Team::new("team").unwrap(), Credentials::default());
        Durable::Apart(AnyHub::Late(late))
    };
    let team = ["a", "b"].map(Own::new);
    let (mut a, _) = device(&team, 0, &hub, late());
    let (mut b, of_b) = device(&team, 1, &hub, late());
    let wrote = publish(&mut a, 70).await;
    b.look(now()).await.unwrap();
    assert_eq!(of_b.said(&team[0].id, &own_stream()), wrote, "live entries flow");
    let trouble = a.health().durable.clone();
    assert!(trouble.as_ref().is_some_and(|it| it.contains("is not a directory")), "{trouble:?}");
    // The place comes back.
    std::fs::create_dir(&place).unwrap();
    let later = Timestamp::from_second(now().as_second() + 90).unwrap();
    a.look(later).await.unwrap();
    assert_eq!(a.health().durable, None);
    let everywhere = stored(&hub).await;
    assert_eq!(count(&everywhere, |it| matches!(it, StoredItem::Blob(_))), 0, "{everywhere:?}");
    let Durable::Apart(blobs) = late() else { panic!("it is apart") };
    assert!(count(&stored(&blobs).await, |it| matches!(it, StoredItem::Blob(_))) >= 1);
    // Entries that are in segments there can go, and a new device finds them.
    let removed = retained(&mut a, &mut [&mut b]).await;
    assert!(removed.entries >= 64, "{removed:?}");
    let (mut new, of_new) = device(&team, 1, &hub, late());
    new.look(now()).await.unwrap();
    assert_eq!(of_new.said(&team[0].id, &own_stream()), wrote);
}

/// Segments from before the place had a name stay readable.
#[tokio::test]
async fn earlier_segments_are_found_beside_the_log() {
    let server = NatsServer::start(Flush::Lazily);
    let hub = open(&server.url()).await;
    let folder = tempfile::tempdir().unwrap();
    let url = format!("file://{}", folder.path().display());
    let other = open(&url).await;
    let team = ["a", "b"].map(Own::new);
    let (mut a, _) = device(&team, 0, &hub, Durable::Segments(hub.clone()));
    let (mut b, _) = device(&team, 1, &hub, Durable::Segments(hub.clone()));
    let wrote = publish(&mut a, 70).await;
    let removed = retained(&mut a, &mut [&mut b]).await;
    assert!(removed.entries >= 64, "{removed:?}");
    let (mut new, of_new) = device(&team, 1, &hub, Durable::Apart(other));
    new.look(now()).await.unwrap();
    assert_eq!(of_new.said(&team[0].id, &own_stream()), wrote);
}
