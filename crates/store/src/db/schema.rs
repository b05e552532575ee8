//! The tables, and the steps that bring an older ledger up to date.

/// The index is not migrated: another number means it is rebuilt.
pub(crate) const INDEX_VERSION: i64 = 5;
/// Each step of the ledger, in order; a file is brought up by those it lacks.
pub(crate) const LEDGER_STEPS: &[&str] = &[
    include_str!("schema/ledger_01.sql"),
    include_str!("schema/ledger_02.sql"),
    include_str!("schema/ledger_03.sql"),
    // What people say of sessions, and snapshots of them.
    include_str!("schema/ledger_04.sql"),
    // What people repaired by hand. Only ids: a chain is followed past a session that is forgotten.
    include_str!("schema/ledger_05.sql"),
    // Requests to be allowed something, and their decisions.
    include_str!("schema/ledger_06.sql"),
    // What was tried with sessions.
    include_str!("schema/ledger_07.sql"),
    // Messages to sessions, and how far they have come.
    include_str!("schema/ledger_08.sql"),
    // Sessions that came from another device, and where they go on here.
    include_str!("schema/ledger_09.sql"),
    // The outbox for other devices, and how far theirs was read.
    include_str!("schema/ledger_10.sql"),
    // A mark of each thing that was published to other devices: nothing is published twice, not
    // even after the index was rebuilt.
    include_str!("schema/ledger_11.sql"),
    // Sessions that are shared from here, each in a stream of its own, and how far each was published.
    include_str!("schema/ledger_12.sql"),
    // The process that an attempt started: while it lives, no other attempt begins.
    include_str!("schema/ledger_13.sql"),
    // What was decided and what was tried, chained by hash, with its end.
    include_str!("schema/ledger_14.sql"),
];

/// Drops what the ledger says of the sessions in the table `tombstones`.
pub(crate) const FORGET: &str = include_str!("schema/forget.sql");

/// The tables of the index.
pub(crate) const INDEX: &str = include_str!("schema/index.sql");

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;
    use std::path::Path;

    /// Every statement in a file is one that SQLite can prepare for the tables it is meant for.
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
        assert_eq!(["db/rows", "index", "query"].map(|it| check(&index, it)), [3, 8, 1]);
        assert_eq!(check(&ledger, "ledger"), 3);
    }
}
