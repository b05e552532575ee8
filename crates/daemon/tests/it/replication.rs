//! Two devices with a home each: what one publishes, the other shows like its own sessions.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must stop")]

mod machine;
mod order;
mod selection;
mod shares;
mod status;

use machine::{Machine, recordings};
use std::collections::BTreeSet;
use taffrail_context::SyncSettings;
use taffrail_devices::replication::{Item, apply, note_published, outgoing};
use taffrail_model::SessionId;
use taffrail_model::redact::redact;
use taffrail_testkit::check_same;

/// Publishes everything.
fn all(bodies: bool) -> SyncSettings {
    SyncSettings { enabled: true, bodies, ..SyncSettings::default() }
}

fn lines(items: &[Item]) -> Vec<&str> {
    items
        .iter()
        .filter_map(|it| match it {
            Item::Line { line, .. } => Some(line.as_str()),
            _ => None,
        })
        .collect()
}

fn about(item: &Item) -> SessionId {
    item.history_of().unwrap()
}

#[test]
fn every_agents_sessions_look_alike_on_both_devices() {
    for recording in recordings() {
        for bodies in [true, false] {
            let [here, there] = ["laptop", "tower"].map(Machine::new);
            here.lay(&recording);
            here.index();
            let items = here.tell_all(&all(bodies));
            assert!(!items.is_empty(), "{recording:?}");
            there.apply("laptop", &items);
            there.index();
            let (told, heard) = (here.view(bodies), there.view(bodies));
            check_same(&format!("{recording:?}, with texts: {bodies}"), &heard, &told);
            assert!(told.len() > 3, "{recording:?}");
            there.rebuild();
            assert_eq!(there.view(bodies), heard, "{recording:?} rebuilt");
            // A device does not publish what it received.
            assert_eq!(there.tell_all(&all(bodies)), [], "{recording:?}");
        }
    }
}

#[test]
fn without_texts_nothing_that_was_said_leaves() {
    for recording in recordings() {
        let here = Machine::new("laptop");
        here.lay(&recording);
        here.index();
        let items = here.tell_all(&all(false));
        let lines = lines(&items).join("\n");
        let mut canaries = BTreeSet::new();
        for session in here.sessions() {
            canaries.extend(session.title.clone());
            canaries.extend(session.project_path.clone());
            for event in here.events(&session) {
                canaries.extend(event.text.clone());
                canaries.extend(event.data.get("input").map(ToString::to_string));
            }
        }
        // An agent may mention the id of a session, which is published by itself.
        let ids: BTreeSet<_> =
            here.sessions().iter().map(|it| it.runtime_session_id.to_string()).collect();
        let canaries: Vec<_> = canaries.difference(&ids).filter(|it| it.len() > 12).collect();
        assert!(canaries.len() > 3, "{recording:?}");
        for canary in canaries {
            let written = serde_json::to_string(canary).unwrap();
            let inside = written.trim_matches('"');
            assert!(!lines.contains(inside), "{recording:?}: {canary}");
        }
    }
}

#[test]
fn secrets_stay_also_where_texts_leave() {
    let here = Machine::new("laptop");
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    assert_ne!(redact(secret), secret);
    here.say("s1", &[&format!("deploy with {secret} please")]);
    here.index();
    let items = here.tell_all(&all(true));
    let lines = lines(&items).join("\n");
    assert!(lines.contains("deploy with") && lines.contains("[redacted:"), "{lines}");
    assert!(!lines.contains(secret));
}

#[test]
fn work_follows_what_changed() {
    let here = Machine::new("laptop");
    for session in ["s1", "s2", "s3"] {
        here.say(session, &["one", "two", "three", "four", "five", "six"]);
    }
    here.index();
    here.tell_all(&all(true));
    let mut settings = here.settings();
    settings.sync = all(true);
    let nothing = outgoing(&settings, 1000).unwrap();
    assert_eq!((nothing.items.len(), nothing.work.sessions, nothing.work.events), (0, 0, 0));
    here.say("s2", &["seven"]);
    here.index();
    let told = outgoing(&settings, 1000).unwrap();
    assert_eq!(told.work.sessions, 1);
    assert!((1..=3).contains(&told.work.events), "{:?}", told.work);
    assert!(lines(&told.items).concat().contains("seven"));
    note_published(&settings, &told).unwrap();
    assert_eq!(outgoing(&settings, 1000).unwrap().items, []);
}

#[test]
fn an_index_made_anew_tells_nothing_twice() {
    for recording in recordings() {
        let here = Machine::new("laptop");
        here.lay(&recording);
        here.index();
        assert!(!here.tell_all(&all(true)).is_empty());
        here.rebuild();
        let mut settings = here.settings();
        settings.sync = all(true);
        let again = outgoing(&settings, usize::MAX).unwrap();
        assert_eq!(lines(&again.items), Vec::<&str>::new(), "{recording:?}");
        assert_eq!(again.work.texts, 0, "texts are not read to know that");
    }
}

#[test]
fn telling_a_little_at_a_time_tells_the_same() {
    for recording in recordings() {
        let [here, there] = ["laptop", "tower"].map(Machine::new);
        here.lay(&recording);
        here.index();
        let items = here.outgoing(&all(true), 3);
        let distinct: BTreeSet<_> = lines(&items).into_iter().collect();
        assert_eq!(distinct.len(), items.len(), "{recording:?}: nothing is told twice");
        there.apply("laptop", &items);
        there.index();
        check_same(&format!("{recording:?}"), &there.view(true), &here.view(true));
    }
}

#[test]
fn what_cannot_be_so_is_refused_and_counted() {
    let [here, there] = ["laptop", "tower"].map(Machine::new);
    here.say("s1", &["one"]);
    here.say("s2", &["two"]);
    here.index();
    let items = here.tell_all(&all(true));
    let settings = there.settings();
    let laptop = taffrail_model::DeviceId::new("laptop");
    let (first, session) = (items[0].clone(), about(&items[0]));
    let other = items.iter().map(about).find(|it| *it != session).unwrap();
    let text = lines(&items)[0].to_owned();
    let with = |session, line: String| Item::Line { session, line };
    let giant = text.replace("\"n\":1", &format!("\"n\":1,\"x\":\"{}\"", "a".repeat(1 << 21)));
    for (item, refused) in [
        (first.clone(), 0),
        (first, 0),
        (with(other, text.clone()), 1),
        (with(session, giant), 1),
        (with(session, format!("{text}\n{text}")), 1),
        (with(session, text.replace("\"n\":1", "\"n\":\t1")), 1),
        (with(session, "{}".to_owned()), 1),
        (with(session, text.replace("\"v\":1", "\"v\":9")), 1),
    ] {
        let heard = apply(&settings, &laptop, &[item]).unwrap();
        assert_eq!(heard.refused, refused);
    }
    for bad in ["", "..", "a/b", "../x", "tower-id"] {
        let device = taffrail_model::DeviceId::new(bad);
        there.index();
        assert!(apply(&settings, &device, &items).is_err(), "{bad}");
    }
}
