//! Devices write, read, crash, join, leave and rotate over a hub that loses answers, shows old keys
//! and is emptied: in the end every device has what each other wrote, once and in order.
//!
//! `TAFFRAIL_SEED` selects the runs, `TAFFRAIL_FULL=1` runs many.

use crate::exchange::crashing::Crashing;
use crate::exchange::fleet::{Own, Shelf, USER, at, exchange, facts, team_of};
use crate::exchange::weather::{BAD, CALM, Weather, yield_once};
use futures_util::future::join_all;
use std::sync::{Arc, Mutex};
use taffrail_sync::Roster;
use taffrail_sync::exchange::{
    CheckpointPace, Durable, Exchange, ExchangeError, Item, MemoryStore, Outbox, RosterFault,
    own_stream,
};
use taffrail_sync::roster::{Member, Op};
use taffrail_testkit::{Chance, Scale};

const STEPS: usize = 40;
/// How many writes to the store crash.
const CRASHES: usize = 40;

type Store = Crashing<MemoryStore>;
type Carrier = Exchange<Weather, Store, Shelf>;

/// One device over all its restarts.
struct Machine {
    who: Own,
    hub: Weather,
    kind: Kind,
    shelf: Shelf,
    chance: Chance,
    carrier: Option<Carrier>,
    /// The items it wrote, in order.
    wrote: Vec<Item>,
    tally: Tally,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Log,
    Segments,
}

/// Actions of the admin's device besides its own work.
#[derive(Debug, Clone)]
enum Deed {
    Change(Box<Op>),
    /// The hub is emptied. Not while a change of the roster is unanswered: that can fork it.
    Wipe,
}

#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    restarts: u64,
    unreachable: u64,
    refused: u64,
}

impl Machine {
    fn new(who: &Own, hub: &Weather, kind: Kind, roster: &Roster, chance: &Chance) -> Self {
        let shelf = Shelf::default();
        let crash = Crashing::new((), chance.fork("apply"), CRASHES);
        shelf.0.lock().unwrap().crash = Some(crash);
        let store = Crashing::new(MemoryStore::default(), chance.fork("store"), CRASHES);
        let mut machine = Self {
            who: who.clone(),
            hub: hub.clone(),
            kind,
            shelf,
            chance: chance.fork("steps"),
            carrier: None,
            wrote: Vec::new(),
            tally: Tally::default(),
        };
        machine.start(store, roster.clone());
        machine
    }

    fn start(&mut self, store: Store, roster: Roster) {
        let durable = match self.kind {
            Kind::Log => Durable::Log,
            Kind::Segments => Durable::Segments(self.hub.clone()),
        };
        let hubs = (self.hub.clone(), durable);
        let chance = Chance::new(self.chance.bits());
        let memory = (store, self.shelf.clone());
        let pace = CheckpointPace { batches: 1, bytes: 0, far: 3 };
        self.carrier =
            Some(exchange(&self.who, hubs, memory, roster, chance).with_checkpoints(pace));
    }

    fn carrier(&mut self) -> &mut Carrier {
        self.carrier.as_mut().unwrap()
    }

    /// Loses all state that was only in the process.
    fn restart(&mut self) {
        self.tally.restarts += 1;
        let parts = self.carrier.take().unwrap().into_parts();
        let kept = self.shelf.0.lock().unwrap().roster.clone();
        self.start(parts.store, kept.unwrap_or(parts.roster));
    }

    fn push(&mut self) {
        let count = self.chance.between(1, 5);
        let size = if self.chance.one_in(10) { 30_000 } else { 20 };
        let texts = (0..count).map(|n| {
            let number = self.wrote.len() + n;
            facts(
                &format!("{} {}", self.who.id, number % 3),
                format!("{number} {}", "x".repeat(size)),
            )
        });
        let items: Vec<Item> = texts.collect();
        let now = at(self.hub.now());
        let before = self.last();
        let answer = self.carrier().push(&own_stream(), &items, now);
        if self.last() > before {
            self.wrote.extend(items);
        }
        if answer.is_err() {
            self.restart();
        }
    }

    fn last(&mut self) -> u64 {
        let streams = self.carrier().store().streams().unwrap();
        streams.iter().find(|it| it.stream == own_stream()).unwrap().last
    }

    async fn step(&mut self) {
        let now = at(self.hub.now());
        let answer = match self.chance.below(10) {
            0..=2 => return self.push(),
            3..=4 => self.carrier().publish(now).await.map(drop),
            5..=6 => self.carrier().read().await.map(drop),
            7..=8 => self.carrier().look(now).await.map(drop),
            _ => return self.restart(),
        };
        self.after(answer);
    }

    fn after(&mut self, answer: Result<(), ExchangeError>) {
        match answer {
            Ok(()) => {}
            Err(error) if error.is_unreachable() => self.tally.unreachable += 1,
            Err(ExchangeError::Storage(_)) => self.restart(),
            // A device that is not in the team so far, or no longer.
            Err(ExchangeError::Roster(_) | ExchangeError::Sealing { .. }) => {
                self.tally.refused += 1;
            }
            Err(error) => panic!("{}: {error}", self.who.id),
        }
    }

    /// Retries until it is done or impossible.
    async fn change(&mut self, op: Op) {
        for _ in 0..20 {
            let (who, hub) = (self.who.clone(), self.hub.clone());
            let op = op.clone();
            let change =
                move |roster: &Roster| Ok(roster.with(op.clone(), &who.signer(), at(hub.now()))?.0);
            let answer = self.carrier().change_roster(change).await;
            match answer {
                Ok(()) => return,
                Err(ExchangeError::Roster(RosterFault::NotAllowed(_))) => return,
                other => self.after(other),
            }
        }
    }

    async fn wipe(&mut self) {
        loop {
            match self.carrier().follow_roster().await {
                Ok(()) => return self.hub.wipe(),
                Err(error) => self.after(Err(error)),
            }
        }
    }

    async fn live(&mut self, plan: &[(usize, Deed)]) {
        for step in 0..STEPS {
            for (_, deed) in plan.iter().filter(|(when, _)| *when == step) {
                match deed {
                    Deed::Change(op) => self.change((**op).clone()).await,
                    Deed::Wipe => self.wipe().await,
                }
            }
            self.step().await;
            yield_once().await;
        }
    }

    fn calm(&mut self) {
        self.carrier().store().calm();
        self.shelf.0.lock().unwrap().crash = None;
    }

    async fn settle(&mut self) {
        let now = at(self.hub.now());
        let answer = self.carrier().look(now).await;
        self.after(answer.map(drop));
    }

    fn is_current(&self, roster: &Roster) -> bool {
        roster.member(&self.who.id).is_some_and(Member::is_current)
    }
}

/// One run: three devices from the start, one that joins, one that is removed.
async fn run(seed: Chance, kind: Kind) -> (u64, Tally) {
    let hub = Weather::new(BAD, seed.fork("weather"));
    let names = ["a", "b", "c", "late"];
    let devices: Vec<Own> = names.iter().map(|name| Own::new(name)).collect();
    let roster = team_of(&devices[..3]);
    let mut chance = seed.fork("plan");
    let change = |op: Op| Deed::Change(Box::new(op));
    let mut some_time = |deed: Deed| (chance.below(STEPS), deed);
    let mut plan = vec![
        some_time(change(devices[3].add(USER))),
        some_time(change(Op::Rotate)),
        some_time(change(Op::Remove { device: devices[2].id.clone() })),
    ];
    if seed.fork("wipe").one_in(2) {
        plan.push(some_time(Deed::Wipe));
    }
    let plans = [plan, vec![], vec![], vec![]];
    let machine = |(n, who): (usize, &Own)| {
        Machine::new(who, &hub, kind, &roster, &seed.fork(&format!("machine {n}")))
    };
    let mut machines: Vec<Machine> = devices.iter().enumerate().map(machine).collect();
    let lives = machines.iter_mut().zip(&plans).map(|(machine, plan)| machine.live(plan));
    join_all(lives).await;
    hub.climate(CALM);
    machines.iter_mut().for_each(Machine::calm);
    for _ in 0..8 {
        hub.pass(1_000);
        for machine in &mut machines {
            machine.settle().await;
        }
    }
    check(&mut machines);
    let tally = machines.iter().fold(Tally::default(), |sum, it| Tally {
        restarts: sum.restarts + it.tally.restarts,
        unreachable: sum.unreachable + it.tally.unreachable,
        refused: sum.refused + it.tally.refused,
    });
    (hub.faults(), tally)
}

/// Every current device has what each other current one wrote; of a removed one, a prefix.
fn check(machines: &mut [Machine]) {
    let roster = machines[0].carrier().roster().clone();
    let all: Vec<_> = machines
        .iter()
        .map(|it| (it.who.id.clone(), it.wrote.clone(), it.is_current(&roster)))
        .collect();
    for reader in machines {
        let is_current = reader.is_current(&roster);
        let health = reader.carrier().health().clone();
        for (id, wrote, writes) in all.iter().filter(|(id, ..)| *id != reader.who.id) {
            let said = reader.shelf.said(id, &own_stream());
            assert!(wrote.starts_with(&said), "{}: {id} never said that", reader.who.id);
            if is_current && *writes {
                assert_eq!(said.len(), wrote.len(), "{} of {id}: {health:?}", reader.who.id);
            }
        }
        if is_current {
            assert_eq!(health.behind, 0, "{}", reader.who.id);
            assert_eq!(health.refused, 0, "{}: {health:?}", reader.who.id);
        }
    }
}

#[test]
fn every_device_has_what_each_other_wrote_once_and_in_order() {
    let scale = Scale::from_env();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (mut faults, mut restarts, mut unreachable) = (0, 0, 0);
    for run_number in 0..scale.pick(40, 5_000) {
        let kind = if run_number % 2 == 0 { Kind::Log } else { Kind::Segments };
        let seed = scale.chance(&format!("run {run_number}"));
        let failing = Arc::new(Mutex::new(Some(run_number)));
        let _said = OnFailure(Arc::clone(&failing));
        let (of_hub, tally) = runtime.block_on(run(seed, kind));
        failing.lock().unwrap().take();
        faults += of_hub;
        restarts += tally.restarts;
        unreachable += tally.unreachable;
    }
    eprintln!("{faults} faults, {restarts} restarts, {unreachable} rounds broken off");
    assert!(faults > 100 && restarts > 100 && unreachable > 100, "the weather was too good");
}

/// Prints the run that failed.
struct OnFailure(Arc<Mutex<Option<usize>>>);

impl Drop for OnFailure {
    fn drop(&mut self) {
        if let Some(run) = *self.0.lock().unwrap() {
            eprintln!("run {run} failed");
        }
    }
}
