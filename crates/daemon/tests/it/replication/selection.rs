//! What is chosen, what is withdrawn, and which device owns a session.

use super::machine::Machine;
use super::{all, lines};
use crate::listing::sessions;
use taffrail_api::ListRequest;
use taffrail_context::SyncSettings;
use taffrail_context::{Settings, Target};
use taffrail_daemon::resume_plan;
use taffrail_ingest::{Mode, Which};
use taffrail_query::resolve::forget;

fn titles(machine: &Machine) -> Vec<Option<String>> {
    machine.sessions().into_iter().map(|it| it.title).collect::<Vec<_>>()
}

/// Publishes, applies and shows.
fn carry(here: &Machine, there: &Machine, sync: &SyncSettings) {
    here.index();
    there.apply("laptop", &here.tell_all(sync));
    there.index();
}

#[test]
fn a_project_that_is_left_out_later_is_taken_back_and_can_come_again() {
    let [here, there] = ["laptop", "tower"].map(Machine::new);
    here.say("s1", &["build the parser"]);
    here.say("s2", &["write the letter"]);
    carry(&here, &there, &all(true));
    assert_eq!(there.sessions().len(), 2);
    let fewer = SyncSettings { exclude: vec!["/w/s2".to_owned()], ..all(true) };
    carry(&here, &there, &fewer);
    assert_eq!(titles(&there), [Some("build the parser".to_owned())]);
    there.rebuild();
    assert_eq!(titles(&there), [Some("build the parser".to_owned())], "also not as lost");
    carry(&here, &there, &all(true));
    assert_eq!(there.view(true), here.view(true));
    carry(&here, &there, &SyncSettings::default());
    assert_eq!(there.sessions().len(), 0);
}

#[test]
fn texts_are_taken_back_with_every_byte_of_them() {
    let [here, there] = ["laptop", "tower"].map(Machine::new);
    here.say("s1", &["build the parser"]);
    carry(&here, &there, &all(true));
    assert_eq!(there.view(true), here.view(true));
    carry(&here, &there, &all(false));
    assert_eq!(there.view(false), here.view(false));
    let session = there.sessions().remove(0);
    assert_eq!((session.title, session.project_path.as_deref()), (None, Some("s1")));
    let event = there.events(&there.sessions()[0]).remove(0);
    assert_eq!(event.text.as_deref(), Some("(text stays on laptop)"));
    let folder = there.path("remote/laptop");
    for file in std::fs::read_dir(folder).unwrap().flatten() {
        let text = std::fs::read_to_string(file.path()).unwrap();
        assert!(!text.contains("parser"), "{text}");
    }
    carry(&here, &there, &all(true));
    assert_eq!(there.view(true), here.view(true));
}

#[test]
fn what_is_forgotten_goes_on_both_and_stays_gone_where_it_was_forgotten() {
    let [here, there] = ["laptop", "tower"].map(Machine::new);
    here.say("s1", &["one"]);
    here.say("s2", &["two"]);
    carry(&here, &there, &all(true));
    let ids: Vec<_> = here.sessions().iter().map(|it| it.id.to_string()).collect();
    let which = |id: &String| Which::Sessions(vec![Target::Id(id.clone())]);
    forget(&there.settings(), &which(&ids[0]), Mode::Do, &mut |_| {}).unwrap();
    here.say("s1", &["more"]);
    here.say("s2", &["more"]);
    here.index();
    let settings = there.settings();
    let items = here.tell_all(&all(true));
    let device = taffrail_model::DeviceId::new("laptop");
    let heard = taffrail_devices::replication::apply(&settings, &device, &items).unwrap();
    assert!(heard.refused > 0, "what was forgotten is not heard again");
    there.index();
    assert_eq!(there.sessions().len(), 1);
    forget(&here.settings(), &which(&ids[1]), Mode::Do, &mut |_| {}).unwrap();
    carry(&here, &there, &all(true));
    assert_eq!(there.sessions().len(), 0);
    assert_eq!(lines(&here.tell_all(&all(true))), Vec::<&str>::new());
}

#[test]
fn a_session_on_two_devices_is_where_it_was_last_spoken() {
    let [here, there] = ["laptop", "tower"].map(Machine::new);
    here.say("s1", &["one", "two", "three"]);
    there.say("s1", &["one", "two"]);
    there.index();
    let before = there.view(true);
    carry(&here, &there, &all(true));
    let session = there.sessions().remove(0);
    assert_eq!(session.device.as_deref(), Some("laptop"), "{}", session.source_uri);
    let view = there.view(true);
    assert_eq!(view.len(), before.len() + 1, "what only the other has is shown, too");
    assert_eq!(view[1..before.len()], before[1..], "and what both have stands once, as it is here");
    there.rebuild();
    assert_eq!(there.view(true), view);
}

#[test]
fn a_session_of_another_device_is_listed_by_it_and_resumed_there() {
    let [here, there] = ["laptop", "tower"].map(Machine::new);
    here.say("s1", &["one"]);
    there.say("s9", &["nine"]);
    carry(&here, &there, &all(true));
    let of = |device: &str| {
        let device = Some(device.to_owned());
        let request = ListRequest { device, ..ListRequest::default() };
        let listed = sessions(&there.settings(), &request).unwrap();
        listed.into_iter().map(|it| (it.title, it.device)).collect::<Vec<_>>()
    };
    let told = |title: &str, device: &str| (Some(title.to_owned()), Some(device.to_owned()));
    assert_eq!(of("laptop"), [told("one", "laptop")]);
    assert_eq!(of("here"), [told("nine", "tower")]);
    assert_eq!(of("tower"), of("here"));
    let request = ListRequest { device: Some("phone".into()), ..ListRequest::default() };
    let unknown = sessions(&there.settings(), &request).unwrap_err();
    assert_eq!(unknown.to_string(), "no device is called `phone`");
    let id = here.sessions()[0].id.to_string();
    let plan = resume_plan(&there.settings(), &Target::Id(id.clone())).unwrap();
    let short = id.get(..8).unwrap();
    let why = format!(
        "its history is on laptop. `taffrail teleport pull {short} --project DIR` brings it here if it was left on \
         the hub; that is done there, with `taffrail teleport push {short}`, while laptop is on"
    );
    assert_eq!((plan.reason, plan.command), (why, None));
}

#[test]
fn search_finds_what_was_told_and_narrows_by_device() {
    let [here, there] = ["laptop", "tower"].map(Machine::new);
    here.say("s1", &["build the parser"]);
    there.say("s9", &["mend the parser"]);
    carry(&here, &there, &all(true));
    let find = |query: &str| {
        let request =
            taffrail_api::SearchRequest { query: query.to_owned(), limit: 9, here: "/".to_owned() };
        let settings: Settings = there.settings();
        let reply = taffrail_query::search::search(&settings, &request, &mut |_| {}).unwrap();
        let mut hits: Vec<_> =
            reply.hits.into_iter().map(|it| (it.snippet, it.device.unwrap())).collect();
        hits.sort();
        hits
    };
    let (theirs, ours) = ("build the parser".to_owned(), "mend the parser".to_owned());
    let both = [(theirs, "laptop".to_owned()), (ours, "tower".to_owned())];
    assert_eq!(find("parser"), both);
    assert_eq!(find("parser device:laptop"), both[..1]);
    assert_eq!(find("parser device:here"), both[1..]);
}
