//! Moves requests of other devices into rows: earlier versions kept one JSON file for each device.

use super::remote_requests::{RemoteRequest, ask, settle};
use crate::db::StoreError;
use rusqlite::Connection;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use taffrail_model::approval::ApprovalId;
use taffrail_model::replication::{FOLDER, is_name};
use taffrail_model::{DeviceId, Timestamp};

/// The file in the folder of a device.
const FILE: &str = "requests.json";

#[derive(Deserialize)]
struct Requests {
    open: BTreeMap<ApprovalId, Box<RawValue>>,
    settled: Vec<(ApprovalId, Box<RawValue>)>,
}

/// What the columns need of a request.
#[derive(Deserialize)]
struct Request {
    expires: Timestamp,
    asks: Asks,
    #[serde(default)]
    answer: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Asks {
    asked_at: Timestamp,
}

/// Imports the files below a data folder, and returns those that are no longer needed.
pub(super) fn import(connection: &Connection, data: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let mut imported = Vec::new();
    // Most data folders hold nothing of other devices.
    let Ok(devices) = fs::read_dir(data.join(FOLDER)) else { return Ok(imported) };
    for folder in devices.flatten() {
        let path = folder.path().join(FILE);
        let device = folder.file_name().into_string().ok().filter(|it| is_name(it));
        let (Some(device), Ok(bytes)) = (device, fs::read(&path)) else { continue };
        match serde_json::from_slice(&bytes) {
            Ok(requests) => take(connection, &DeviceId::new(device), requests)?,
            Err(error) => {
                tracing::warn!(device, place = error.column(), "cannot read a file of requests");
                continue;
            }
        }
        imported.push(path);
    }
    Ok(imported)
}

fn take(it: &Connection, device: &DeviceId, all: Requests) -> Result<(), StoreError> {
    for (id, body) in all.open {
        // A request that cannot be read was not shown before.
        let Ok(request) = serde_json::from_str::<Request>(body.get()) else { continue };
        let new = RemoteRequest {
            device: device.clone(),
            id,
            asked_at: request.asks.asked_at,
            expires_at: request.expires,
            body: body.get().to_owned(),
            answer: request.answer.map(|it| it.get().to_owned()),
        };
        ask(it, &new)?;
    }
    for (id, body) in all.settled {
        settle(it, (device, &id), body.get())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{Ledger, PromptState};
    use super::*;
    use crate::db::schema::LEDGER_STEPS;
    use taffrail_model::SessionId;
    use taffrail_model::exchange::Outbox;

    const OPEN: &str = r#"{"session":"07070707070707070707070707070707","input":"00","expires":"2026-11-15T12:00:00.000001Z","asks":{"agent":"toy","asked_at":"2026-11-15T11:00:00Z"},"answer":{"decision":"{}"}}"#;

    /// A ledger of version 14 with everything that was kept as JSON.
    fn old(notes: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let connection = Connection::open(folder.path().join("ledger.db")).unwrap();
        connection.execute_batch(&LEDGER_STEPS[..14].concat()).unwrap();
        connection.pragma_update(None, "user_version", 14).unwrap();
        for (name, text) in notes {
            let query = "INSERT INTO exchange_notes (name, bytes) VALUES (?1, ?2)";
            connection.execute(query, (name, text.as_bytes())).unwrap();
        }
        folder
    }

    fn opened(folder: &tempfile::TempDir) -> Ledger {
        Ledger::open(folder.path(), &DeviceId::new("here")).unwrap()
    }

    #[test]
    fn lists_in_notes_become_rows() {
        let decided = r#"{"approval_id":"r1","session_id":"07070707070707070707070707070707","why":"a \"b\" \u00e9"}"#;
        let folder = old(&[
            ("desk/decided", &format!("[{decided}]")),
            ("desk/told", r#"["r2","r3"]"#),
            ("desk/answers", r#"[{"from":"tower","answer":{"to":"here","salt":"01"}}]"#),
            (
                "desk/prompts",
                r#"[{"from":"tower","id":"p1","message":null,"told":null},
                    {"from":"tower","id":"p2","message":"m2","told":{"state":"delivered","why":null}},
                    {"from":"tower","id":"p3","message":"m3","told":{"state":"picked_up"}}]"#,
            ),
            ("key/d-1/desk/4", "not of this kind"),
        ]);
        let mut ledger = opened(&folder);
        assert_eq!(ledger.remote_decisions().all().unwrap(), [decided]);
        let published: Vec<_> = ledger.published_requests().all().unwrap();
        assert_eq!(published, ["r2", "r3"].map(ApprovalId::new));
        let [answer] = ledger.remote_answers().all().unwrap().try_into().unwrap();
        assert_eq!(
            (answer.device.as_str(), answer.body.as_str()),
            ("tower", r#"{"to":"here","salt":"01"}"#)
        );
        let prompts = ledger.remote_prompts();
        let [first, second] = prompts.open().unwrap().try_into().unwrap();
        assert_eq!((first.id.as_str(), first.message, first.progress), ("p1", None, None));
        let progress = r#"{"state":"delivered","why":null}"#.to_owned();
        assert_eq!(
            (second.message.as_deref(), second.progress.clone()),
            (Some("m2"), Some(progress))
        );
        prompts.note(&second, PromptState::Closed).unwrap();
        assert!(!prompts.begin(&DeviceId::new("tower"), "p3").unwrap(), "it is known");
        assert_eq!(Outbox::notes(&mut ledger, "").unwrap(), ["key/d-1/desk/4"]);
        ledger.bury(&[SessionId::from_bytes([7; 16])], Timestamp::UNIX_EPOCH).unwrap();
        assert_eq!(ledger.remote_decisions().all().unwrap(), Vec::<String>::new());
    }

    #[test]
    fn notes_that_cannot_be_read_are_empty_lists() {
        for text in ["", "?", "[", "{}", "[1, null, \"x\"]", "[{}]"] {
            let names = ["desk/decided", "desk/answers", "desk/prompts"];
            let ledger = opened(&old(&names.map(|it| (it, text))));
            assert_eq!(ledger.remote_decisions().all().unwrap().len(), 0, "{text}");
            assert_eq!(ledger.remote_answers().all().unwrap().len(), 0, "{text}");
            assert_eq!(ledger.remote_prompts().open().unwrap().len(), 0, "{text}");
        }
    }

    #[test]
    fn files_of_requests_become_rows() {
        let folder = old(&[]);
        let place = |device: &str| folder.path().join(FOLDER).join(device).join(FILE);
        for (device, text) in [
            (
                "tower",
                format!(
                    r#"{{"open":{{"a":{OPEN},"b":{{}}}},"settled":[["c",{{"state":"decided"}}]]}}"#
                ),
            ),
            ("torn", r#"{"open":"#.to_owned()),
        ] {
            fs::create_dir_all(place(device).parent().unwrap()).unwrap();
            fs::write(place(device), text).unwrap();
        }
        let ledger = opened(&folder);
        let requests = ledger.remote_requests();
        let [open] = requests.open().unwrap().try_into().unwrap();
        let expected = RemoteRequest {
            device: DeviceId::new("tower"),
            id: ApprovalId::new("a"),
            asked_at: "2026-11-15T11:00:00Z".parse().unwrap(),
            expires_at: "2026-11-15T12:00:00.000001Z".parse().unwrap(),
            body: OPEN.to_owned(),
            answer: Some(r#"{"decision":"{}"}"#.to_owned()),
        };
        assert_eq!(open, expected);
        let end = requests.settlement((&DeviceId::new("tower"), &ApprovalId::new("c"))).unwrap();
        assert_eq!(end.as_deref(), Some(r#"{"state":"decided"}"#));
        assert_eq!((place("tower").exists(), place("torn").exists()), (false, true));
        drop(ledger);
        assert_eq!(opened(&folder).remote_requests().open().unwrap().len(), 1, "once");
    }
}
