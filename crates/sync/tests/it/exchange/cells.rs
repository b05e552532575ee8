//! Teams that move between hubs while they work: retention, a device that joins and one that is removed, clocks
//! that are ten minutes off, requests that are lost or arrive twice, and leases and claims that race with the
//! move. Every device has what each other wrote; a lease has one holder, a decision one winner.
//!
//! `TAFFRAIL_SEED` selects the runs, `TAFFRAIL_FULL=1` plays 1,000,000 steps.

use crate::exchange::fleet::{Own, Shelf, USER, at, exchange, gone, line, team_of};
use crate::exchange::weather::{CALM, Climate, Weather};
use futures_util::future::join_all;
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use taffrail_model::approval::ApprovalId;
use taffrail_model::{DeviceId, SessionId, Timestamp};
use taffrail_sync::Digest;
use taffrail_sync::exchange::decision::{Answer, Claim, Claimed, claim, input_of};
use taffrail_sync::exchange::{
    Durable, Exchange, ExchangeError, Item, Keep, MemoryStore, Relocation, RelocationFault,
    RosterFault, acquire_lease, arrive, carry, leave, may_follow, own_stream,
};
use taffrail_sync::hub::lease::Lease;
use taffrail_sync::hub::{HubError, KeyName};
use taffrail_sync::roster::{Op, Roster};
use taffrail_testkit::{Chance, Scale};

const MINUTE: i64 = 60 * 1000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// How long a hub keeps what readers need: longer than any device sleeps.
const DAYS: i64 = 30;
/// The steps of one run.
const STEPS: usize = 500;
/// The steps of all runs, without another wish.
const SLICE: usize = 10_000;
const TEAMS: usize = 2;
const CELLS: usize = 3;
/// How long a lease is taken for.
const LEASE: i64 = 5 * MINUTE;
const SHOWERS: Climate = Climate { lost: 40, old_key: usize::MAX, twice: 40 };

type Carrier = Exchange<Weather, MemoryStore, Shelf>;

/// A fault in a move that the simulation must find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Planted {
    Nothing,
    /// Leases and claims are left behind.
    CarriesNothing,
    /// The new hub opens before the old one is left.
    OpensFirst,
}

/// One device.
struct Machine {
    who: Own,
    cells: Vec<Weather>,
    /// Which hub it uses, and the last move it followed.
    cell: usize,
    followed: u64,
    shelf: Shelf,
    chance: Chance,
    carrier: Option<Carrier>,
    wrote: Vec<Item>,
    sleeps_until: i64,
    skew: i64,
    /// Whether it was removed from the team.
    is_removed: bool,
    /// Whether a stream of it began another life.
    republished: bool,
    /// An error that no weather explains.
    wrong: Option<String>,
}

impl Machine {
    fn new(who: &Own, team: (&[Weather], usize), roster: &Roster, chance: Chance) -> Self {
        let (cells, cell) = (team.0.to_vec(), team.1);
        let (shelf, wrote) = (Shelf::default(), Vec::new());
        let who = who.clone();
        let mut machine = Self {
            who,
            cells,
            cell,
            followed: 0,
            shelf,
            chance,
            carrier: None,
            wrote,
            sleeps_until: 0,
            skew: 0,
            is_removed: false,
            republished: false,
            wrong: None,
        };
        machine.start(MemoryStore::default(), roster.clone());
        machine
    }

    fn hub(&self) -> Weather {
        self.cells[self.cell].clone()
    }

    fn start(&mut self, store: MemoryStore, roster: Roster) {
        let (hub, chance) = (self.hub(), Chance::new(self.chance.bits()));
        let hubs = (hub.clone(), Durable::Segments(hub));
        self.carrier = Some(exchange(&self.who, hubs, (store, self.shelf.clone()), roster, chance));
    }

    fn restart(&mut self) {
        let parts = self.carrier.take().unwrap().into_parts();
        let kept = self.shelf.0.lock().unwrap().roster.clone();
        self.start(parts.store, kept.unwrap_or(parts.roster));
    }

    fn carrier(&mut self) -> &mut Carrier {
        self.carrier.as_mut().unwrap()
    }

    fn roster(&mut self) -> Roster {
        self.carrier().roster().clone()
    }

    /// By its own clock.
    fn now(&self) -> Timestamp {
        at(self.hub().now() + self.skew)
    }

    fn push(&mut self, count: usize) {
        let first = self.wrote.len();
        let items: Vec<Item> =
            (0..count).map(|n| line(format!("{} {}", self.who.id, first + n))).collect();
        let now = self.now();
        self.carrier().push(&own_stream(), &items, now).unwrap();
        self.wrote.extend(items);
    }

    async fn look(&mut self) {
        let now = self.now();
        match self.carrier().look(now).await {
            Ok(_) => {}
            Err(error) if error.is_unreachable() => {}
            Err(ExchangeError::Roster(RosterFault::NotForUs)) if self.is_removed => {}
            Err(error) => self.fail(&error),
        }
        // A stream that began another life is published again, as by the program.
        let reborn = std::mem::take(&mut self.shelf.0.lock().unwrap().anew);
        if !reborn.is_empty() {
            self.republished = true;
            let (now, items) = (self.now(), self.wrote.clone());
            if !items.is_empty() {
                self.carrier().push(&own_stream(), &items, now).unwrap();
            }
        }
        self.follow().await;
    }

    /// Goes to another hub once the team has arrived there.
    async fn follow(&mut self) {
        let Some(found) = self.shelf.0.lock().unwrap().moved.take() else { return };
        let Some(to) = found.to.as_deref().filter(|_| found.n > self.followed) else { return };
        let to: usize = to.parse().unwrap();
        let roster = self.roster();
        let identity = self.who.secret.identity();
        match may_follow(&self.cells[to], (&roster, identity), &found).await {
            Ok(true) => {
                (self.cell, self.followed) = (to, found.n);
                self.restart();
            }
            Ok(false) | Err(_) => self.shelf.0.lock().unwrap().moved = Some(found),
        }
    }

    async fn retain(&mut self, keep: Keep) {
        let now = self.now();
        match self.carrier().retain(keep, now).await {
            Ok(_) => {}
            Err(error) if error.is_unreachable() => {}
            Err(ExchangeError::Roster(RosterFault::NotForUs)) if self.is_removed => {}
            Err(error) => self.fail(&error),
        }
    }

    fn fail(&mut self, error: &ExchangeError) {
        self.wrong.get_or_insert_with(|| format!("{}: {error}", self.who.id));
    }

    /// What this one lacks of another's, as the program sees it: an item that comes again in a later life of a
    /// stream is the same item.
    fn misses(&self, other: &Self, is_late: bool) -> Option<String> {
        let mut said: Vec<Item> = Vec::new();
        for item in self.shelf.said(&other.who.id, &own_stream()) {
            if item != gone() && !said.contains(&item) {
                said.push(item);
            }
        }
        let (have, wrote) = (said.len(), other.wrote.len());
        // A later life begins with what was not sent, and then has everything again.
        if other.republished {
            let is_whole = is_late || have == wrote;
            let is_fine = is_whole && said.iter().all(|it| other.wrote.contains(it));
            return (!is_fine)
                .then(|| format!("{} of {}: {have} of {wrote}, again", self.who.id, other.who.id));
        }
        // Who joins late does not get what the hub did not keep.
        let is_same =
            said == other.wrote || (is_late && !said.is_empty() && other.wrote.ends_with(&said));
        let numbers = said.iter().map(|it| other.wrote.iter().position(|written| written == it));
        let numbers: Vec<_> = numbers.map(|it| it.map_or(-1, |it| it as i64)).collect();
        (!is_same)
            .then(|| format!("{} of {}: {have} of {wrote}: {numbers:?}", self.who.id, other.who.id))
    }
}

/// A team, where it is, and what must be unique in it.
struct Team {
    cells: Vec<Weather>,
    machines: Vec<Machine>,
    late: Own,
    home: usize,
    /// Where it is to move, until it has arrived.
    target: Option<usize>,
    moves: u64,
    requests: usize,
    winners: BTreeMap<usize, DeviceId>,
    holders: BTreeMap<usize, (DeviceId, i64)>,
    chance: Chance,
    planted: Planted,
    wrong: Option<String>,
}

/// What one device asks of its hub while others do, too.
enum Ask {
    Claim(usize),
    Lease(usize),
}

/// And what came of it.
enum Came {
    Claimed(usize, Claimed),
    Held(usize, i64),
    Nothing,
}

/// What a device needs to ask.
struct Asker {
    who: Own,
    hub: Weather,
    roster: Roster,
}

impl Asker {
    async fn ask(&self, what: &Ask) -> Came {
        match what {
            Ask::Claim(number) => self.claim(*number).await,
            Ask::Lease(number) => self.lease(*number).await,
        }
    }

    async fn claim(&self, number: usize) -> Came {
        let answer = Answer {
            to: DeviceId::new("id-a"),
            session: SessionId::from_bytes([7; 16]),
            request: ApprovalId::new(format!("request-{number}")),
            input: input_of("x"),
            expires: at(i64::from(u32::MAX)),
            decision: "allow".to_owned(),
            by: self.who.id.clone(),
            salt: Digest::from_bytes([3; 32]),
        };
        let ours = Claim::sign(self.roster.team(), &answer, &self.who.signer());
        match claim(&self.hub, &self.roster, &answer.request, &ours).await {
            Ok(claimed) => Came::Claimed(number, claimed),
            Err(_) => Came::Nothing,
        }
    }

    async fn lease(&self, number: usize) -> Came {
        let (now, key) = (self.hub.now(), KeyName::new(format!("lease/{number}")).unwrap());
        let times = (at(now + LEASE), at(now));
        let holder = self.who.id.as_str();
        match acquire_lease(&self.hub, &self.roster, (&key, holder), times).await {
            Ok(Lease::Held(_)) => Came::Held(number, now + LEASE),
            Ok(Lease::Taken { .. } | Lease::Free) | Err(_) => Came::Nothing,
        }
    }
}

impl Team {
    fn new(number: usize, planted: Planted, seed: &Chance) -> Self {
        let cell = |n| Weather::new(SHOWERS, seed.fork(&format!("weather {n}")));
        let cells: Vec<Weather> = (0..CELLS).map(cell).collect();
        cells.iter().for_each(|it| it.pass(1));
        let names = ["a", "b", "c", "late"].map(|it| Own::new(&format!("{it}{number}")));
        let roster = team_of(&names[..3]);
        let admin = Op::Admin { device: names[1].id.clone() };
        let roster = roster.with(admin, &names[0].signer(), at(0)).unwrap().0;
        let one = |who: &Own| {
            let chance = seed.fork(&format!("machine {}", who.id));
            Machine::new(who, (&cells[..], 0), &roster, chance)
        };
        Self {
            machines: names[..3].iter().map(one).collect(),
            cells: cells.clone(),
            late: names[3].clone(),
            home: 0,
            target: None,
            moves: 0,
            requests: 1,
            winners: BTreeMap::new(),
            holders: BTreeMap::new(),
            chance: seed.fork("steps"),
            planted,
            wrong: None,
        }
    }

    /// Time passes everywhere; the cells have one clock.
    fn pass(&self, milliseconds: i64) {
        let latest = self.now() + milliseconds;
        self.cells.iter().for_each(|it| it.pass(latest - it.now()));
    }

    fn now(&self) -> i64 {
        self.cells.iter().map(Weather::now).max().unwrap()
    }

    fn climate(&self, climate: Climate) {
        self.cells.iter().for_each(|it| it.climate(climate));
    }

    /// Changes the roster at the hub of its first admin, if the team does not move just now.
    async fn change(&mut self, op: &Op) -> bool {
        self.climate(CALM);
        let (who, now) = (self.machines[0].who.clone(), self.now());
        let change = |roster: &Roster| Ok(roster.with(op.clone(), &who.signer(), at(now))?.0);
        self.machines[0].look().await;
        let changed = self.machines[0].carrier().change_roster(change).await;
        self.climate(SHOWERS);
        changed.is_ok()
    }

    /// Removes the third device. What it decided counts no more.
    async fn remove(&mut self) -> bool {
        let device = self.machines[2].who.id.clone();
        if !self.change(&Op::Remove { device: device.clone() }).await {
            return false;
        }
        self.machines[2].is_removed = true;
        self.winners.retain(|_, it| *it != device);
        true
    }

    async fn join(&mut self) -> bool {
        let late = self.late.clone();
        if self.machines.len() > 3 || !self.change(&late.add(USER)).await {
            return false;
        }
        let (roster, cell) = (self.machines[0].roster(), self.machines[0].cell);
        let chance = self.chance.fork("late");
        let mut machine = Machine::new(&late, (&self.cells[..], cell), &roster, chance);
        machine.followed = self.machines[0].followed;
        self.machines.push(machine);
        true
    }

    /// An admin carries the team on; what others ask races with it.
    async fn relocate(&mut self) {
        let here = self.machines[0].cell;
        if self.target == Some(here) {
            // The answer to the last request was lost.
            (self.home, self.target) = (here, None);
        }
        if self.target.is_none() && here != self.home {
            return self.machines[0].look().await;
        }
        let target = match self.target {
            Some(target) => target,
            None => (here + 1 + self.chance.below(CELLS - 1)) % CELLS,
        };
        self.target = Some(target);
        // The second admin ends what the first began.
        let admin = self.chance.below(2);
        if self.machines[admin].cell == target || self.machines[admin].cell != here {
            return self.machines[admin].look().await;
        }
        let asks = self.asks();
        let admin = self.asker(admin);
        let (last, planted) = (self.machines[0].followed, self.planted);
        let hubs = (&self.cells[here], &self.cells[target]);
        let moving = moved(hubs, &admin, (target, last), planted);
        let others = join_all(asks.iter().map(|(asker, what)| asker.ask(what)));
        let (moved, came) = futures_util::future::join(moving, others).await;
        for ((asker, _), came) in asks.iter().zip(came) {
            self.note(&asker.who.id, came);
        }
        match moved {
            Ok(_) | Err(RelocationFault::Arrived) => {
                (self.home, self.target) = (target, None);
                self.moves += 1;
            }
            Err(RelocationFault::Hub(HubError::Unreachable(_)) | RelocationFault::Roster(_)) => {}
            Err(error) => self.wrong = Some(format!("the move: {error}")),
        }
    }

    /// With the newest roster: a device that does not know another one replaces its claim.
    fn asker(&mut self, number: usize) -> Asker {
        let rosters = self.machines.iter_mut().map(Machine::roster);
        let roster = rosters.max_by_key(|it| it.entries().len()).unwrap();
        let machine = &self.machines[number];
        Asker { who: machine.who.clone(), hub: machine.hub(), roster }
    }

    fn asks(&mut self) -> Vec<(Asker, Ask)> {
        let count = self.machines.len();
        let current = (0..count).filter(|it| !self.machines[*it].is_removed);
        let current: Vec<usize> = current.collect();
        let all = current.into_iter().map(|number| {
            let what = match self.chance.below(2) {
                0 => Ask::Claim(self.requests),
                _ => Ask::Lease(self.chance.below(2)),
            };
            (self.asker(number), what)
        });
        all.collect()
    }

    fn note(&mut self, by: &DeviceId, came: Came) {
        let now = self.now();
        let wrong = match came {
            Came::Nothing => None,
            Came::Claimed(number, Claimed::Won) => {
                let winner = self.winners.entry(number).or_insert_with(|| by.clone());
                (winner != by).then(|| format!("{by} won request {number}, and so did {winner}"))
            }
            Came::Claimed(number, Claimed::Lost(other)) => {
                let winner = self.winners.get(&number).filter(|it| **it != other.by);
                winner.map(|it| format!("{it} won request {number}, and {} holds it", other.by))
            }
            Came::Held(number, until) => {
                let before = self.holders.insert(number, (by.clone(), until));
                let other = before.filter(|(it, until)| it != by && *until > now);
                other.map(|(it, _)| format!("{by} holds lease {number}, and so does {it}"))
            }
        };
        self.wrong = self.wrong.take().or(wrong);
    }

    async fn step(&mut self, keep: Keep) {
        let number = self.chance.below(self.machines.len());
        let is_awake = self.machines[number].sleeps_until <= self.now();
        match self.chance.below(100) {
            0..=5 => return self.relocate().await,
            6..=20 => {
                let asks = self.asks();
                let came = join_all(asks.iter().map(|(asker, what)| asker.ask(what))).await;
                for ((asker, _), came) in asks.iter().zip(came) {
                    self.note(&asker.who.id, came);
                }
                return;
            }
            21..=24 => self.requests += 1,
            _ => {}
        }
        if !is_awake {
            return;
        }
        let machine = &mut self.machines[number];
        match machine.chance.below(40) {
            0..=13 => {
                let count = machine.chance.between(1, 4);
                machine.push(count);
            }
            14..=33 => machine.look().await,
            34 => machine.restart(),
            35 => machine.skew = *machine.chance.pick(&[0, 10 * MINUTE, -10 * MINUTE]),
            36 => {
                let days = *machine.chance.pick(&[1, 3, 5]);
                machine.sleeps_until = machine.hub().now() + days * DAY;
            }
            _ => machine.retain(keep).await,
        }
    }

    /// Everybody looks until nothing changes; then everybody has everything.
    async fn settle(&mut self) -> Option<String> {
        self.climate(CALM);
        for _ in 0..50 {
            if self.target.is_some() && self.wrong.is_none() {
                self.relocate().await;
            }
        }
        for _ in 0..10 {
            self.pass(1_000);
            for machine in &mut self.machines {
                machine.look().await;
            }
        }
        let current = self.machines.iter().filter(|it| !it.is_removed);
        let current: Vec<&Machine> = current.collect();
        if let Some(wrong) = current.iter().find_map(|it| it.wrong.clone()) {
            return Some(wrong);
        }
        // Who stayed behind lacks what the others wrote since, and they lack its items.
        if let Some(behind) = current.iter().find(|it| it.cell != self.home) {
            return Some(format!("{} did not follow", behind.who.id));
        }
        for reader in &current {
            let stalls = reader.carrier.as_ref().unwrap().health().standing.clone();
            let mut others = current.iter().filter(|it| it.who.id != reader.who.id);
            let is_late = reader.who.id == self.late.id;
            let wrong = others.find_map(|it| reader.misses(it, is_late));
            if let Some(wrong) = wrong {
                return Some(format!("{wrong}, stalled at {stalls:?}"));
            }
        }
        self.wrong.clone()
    }
}

async fn moved(
    (old, new): (&Weather, &Weather),
    admin: &Asker,
    (target, last): (usize, u64),
    planted: Planted,
) -> Result<Relocation, RelocationFault> {
    let us = admin.who.us();
    let by = (&admin.roster, &us);
    if planted == Planted::OpensFirst {
        carry_early(old, new).await?;
    }
    let found = leave(old, by, (&target.to_string(), last)).await?;
    if planted == Planted::Nothing {
        carry((old, new), by, &found).await?;
    }
    arrive(new, by, &found).await?;
    Ok(found)
}

/// Copies leases and claims before the old hub is left.
async fn carry_early(old: &Weather, new: &Weather) -> Result<(), HubError> {
    use taffrail_sync::hub::{Hub, Prefix};
    for below in ["lease", "decision"] {
        for key in old.keys(&Prefix::new(below).unwrap()).await? {
            let Some(value) = old.get(&key).await? else { continue };
            let revision = new.get(&key).await?.map(|it| it.revision);
            new.cas(&key, revision, value.bytes).await?;
        }
    }
    Ok(())
}

/// One run: teams that share nothing but the time. Returns how often they moved, and what is wrong.
async fn run(seed: &Chance, planted: Planted) -> (u64, Option<String>) {
    let mut teams: Vec<Team> =
        (0..TEAMS).map(|it| Team::new(it, planted, &seed.fork(&format!("team {it}")))).collect();
    let mut chance = seed.fork("world");
    let keep = Keep { days: NonZeroU32::new(u32::try_from(DAYS).unwrap()), bytes: None };
    let (joins, leaves) = (chance.below(STEPS), chance.below(STEPS));
    for step in 0..STEPS {
        let passes = match chance.below(3) {
            0 => i64::try_from(chance.below(4)).unwrap() * 12 * HOUR,
            _ => i64::try_from(chance.below(3)).unwrap() * MINUTE,
        };
        teams.iter().for_each(|it| it.pass(passes + 1));
        let number = chance.below(TEAMS);
        let team = &mut teams[number];
        if step >= joins && team.machines.len() == 3 {
            team.join().await;
        }
        if step >= leaves && !team.machines[2].is_removed {
            team.remove().await;
        }
        team.step(keep).await;
        if team.wrong.is_some() {
            break;
        }
    }
    let mut moves = 0;
    for team in &mut teams {
        let wrong = team.settle().await;
        moves += team.moves;
        if wrong.is_some() {
            return (moves, wrong);
        }
    }
    (moves, None)
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().build().unwrap()
}

#[test]
fn teams_move_between_hubs_and_lose_nothing() {
    let scale = Scale::from_env();
    let (runs, mut moves) = (scale.pick(SLICE, 1_000_000_usize).div_ceil(STEPS), 0);
    for number in 0..runs {
        let seed = scale.chance(&format!("cells {number}"));
        let (moved, wrong) = runtime().block_on(run(&seed, Planted::Nothing));
        assert_eq!(wrong, None, "run {number}");
        moves += moved;
    }
    eprintln!("{runs} runs of {STEPS} steps, {moves} moves");
    assert!(moves > 2 * runs as u64, "{moves}: too few moves");
}

/// The simulation finds what it is there to find.
#[test]
fn a_fault_in_a_move_is_found() {
    let scale = Scale::from_env();
    for planted in [Planted::CarriesNothing, Planted::OpensFirst] {
        let is_found = (0..40).any(|number| {
            let seed = scale.chance(&format!("planted move {number}"));
            runtime().block_on(run(&seed, planted)).1.is_some()
        });
        assert!(is_found, "{planted:?} was not found");
    }
}
