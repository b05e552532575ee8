//! The roster on a hub: changed by one writer at a time, never rolled back, never forked.

use crate::exchange::fleet::{Own, at, team_of};
use crate::exchange::weather::{BAD, Weather};
use bytes::Bytes;
use futures_util::future::join_all;
use taffrail_sync::Roster;
use taffrail_sync::exchange::{RosterFault, fetch_roster, publish_roster};
use taffrail_sync::hub::{Hub, KeyName, MemoryHub};
use taffrail_sync::roster::{Fault, Op, SealedRosterError};
use taffrail_testkit::Scale;

fn key() -> KeyName {
    KeyName::new("roster").unwrap()
}

async fn put(hub: &MemoryHub, bytes: Vec<u8>) {
    let revision = hub.get(&key()).await.unwrap().map(|it| it.revision);
    hub.cas(&key(), revision, Bytes::from(bytes)).await.unwrap();
}

fn rotated(roster: &Roster, by: &Own) -> Roster {
    roster.with(Op::Rotate, &by.signer(), at(0)).unwrap().0
}

#[tokio::test]
async fn a_roster_is_neither_rolled_back_nor_forked() {
    let (a, b, stranger) = (Own::new("a"), Own::new("b"), Own::new("stranger"));
    let old = team_of(&[a.clone(), b.clone()]);
    let new = rotated(&old, &a);
    let fork = old.with(Op::Admin { device: b.id.clone() }, &a.signer(), at(1)).unwrap().0;
    let hub = MemoryHub::new();
    let fetch =
        async |known: &Roster, who: &Own| fetch_roster(&hub, known, who.secret.identity()).await;
    // An empty hub receives our roster.
    assert_eq!(fetch(&old, &a).await.as_ref(), Ok(&old));
    assert_eq!(fetch(&new, &a).await.as_ref(), Ok(&new));
    assert_eq!(fetch(&old, &b).await.as_ref(), Ok(&new), "what was older was replaced");
    // A hub with an old roster is not followed, and receives the newer one.
    put(&hub, old.to_sealed().unwrap()).await;
    assert_eq!(fetch(&new, &b).await.as_ref(), Ok(&new));
    assert_eq!(fetch(&old, &a).await.as_ref(), Ok(&new));
    let refused = |fault: Fault| Err(RosterFault::Refused(SealedRosterError::Roster(fault)));
    put(&hub, fork.to_sealed().unwrap()).await;
    assert_eq!(fetch(&new, &a).await, refused(Fault::Forked { n: 2 }));
    assert_eq!(fetch(&new, &stranger).await, Err(RosterFault::NotForUs));
    put(&hub, b"rubbish".to_vec()).await;
    assert!(matches!(fetch(&new, &a).await, Err(RosterFault::Refused(_))));
}

#[tokio::test]
async fn of_two_changes_at_once_one_is_made_on_the_other() {
    let scale = Scale::from_env();
    for run in 0..scale.pick(30, 2_000) {
        let hub = Weather::new(BAD, scale.chance(&format!("roster {run}")));
        let devices: Vec<Own> = ["a", "b", "c"].map(Own::new).to_vec();
        let mut roster = team_of(&devices);
        for admin in &devices[1..] {
            let op = Op::Admin { device: admin.id.clone() };
            roster = roster.with(op, &devices[0].signer(), at(0)).unwrap().0;
        }
        let changes = devices.iter().map(|who| {
            let (hub, roster, new) =
                (hub.clone(), roster.clone(), Own::new(&format!("new-{}", who.id)));
            async move {
                let add = |known: &Roster| Ok(known.with(new.add("ada"), &who.signer(), at(0))?.0);
                loop {
                    match publish_roster(&hub, &roster, who.secret.identity(), add).await {
                        Err(RosterFault::Hub(_)) => {}
                        // An earlier attempt, whose answer was lost, already wrote it.
                        Err(RosterFault::NotAllowed(Fault::InviteUsed { .. })) | Ok(_) => return,
                        Err(error) => panic!("{error}"),
                    }
                }
            }
        });
        join_all(changes).await;
        let hub = hub.inner();
        let last = fetch_roster(&hub, &roster, devices[0].secret.identity()).await.unwrap();
        assert_eq!(last.entries().len(), roster.entries().len() + 3, "run {run}");
    }
}

#[tokio::test]
async fn a_change_that_is_not_allowed_any_more_is_refused() {
    let (a, b) = (Own::new("a"), Own::new("b"));
    let roster = team_of(&[a.clone(), b.clone()]);
    let hub = MemoryHub::new();
    let remove =
        |known: &Roster| Ok(known.with(Op::Remove { device: b.id.clone() }, &a.signer(), at(0))?.0);
    let identity = a.secret.identity();
    publish_roster(&hub, &roster, identity, remove).await.unwrap();
    let again = publish_roster(&hub, &roster, identity, remove).await;
    let expected = Fault::NoSuchDevice { n: 3, device: b.id.clone() };
    assert_eq!(again, Err(RosterFault::NotAllowed(expected)));
    let by_b = |known: &Roster| Ok(known.with(Op::Rotate, &b.signer(), at(0))?.0);
    let answer = publish_roster(&hub, &roster, b.secret.identity(), by_b).await;
    assert_eq!(answer, Err(RosterFault::NotForUs));
}
