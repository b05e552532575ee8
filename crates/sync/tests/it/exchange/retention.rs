//! Retention over weeks: devices sleep, join, restart and have wrong clocks, the network loses answers,
//! and an admin removes what the policy does not keep. Nothing that a reader needs is ever removed.
//!
//! `TAFFRAIL_SEED` selects the runs, `TAFFRAIL_FULL=1` runs many.

use crate::exchange::fleet::{Own, Shelf, USER, at, exchange, facts, gone, team_of};
use crate::exchange::weather::{CALM, Climate, Planted, Weather};
use std::num::NonZeroU32;
use taffrail_sync::exchange::{
    CheckpointPace, Durable, Exchange, Item, Keep, MemoryStore, Removed, own_stream,
};
use taffrail_sync::hub::{Hub, Prefix};
use taffrail_sync::roster::Roster;
use taffrail_testkit::{Chance, Scale};

const HOUR: i64 = 60 * 60 * 1000;
const DAY: i64 = 24 * HOUR;
const DAYS: i64 = 7;
const STEPS: usize = 800;
const SHOWERS: Climate = Climate { lost: 40, old_key: usize::MAX, twice: 60 };

type Carrier = Exchange<Weather, MemoryStore, Shelf>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Log,
    Segments,
}

/// One device over weeks.
struct Machine {
    who: Own,
    hub: Weather,
    kind: Kind,
    shelf: Shelf,
    chance: Chance,
    carrier: Option<Carrier>,
    /// What it wrote, and when.
    wrote: Vec<(i64, Item)>,
    sleeps_until: i64,
    /// How far its clock is off.
    skew: i64,
    /// When it last exchanged everything, and the longest silence.
    synced: i64,
    silence: i64,
}

impl Machine {
    fn new(who: &Own, hub: &Weather, kind: Kind, roster: &Roster, chance: Chance) -> Self {
        let mut machine = Self {
            who: who.clone(),
            hub: hub.clone(),
            kind,
            shelf: Shelf::default(),
            chance,
            carrier: None,
            wrote: Vec::new(),
            sleeps_until: 0,
            skew: 0,
            synced: hub.now(),
            silence: 0,
        };
        machine.start(MemoryStore::default(), roster.clone());
        machine
    }

    fn start(&mut self, store: MemoryStore, roster: Roster) {
        let durable = match self.kind {
            Kind::Log => Durable::Log,
            Kind::Segments => Durable::Segments(self.hub.clone()),
        };
        let (hubs, chance) = ((self.hub.clone(), durable), Chance::new(self.chance.bits()));
        let pace = CheckpointPace { batches: 4, bytes: 1_000, far: 8 };
        let carrier = exchange(&self.who, hubs, (store, self.shelf.clone()), roster, chance);
        self.carrier = Some(carrier.with_checkpoints(pace));
    }

    fn carrier(&mut self) -> &mut Carrier {
        self.carrier.as_mut().unwrap()
    }

    /// By its own clock.
    fn now(&self) -> taffrail_model::Timestamp {
        at(self.hub.now() + self.skew)
    }

    fn push(&mut self) {
        let items: Vec<Item> = (0..self.chance.between(1, 4))
            .map(|n| (self.wrote.len() + n).to_string())
            .map(|n| facts(self.who.id.as_str(), n))
            .collect();
        let (now, time) = (self.now(), self.hub.now());
        self.carrier().push(&own_stream(), &items, now).unwrap();
        self.wrote.extend(items.into_iter().map(|it| (time, it)));
    }

    async fn look(&mut self) {
        let now = self.now();
        match self.carrier().look(now).await {
            Ok(_) => {
                self.silence = self.silence.max(self.hub.now() - self.synced);
                self.synced = self.hub.now();
            }
            Err(error) if error.is_unreachable() => {}
            Err(error) => panic!("{}: {error}", self.who.id),
        }
    }

    fn restart(&mut self) {
        let parts = self.carrier.take().unwrap().into_parts();
        let kept = self.shelf.0.lock().unwrap().roster.clone();
        self.start(parts.store, kept.unwrap_or(parts.roster));
    }

    async fn retain(&mut self, keep: Keep) -> Removed {
        let now = self.now();
        match self.carrier().retain(keep, now).await {
            Ok(removed) => removed,
            Err(error) if error.is_unreachable() => Removed::default(),
            Err(error) => panic!("{}: {error}", self.who.id),
        }
    }

    async fn step(&mut self, keep: Keep) -> Removed {
        if self.hub.now() < self.sleeps_until {
            return Removed::default();
        }
        match self.chance.below(80) {
            0..=25 => self.push(),
            26..=59 => self.look().await,
            60..=61 => self.restart(),
            62 => self.skew = [0, 2 * HOUR, -2 * HOUR, 400 * DAY, -400 * DAY][self.chance.below(5)],
            63 => {
                let days = [1, 3, 5, 10, 20][self.chance.below(5)];
                self.sleeps_until = self.hub.now() + days * DAY;
            }
            _ => return self.retain(keep).await,
        }
        Removed::default()
    }

    /// Whether it has what each other one wrote, unless it was away for too long: then it has the newest,
    /// in order, and knows that something is gone.
    fn misses(&self, other: &Self, joined_late: bool) -> Option<String> {
        let said: Vec<Item> = self.shelf.said(&other.who.id, &own_stream());
        let said: Vec<Item> = said.into_iter().filter(|it| *it != gone()).collect();
        let wrote: Vec<Item> = other.wrote.iter().map(|(_, it)| it.clone()).collect();
        if said == wrote {
            return None;
        }
        let of = format!("{} of {}: {} of {}", self.who.id, other.who.id, said.len(), wrote.len());
        if self.silence <= DAYS * DAY && !joined_late {
            return Some(format!("{of}, and was never away"));
        }
        let kept = self.hub.now() - DAYS * DAY;
        let recent = other.wrote.iter().filter(|(when, _)| *when > kept).map(|(_, it)| it);
        if let Some(item) = recent.into_iter().find(|it| !said.contains(it)) {
            return Some(format!("{of}, without the recent {item:?}"));
        }
        let mut rest = wrote.iter();
        if !said.iter().all(|it| rest.any(|other| other == it)) {
            return Some(format!("{of}, out of order"));
        }
        let is_told = self.shelf.0.lock().unwrap().gone.keys().any(|it| it.device == other.who.id);
        (!is_told).then(|| format!("{of}, and was not told"))
    }
}

fn keep(chance: &mut Chance) -> Keep {
    let days = NonZeroU32::new(u32::try_from(DAYS).unwrap());
    let bytes = Some(u64::try_from(chance.between(5_000, 60_000)).unwrap());
    match chance.below(3) {
        0 => Keep { days, bytes: None },
        1 => Keep { days, bytes },
        _ => Keep { days: None, bytes },
    }
}

/// What one run removed and what is wrong after it.
struct Outcome {
    entries: u64,
    blobs: usize,
    wrong: Option<String>,
}

async fn run(seed: Chance, kind: Kind, planted: Planted) -> Outcome {
    let hub = Weather::new(SHOWERS, seed.fork("weather"));
    hub.plant(planted);
    hub.pass(1);
    let names = ["a", "b", "c", "late"].map(Own::new);
    let mut roster = team_of(&names[..3]);
    let mut machines: Vec<Machine> = names[..3]
        .iter()
        .enumerate()
        .map(|(n, who)| Machine::new(who, &hub, kind, &roster, seed.fork(&format!("machine {n}"))))
        .collect();
    let mut chance = seed.fork("steps");
    let keep = keep(&mut chance);
    let joins_at = chance.below(STEPS);
    let mut out = Outcome { entries: 0, blobs: 0, wrong: None };
    for step in 0..STEPS {
        hub.pass(i64::try_from(chance.below(4)).unwrap() * HOUR + 1);
        if step == joins_at {
            roster = roster.with(names[3].add(USER), &names[0].signer(), at(0)).unwrap().0;
            machines[0].hub.climate(CALM);
            let changed = roster.clone();
            let joining = machines[0].carrier().change_roster(|_| Ok(changed.clone())).await;
            joining.unwrap();
            machines[0].hub.climate(SHOWERS);
            let late = seed.fork("machine late");
            machines.push(Machine::new(&names[3], &hub, kind, &roster, late));
        }
        let who = chance.below(machines.len());
        let removed = machines[who].step(keep).await;
        out.entries += removed.entries;
        out.blobs += removed.blobs;
    }
    out.wrong = settle(&hub, &mut machines).await;
    out
}

async fn settle(hub: &Weather, machines: &mut [Machine]) -> Option<String> {
    hub.climate(CALM);
    for _ in 0..8 {
        hub.pass(1_000);
        for machine in &mut *machines {
            machine.look().await;
        }
    }
    for reader in &*machines {
        for writer in machines.iter().filter(|it| it.who.id != reader.who.id) {
            let wrong = reader.misses(writer, reader.who.id.as_str() == "id-late");
            if wrong.is_some() {
                return wrong;
            }
        }
    }
    None
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().build().unwrap()
}

fn kind(number: usize) -> Kind {
    if number.is_multiple_of(2) { Kind::Log } else { Kind::Segments }
}

#[test]
fn nothing_that_a_reader_needs_is_ever_removed() {
    let scale = Scale::from_env();
    let (mut entries, mut blobs) = (0, 0);
    for number in 0..scale.pick(40, 5_000) {
        let seed = scale.chance(&format!("retention {number}"));
        let out = runtime().block_on(run(seed, kind(number), Planted::Nothing));
        assert_eq!(out.wrong, None, "run {number}");
        entries += out.entries;
        blobs += out.blobs;
    }
    eprintln!("{entries} entries and {blobs} segments removed");
    assert!(entries > 1_000 && blobs > 50, "{entries} {blobs}: too little was removed");
}

/// The simulation finds what it is there to find.
#[test]
fn a_fault_in_retention_is_found() {
    let scale = Scale::from_env();
    for (planted, kinds) in [
        (Planted::TrimsOneMore, [Kind::Log, Kind::Log]),
        (Planted::RemovesTwo, [Kind::Segments; 2]),
    ] {
        let is_found = (0..60).any(|number| {
            let seed = scale.chance(&format!("planted {number}"));
            runtime().block_on(run(seed, kinds[number % 2], planted)).wrong.is_some()
        });
        assert!(is_found, "{planted:?} was not found");
    }
}

/// A hub with a policy ends up with what the policy keeps; without one, it keeps everything.
#[test]
fn a_hub_grows_for_ever() {
    let left = |keep: Keep, kind: Kind| {
        runtime().block_on(async {
            let hub = Weather::new(CALM, Chance::new(1));
            hub.pass(1);
            let names = ["a", "b"].map(Own::new);
            let roster = team_of(&names);
            let mut machines: Vec<Machine> = names
                .iter()
                .map(|who| Machine::new(who, &hub, kind, &roster, Chance::new(2)))
                .collect();
            for _ in 0..120 {
                for machine in &mut machines {
                    machine.push();
                    hub.pass(HOUR);
                    machine.look().await;
                    machine.look().await;
                }
                machines[0].retain(keep).await;
            }
            assert_eq!(settle(&hub, &mut machines).await, None);
            let all = hub.inventory().await.unwrap();
            let logs = hub.logs(&Prefix::everything()).await.unwrap().len();
            assert_eq!(logs, 2, "a log keeps its last entry");
            all.iter().map(|it| it.bytes).sum::<u64>()
        })
    };
    for kind in [Kind::Log, Kind::Segments] {
        let all = left(Keep::default(), kind);
        let days = NonZeroU32::new(2);
        let by_days = left(Keep { days, bytes: None }, kind);
        assert!(by_days * 3 < all, "{kind:?}: {by_days} of {all}");
        let by_size = left(Keep { days: None, bytes: Some(all / 4) }, kind);
        assert!(by_size <= all / 4 + 10_000, "{kind:?}: {by_size} of {all}");
    }
}

/// How long a hub keeps data over the years, and for how long a device is away once a year.
const KEPT: i64 = 120;
const AWAY: i64 = 90;

/// What three years showed.
#[derive(Debug, Default)]
struct Years {
    written: u64,
    most: u64,
    left: u64,
    oldest_days: i64,
}

/// One day: two devices write in the morning and look four times, the third looks if it is not away.
async fn day(hub: &Weather, machines: &mut [Machine], number: i64, keep: Keep) {
    let is_away = number % 365 > 200 && number % 365 <= 200 + AWAY;
    for round in 0..4 {
        hub.pass(6 * HOUR);
        for (place, machine) in machines.iter_mut().enumerate() {
            if place == 2 && is_away {
                continue;
            }
            if place < 2 && round == 0 {
                machine.skew = [0, 10, -10][machine.chance.below(3)] * 60 * 1000;
                machine.push();
            }
            machine.look().await;
            machine.look().await;
        }
    }
    machines[0].retain(keep).await;
}

/// What the hub has, and how old the oldest entry or segment is that is not the last of its log.
async fn stored(hub: &Weather) -> (u64, i64) {
    let all = hub.inner().inventory().await.unwrap();
    let bytes = all.iter().map(|it| it.bytes).sum();
    let now = at(hub.now()).as_second();
    let mut ages: Vec<i64> =
        all.iter().map(|it| (now - it.at.as_second()) / (24 * 60 * 60)).collect();
    ages.sort_unstable();
    // Each of three logs keeps its last entry, however old it is.
    let counted = ages.len().saturating_sub(3);
    (bytes, ages[..counted].last().copied().unwrap_or(0))
}

async fn years(days: i64, kind: Kind, seed: &Chance) -> Years {
    let hub = Weather::new(SHOWERS, seed.fork("weather"));
    hub.pass(1);
    let names = ["a", "b", "c"].map(Own::new);
    let roster = team_of(&names);
    let mut machines: Vec<Machine> = names
        .iter()
        .map(|who| Machine::new(who, &hub, kind, &roster, seed.fork(&format!("years {}", who.id))))
        .collect();
    let keep = Keep { days: NonZeroU32::new(u32::try_from(KEPT).unwrap()), bytes: None };
    let mut out = Years::default();
    for number in 0..days {
        day(&hub, &mut machines, number, keep).await;
        let (bytes, oldest) = stored(&hub).await;
        out.most = out.most.max(bytes);
        out.oldest_days = out.oldest_days.max(oldest);
    }
    out.left = stored(&hub).await.0;
    hub.climate(CALM);
    for _ in 0..8 {
        hub.pass(1_000);
        for machine in &mut machines {
            machine.look().await;
        }
    }
    for reader in &machines {
        for writer in machines.iter().filter(|it| it.who.id != reader.who.id) {
            let said = reader.shelf.said(&writer.who.id, &own_stream());
            let wrote: Vec<Item> = writer.wrote.iter().map(|(_, it)| it.clone()).collect();
            assert_eq!(said, wrote, "{} of {}", reader.who.id, writer.who.id);
        }
    }
    out.written = machines.iter().map(|it| it.wrote.len() as u64).sum();
    out
}

/// A device that is away for 90 days every year gets everything, and the hub keeps 120 days and no more.
#[test]
fn a_hub_of_three_years_stays_within_its_retention() {
    let scale = Scale::from_env();
    for kind in [Kind::Log, Kind::Segments] {
        let seed = scale.chance("three years");
        let year = runtime().block_on(years(365, kind, &seed));
        let three = runtime().block_on(years(3 * 365, kind, &seed));
        eprintln!("{kind:?}: a year {year:?}, three years {three:?}");
        // A pass that a lost answer ends goes on a day later, and most passes lose one.
        assert!(three.oldest_days <= KEPT + 30, "{kind:?}: {three:?}");
        assert!(three.written > year.written * 5 / 2, "{kind:?}: {three:?}");
        assert!(three.most < year.most * 5 / 4, "{kind:?}: {year:?} {three:?}");
    }
}
