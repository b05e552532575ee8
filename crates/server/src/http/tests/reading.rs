//! The first reading of history, for clients that are connected from its start.

use super::{FIRST, Machine, SECOND, id, settings_in};
use std::collections::BTreeSet;
use std::sync::mpsc::channel;
use taffrail_api::{Health, HistoryProgress, StatusList};
use taffrail_context::UpdateKind;
use taffrail_daemon::live::live;
use taffrail_model::SessionId;
use taffrail_testkit::claude;
use tempfile::TempDir;

#[test]
fn a_stream_says_how_far_the_reading_is_and_begins_again_when_it_is_over() {
    let machine = Machine::new();
    machine.handle.live().set_progress(Some(HistoryProgress::default()));
    let mut stream = machine.client().follow("/api/stream").unwrap();
    let mut next = || stream.next().unwrap().unwrap();
    let snapshot = |data: &str| serde_json::from_str::<StatusList>(data).unwrap().reading;
    let first = next();
    assert_eq!(
        (first.name.as_str(), snapshot(&first.data)),
        ("snapshot", Some(Default::default()))
    );
    machine.handle.live().set_progress(Some(HistoryProgress::new(340, 1_000)));
    // The start may be published once more, to a client that connected during it.
    let is_beginning = |it: &str| it == r#"{"bytes":0,"of_bytes":0,"percent":0}"#;
    let told = std::iter::repeat_with(&mut next).find(|it| !is_beginning(&it.data)).unwrap();
    assert_eq!(told.name, "reading");
    assert_eq!(told.data, r#"{"bytes":340,"of_bytes":1000,"percent":34}"#);
    let health: Health = machine.client().get("/api/health").unwrap();
    assert_eq!(health.reading.map(|it| it.percent), Some(34));
    machine.handle.live().set_progress(None);
    let last = next();
    assert_eq!((last.name.as_str(), snapshot(&last.data)), ("snapshot", None));
}

#[test]
fn sessions_are_published_while_history_is_read_for_the_first_time() {
    let folder = TempDir::new().unwrap();
    let settings = settings_in(&folder);
    for session in [FIRST, SECOND] {
        let path = settings.user_home.join(claude::path(session));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, claude::talk(session, 0, 4)).unwrap();
    }
    let (send, receive) = channel();
    live(&settings, None, |handle| {
        let (mut told, mut reading) = (handle.live().subscribe(), handle.live().follow_progress());
        let handle = handle.clone();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            runtime.block_on(reading.wait_for(Option::is_none)).unwrap();
            let mut listed: BTreeSet<SessionId> = BTreeSet::new();
            while let Ok(it) = told.try_recv() {
                if matches!(it.what, UpdateKind::Listed { .. }) {
                    listed.insert(it.session);
                }
            }
            send.send(listed).unwrap();
            handle.live().stop();
        });
        Ok(())
    })
    .unwrap();
    assert_eq!(receive.recv().unwrap(), BTreeSet::from([FIRST, SECOND].map(id)));
}
