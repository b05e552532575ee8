//! Sessions imported from another device: from whom, when, in which bundle, and where they continue
//! here. Imported data is another device's word, and nothing in it decides anything.

use super::Ledger;
use crate::db::codec::micros;
use crate::db::{Columns, StoreError};
use rusqlite::{OptionalExtension, params};
use serde::Deserialize;
use taffrail_model::{DeviceId, SessionId, Timestamp};

/// The latest import of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carried {
    /// The device it came from.
    pub device: DeviceId,
    /// The name of that device.
    pub device_name: String,
    /// When it was imported.
    pub at: Timestamp,
    /// The digest of its bundle.
    pub bundle: String,
    /// The folder in which it continues here.
    pub project_path: String,
    /// Data imported for history only, as JSON: approvals with their decisions, lineage.
    pub body: String,
}

impl Ledger {
    /// Records the import of sessions. A later import replaces an earlier one.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn carry(&mut self, sessions: &[SessionId], it: &Carried) -> Result<(), StoreError> {
        let transaction = self.connection.transaction()?;
        for session in sessions {
            transaction.prepare_cached(CARRY)?.execute(params![
                session.as_bytes(),
                it.device.as_str(),
                it.device_name,
                micros(it.at),
                it.bundle,
                it.project_path,
                it.body,
            ])?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// The import of a session, if it was imported.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn carried(&self, session: SessionId) -> Result<Option<Carried>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT device, device_name, at, bundle, project_path, body FROM carried \
             WHERE session_id = ?1",
        )?;
        let read = statement.query_row([session.as_bytes()], |row| {
            let row = Columns::of(row);
            Ok(Carried {
                device: DeviceId::new(row.get::<String>("device")?),
                device_name: row.get("device_name")?,
                at: row.time("at")?,
                bundle: row.get("bundle")?,
                project_path: row.get("project_path")?,
                body: row.get("body")?,
            })
        });
        Ok(read.optional()?)
    }

    /// The place of an imported session on this device.
    pub(crate) fn carried_here(
        &self,
        session: SessionId,
    ) -> Result<Option<ImportPlace>, StoreError> {
        let query = "SELECT project_path, body FROM carried WHERE session_id = ?1";
        let mut statement = self.connection.prepare_cached(query)?;
        let read = statement.query_row([session.as_bytes()], |row| {
            // A later version may have written a form that this one cannot read.
            let origin: Option<Origin> = serde_json::from_str(row.get_ref(1)?.as_str()?).ok();
            Ok(ImportPlace {
                project: row.get(0)?,
                forked_from: origin.and_then(|it| it.forked_from),
            })
        });
        Ok(read.optional()?)
    }
}

/// The place of an imported session on this device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ImportPlace {
    /// The folder in which it continues.
    pub(crate) project: String,
    /// The session that it was imported as a fork of.
    pub(crate) forked_from: Option<SessionId>,
}

#[derive(Deserialize)]
struct Origin {
    forked_from: Option<SessionId>,
}

const CARRY: &str = include_str!("import.sql");

#[cfg(test)]
mod tests {
    use super::*;

    fn came(second: i64) -> Carried {
        Carried {
            device: DeviceId::new("dev-a"),
            device_name: "laptop".to_owned(),
            at: Timestamp::from_second(second).unwrap(),
            bundle: second.to_string(),
            project_path: format!("/w/{second}"),
            body: "{}".to_owned(),
        }
    }

    #[test]
    fn the_last_one_counts_until_it_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = Ledger::open(folder.path(), &DeviceId::new("d")).unwrap();
        let (one, other) = (SessionId::from_bytes([1; 16]), SessionId::from_bytes([2; 16]));
        ledger.carry(&[one, other], &came(1)).unwrap();
        ledger.carry(&[one], &came(2)).unwrap();
        let check = |ledger: &Ledger, session, expected: Option<Carried>| {
            assert_eq!(ledger.carried(session).unwrap(), expected);
            let here =
                expected.map(|it| ImportPlace { project: it.project_path, forked_from: None });
            assert_eq!(ledger.carried_here(session).unwrap(), here);
        };
        check(&ledger, one, Some(came(2)));
        check(&ledger, other, Some(came(1)));
        let fork = SessionId::from_bytes([3; 16]);
        let body = serde_json::json!({"forked_from": one}).to_string();
        ledger.carry(&[fork], &Carried { body, ..came(3) }).unwrap();
        let here = ImportPlace { project: "/w/3".to_owned(), forked_from: Some(one) };
        assert_eq!(ledger.carried_here(fork).unwrap(), Some(here));
        ledger.bury(&[one], Timestamp::UNIX_EPOCH).unwrap();
        check(&ledger, one, None);
        check(&ledger, other, Some(came(1)));
    }
}
