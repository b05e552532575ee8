//! A turn that an agent left open while it waits for a prompt.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must stop")]

use serde_json::Value;
use std::sync::Arc;
use taffrail_context::{LiveStatus, Settings, Target};
use taffrail_ingest::{Budget, Scope, index};
use taffrail_model::Timestamp;
use taffrail_model::status::{Reading, Status, WaitingFor, WaitingKind};
use taffrail_query::contracts::state_with;
use taffrail_query::status::{live_status, when};
use taffrail_testkit::claude::{Line, path};

const SESSION: &str = "0c0ffee0-0000-4000-8000-000000000001";

fn later() -> Timestamp {
    "2030-01-01T00:00:00Z".parse().unwrap()
}

/// The main agent of the state of a session with one open turn, at this status.
fn agent(settings: &Settings, status: Status, kind: WaitingKind) -> [Value; 2] {
    let base = live_status(Vec::new(), None, &[], when(settings));
    let waiting_for = Some(WaitingFor::new(kind, String::new()));
    let reading = Reading { status, waiting_for, ..base.reading.clone() };
    let card = Arc::new(LiveStatus { reading, ..base });
    let target = Target::Id(SESSION.to_owned());
    let state = state_with(settings, &target, &|_| Some(Arc::clone(&card))).unwrap();
    let state: Value = serde_json::from_str(state.get()).unwrap();
    ["status", "result"].map(|name| state.pointer(&format!("/agents/0/{name}")).unwrap().clone())
}

#[test]
fn a_silent_turn_at_a_prompt_is_a_timeout_in_the_state() {
    let (home, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = home.path().join(path(SESSION));
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let line = Line { session: SESSION, uuid: "u-1", parent: None, second: 1 };
    std::fs::write(file, line.prompt("Write a poem.")).unwrap();
    let settings =
        Settings { user_home: home.path().to_owned(), ..Settings::in_folder(data.path(), later) };
    index(&settings, &Scope::All, Budget::Whole, &mut |_| {}).unwrap();
    let timeout = ["timeout", "timeout"].map(Value::from);
    assert_eq!(agent(&settings, Status::Waiting, WaitingKind::Prompt), timeout);
    let open = [Value::from("running"), Value::Null];
    assert_eq!(agent(&settings, Status::Waiting, WaitingKind::Question), open);
    assert_eq!(agent(&settings, Status::Running, WaitingKind::Prompt), open);
}
