//! One session for chosen readers: what leaves the device, and what the readers' devices accept.

use crate::replication::machine::{Machine, recordings};
use crate::replication::{about, lines};
use std::collections::BTreeSet;
use taffrail_api::Session;
use taffrail_devices::replication::{Applied, Item, apply, apply_share, outgoing_share};
use taffrail_model::exchange::{Incarnation, Writing};
use taffrail_model::redact::redact;
use taffrail_model::replication::{
    Name, Relayed, RelayedFacts, RelayedStatus, Says, as_shared, told_as,
};
use taffrail_model::status::Status;
use taffrail_model::{
    AgentId, Confidence, DeviceId, RuntimeIdentity, SessionId, StreamName, Timestamp,
};
use taffrail_store::{Ledger, Share, ShareState};

const SECRET: &str = "ghp_0123456789abcdefghijABCDEFGHIJ456789";

fn stream(number: u64) -> StreamName {
    StreamName::new(format!("share-{number:016x}"))
}

/// Begins to share a session.
fn begin(machine: &Machine, session: SessionId) -> Share {
    let share = Share {
        stream: stream(1),
        session,
        readers: String::new(),
        since: Timestamp::UNIX_EPOCH,
        state: ShareState::Told,
        generation: String::new(),
        batch: 0,
        sequence: 0,
        number: 0,
    };
    let life = Incarnation { count: 1, random: 1 };
    let writing = Writing::new(share.stream.clone(), life, String::new());
    ledger(machine).begin_share(&share, &writing).unwrap();
    share
}

fn ledger(machine: &Machine) -> Ledger {
    let settings = machine.settings();
    Ledger::open(&settings.data, &settings.new_device).unwrap()
}

/// Publishes what is new in all shares, in pieces of this many lines.
fn told(machine: &Machine, most: usize) -> Vec<Item> {
    let mut items = Vec::new();
    let share = || ledger(machine).shares().unwrap().remove(0);
    while let Some(told) = outgoing_share(&machine.settings(), &share(), most).unwrap() {
        ledger(machine).note_share(&told.share, &told.marks).unwrap();
        items.extend(told.items);
        if !told.more {
            break;
        }
    }
    items
}

fn heard(machine: &Machine, number: u64, items: &[Item]) -> Applied {
    let from = (&DeviceId::new("laptop"), &stream(number));
    let heard = apply_share(&machine.settings(), from, items).unwrap();
    machine.index();
    heard
}

fn texts(machine: &Machine, session: &Session) -> Vec<String> {
    machine.events(session).into_iter().filter_map(|it| it.text).collect()
}

#[test]
fn one_session_is_told_and_no_other_and_never_twice() {
    for recording in recordings() {
        let [here, there] = ["laptop", "tower"].map(Machine::new);
        here.lay(&recording);
        here.index();
        let meant = here.sessions().into_iter().find(|it| it.prompts > 0).unwrap();
        begin(&here, meant.id);
        let items = told(&here, 7);
        let about: BTreeSet<_> = items.iter().map(about).collect();
        assert_eq!(about.len(), 1, "{recording:?}");
        assert_eq!(heard(&there, 1, &items).refused, 0, "{recording:?}");
        let [shared] = there.sessions().try_into().unwrap();
        let same = |it: &Session| (it.agent.clone(), it.prompts, it.tool_calls, it.model.clone());
        assert_eq!(same(&shared), same(&meant), "{recording:?}");
        assert_eq!(there.events(&shared).len(), here.events(&meant).len(), "{recording:?}");
        assert_eq!(shared.device.as_deref(), Some("laptop"));
        assert_ne!(shared.lifecycle.as_str(), "resumable");
        here.rebuild();
        assert_eq!(lines(&told(&here, 500)), Vec::<&str>::new(), "{recording:?} rebuilt");
        let before = there.view(true);
        there.rebuild();
        assert_eq!(there.view(true), before, "{recording:?} rebuilt there");
    }
}

#[test]
fn secrets_and_paths_stay_and_what_follows_is_told() {
    let [here, there] = ["laptop", "tower"].map(Machine::new);
    let home = here.settings().user_home.display().to_string();
    here.say("s1", &[&format!("use {SECRET} in /w/s1/a.rs and {home}/notes")]);
    here.index();
    let [session] = here.sessions().try_into().unwrap();
    begin(&here, session.id);
    let first = told(&here, 500);
    let all = lines(&first).join("\n");
    for canary in [SECRET, "/w/s1", &home] {
        assert!(!all.contains(canary), "{canary}: {all}");
    }
    heard(&there, 1, &first);
    here.say("s1", &["and then"]);
    here.index();
    heard(&there, 1, &told(&here, 500));
    let running = RelayedStatus {
        status: Status::Running,
        since: "2026-11-15T11:59:00Z".parse().unwrap(),
        at: "2026-11-15T11:59:57Z".parse().unwrap(),
        confidence: Confidence::High,
        waiting_for: None,
        failure: None,
    };
    let stands = Item::Status { session: session.id, status: running };
    assert_eq!(heard(&there, 1, &[stands]).statuses, 1);
    let [shared] = there.sessions().try_into().unwrap();
    let first = redact(&format!("use {SECRET} in /s1/a.rs and ~/notes")).into_owned();
    assert_eq!(texts(&there, &shared), [first, "and then".to_owned()]);
    assert_eq!(shared.project_path.as_deref(), Some("s1"));
    assert_eq!(shared.status, Status::Running);
}

/// A line about a session, with a number.
fn line(who: &RuntimeIdentity, number: u64, says: Says) -> Item {
    let line = Relayed { number, says }.write();
    Item::Line { session: who.session(), line }
}

/// What a hostile device publishes about our session: other facts, another text for each event, and
/// the removal of all of them.
fn attack(machine: &Machine, ours: &Session, from: &[Item]) -> Vec<Item> {
    let who =
        RuntimeIdentity::new(AgentId::new(&*ours.agent), "", ours.runtime_session_id.as_str());
    assert_eq!(who.session(), ours.id);
    let facts = RelayedFacts {
        project: Some("/w/s1".into()),
        parent: Some(Name::of(&who)),
        forked_from: Some(Name::of(&who)),
        handed_from: Some(ours.id),
        first_record: Some([1; 16]),
        ..RelayedFacts::default()
    };
    let mut items = vec![line(&who, 1, Says::Facts(who.clone(), Box::new(facts)))];
    let lies = lines(from).into_iter().map(|it| it.replace("ours", "theirs"));
    items.extend(lies.map(|line| Item::Line { session: ours.id, line }));
    for (number, event) in (1000..).zip(machine.events(ours)) {
        items.push(line(&who, number, Says::Removed(who.clone(), event.id)));
    }
    items
}

#[test]
fn what_another_shares_never_touches_a_session_of_ours() {
    let us = Machine::new("tower");
    us.say("s1", &["ours alone"]);
    us.index();
    let [ours] = us.sessions().try_into().unwrap();
    begin(&us, ours.id);
    let ours_told = told(&us, 500);
    let before = us.view(true);
    let check = |what: &str, items: &[Item], refused: u64| {
        let heard = heard(&us, 1, items);
        assert_eq!(heard.refused, refused, "{what}");
        let same = us.sessions().into_iter().find(|it| it.id == ours.id);
        assert_eq!(same.as_ref(), Some(&ours), "{what}");
        assert!(us.view(true).windows(before.len()).any(|it| it == before), "{what}");
        us.rebuild();
        assert!(us.view(true).windows(before.len()).any(|it| it == before), "{what}, rebuilt");
    };
    let gone = Item::Gone { session: ours.id };
    check("gone before anything", std::slice::from_ref(&gone), 1);
    check("our own id", &attack(&us, &ours, &ours_told), 0);
    let theirs = us.sessions().into_iter().find(|it| it.id != ours.id).unwrap();
    let who = RuntimeIdentity::new(AgentId::new(&*ours.agent), "", "s1");
    assert_eq!(theirs.id, as_shared("laptop", &who).session());
    assert_eq!(told_as(&theirs.source_uri), Some(ours.id));
    assert_eq!((theirs.parent_id, &theirs.lineage), (None, &None));
    assert_eq!(theirs.project_path.as_deref(), Some("s1"));
    check("gone", &[gone], 0);
    let line = Relayed { number: 9, says: Says::Gone }.write();
    let item = Item::Line { session: ours.id, line };
    check("a line that says gone", &[item], 0);
}

#[test]
fn a_share_speaks_of_one_session_and_is_taken_back_whole() {
    let there = Machine::new("tower");
    let who = |id: &str| RuntimeIdentity::new(AgentId::new("claude"), "", id);
    let facts = || Box::new(RelayedFacts { branch: Some("b".into()), ..RelayedFacts::default() });
    let said = |id: &str| line(&who(id), 1, Says::Facts(who(id), facts()));
    assert_eq!(heard(&there, 1, &[said("a"), said("b")]).refused, 1);
    assert_eq!(heard(&there, 1, &[said("b")]).refused, 1);
    assert_eq!(heard(&there, 2, &[said("b")]).refused, 0);
    let file = |number: u64, id: &str| {
        let name = taffrail_model::replication::file(who(id).session());
        there.path(&format!("remote/laptop/{}/{name}", stream(number)))
    };
    assert!(file(1, "a").exists() && !file(1, "b").exists() && file(2, "b").exists());
    let gone = Item::Gone { session: who("other").session() };
    assert_eq!(heard(&there, 1, &[gone]).gone, [who("a").session()]);
    assert!(!file(1, "a").exists() && file(2, "b").exists());
    // A repeat after a crash changes nothing.
    heard(&there, 1, &[said("a")]);
    assert!(!file(1, "a").exists());
}

#[test]
fn what_is_no_share_is_not_heard_as_one() {
    let there = Machine::new("tower");
    let device = DeviceId::new("laptop");
    let check = |stream: &str| {
        let stream = StreamName::new(stream);
        assert!(apply_share(&there.settings(), (&device, &stream), &[]).is_err(), "{stream}");
    };
    check("own");
    check("share-../../x");
    check("share-00000000000000FF");
    let gone = Item::Gone { session: SessionId::from_bytes([1; 16]) };
    assert_eq!(apply(&there.settings(), &device, &[gone]).unwrap().refused, 1);
}

#[test]
fn what_was_forgotten_here_is_not_heard_again() {
    let there = Machine::new("tower");
    let who = RuntimeIdentity::new(AgentId::new("claude"), "", "a");
    let facts = RelayedFacts { branch: Some("b".into()), ..RelayedFacts::default() };
    let item = line(&who, 1, Says::Facts(who.clone(), Box::new(facts.clone())));
    heard(&there, 1, std::slice::from_ref(&item));
    let [shared] = there.sessions().try_into().unwrap();
    there.forget(&shared);
    assert_eq!(there.sessions(), []);
    let more = line(&who, 2, Says::Facts(who.clone(), Box::new(facts)));
    assert_eq!(heard(&there, 1, &[item, more]).refused, 2);
    assert_eq!(there.sessions(), []);
}

#[test]
fn a_device_that_shares_without_end_is_not_heard_without_end() {
    let there = Machine::new("tower");
    let device = DeviceId::new("laptop");
    let who = RuntimeIdentity::new(AgentId::new("claude-code"), "", "a");
    let facts = RelayedFacts { branch: Some("b".into()), ..RelayedFacts::default() };
    let item = line(&who, 1, Says::Facts(who.clone(), Box::new(facts)));
    let refused = |number: u64| {
        let from = (&device, &stream(number));
        apply_share(&there.settings(), from, std::slice::from_ref(&item)).unwrap().refused
    };
    assert_eq!((0..256).map(refused).sum::<u64>(), 0);
    assert_eq!((refused(256), refused(0)), (1, 0));
    let gone = Item::Gone { session: who.session() };
    apply_share(&there.settings(), (&device, &stream(0)), &[gone]).unwrap();
    assert_eq!(refused(256), 0);
}
