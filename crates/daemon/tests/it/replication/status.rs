//! The status of another device's sessions: as that device reports it, while its heartbeats arrive.

use super::all;
use super::machine::Machine;
use taffrail_api::ResumeState;
use taffrail_context::{Settings, Target};
use taffrail_daemon::resume_plan;
use taffrail_devices::replication::Item;
use taffrail_model::replication::RelayedStatus;
use taffrail_model::status::{Status, WaitingFor, WaitingKind};
use taffrail_model::{Confidence, SessionId, Timestamp};
use taffrail_query::explain::explain_with;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn says(session: SessionId, status: Status, at: Timestamp) -> Item {
    let waiting_for = WaitingFor::new(WaitingKind::Approval, "rm -r build".to_owned());
    let status = RelayedStatus {
        status,
        since: at,
        at,
        confidence: Confidence::High,
        waiting_for: (status == Status::WaitingApproval).then_some(waiting_for),
        failure: None,
    };
    Item::Status { session, status }
}

/// History may come backwards: what was said before a session was withdrawn counts no more, and what was said
/// after it stays.
#[test]
fn a_status_is_the_last_one_whatever_the_order_of_arrival() {
    let here = Machine::new("laptop");
    here.say("s1", &["one"]);
    here.index();
    let session = here.sessions()[0].id;
    let mut items = here.tell_all(&all(true));
    items.push(says(session, Status::Running, at("2026-11-15T11:59:00Z")));
    items.extend(here.tell_all(&all(false)));
    let withdrawn = items.len();
    items.push(says(session, Status::WaitingApproval, at("2026-11-15T11:59:57Z")));
    let check = |name: &str, items: &[Item], expected: Status| {
        for backwards in [false, true] {
            let there = Machine::new("tower");
            let mut numbers: Vec<usize> = (0..items.len()).collect();
            if backwards {
                // A status counts only for a session that is known: as a checkpoint makes it.
                there.apply_from(("laptop", 1, items.len() as u64), &items[items.len() - 1..]);
                numbers.reverse();
            }
            for n in numbers {
                there.apply_from(("laptop", 1, n as u64 + 1), &items[n..=n]);
            }
            there.index();
            assert_eq!(there.sessions()[0].status, expected, "{name}, backwards: {backwards}");
        }
    };
    let last_line = items[withdrawn - 1].clone();
    let with_line = [items.clone(), vec![last_line]].concat();
    check("said after it was published again", &with_line, Status::WaitingApproval);
    check("said before it was withdrawn", &items[..withdrawn], Status::Unknown);
}

#[test]
fn a_session_stands_as_its_own_device_last_said_and_is_unknown_when_that_is_silent() {
    let [here, there] = ["laptop", "tower"].map(Machine::new);
    here.say("s1", &["one"]);
    here.index();
    let session = here.sessions()[0].id;
    there.apply("laptop", &here.tell_all(&all(true)));
    there.index();
    let look = |settings: &Settings| {
        let told = explain_with(settings, &Target::Id(session.to_string()), &|_| None).unwrap();
        let said = told.evidence.into_iter().map(|it| it.detail).collect::<Vec<_>>();
        (told.status, said, told.rule)
    };
    let silent = look(&there.settings());
    assert_eq!((silent.0, silent.1), (Status::Unknown, vec!["laptop said nothing".to_owned()]));
    let before = says(session, Status::Running, at("2026-11-15T11:59:00Z"));
    let wrong = says(session, Status::Running, at("2026-11-15T13:59:00Z"));
    let last = says(session, Status::WaitingApproval, at("2026-11-15T11:59:57Z"));
    // The order of the stream counts, whatever the clocks showed.
    for items in [[before, last.clone()], [wrong, last]] {
        there.apply("laptop", &items);
        let said = vec!["said by laptop".to_owned()];
        let rule = "its own device says so".to_owned();
        assert_eq!(look(&there.settings()), (Status::WaitingApproval, said, rule));
    }
    let row = there.sessions().remove(0);
    assert_eq!((row.status, row.device.as_deref()), (Status::WaitingApproval, Some("laptop")));
    assert_eq!(row.waiting_for.unwrap().text, "rm -r build");
    let late = Settings { now: || "2026-11-15T12:05:00Z".parse().unwrap(), ..there.settings() };
    let said = vec!["laptop last reported at 2026-11-15T12:00:00Z".to_owned()];
    let rule = "its own device has not reported for 5 min".to_owned();
    assert_eq!(look(&late), (Status::Unknown, said, rule));
}

#[test]
fn nobody_is_believed_about_a_session_they_did_not_tell_of() {
    let [here, there] = ["laptop", "tower"].map(Machine::new);
    here.say("s1", &["one"]);
    here.index();
    let session = here.sessions()[0].id;
    let item = says(session, Status::Running, at("2026-11-15T11:59:00Z"));
    let device = taffrail_model::DeviceId::new("laptop");
    let heard = taffrail_devices::replication::apply(&there.settings(), &device, &[item]).unwrap();
    assert_eq!((heard.refused, heard.statuses), (1, 0));
}

/// After a session moved to another device and continued there, the copy that stayed no longer
/// counts.
#[test]
fn a_stale_copy_here_stands_for_a_session_that_goes_on_elsewhere() {
    let [here, there] = ["laptop", "tower"].map(Machine::new);
    here.say("s1", &["one"]);
    there.say("s1", &["one"]);
    here.index();
    there.apply("laptop", &here.tell_all(&all(true)));
    there.index();
    let session = there.sessions()[0].id;
    let target = Target::Id(session.to_string());
    let look = || {
        let told = explain_with(&there.settings(), &target, &|_| None).unwrap();
        let device = there.sessions()[0].device.clone();
        let can = resume_plan(&there.settings(), &target).unwrap();
        (told.status, device.unwrap(), told.also_on, can.state == ResumeState::Unsupported)
    };
    let names = |all: &[&str]| all.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    there.apply("laptop", &[says(session, Status::WaitingApproval, at("2026-11-15T11:59:57Z"))]);
    // Both devices have everything: the local status counts.
    let (status, device, also_on, _) = look();
    assert_eq!((device.as_str(), also_on), ("tower", names(&["laptop"])));
    assert_ne!(status, Status::WaitingApproval);
    // The session continues there: that device's status counts, and the old copy here is not
    // resumed.
    here.say("s1", &["two"]);
    here.index();
    there.apply("laptop", &here.tell_all(&all(true)));
    there.index();
    let elsewhere = (Status::WaitingApproval, "laptop".to_owned(), names(&["tower"]), true);
    assert_eq!(look(), elsewhere);
    there.rebuild();
    assert_eq!(look(), elsewhere, "rebuilt");
    // The session comes back and continues here.
    there.say("s1", &["two", "three"]);
    there.index();
    let (status, device, also_on, _) = look();
    assert_eq!((device.as_str(), also_on), ("tower", names(&["laptop"])));
    assert_ne!(status, Status::WaitingApproval);
    // This device publishes its own history of the session, nothing twice and nothing withdrawn.
    let mut told = there.tell_all(&all(true));
    told.retain(|it| matches!(it, Item::Line { line, .. } if line.contains("three")));
    assert_eq!(told.len(), 1);
}
