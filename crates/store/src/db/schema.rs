//! The tables, and the migrations of the ledger.

/// The index is not migrated: another version means a rebuild.
pub(crate) const INDEX_VERSION: i64 = 13;
/// The migrations of the ledger, in order; opening a file runs those it lacks.
pub(crate) const LEDGER_STEPS: &[&str] = &[
    include_str!("schema/ledger_01.sql"),
    include_str!("schema/ledger_02.sql"),
    include_str!("schema/ledger_03.sql"),
    // Tags and notes of people on sessions, and snapshots of sessions.
    include_str!("schema/ledger_04.sql"),
    // Repairs by people. Only ids: a chain is followed past a forgotten session.
    include_str!("schema/ledger_05.sql"),
    // Approval requests and their decisions.
    include_str!("schema/ledger_06.sql"),
    // Attempts to act on sessions.
    include_str!("schema/ledger_07.sql"),
    // Messages to sessions, and their delivery state.
    include_str!("schema/ledger_08.sql"),
    // Sessions imported from another device, and where they continue here.
    include_str!("schema/ledger_09.sql"),
    // The outbox for other devices, and how far we read theirs.
    include_str!("schema/ledger_10.sql"),
    // A digest of each item published to other devices: nothing is published twice, even after the
    // index is rebuilt.
    include_str!("schema/ledger_11.sql"),
    // Sessions shared from here, each in its own stream, and how far each was published.
    include_str!("schema/ledger_12.sql"),
    // The process that an attempt started: while it lives, no other attempt begins.
    include_str!("schema/ledger_13.sql"),
    // Decisions and attempts, chained by hash, with the end of the chain.
    include_str!("schema/ledger_14.sql"),
    // Requests, answers and prompts across devices, one row each.
    include_str!("schema/ledger_15.sql"),
    // The time of messages that have one; their bodies say in which state the session was left.
    include_str!("schema/ledger_16.sql"),
    // Stars and titles that people gave to sessions.
    include_str!("schema/ledger_17.sql"),
];

/// The condition of the partial index by kind and time: kinds that are looked up, and not the bulk.
pub(crate) const LISTED: &str = "removed = 0 AND kind NOT IN \
  ('assistant.message', 'assistant.thinking', 'tool.result')";

/// The condition of the index of events in order: everything that a transcript shows. The rest are
/// reports about the session, which have no place in it.
pub(crate) const SHOWN: &str = "removed = 0 AND kind NOT IN ('heartbeat', 'turn.started', \
  'turn.completed', 'status.changed', 'finding.raised', 'finding.withdrawn')";

/// Deletes the ledger's rows about the sessions in the table `tombstones`.
pub(crate) const FORGET: &str = include_str!("schema/forget.sql");

/// The tables of the index.
pub(crate) const INDEX: &str = include_str!("schema/index.sql");

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;
    use std::path::Path;

    /// Checks that SQLite can prepare every statement for the tables it is meant for.
    #[test]
    fn every_statement_fits_its_tables() {
        let made = |steps: &[&str]| {
            let connection = Connection::open_in_memory().unwrap();
            connection.execute_batch(&steps.concat()).unwrap();
            connection
        };
        let check = |tables: &Connection, folder: &str| {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(folder);
            let files = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
            let files: Vec<_> = files.filter(|it| it.extension() == Some("sql".as_ref())).collect();
            for file in &files {
                let text = std::fs::read_to_string(file).unwrap();
                assert!(tables.prepare(&text).is_ok(), "{}", file.display());
            }
            files.len()
        };
        let (index, ledger) = (made(&[INDEX]), made(LEDGER_STEPS));
        ledger.execute_batch(FORGET).unwrap();
        assert_eq!(["db/rows", "index", "query"].map(|it| check(&index, it)), [3, 13, 1]);
        assert_eq!(check(&ledger, "ledger"), 7);
    }
}
