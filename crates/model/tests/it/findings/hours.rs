//! Two simulated hours of several sessions at once, received event by event. The test computes each
//! status from the events, as the daemon does, and checks that only true findings appear.

use crate::findings::kit::{Said, Tale, at, session};
use crate::findings::ordinary::step;
use serde_json::json;
use std::collections::BTreeSet;
use taffrail_model::evidence::{Evidence, Life};
use taffrail_model::findings::{Blocked, FindingKind, Fold, Role, Standing, Thresholds, together};
use taffrail_model::status::{self, Given, Group, Reading, Status, group, read};
use taffrail_model::{Origin, SessionId, Signal, Timestamp};

/// How long the replay is, in seconds.
const HOURS: i64 = 7_200;
/// The sessions, and the step of ordinary work each begins with.
const SESSIONS: [(&str, usize); 4] = [("a", 0), ("b", 3), ("c", 6), ("d", 9)];
/// The only true findings are the ends of long turns.
const TRUE: [FindingKind; 1] = [FindingKind::Finished];

/// A session that works, asks and rests by turns, and the times when its turns ended by themselves.
struct Script {
    tale: Tale,
    ends: BTreeSet<Timestamp>,
}

impl Script {
    fn of(first: usize) -> Self {
        let tale = Tale::new().live(Origin::Hook, Signal::Prompted, "do it");
        let mut it = Self { tale, ends: BTreeSet::new() };
        let mut number = first;
        while it.tale.second < HOURS {
            it = match number % 5 {
                3 => it.asks(number),
                4 => it.rests(),
                _ => it.works(number),
            };
            number += 1;
        }
        it
    }

    fn works(self, number: usize) -> Self {
        let choice = u8::try_from(number % 12).unwrap();
        Self { tale: step(self.tale, choice, number), ..self }
    }

    /// The agent asks for an approval and gets it after a minute.
    fn asks(self, number: usize) -> Self {
        let command = format!("npm install p{number}");
        let (call, input) = (format!("c{number}"), format!("{number:02}"));
        let called = Signal::Called { call: call.clone(), input: input.clone() };
        let tale = self
            .tale
            .call("Bash", json!({"command": command}))
            .live(Origin::Hook, called, &command)
            .live(Origin::Hook, Signal::AskedApproval { input }, &command)
            .later(60)
            .live(Origin::Hook, Signal::Answered { call }, "")
            .answer(0, "added 1 package");
        Self { tale, ..self }
    }

    /// The turn ends, and a person continues after a while.
    fn rests(mut self) -> Self {
        self.tale = self.tale.later(90).done("This part is done.");
        self.ends.insert(at(self.tale.second));
        let tale = self.tale.live(Origin::Hook, Signal::TurnOver, "").later(45);
        self.tale = tale.prompt("go on").live(Origin::Hook, Signal::Prompted, "go on");
        self
    }
}

/// A session as the daemon receives it.
struct Ear {
    id: SessionId,
    script: Script,
    next: usize,
    fold: Fold,
    evidence: Vec<Evidence>,
}

impl Ear {
    fn of((name, first): (&str, usize)) -> Self {
        let (id, script) = (session(name), Script::of(first));
        Self { id, script, next: 0, fold: Fold::default(), evidence: Vec::new() }
    }

    fn hear_until(&mut self, now: Timestamp) {
        let said: &[Said] = &self.script.tale.said;
        while let Some(it) = said.get(self.next).filter(|it| it.at <= now) {
            self.fold.take(&it.heard());
            self.evidence.extend(it.evidence());
            self.next += 1;
        }
    }

    fn reading(&self, now: Timestamp) -> Reading {
        let thresholds = status::Thresholds::default();
        let evidence = &self.evidence;
        read(&Given { evidence, life: Life::Alive, workers: &[], now, thresholds })
    }

    /// The current findings that are not true.
    fn false_alarms(&self, reading: &Reading, now: Timestamp) -> Vec<String> {
        let (session, life) = (self.id, Life::Alive);
        let standing = Standing { session, reading, life, role: Role::Main, context: None };
        let found = self.fold.findings(&standing, now, &Thresholds::default());
        let is_true = |it: &taffrail_model::findings::Finding| {
            TRUE.contains(&it.kind) && self.script.ends.contains(&it.since)
        };
        let alarms = found.iter().filter(|it| !is_true(it));
        alarms.map(|it| format!("{} at {now}: {}", it.kind.as_str(), it.says)).collect()
    }
}

#[test]
fn several_sessions_of_ordinary_work_bring_nothing_but_their_ends() {
    let mut ears = SESSIONS.map(Ear::of);
    let said = ears.iter().flat_map(|it| &it.script.tale.said);
    // At every event, and right before the next.
    let mut instants: BTreeSet<Timestamp> = said.map(|it| it.at).collect();
    instants.extend(
        instants
            .clone()
            .into_iter()
            .map(|it| Timestamp::from_millisecond(it.as_millisecond() - 1).unwrap()),
    );
    let (mut alarms, mut waited, mut ended) = (Vec::new(), 0, BTreeSet::new());
    for now in instants {
        let mut blocked = Vec::new();
        for ear in &mut ears {
            ear.hear_until(now);
            let reading = ear.reading(now);
            alarms.extend(ear.false_alarms(&reading, now));
            waited += usize::from(reading.status == Status::WaitingApproval);
            ended.extend(
                Some((ear.id, reading.since)).filter(|_| reading.status == Status::Waiting),
            );
            let is_blocked = group(&reading, now) == Group::NeedsYou;
            let it = Blocked { session: ear.id, since: reading.since, asked: ear.fold.asked() };
            blocked.extend(Some(it).filter(|_| is_blocked));
        }
        let all = together(&blocked, now, &Thresholds::default());
        alarms.extend(all.map(|it| format!("{} at {now}", it.says)));
    }
    assert_eq!(alarms, [""; 0]);
    // The replay is meaningless unless sessions waited and turns ended.
    assert!(waited > 20 && ended.len() > 20, "{waited} {}", ended.len());
}
