//! A team of five hundred people and two thousand devices: what it costs, counted in bytes, requests and
//! entries.

use crate::exchange::fleet::{Own, Shelf, at, line, random};
use crate::exchange::weather::{CALM, Traffic, Weather};
use std::time::{Duration, Instant};
use taffrail_sync::exchange::{
    Durable, Exchange, MemoryStore, Parts, Readers, fetch_roster, own_stream, publish_roster,
};
use taffrail_sync::roster::{Invite, JoinRequest, Offer, Op, approve};
use taffrail_sync::{Roster, TeamId};
use taffrail_testkit::Chance;

/// Devices of a user.
const DEVICES: usize = 4;

/// What one step cost.
#[derive(Debug, Clone, Copy)]
struct Cost {
    took: Duration,
    traffic: Traffic,
}

/// A team with its admin, and a device of each kind.
struct Team {
    roster: Roster,
    admin: Own,
    last: Own,
}

/// A team of this many devices, each of which replaced this many that were removed. The first device of
/// each user admits the others.
fn team(devices: usize, removed: usize) -> Team {
    let admin = Own::new("admin");
    let id = TeamId::from_bytes([1; 16]);
    let mut roster = Roster::found(id, admin.device("root"), &admin.secret, at(0)).unwrap();
    let mut last = admin.clone();
    let mut grow = |op: Op, by: &Own| {
        let whole = std::mem::replace(&mut roster, Roster::awaited(admin_pin(id), None));
        roster = whole.grown(op, &by.signer(), at(0)).unwrap();
    };
    for user in 0..(devices - 1).div_ceil(DEVICES) {
        let name = format!("user-{user:03}@example.org");
        let first = Own::new(&format!("laptop-of-{user:03}"));
        grow(first.add(&name), &admin);
        grow(Op::Admin { device: first.id.clone() }, &admin);
        for number in 1..DEVICES.min(devices - 1 - user * DEVICES) {
            for old in 0..removed {
                let gone = Own::new(&format!("old-{old}-{number}-of-{user:03}"));
                grow(gone.add(&name), &first);
                grow(Op::Remove { device: gone.id.clone() }, &first);
            }
            last = Own::new(&format!("device-{number}-of-{user:03}"));
            grow(last.add(&name), &first);
        }
    }
    Team { roster, admin, last }
}

fn admin_pin(team: TeamId) -> taffrail_sync::roster::Pin {
    taffrail_sync::roster::Pin { team, n: 0, head: taffrail_sync::Digest::from_bytes([0; 32]) }
}

/// A calm hub, and the costs of each step on it.
struct Scales {
    hub: Weather,
}

impl Scales {
    async fn weighed<T>(&self, work: impl AsyncFnOnce(&Weather) -> T) -> (T, Cost) {
        self.hub.traffic();
        let start = Instant::now();
        let done = work(&self.hub).await;
        (done, Cost { took: start.elapsed(), traffic: self.hub.traffic() })
    }

    async fn fetched(&self, known: &Roster, who: &Own) -> (Roster, Cost) {
        let fetch = async |hub: &Weather| fetch_roster(hub, known, who.secret.identity()).await;
        let (roster, cost) = self.weighed(fetch).await;
        (roster.unwrap(), cost)
    }

    async fn changed(&self, known: &Roster, by: &Own, op: Op) -> (Roster, Cost) {
        let made = |it: &Roster| Ok(it.with(op.clone(), &by.signer(), at(0))?.0);
        let publish =
            async |hub: &Weather| publish_roster(hub, known, by.secret.identity(), made).await;
        let (roster, cost) = self.weighed(publish).await;
        (roster.unwrap(), cost)
    }
}

/// The costs of everything that happens to a roster.
struct Costs {
    entries: usize,
    recipients: usize,
    invite: usize,
    founded: Cost,
    look: Cost,
    approve: Cost,
    heard: Cost,
    join: Cost,
    remove: Cost,
    heard_removal: Cost,
    rotate: Cost,
}

async fn costs(devices: usize, removed: usize) -> Costs {
    let Team { roster, admin, last } = team(devices, removed);
    let scales = Scales { hub: Weather::new(CALM, Chance::new(1)) };
    let (_, founded) = scales.fetched(&roster, &admin).await;
    let (_, look) = scales.fetched(&roster, &last).await;
    let offer = Offer { user: "new@example.org".to_owned(), until: at(1_000), hub: None };
    let invite = Invite::new(&roster, &admin.signer(), offer, [7; 32]).unwrap();
    let word = invite.to_text().unwrap();
    let (new, theirs) = (Own::new("new"), Invite::parse(&word).unwrap());
    let request = JoinRequest::answer(&theirs, (&new.id, "new"), &new.secret, at(1)).unwrap();
    let (_, entry) = approve(&roster, (&request, &invite.open()), &admin.signer(), at(2)).unwrap();
    let (grown, approve) = scales.changed(&roster, &admin, entry.statement.op).await;
    let (heard_roster, heard) = scales.fetched(&roster, &last).await;
    let (joined, join) = scales.fetched(theirs.roster(), &new).await;
    assert_eq!((joined.pin(), heard_roster.pin()), (grown.pin(), grown.pin()));
    assert!(joined.member(&new.id).is_some());
    let (without, remove) =
        scales.changed(&grown, &admin, Op::Remove { device: new.id.clone() }).await;
    let (heard_roster, heard_removal) = scales.fetched(&grown, &last).await;
    assert_eq!(heard_roster.pin(), without.pin());
    let refused = fetch_roster(&scales.hub, &grown, new.secret.identity()).await;
    assert!(refused.is_err(), "a removed device reads nothing");
    let (rotated, rotate) = scales.changed(&without, &admin, Op::Rotate).await;
    assert_eq!(rotated.epoch(), without.epoch() + 1);
    let recipients = rotated.recipients(taffrail_sync::roster::Audience::Team).len();
    let (entries, invite) = (rotated.entries().len(), word.len());
    Costs {
        entries,
        recipients,
        invite,
        founded,
        look,
        approve,
        heard,
        join,
        remove,
        heard_removal,
        rotate,
    }
}

#[tokio::test]
async fn a_team_of_two_thousand_devices_is_joined_shrunk_and_rotated_in_bounded_bytes() {
    let large = costs(2_001, 2).await;
    assert!(large.entries > 8_000, "{}", large.entries);
    assert!(large.invite < 1_500, "an invite has {} characters", large.invite);
    let check = |what: &str, cost: Cost, received: u64, sent: u64, requests: u64| {
        let Traffic { requests: asked, bytes, sent: wrote, .. } = cost.traffic;
        assert!(bytes <= received && wrote <= sent && asked <= requests, "{what}: {cost:?}");
    };
    let head = 60_000;
    let keys = 110 * large.recipients as u64 + 10_000;
    check("look", large.look, head, 0, 1);
    check("approve", large.approve, 2 * head, 2 * head, 6);
    check("heard of the new device", large.heard, head, 0, 1);
    check("join", large.join, 400 * large.entries as u64, 0, large.entries as u64 / 64 + 4);
    check("remove", large.remove, 2 * head, 2 * head + keys, 60);
    check("heard of the removal", large.heard_removal, head + 20_000, 0, 3);
    check("rotate", large.rotate, 2 * head, 2 * head + keys, 60);
}

#[tokio::test]
async fn a_rotation_in_a_large_team_costs_a_device_its_own_keys() {
    let Team { roster, admin, last } = team(601, 0);
    let hub = Weather::new(CALM, Chance::new(1));
    let user = roster.member(&last.id).unwrap().device.user.clone();
    let mut it = Exchange::new(Parts {
        hub: hub.clone(),
        durable: Durable::Log,
        store: MemoryStore::default(),
        applied: Shelf::default(),
        us: last.us(),
        roster: roster.clone(),
        random: random(Chance::new(7)),
    });
    it.open(&own_stream(), &Readers::user(user)).unwrap();
    it.push(&own_stream(), &[line("first")], at(hub.now())).unwrap();
    it.look(at(hub.now())).await.unwrap();
    let rotate = |it: &Roster| Ok(it.with(Op::Rotate, &admin.signer(), at(0))?.0);
    publish_roster(&hub, &roster, admin.secret.identity(), rotate).await.unwrap();
    it.push(&own_stream(), &[line("second")], at(hub.now())).unwrap();
    hub.traffic();
    hub.pass(1_000);
    it.look(at(hub.now())).await.unwrap();
    let traffic = hub.traffic();
    assert_eq!(it.roster().epoch(), roster.epoch() + 1);
    assert!(traffic.sent < 2_000, "the keys of four devices: {traffic:?}");
    assert!(traffic.bytes < 80_000 && traffic.requests < 15, "{traffic:?}");
}

/// Prints what docs/scale.md says.
#[tokio::test]
#[ignore = "it measures, and needs a quiet machine"]
async fn what_a_large_team_costs() {
    for (devices, removed) in [(101, 0), (601, 0), (2_001, 0), (2_001, 2)] {
        let costs = costs(devices, removed).await;
        eprintln!(
            "{devices} devices, {} entries, {} recipients; an invite has {} characters",
            costs.entries, costs.recipients, costs.invite
        );
        for (what, Cost { took, traffic }) in [
            ("an empty hub gets the roster", costs.founded),
            ("look, nothing new", costs.look),
            ("approve", costs.approve),
            ("hear of the new device", costs.heard),
            ("join", costs.join),
            ("remove", costs.remove),
            ("hear of the removal", costs.heard_removal),
            ("rotate", costs.rotate),
        ] {
            let Traffic { requests, bytes, sent, .. } = traffic;
            eprintln!("  {what}: {requests} requests, {bytes} in, {sent} out, {took:?}");
        }
        let team = team(devices, removed);
        let entries = team.roster.entries().to_vec();
        let start = Instant::now();
        Roster::of(entries.clone()).unwrap();
        let verified = start.elapsed();
        let start = Instant::now();
        Roster::verified(entries, &team.roster.pin()).unwrap();
        eprintln!("  all signatures: {verified:?}; hashes only: {:?}", start.elapsed());
    }
}
