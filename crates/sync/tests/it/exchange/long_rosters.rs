//! A roster in pages on a hub that withholds, swaps, replays and forges.

use crate::exchange::fleet::{Own, at, team_of};
use crate::exchange::weather::{BAD, Weather};
use bytes::Bytes;
use futures_util::future::join_all;
use taffrail_sync::Roster;
use taffrail_sync::exchange::{RosterFault, fetch_roster, publish_roster, recovered_roster};
use taffrail_sync::hub::{BlobName, Content, Hub, KeyName, MemoryHub, Prefix, Value};
use taffrail_sync::keys::Identity;
use taffrail_sync::roster::{Fault, Op, SealedRosterError};
use taffrail_testkit::Scale;

type Outcome = Result<Roster, RosterFault>;

fn key() -> KeyName {
    KeyName::new("roster").unwrap()
}

async fn value(hub: &MemoryHub) -> Value {
    hub.get(&key()).await.unwrap().unwrap()
}

async fn put(hub: &MemoryHub, bytes: Bytes) {
    let revision = hub.get(&key()).await.unwrap().map(|it| it.revision);
    hub.cas(&key(), revision, bytes).await.unwrap();
}

async fn blobs(hub: &MemoryHub, below: &str) -> Vec<BlobName> {
    hub.blobs(&Prefix::new(below).unwrap()).await.unwrap()
}

async fn fetch(hub: &MemoryHub, known: &Roster, who: &Own) -> Outcome {
    fetch_roster(hub, known, who.secret.identity()).await
}

/// Makes a change by a device, on top of what the hub has.
async fn change(hub: &MemoryHub, known: &Roster, by: &Own, op: Op) -> Outcome {
    let made = |newest: &Roster| Ok(newest.with(op.clone(), &by.signer(), at(0))?.0);
    publish_roster(hub, known, by.secret.identity(), made).await
}

fn remove(who: &Own) -> Op {
    Op::Remove { device: who.id.clone() }
}

fn refused(fault: SealedRosterError) -> Outcome {
    Err(RosterFault::Refused(fault))
}

/// Two admins, a member, and a roster of this many entries on a hub. Before the last 90 entries an
/// epoch began.
async fn world(entries: usize) -> (MemoryHub, [Own; 3], Roster) {
    let devices = ["a", "b", "c"].map(Own::new);
    let [a, b, _] = &devices;
    let mut team = team_of(&devices);
    let admin = Op::Admin { device: b.id.clone() };
    team = team.grown(admin, &a.signer(), at(0)).unwrap();
    while team.entries().len() < entries {
        let op = match entries - team.entries().len() {
            91.. => Op::Rotate,
            n => Own::new(&format!("more-{n}")).add(&format!("user-{n}")),
        };
        team = team.grown(op, &a.signer(), at(0)).unwrap();
    }
    let hub = MemoryHub::new();
    assert_eq!(fetch(&hub, &team, a).await.as_ref(), Ok(&team));
    (hub, devices, team)
}

/// The wrapped keys on a hub, which a hostile hub keeps.
async fn kept(hub: &MemoryHub) -> Vec<(BlobName, Bytes)> {
    let mut out = Vec::new();
    for name in blobs(hub, "roster/key").await {
        let blob = hub.get_blob(&name).await.unwrap().unwrap();
        out.push((name, blob.bytes(1 << 20).await.unwrap()));
    }
    out
}

async fn put_back(hub: &MemoryHub, kept: &[(BlobName, Bytes)]) {
    for (name, bytes) in kept {
        hub.put_blob(name, &Content::Bytes(bytes.clone())).await.unwrap();
    }
}

/// A device with nothing but the promise of an entry.
fn waiting(team: &Roster, by: &Own) -> Roster {
    Roster::awaited(team.pin(), Some(by.device("ada")))
}

#[tokio::test]
async fn a_roster_of_an_earlier_version_goes_on_in_pages_when_it_grows() {
    let [a, b, _] = ["a", "b", "c"].map(Own::new);
    let mut team = team_of(&[a.clone(), b.clone()]);
    while team.entries().len() < 200 {
        team = team.grown(Op::Rotate, &a.signer(), at(0)).unwrap();
    }
    let hub = MemoryHub::new();
    put(&hub, team.to_sealed().unwrap().into()).await;
    assert_eq!(fetch(&hub, &waiting(&team, &a), &b).await.as_ref(), Ok(&team));
    assert!(blobs(&hub, "roster").await.is_empty(), "whoever only looks changes nothing");
    let team = change(&hub, &team, &a, Op::Rotate).await.unwrap();
    assert_eq!(blobs(&hub, "roster/page").await.len(), 3);
    assert_eq!(fetch(&hub, &waiting(&team, &a), &b).await.as_ref(), Ok(&team));
    // A program of an earlier version refuses it, whoever it is sealed to.
    let old = team.extended_by_sealed(&value(&hub).await.bytes, b.secret.identity());
    assert!(matches!(old, Err(SealedRosterError::Envelope(_))), "{old:?}");
    // A short roster stays one value, which such a program reads.
    let (hub, team) = (MemoryHub::new(), team_of(&[a.clone(), b.clone()]));
    let team = change(&hub, &team, &a, Op::Rotate).await.unwrap();
    let old = team.extended_by_sealed(&value(&hub).await.bytes, b.secret.identity());
    assert_eq!((old.as_ref(), blobs(&hub, "roster").await.len()), (Ok(&team), 0));
}

#[tokio::test]
async fn whoever_is_sealed_to_reads_a_long_roster_and_nobody_else() {
    let (hub, [a, b, c], team) = world(300).await;
    let first = Roster::of(team.entries()[..1].to_vec()).unwrap();
    let middle = Roster::of(team.entries()[..150].to_vec()).unwrap();
    for (known, who) in [(&first, &a), (&middle, &b), (&team, &c), (&waiting(&team, &a), &c)] {
        assert_eq!(fetch(&hub, known, who).await.as_ref(), Ok(&team));
    }
    let last = Own::new("more-1");
    assert_eq!(fetch(&hub, &waiting(&team, &a), &last).await.as_ref(), Ok(&team));
    let stranger = Own::new("stranger");
    let got = fetch(&hub, &waiting(&team, &a), &stranger).await;
    assert_eq!(got, Err(RosterFault::NotForUs), "an invite alone opens nothing");
    // The hub is asked for one page by a device that lacks the last entries only.
    for page in &blobs(&hub, "roster/page").await[..2] {
        assert_eq!(fetch(&hub, &team, &b).await.as_ref(), Ok(&team), "{page}");
        hub.remove_blob(page).await.unwrap();
    }
    assert_eq!(fetch(&hub, &team, &b).await.as_ref(), Ok(&team), "it needs no page");
}

#[tokio::test]
async fn devices_that_join_one_after_the_other_find_the_key_of_the_epoch() {
    let (hub, [a, ..], mut team) = world(300).await;
    let mut joined = Vec::new();
    for n in 0..140 {
        let new = Own::new(&format!("late-{n}"));
        team = change(&hub, &team, &a, new.add(&format!("late-user-{n}"))).await.unwrap();
        if n % 10 == 0 || n > 130 {
            let got = fetch(&hub, &waiting(&team, &a), &new).await;
            assert_eq!(got.as_ref(), Ok(&team), "{n}");
            joined.push(new);
        }
    }
    for new in joined {
        let got = fetch(&hub, &waiting(&team, &a), &new).await;
        assert_eq!(got.as_ref(), Ok(&team), "{} later", new.id);
    }
    let keys = blobs(&hub, "roster/key").await.len();
    assert!(keys <= 4, "{keys} blobs with wrapped keys");
}

#[tokio::test]
async fn a_long_roster_is_neither_rolled_back_nor_forked() {
    let (hub, [a, b, c], old) = world(300).await;
    let (first, keys) = (value(&hub).await.bytes, kept(&hub).await);
    let new = change(&hub, &old, &a, Op::Rotate).await.unwrap();
    // A hub with an older head is not followed, and receives the newer one.
    put(&hub, first.clone()).await;
    assert_eq!(fetch(&hub, &new, &b).await.as_ref(), Ok(&new));
    assert_eq!(fetch(&hub, &old, &c).await.as_ref(), Ok(&new), "it was written again");
    put(&hub, first.clone()).await;
    put_back(&hub, &keys).await;
    let got = fetch(&hub, &waiting(&new, &a), &c).await;
    assert_eq!(got, refused(SealedRosterError::Roster(Fault::RolledBack { pinned: 300 })));
    // A change that is made on an older head is made on everything known here.
    let newer = change(&hub, &new, &a, Op::Rotate).await.unwrap();
    assert_eq!((newer.entries().len(), newer.epoch()), (302, new.epoch() + 1));
    // Another history, with the same pages and another tail.
    let forked = MemoryHub::new();
    let fork = change(&forked, &old, &b, Op::Admin { device: c.id.clone() }).await.unwrap();
    for name in blobs(&forked, "roster").await {
        let bytes = forked.get_blob(&name).await.unwrap().unwrap().bytes(1 << 20).await.unwrap();
        hub.put_blob(&name, &Content::Bytes(bytes)).await.unwrap();
    }
    put(&hub, value(&forked).await.bytes).await;
    let is_fork = SealedRosterError::Roster(Fault::Forked { n: 300 });
    assert_eq!(fetch(&hub, &new, &c).await, refused(is_fork.clone()));
    assert_eq!(change(&hub, &new, &a, Op::Rotate).await, refused(is_fork));
    assert_eq!(fetch(&hub, &fork, &c).await.as_ref(), Ok(&fork), "for who knows no other");
    put(&hub, Bytes::from_static(b"rubbish")).await;
    assert!(matches!(fetch(&hub, &new, &a).await, Err(RosterFault::Refused(_))));
    // The head of another team.
    let mut other = first.to_vec();
    let team = old.team().as_bytes().as_slice();
    let place = other.windows(16).position(|it| it == team).unwrap();
    other[place] ^= 1;
    put(&hub, other.into()).await;
    let got = fetch(&hub, &new, &a).await;
    assert!(
        matches!(
            &got,
            Err(RosterFault::Refused(SealedRosterError::Roster(Fault::OtherTeam { .. })))
        ),
        "{got:?}"
    );
}

#[tokio::test]
async fn a_page_that_is_withheld_or_swapped_is_noticed_and_put_again_with_the_next_change() {
    let (hub, [a, b, c], team) = world(300).await;
    let pages = blobs(&hub, "roster/page").await;
    let content = hub.get_blob(&pages[0]).await.unwrap().unwrap().bytes(1 << 20).await.unwrap();
    let joins = async || fetch(&hub, &waiting(&team, &a), &c).await;
    for page in &pages {
        let saved = hub.get_blob(page).await.unwrap().unwrap().bytes(1 << 20).await.unwrap();
        hub.remove_blob(page).await.unwrap();
        assert_eq!(joins().await, refused(SealedRosterError::Missing), "{page} is withheld");
        let swapped = if *page == pages[0] { saved.slice(1..) } else { content.clone() };
        hub.put_blob(page, &Content::Bytes(swapped)).await.unwrap();
        assert!(matches!(joins().await, Err(RosterFault::Refused(_))), "{page} is another one");
        hub.remove_blob(page).await.unwrap();
        hub.put_blob(page, &Content::Bytes(saved)).await.unwrap();
        assert_eq!(joins().await.as_ref(), Ok(&team));
    }
    hub.remove_blob(&pages[1]).await.unwrap();
    let team = change(&hub, &team, &b, Op::Rotate).await.unwrap();
    assert_eq!(fetch(&hub, &waiting(&team, &a), &c).await.as_ref(), Ok(&team));
    // Somebody was faster and put rubbish under the name of a page.
    hub.remove_blob(&pages[1]).await.unwrap();
    let rubbish = Content::Bytes(Bytes::from_static(b"rubbish"));
    let wiped = MemoryHub::new();
    wiped.put_blob(&pages[1], &rubbish).await.unwrap();
    let team = change(&wiped, &team, &b, Op::Rotate).await.unwrap();
    assert_eq!(fetch(&wiped, &waiting(&team, &a), &c).await.as_ref(), Ok(&team));
}

#[tokio::test]
async fn the_keys_of_an_epoch_that_are_withheld_let_nobody_believe_that_it_was_removed() {
    let (hub, [a, _, c], team) = world(300).await;
    for name in blobs(&hub, "roster/key").await {
        hub.remove_blob(&name).await.unwrap();
    }
    let got = fetch(&hub, &waiting(&team, &a), &c).await;
    assert_eq!(got, refused(SealedRosterError::Missing));
    // Who knows the epoch needs none of them.
    assert_eq!(fetch(&hub, &team, &c).await.as_ref(), Ok(&team));
    let team = change(&hub, &team, &a, Op::Rotate).await.unwrap();
    assert_eq!(fetch(&hub, &waiting(&team, &a), &c).await.as_ref(), Ok(&team));
}

#[tokio::test]
async fn a_removed_admin_reads_no_later_head_and_a_head_of_its_own_brings_nobody_back() {
    let (hub, [a, b, c], before) = world(300).await;
    let known_to_b = value(&hub).await.bytes;
    let keys = kept(&hub).await;
    let team = change(&hub, &before, &a, remove(&b)).await.unwrap();
    assert_eq!(fetch(&hub, &before, &b).await, Err(RosterFault::NotForUs));
    let add = Own::new("accomplice").add("eve");
    assert_eq!(change(&hub, &before, &b, add.clone()).await, Err(RosterFault::NotForUs));
    let left = blobs(&hub, "roster/key").await;
    assert!(keys.iter().all(|(it, _)| !left.contains(it)), "the keys of the epoch before are gone");
    // The hub helps it: it shows the head before the removal, and takes what it writes on top.
    let theirs = MemoryHub::new();
    put(&theirs, known_to_b).await;
    put_back(&hub, &keys).await;
    let theirs_now = change(&theirs, &before, &b, add).await.unwrap();
    for name in blobs(&theirs, "roster").await {
        let bytes = theirs.get_blob(&name).await.unwrap().unwrap().bytes(1 << 20).await.unwrap();
        hub.put_blob(&name, &Content::Bytes(bytes)).await.unwrap();
    }
    put(&hub, value(&theirs).await.bytes).await;
    let forked = refused(SealedRosterError::Roster(Fault::Forked { n: 300 }));
    assert_eq!(fetch(&hub, &team, &c).await, forked);
    assert_eq!(fetch(&hub, &waiting(&team, &a), &c).await, forked, "an invite pins the removal");
    assert!(theirs_now.named("accomplice").is_some());
    // With the right head again, all goes on.
    let again = MemoryHub::new();
    assert_eq!(fetch(&again, &team, &a).await.as_ref(), Ok(&team));
    assert_eq!(fetch(&again, &waiting(&team, &a), &c).await.as_ref(), Ok(&team));
}

#[tokio::test]
async fn a_head_with_a_key_of_somebody_else_is_refused() {
    // The hub wraps the key of an older head to a device, and names another epoch: nothing opens.
    let (hub, [a, _, c], old) = world(300).await;
    let first = value(&hub).await.bytes;
    let team = change(&hub, &old, &a, Op::Rotate).await.unwrap();
    let mut mixed = first.to_vec();
    let (before, after) = (old.epoch().to_le_bytes(), team.epoch().to_le_bytes());
    let place = mixed.windows(8).position(|it| it == before).unwrap();
    mixed[place..place + 8].copy_from_slice(&after);
    put(&hub, mixed.into()).await;
    for known in [&team, &old, &waiting(&old, &a)] {
        assert!(matches!(fetch(&hub, known, &c).await, Err(RosterFault::Refused(_))));
    }
}

#[tokio::test]
async fn a_recovery_key_reads_a_long_roster_from_its_pin_on() {
    let (hub, [a, _, _], team) = world(300).await;
    let lost = Identity::from_random(&zeroize::Zeroizing::new([9; 32]));
    let pin = team.pin();
    let op = Op::Recovery { user: "ada".to_owned(), recipient: lost.recipient(), door: None };
    let team = change(&hub, &team, &a, op).await.unwrap();
    assert_eq!(recovered_roster(&hub, &pin, &lost).await.as_ref(), Ok(&team));
    let team = change(&hub, &team, &a, Op::Rotate).await.unwrap();
    assert_eq!(recovered_roster(&hub, &pin, &lost).await.as_ref(), Ok(&team));
    let another = Identity::from_random(&zeroize::Zeroizing::new([8; 32]));
    assert_eq!(recovered_roster(&hub, &pin, &another).await, Err(RosterFault::NotForUs));
    let empty = recovered_roster(&MemoryHub::new(), &pin, &lost).await;
    assert_eq!(empty, Err(RosterFault::Nothing));
}

#[tokio::test]
async fn of_changes_at_once_to_a_long_roster_each_is_made_on_the_other() {
    let scale = Scale::from_env();
    for run in 0..scale.pick(6, 300) {
        let (_, [a, b, c], team) = world(190).await;
        let team = team.grown(Op::Admin { device: c.id.clone() }, &a.signer(), at(0)).unwrap();
        let hub = Weather::new(BAD, scale.chance(&format!("long roster {run}")));
        let changes = [&a, &b, &c].map(|who| {
            let (hub, team) = (hub.clone(), team.clone());
            async move {
                for op in [Own::new(&format!("new-{}", who.id)).add("ada"), Op::Rotate] {
                    let made = |it: &Roster| Ok(it.with(op.clone(), &who.signer(), at(0))?.0);
                    loop {
                        match publish_roster(&hub, &team, who.secret.identity(), made).await {
                            Err(
                                RosterFault::Hub(_)
                                | RosterFault::Refused(SealedRosterError::Missing),
                            ) => {}
                            // An earlier attempt, whose answer was lost, already wrote it.
                            Err(RosterFault::NotAllowed(Fault::InviteUsed { .. })) | Ok(_) => break,
                            Err(error) => panic!("{error}"),
                        }
                    }
                }
            }
        });
        join_all(changes).await;
        let hub = hub.inner();
        let last = fetch(&hub, &waiting(&team, &a), &a).await.unwrap();
        let added = last.members().filter(|it| it.device.name.starts_with("new-")).count();
        assert_eq!(added, 3, "run {run}");
        assert!(last.epoch() >= team.epoch() + 3, "run {run}: a rotation is not lost");
    }
}
