//! A move to another hub: who can announce it, who follows, and what nobody gets meanwhile.

use crate::exchange::fleet::{Own, Shelf, USER, at, exchange, line, team_of};
use crate::exchange::weather::{CALM, Weather};
use bytes::Bytes;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use taffrail_sync::TeamId;
use taffrail_sync::exchange::{
    Durable, Exchange, MemoryStore, Relocation, RelocationFault, RosterFault, acquire_lease,
    arrive, carry, has_arrived, is_leaving, leave, may_follow, own_stream, publish_roster,
    relocation_of,
};
use taffrail_sync::hub::lease::Lease;
use taffrail_sync::hub::{Hub, KeyName, MemoryHub};
use taffrail_sync::roster::{Op, Roster};
use taffrail_testkit::Chance;

const TO: &str = "tls://new.example:4222?pin=5f0c";

fn devices() -> ([Own; 2], Roster) {
    let devices = ["a", "b"].map(Own::new);
    let roster = team_of(&devices);
    (devices, roster)
}

fn key(name: &str) -> KeyName {
    KeyName::new(name).unwrap()
}

/// The bytes of an announcement.
async fn announced(by: &Own, roster: &Roster) -> (Relocation, Bytes) {
    let hub = MemoryHub::new();
    let found = leave(&hub, (roster, &by.us()), (TO, 0)).await.unwrap();
    (found, hub.get(&key("move")).await.unwrap().unwrap().bytes)
}

/// What a device finds on a hub with these bytes.
async fn found(bytes: Bytes, roster: &Roster, by: &Own) -> Option<Relocation> {
    let hub = MemoryHub::new();
    hub.cas(&key("move"), None, bytes).await.unwrap();
    relocation_of(&hub, roster, by.secret.identity()).await.unwrap()
}

#[tokio::test]
async fn only_an_admin_of_the_team_moves_it() {
    let ([a, b], roster) = devices();
    let member = leave(&MemoryHub::new(), (&roster, &b.us()), (TO, 0)).await;
    assert_eq!(member, Err(RelocationFault::NotAdmin));

    let (said, bytes) = announced(&a, &roster).await;
    assert_eq!((said.n, said.to.as_deref()), (1, Some(TO)));
    assert!(!bytes.windows(7).any(|it| it == b"example"), "the hub reads the address");
    assert_eq!(found(bytes.clone(), &roster, &b).await, Some(said.clone()));
    let mut stranger = found(bytes.clone(), &roster, &Own::new("stranger")).await.unwrap();
    assert_eq!((stranger.n, stranger.to.take()), (1, None), "sealed to the team");

    for place in 0..bytes.len() {
        let mut bent = bytes.to_vec();
        bent[place] ^= 1;
        assert_eq!(found(bent.into(), &roster, &b).await, None, "byte {place}");
    }
    let other = Roster::found(TeamId::from_bytes([2; 16]), a.device(USER), &a.secret, at(0));
    let (_, foreign) = announced(&a, &other.unwrap()).await;
    assert_eq!(found(foreign, &roster, &b).await, None, "of another team");

    // What a member signs when a hub calls it an admin, and what a removed admin signs.
    let up = Op::Admin { device: b.id.clone() };
    let lifted = roster.with(up, &a.signer(), at(0)).unwrap().0;
    let (_, by_b) = announced(&b, &lifted).await;
    assert_eq!(found(by_b.clone(), &roster, &a).await, None, "by a member");
    let gone = Op::Remove { device: b.id.clone() };
    let without = lifted.with(gone, &a.signer(), at(0)).unwrap().0;
    assert_eq!(found(by_b, &without, &a).await, None, "by a removed admin");
}

#[tokio::test]
async fn an_arrival_is_for_one_announcement() {
    let ([a, b], roster) = devices();
    let (said, bytes) = announced(&a, &roster).await;
    let (again, _) = announced(&a, &roster).await;
    let new = MemoryHub::new();
    arrive(&new, (&roster, &a.us()), &said).await.unwrap();
    assert!(has_arrived(&new, &roster, &said).await.unwrap());
    assert!(!has_arrived(&new, &roster, &again).await.unwrap(), "of another announcement");
    let hub = MemoryHub::new();
    hub.cas(&key("arrival"), None, bytes).await.unwrap();
    assert!(!has_arrived(&hub, &roster, &said).await.unwrap(), "of another purpose");
    let lifted = roster.with(Op::Admin { device: b.id.clone() }, &a.signer(), at(0)).unwrap().0;
    let hub = MemoryHub::new();
    arrive(&hub, (&lifted, &b.us()), &said).await.unwrap();
    assert!(!has_arrived(&hub, &roster, &said).await.unwrap(), "by a member");
}

#[tokio::test]
async fn an_old_announcement_leads_nobody_back() {
    let ([a, _], roster) = devices();
    let (one, two, by) = (MemoryHub::new(), MemoryHub::new(), (&roster, &a.us()));
    let there = leave(&one, by, ("two", 0)).await.unwrap();
    arrive(&two, by, &there).await.unwrap();
    let old = one.get(&key("move")).await.unwrap().unwrap();
    let back = leave(&two, by, ("one", there.n)).await.unwrap();
    arrive(&one, by, &back).await.unwrap();
    assert_eq!((there.n, back.n), (1, 2));
    let of = |hub: MemoryHub| async move {
        let identity = Own::new("a").secret;
        relocation_of(&hub, &team_of(&["a", "b"].map(Own::new)), identity.identity()).await.unwrap()
    };
    assert_eq!(of(one.clone()).await, None, "the team is here");
    // The hub shows its old announcement again.
    let now = one.get(&key("move")).await.unwrap().unwrap();
    one.cas(&key("move"), Some(now.revision), old.bytes).await.unwrap();
    assert_eq!(of(one.clone()).await, None, "the arrival is newer");
    assert_eq!(of(two.clone()).await, Some(back), "the other one is left");
    // The next move has a higher number, whatever the admin remembers.
    let third = leave(&one, by, ("three", 0)).await.unwrap();
    assert_eq!(third.n, 3);
}

#[tokio::test]
async fn nothing_is_decided_on_a_hub_that_the_team_leaves() {
    let ([a, b], roster) = devices();
    let (old, new, by) = (MemoryHub::new(), MemoryHub::new(), (&roster, &a.us()));
    let lease = |hub: MemoryHub, who: Own, name: &'static str| {
        let roster = roster.clone();
        async move {
            let times = (at(60_000), at(0));
            acquire_lease(&hub, &roster, (&key(name), who.id.as_str()), times).await
        }
    };
    let first = lease(old.clone(), a.clone(), "lease/x").await.unwrap();
    assert!(matches!(first, Lease::Held(_)));
    let said = leave(&old, by, ("new", 0)).await.unwrap();
    let late = lease(old.clone(), b.clone(), "lease/y").await;
    assert!(late.as_ref().is_err_and(is_leaving), "{late:?}");
    let carried = carry((&old, &new), by, &said).await.unwrap();
    assert_eq!((carried.leases, carried.claims), (2, 0));
    let change = |roster: &Roster| Ok(roster.with(Op::Rotate, &a.signer(), at(0))?.0);
    let changed = publish_roster(&old, &roster, a.secret.identity(), change).await;
    let is_refused = matches!(&changed, Err(RosterFault::Hub(error)) if is_leaving(error));
    assert!(is_refused, "{changed:?}");
    arrive(&new, by, &said).await.unwrap();
    let taken = lease(new.clone(), b.clone(), "lease/x").await.unwrap();
    assert_eq!(taken, Lease::Taken { holder: "id-a".to_owned(), until: at(60_000) });
    let fenced = publish_roster(&new, &roster, a.secret.identity(), change).await.unwrap();
    assert_eq!(fenced.epoch(), 1);
    // What was carried is not carried over what happened since.
    let again = carry((&old, &new), by, &said).await;
    assert_eq!(again, Err(RelocationFault::Arrived));
    let elsewhere = leave(&old, by, ("third", 0)).await;
    assert_eq!(elsewhere, Err(RelocationFault::Elsewhere("new".to_owned())));
}

/// An exchange hears of the move at its next look, and not again when the team is there.
#[tokio::test]
async fn a_device_hears_that_its_team_leaves() {
    let ([a, b], roster) = devices();
    let (old, shelf) = (MemoryHub::new(), Shelf::default());
    let memory = (MemoryStore::default(), shelf.clone());
    let hubs = (old.clone(), Durable::Segments(old.clone()));
    let mut device: Exchange<_, _, _> = exchange(&b, hubs, memory, roster.clone(), Chance::new(1));
    device.push(&own_stream(), &[line("x")], at(0)).unwrap();
    device.look(at(1_000)).await.unwrap();
    assert_eq!(shelf.0.lock().unwrap().moved, None);
    let said = leave(&old, (&roster, &a.us()), (TO, 0)).await.unwrap();
    device.look(at(2_000)).await.unwrap();
    assert_eq!(shelf.0.lock().unwrap().moved.take(), Some(said));
}

/// An admin gives a move up: the team has arrived where it was, and the next move leads away again.
#[tokio::test]
async fn a_move_that_is_given_up_leaves_the_team_where_it_is() {
    let ([a, b], roster) = devices();
    let (old, new, by) = (MemoryHub::new(), MemoryHub::new(), (&roster, &a.us()));
    let said = leave(&old, by, ("new", 0)).await.unwrap();
    let shelf = Shelf::default();
    let hubs = (old.clone(), Durable::Segments(old.clone()));
    let memory = (MemoryStore::default(), shelf.clone());
    let mut device: Exchange<_, _, _> = exchange(&b, hubs, memory, roster.clone(), Chance::new(1));
    device.look(at(1_000)).await.unwrap();
    assert_eq!(shelf.0.lock().unwrap().moved, Some(said.clone()));
    arrive(&old, by, &said).await.unwrap();
    device.look(at(2_000)).await.unwrap();
    assert_eq!(shelf.0.lock().unwrap().moved, None, "the device was told");
    let held = acquire_lease(&old, &roster, (&key("lease/x"), "id-b"), (at(60_000), at(0))).await;
    assert!(matches!(held, Ok(Lease::Held(_))), "{held:?}");
    assert!(!has_arrived(&new, &roster, &said).await.unwrap());
    let again = leave(&old, by, ("third", 0)).await.unwrap();
    assert_eq!((again.n, again.to.as_deref()), (2, Some("third")));
}

/// Moves the team and returns what its devices find on the hub that it left.
async fn moved((old, new): (&MemoryHub, &MemoryHub), by: (&Roster, &Own), to: &str) -> Relocation {
    let by = (by.0, &by.1.us());
    let said = leave(old, by, (to, 0)).await.unwrap();
    carry((old, new), by, &said).await.unwrap();
    arrive(new, by, &said).await.unwrap();
    said
}

/// The team went from one hub to a second one, on to a third one, and back to the second, the last time by an
/// admin whom the device that slept does not know.
#[tokio::test]
async fn a_device_that_slept_while_its_team_came_back_to_a_hub_never_followed() {
    let ([a, b], roster) = devices();
    let [one, two, three] = [(); 3].map(|()| MemoryHub::new());
    let found = moved((&one, &two), (&roster, &a), "two").await;
    let follows = async || may_follow(&two, (&roster, b.secret.identity()), &found).await.unwrap();
    assert!(follows().await, "the team is there");
    let up = |it: &Roster| Ok(it.with(Op::Admin { device: b.id.clone() }, &a.signer(), at(0))?.0);
    let lifted = publish_roster(&two, &roster, a.secret.identity(), up).await.unwrap();
    moved((&two, &three), (&lifted, &b), "three").await;
    assert!(follows().await, "from there the next announcement leads on");
    let back = moved((&three, &two), (&lifted, &b), "two").await;
    assert_eq!((found.n, back.n), (1, 3));
    assert!(follows().await, "the team came back");
    let next = Relocation { n: 4, ..found.clone() };
    assert!(!may_follow(&two, (&roster, b.secret.identity()), &next).await.unwrap());
}

/// An admin's request to open the new hub arrives again, after another one has moved the team on.
#[tokio::test]
async fn a_late_arrival_called_the_team_back_to_a_hub_that_it_had_left() {
    let ([a, b], roster) = devices();
    let [one, two, three] = [(); 3].map(|()| MemoryHub::new());
    let lifted = roster.with(Op::Admin { device: b.id.clone() }, &a.signer(), at(0)).unwrap().0;
    let times = (at(60_000), at(0));
    acquire_lease(&one, &roster, (&key("lease/x"), "id-a"), times).await.unwrap();
    let first = moved((&one, &two), (&roster, &a), "two").await;
    let second = moved((&two, &three), (&lifted, &b), "three").await;
    arrive(&two, (&roster, &a.us()), &first).await.unwrap();
    let found = relocation_of(&two, &lifted, a.secret.identity()).await.unwrap();
    assert_eq!(found, Some(second), "the announcement stays");
    let third = moved((&three, &two), (&lifted, &b), "two").await;
    arrive(&two, (&roster, &a.us()), &first).await.unwrap();
    assert!(has_arrived(&two, &lifted, &third).await.unwrap(), "the later arrival stays");
    let again = carry((&one, &two), (&roster, &a.us()), &first).await;
    assert_eq!(again, Err(RelocationFault::Arrived));
}

/// The outcome of some work after so many steps, if it has ended by then.
async fn polled<F: Future>(mut work: Pin<&mut F>, steps: usize) -> Option<F::Output> {
    for _ in 0..steps {
        let now = poll_fn(|context| Poll::Ready(work.as_mut().poll(context))).await;
        if let Poll::Ready(ended) = now {
            return Some(ended);
        }
    }
    None
}

/// The move breaks off at any step, and the device is let in at any step: both look before they write.
#[tokio::test]
async fn a_device_that_joined_while_a_move_broke_off_never_learned_where_its_team_went() {
    let ([a, b], roster) = devices();
    let (late, by) = (Own::new("late"), (&roster, &a.us()));
    let (mut joined, mut refused) = (0, 0);
    for steps in 0..1_600 {
        let hub = Weather::new(CALM, Chance::new(steps));
        let identity = a.secret.identity();
        publish_roster(&hub, &roster, identity, |it| Ok(it.clone())).await.unwrap();
        let add = |it: &Roster| Ok(it.with(late.add(USER), &a.signer(), at(0))?.0);
        let mut join = pin!(publish_roster(&hub, &roster, identity, add));
        let begun = polled(join.as_mut(), usize::try_from(steps % 40).unwrap()).await;
        polled(pin!(leave(&hub, by, (TO, 0))), usize::try_from(steps / 40).unwrap()).await;
        let ended = match begun {
            Some(ended) => ended,
            None => join.await,
        };
        let Ok(with_late) = ended else {
            refused += 1;
            continue;
        };
        joined += 1;
        leave(&hub, by, (TO, 0)).await.unwrap();
        for who in [&b, &late] {
            let found = relocation_of(&hub, &with_late, who.secret.identity()).await.unwrap();
            assert_eq!(found.unwrap().to.as_deref(), Some(TO), "{} at {steps}", who.id);
        }
    }
    assert!(joined > 100 && refused > 100, "{joined} {refused}");
}
