//! The first reading of history: stopping the daemon interrupts it, and while it lasts no session
//! is reported as missing.

use super::{FIRST, Machine, id, settings_in};
use serde_json::{Value, json};
use taffrail_api::ClientError;
use taffrail_api::HistoryProgress;
use taffrail_context::Settings;
use taffrail_daemon::live::live;
use taffrail_ingest::{Budget, Scope, index};
use taffrail_model::status::Status;
use taffrail_store::IndexReader;
use taffrail_testkit::claude;
use tempfile::TempDir;

/// Sessions that exist before the first reading.
const SESSIONS: u64 = 40;

fn history(settings: &Settings) {
    for number in 0..SESSIONS {
        let session = format!("{number:08}-1111-4111-8111-111111111111");
        let path = settings.user_home.join(claude::path(&session));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, claude::talk(&session, 0, 4)).unwrap();
    }
}

fn known(settings: &Settings) -> u64 {
    let reader = IndexReader::open(&settings.data).unwrap();
    reader.map_or(0, |it| it.count_sessions().unwrap().0)
}

#[test]
fn stop_ends_a_daemon_that_reads_and_the_next_one_reads_on() {
    let folder = TempDir::new().unwrap();
    let settings = settings_in(&folder);
    history(&settings);
    live(&settings, None, |handle| {
        handle.live().stop();
        Ok(())
    })
    .unwrap();
    assert!(known(&settings) < SESSIONS, "everything was read before it ended");
    let done = index(&settings, &Scope::All, Budget::Whole, &mut |_| {}).unwrap();
    assert!(done.complete, "{:?}", done.problems);
    assert_eq!(known(&settings), SESSIONS);
}

#[test]
fn while_history_is_read_nothing_is_said_to_be_missing() {
    let machine = Machine::new();
    let asked = || match machine.client().get::<Value>("/api/sessions/ffff") {
        Err(ClientError::Refused(told)) => (told.code, told.retryable, told.message.clone()),
        other => panic!("{other:?}"),
    };
    machine.handle.live().set_progress(Some(HistoryProgress::default()));
    let yet = "no session matches `ffff` yet: your history is still being read";
    assert_eq!(asked(), (3, true, yet.to_owned()));
    machine.handle.live().set_progress(None);
    assert_eq!(asked(), (3, false, "no session matches `ffff`".to_owned()));
}

#[test]
fn send_right_after_the_start_waits_until_it_is_known_who_runs_it() {
    let machine = Machine::new();
    machine.handle.live().set_progress(Some(HistoryProgress::default()));
    let notify = format!("/api/sessions/{}/controls/notify", id(FIRST));
    let client = machine.client();
    std::thread::scope(|threads| {
        let sent = threads.spawn(|| client.post::<Value>(&notify, &json!({"text": "go on"})));
        machine.runs_at(FIRST, Status::Running, "tmux:%4");
        machine.handle.live().set_progress(None);
        let told = sent.join().unwrap().unwrap();
        assert_eq!(told["to"]["repowire_session_id"], json!(id(FIRST)));
    });
}
