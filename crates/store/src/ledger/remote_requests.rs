//! Requests of agents on other devices: those that wait, how the others ended, and the decisions
//! that were made about them here. The records themselves are JSON of the caller.

use super::Ledger;
use super::audit::immediate;
use super::outbox::{execute, rows};
use crate::db::codec::micros;
use crate::db::{Columns, StoreError};
use rusqlite::{Connection, OptionalExtension, Row, params};
use taffrail_model::approval::ApprovalId;
use taffrail_model::{DeviceId, SessionId, Timestamp};

/// How many requests and how many settlements of one device are kept, and how many decisions,
/// answers and prompts in all; new ones displace the oldest.
pub const REMOTE_KEPT: u32 = 256;

const REQUEST: &str = "SELECT device, id, asked_at, expires_at, body, answer FROM remote_requests";
const PUT: &str = include_str!("remote_request.sql");
const EXCESS: &str = include_str!("remote_requests_excess.sql");
const OLD_SETTLEMENTS: &str = include_str!("remote_settlements_excess.sql");
const IDS: &str = include_str!("remote_ids.sql");

/// A request of another device that was not settled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteRequest {
    /// The device that asks.
    pub device: DeviceId,
    /// The request.
    pub id: ApprovalId,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
    /// The request, as JSON.
    pub body: String,
    /// The answer given from here, as JSON. A request that is asked again keeps its answer.
    pub answer: Option<String>,
}

/// What a device reports about its requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemoteChange {
    /// The request waits for an answer.
    Asked(RemoteRequest),
    /// The request can no longer be answered, with the outcome as JSON.
    Settled(DeviceId, ApprovalId, String),
}

/// Requests of other devices.
#[derive(Debug)]
pub struct RemoteRequests<'l>(&'l Connection);

/// Decisions made here about requests of other devices.
#[derive(Debug)]
pub struct RemoteDecisions<'l>(&'l Connection);

impl Ledger {
    /// Requests of other devices.
    #[must_use]
    pub fn remote_requests(&self) -> RemoteRequests<'_> {
        RemoteRequests(&self.connection)
    }

    /// Decisions made here about requests of other devices.
    #[must_use]
    pub fn remote_decisions(&self) -> RemoteDecisions<'_> {
        RemoteDecisions(&self.connection)
    }
}

impl RemoteRequests<'_> {
    /// Applies reports of devices in one transaction, and drops what expired or is too much.
    pub fn apply(&self, changes: &[RemoteChange], now: Timestamp) -> Result<(), StoreError> {
        let transaction = immediate(self.0)?;
        for change in changes {
            let device = match change {
                RemoteChange::Asked(it) => ask(&transaction, it)?,
                RemoteChange::Settled(device, id, body) => {
                    settle(&transaction, (device, id), body)?
                }
            };
            tidy(&transaction, device, now)?;
        }
        Ok(transaction.commit()?)
    }

    /// Every request that waits, by device and id.
    pub fn open(&self) -> Result<Vec<RemoteRequest>, StoreError> {
        rows(self.0, &format!("{REQUEST} ORDER BY device, id"), [], request)
    }

    /// One request that waits.
    pub fn get(
        &self,
        (device, id): (&DeviceId, &ApprovalId),
    ) -> Result<Option<RemoteRequest>, StoreError> {
        let query = format!("{REQUEST} WHERE device = ?1 AND id = ?2");
        Ok(rows(self.0, &query, [device.as_str(), id.as_str()], request)?.pop())
    }

    /// The outcome of a request.
    pub fn settlement(
        &self,
        (device, id): (&DeviceId, &ApprovalId),
    ) -> Result<Option<String>, StoreError> {
        let query = "SELECT body FROM remote_settlements WHERE device = ?1 AND id = ?2";
        let mut statement = self.0.prepare_cached(query)?;
        let found = statement.query_row([device.as_str(), id.as_str()], |row| row.get("body"));
        Ok(found.optional()?)
    }

    /// The requests, waiting or settled, whose ids begin like this; none for an empty beginning.
    pub fn beginning(&self, id: &str) -> Result<Vec<(DeviceId, ApprovalId)>, StoreError> {
        if id.is_empty() {
            return Ok(Vec::new());
        }
        rows(self.0, IDS, [id], |row| {
            let (device, id): (String, String) = (row.get("device")?, row.get("id")?);
            Ok((DeviceId::new(device), ApprovalId::new(id)))
        })
    }

    /// Records the answer given from here, if the request still waits.
    pub fn note_answer(
        &self,
        (device, id): (&DeviceId, &ApprovalId),
        answer: &str,
    ) -> Result<(), StoreError> {
        let query = "UPDATE remote_requests SET answer = ?3 WHERE device = ?1 AND id = ?2";
        execute(self.0, query, [device.as_str(), id.as_str(), answer])
    }
}

impl RemoteDecisions<'_> {
    /// Every decision as JSON, the oldest first.
    pub fn all(&self) -> Result<Vec<String>, StoreError> {
        let query = "SELECT body FROM remote_decisions ORDER BY number";
        rows(self.0, query, [], |row| row.get("body"))
    }

    /// Records a decision. It replaces an earlier one about the same request.
    pub fn note(
        &self,
        (id, session): (&ApprovalId, SessionId),
        body: &str,
    ) -> Result<(), StoreError> {
        let transaction = immediate(self.0)?;
        let query = "INSERT OR REPLACE INTO remote_decisions (id, session_id, body) \
                     VALUES (?1, ?2, ?3)";
        execute(&transaction, query, params![id.as_str(), session.as_bytes(), body])?;
        let query = "DELETE FROM remote_decisions \
                     WHERE number <= (SELECT max(number) FROM remote_decisions) - ?1";
        execute(&transaction, query, [REMOTE_KEPT])?;
        Ok(transaction.commit()?)
    }
}

/// Opens a request, also one that was settled: its hook may have come back.
pub(super) fn ask<'r>(it: &Connection, new: &'r RemoteRequest) -> Result<&'r DeviceId, StoreError> {
    let (device, id) = (new.device.as_str(), new.id.as_str());
    let times = (micros(new.asked_at), micros(new.expires_at));
    execute(it, PUT, params![device, id, times.0, times.1, new.body, new.answer])?;
    let query = "DELETE FROM remote_settlements WHERE device = ?1 AND id = ?2";
    execute(it, query, [device, id])?;
    Ok(&new.device)
}

/// Closes a request; a later outcome replaces an earlier one.
pub(super) fn settle<'d>(
    it: &Connection,
    (device, id): (&'d DeviceId, &ApprovalId),
    body: &str,
) -> Result<&'d DeviceId, StoreError> {
    let query = "DELETE FROM remote_requests WHERE device = ?1 AND id = ?2";
    execute(it, query, [device.as_str(), id.as_str()])?;
    let query = "INSERT OR REPLACE INTO remote_settlements (device, id, body) VALUES (?1, ?2, ?3)";
    execute(it, query, [device.as_str(), id.as_str(), body])?;
    Ok(device)
}

fn tidy(it: &Connection, device: &DeviceId, now: Timestamp) -> Result<(), StoreError> {
    let query = "DELETE FROM remote_requests WHERE device = ?1 AND expires_at <= ?2";
    execute(it, query, params![device.as_str(), micros(now)])?;
    execute(it, EXCESS, params![device.as_str(), REMOTE_KEPT])?;
    execute(it, OLD_SETTLEMENTS, params![device.as_str(), REMOTE_KEPT])
}

fn request(row: &Row<'_>) -> rusqlite::Result<RemoteRequest> {
    let row = Columns::of(row);
    Ok(RemoteRequest {
        device: DeviceId::new(row.get::<String>("device")?),
        id: ApprovalId::new(row.get::<String>("id")?),
        asked_at: row.time("asked_at")?,
        expires_at: row.time("expires_at")?,
        body: row.get("body")?,
        answer: row.get("answer")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn asked(id: &str, expires: i64) -> RemoteChange {
        RemoteChange::Asked(RemoteRequest {
            device: DeviceId::new("d"),
            id: ApprovalId::new(id),
            asked_at: at(1),
            expires_at: at(expires),
            body: "{}".to_owned(),
            answer: None,
        })
    }

    fn settled(id: &str) -> RemoteChange {
        RemoteChange::Settled(DeviceId::new("d"), ApprovalId::new(id), "{}".to_owned())
    }

    fn ledger() -> (tempfile::TempDir, Ledger) {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::open(folder.path(), &DeviceId::new("here")).unwrap();
        (folder, ledger)
    }

    fn count(ledger: &Ledger, table: &str) -> u32 {
        let query = format!("SELECT count(*) FROM {table}");
        ledger.connection.query_row(&query, [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn a_request_is_open_until_it_is_settled_or_late() {
        let check = |changes: &[RemoteChange], open: &[&str], over: &[&str]| {
            let (_folder, ledger) = ledger();
            let requests = ledger.remote_requests();
            // Applying it again after a crash changes nothing.
            for _ in 0..2 {
                requests.apply(changes, at(10)).unwrap();
            }
            let ids: Vec<_> = requests.open().unwrap().into_iter().map(|it| it.id).collect();
            assert_eq!(ids, open.iter().map(|it| ApprovalId::new(*it)).collect::<Vec<_>>());
            let is_over = |it: &&str| {
                let id = ApprovalId::new(*it);
                requests.settlement((&DeviceId::new("d"), &id)).unwrap().is_some()
            };
            let ends: Vec<_> = ["a", "b"].into_iter().filter(is_over).collect();
            assert_eq!(ends, over, "{changes:?}");
        };
        check(&[asked("a", 20), asked("b", 20)], &["a", "b"], &[]);
        check(&[asked("a", 20), asked("b", 10)], &["a"], &[]);
        check(&[asked("a", 20), settled("a")], &[], &["a"]);
        check(&[settled("a"), settled("b")], &[], &["a", "b"]);
        // Its hook came back.
        check(&[asked("a", 20), settled("a"), asked("a", 20)], &["a"], &[]);
    }

    #[test]
    fn a_request_that_is_asked_again_keeps_its_answer() {
        let (_folder, ledger) = ledger();
        let requests = ledger.remote_requests();
        let (device, id) = (DeviceId::new("d"), ApprovalId::new("a1"));
        requests.apply(&[asked("a1", 20)], at(10)).unwrap();
        requests.note_answer((&device, &id), "yes").unwrap();
        requests.apply(&[asked("a1", 30)], at(10)).unwrap();
        let known = requests.get((&device, &id)).unwrap().unwrap();
        assert_eq!((known.answer.as_deref(), known.expires_at), (Some("yes"), at(30)));
        requests.apply(&[settled("a2")], at(10)).unwrap();
        let found = |beginning: &str| requests.beginning(beginning).unwrap().len();
        assert_eq!(["a", "a1", "a2", "b", "", "_"].map(found), [2, 1, 1, 0, 0, 0]);
    }

    #[test]
    fn what_is_kept_of_other_devices_is_bounded() {
        let (_folder, ledger) = ledger();
        let (requests, decisions) = (ledger.remote_requests(), ledger.remote_decisions());
        let ids: Vec<_> = (0..REMOTE_KEPT + 5).map(|it| format!("{it:04}")).collect();
        let asks: Vec<_> = ids.iter().map(|it| asked(it, 20)).collect();
        requests.apply(&asks, at(10)).unwrap();
        assert_eq!(count(&ledger, "remote_requests"), REMOTE_KEPT);
        let ends: Vec<_> = ids.iter().map(|it| settled(it)).collect();
        requests.apply(&ends, at(10)).unwrap();
        assert_eq!(count(&ledger, "remote_settlements"), REMOTE_KEPT);
        let session = SessionId::from_bytes([1; 16]);
        for id in &ids {
            decisions.note((&ApprovalId::new(id), session), id).unwrap();
        }
        assert_eq!(decisions.all().unwrap(), ids[5..]);
    }

    #[test]
    fn decisions_about_a_forgotten_session_are_forgotten() {
        let (_folder, mut ledger) = ledger();
        let sessions = [1, 2].map(|it| SessionId::from_bytes([it; 16]));
        for (session, id) in sessions.into_iter().zip(["a", "b"]) {
            ledger.remote_decisions().note((&ApprovalId::new(id), session), id).unwrap();
        }
        ledger.bury(&sessions[..1], at(1)).unwrap();
        assert_eq!(ledger.remote_decisions().all().unwrap(), ["b"]);
    }
}
