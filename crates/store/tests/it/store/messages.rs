//! Messages that an earlier release accepted.

use rusqlite::{Connection, params};
use taffrail_model::message::{Delivery, Happening};
use taffrail_model::{AgentId, DeviceId, RuntimeIdentity, Timestamp};
use taffrail_store::Ledger;

#[test]
fn a_message_without_a_time_keeps_its_way_through_the_queue() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Ledger::open(folder.path(), &DeviceId::new("d")).unwrap();
    drop(open());
    let session = RuntimeIdentity::new(AgentId::new("toy"), "", "s").session();
    let body = format!(
        r#"{{"id":"0123456789abcdef","session_id":"{session}","number":1,"from":{{"session_id":null,"peer_id":"cli"}},"text":"go on","state":"accepted","to_peer_id":null,"accepted_at":"2026-11-01T10:00:00Z","moved_at":"2026-11-01T10:00:00Z","why":null,"heard_as":null}}"#
    );
    let ledger = Connection::open(folder.path().join("ledger.db")).unwrap();
    let query = "INSERT INTO messages (id, session_id, number, accepted_at, open, body) \
                 VALUES ('0123456789abcdef', ?1, 1, 5, 1, ?2)";
    ledger.execute(query, params![session.as_bytes(), body]).unwrap();
    drop(ledger);
    let mut ledger = open();
    let [message] = <[_; 1]>::try_from(ledger.queue(session).unwrap()).unwrap();
    assert_eq!((&message.schedule, ledger.first_due().unwrap()), (&None, None));
    let now: Timestamp = "2026-11-01T11:00:00Z".parse().unwrap();
    let begun = message.after(&Happening::Begun("tmux:%1".to_owned()), now).unwrap();
    // The ledger compares the whole row with what it was.
    assert!(ledger.move_message(&message, &begun).unwrap());
    assert_eq!(ledger.queue(session).unwrap().remove(0).state, Delivery::Delivering);
}
