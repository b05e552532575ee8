//! How sessions of another device stand: as that says, as long as it is heard.

use super::all;
use super::machine::Machine;
use taffrail_daemon::{Settings, Target, explain};
use taffrail_model::relay::{Carried, Item, RelayedStatus};
use taffrail_model::status::{Status, WaitingFor, WaitingKind};
use taffrail_model::{Confidence, SessionId, Timestamp};

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn says(session: SessionId, status: Status, at: Timestamp) -> Item {
    let waiting_for = WaitingFor { kind: WaitingKind::Approval, text: "rm -r build".to_owned() };
    let status = RelayedStatus {
        status,
        since: at,
        at,
        confidence: Confidence::High,
        waiting_for: (status == Status::WaitingApproval).then_some(waiting_for),
    };
    Item { session, carried: Carried::Status(status) }
}

#[test]
fn a_session_stands_as_its_own_device_last_said_and_is_unknown_when_that_is_silent() {
    let [here, there] = ["laptop", "tower"].map(Machine::new);
    here.say("s1", &["one"]);
    here.index();
    let session = here.sessions()[0].id;
    there.hear("laptop", &here.tell_all(&all(true)));
    there.index();
    let look = |settings: &Settings| {
        let told = explain(settings, &Target::Id(session.to_string())).unwrap();
        let said = told.evidence.into_iter().map(|it| it.detail).collect::<Vec<_>>();
        (told.status, said, told.rule)
    };
    let silent = look(&there.settings());
    assert_eq!((silent.0, silent.1), (Status::Unknown, vec!["laptop said nothing".to_owned()]));
    let earlier = says(session, Status::Running, at("2026-11-15T11:59:00Z"));
    let later = says(session, Status::WaitingApproval, at("2026-11-15T11:59:57Z"));
    for items in [[later.clone(), earlier.clone()], [earlier, later]] {
        there.hear("laptop", &items);
        let said = vec!["said by laptop".to_owned()];
        let rule = "its own device says so".to_owned();
        assert_eq!(look(&there.settings()), (Status::WaitingApproval, said, rule));
    }
    let row = there.sessions().remove(0);
    assert_eq!((row.status, row.device.as_deref()), (Status::WaitingApproval, Some("laptop")));
    assert_eq!(row.waiting_for.unwrap().text, "rm -r build");
    let late = Settings { now: || "2026-11-15T12:05:00Z".parse().unwrap(), ..there.settings() };
    let said = vec!["laptop was last heard at 2026-11-15T12:00:00Z".to_owned()];
    let rule = "its own device was not heard for 5 min".to_owned();
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
    let heard = taffrail_daemon::relay::hear(&there.settings(), &device, &[item]).unwrap();
    assert_eq!((heard.refused, heard.statuses), (1, 0));
}

#[test]
fn what_is_here_too_names_the_other_device() {
    let [here, there] = ["laptop", "tower"].map(Machine::new);
    here.say("s1", &["one", "two"]);
    there.say("s1", &["one"]);
    here.index();
    there.hear("laptop", &here.tell_all(&all(true)));
    there.index();
    let session = there.sessions()[0].id;
    there.hear("laptop", &[says(session, Status::Running, at("2026-11-15T11:59:57Z"))]);
    let told = explain(&there.settings(), &Target::Id(session.to_string())).unwrap();
    assert_eq!(told.also_on, ["laptop"]);
    let sources: Vec<_> = told.evidence.iter().map(|it| it.source.as_str().to_owned()).collect();
    assert_eq!(sources, ["transcript"], "what is said elsewhere is no evidence here");
}
