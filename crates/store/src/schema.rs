//! The tables, and how an older file becomes a newer one.

use crate::StoreError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::fs::{DirBuilder, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Statements kept prepared.
const STATEMENTS: usize = 64;
/// The index is not migrated: another number means it is rebuilt.
pub(crate) const INDEX_VERSION: i64 = 4;
/// Each step of the ledger, in order; a file is brought up by those it lacks.
pub(crate) const LEDGER_STEPS: &[&str] = &[
    LEDGER_1, LEDGER_2, LEDGER_3, LEDGER_4, LEDGER_5, LEDGER_6, LEDGER_7, LEDGER_8, LEDGER_9,
    LEDGER_10, LEDGER_11, LEDGER_12,
];

const LEDGER_1: &str = "
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE bindings (
  session_id BLOB PRIMARY KEY,
  peer_id TEXT, current_executor_peer_id TEXT,
  backend TEXT NOT NULL, project_path TEXT,
  scope TEXT NOT NULL, runtime_session_id TEXT NOT NULL,
  runtime_source_uri TEXT NOT NULL, source_cursor TEXT, provenance TEXT,
  resume_capability TEXT NOT NULL,
  created_at INTEGER NOT NULL, last_seen_at INTEGER NOT NULL,
  status TEXT NOT NULL, metadata TEXT NOT NULL
) WITHOUT ROWID;
";

const LEDGER_2: &str = "
CREATE TABLE tombstones (session_id BLOB PRIMARY KEY, forgotten_at INTEGER NOT NULL) WITHOUT ROWID;
";

const LEDGER_3: &str = "
CREATE TABLE uncaptured (
  session_id BLOB PRIMARY KEY, root BLOB NOT NULL, since INTEGER NOT NULL,
  forgotten INTEGER NOT NULL
) WITHOUT ROWID;
";

/// What people say of sessions, and snapshots of them.
const LEDGER_4: &str = "
CREATE TABLE tags (
  session_id BLOB NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (session_id, tag)
) WITHOUT ROWID;
CREATE TABLE notes (
  id INTEGER PRIMARY KEY, session_id BLOB NOT NULL, noted_at INTEGER NOT NULL, text TEXT NOT NULL
);
CREATE INDEX notes_by_session ON notes (session_id);
CREATE TABLE snapshots (
  adapter TEXT NOT NULL, session TEXT NOT NULL, mark TEXT NOT NULL, body TEXT NOT NULL,
  taken_at INTEGER NOT NULL, PRIMARY KEY (adapter, session)
) WITHOUT ROWID;
CREATE TABLE snapshot_history (
  adapter TEXT NOT NULL, session TEXT NOT NULL, mark TEXT NOT NULL, body TEXT NOT NULL,
  taken_at INTEGER NOT NULL, PRIMARY KEY (adapter, session, mark)
) WITHOUT ROWID;
";

/// What people repaired by hand. Only ids: a chain is followed past a session that is forgotten.
const LEDGER_5: &str = "
CREATE TABLE superseded (
  session_id BLOB PRIMARY KEY, by_session_id BLOB NOT NULL, since INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE archived (session_id BLOB PRIMARY KEY, since INTEGER NOT NULL) WITHOUT ROWID;
";

/// Requests to be allowed something, and their decisions.
const LEDGER_6: &str = "
CREATE TABLE approvals (
  id TEXT PRIMARY KEY, session_id BLOB NOT NULL, asked_at INTEGER NOT NULL, state TEXT NOT NULL,
  followed INTEGER NOT NULL, body TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX approvals_followed ON approvals (followed, asked_at);
";

/// What was tried with sessions.
const LEDGER_7: &str = "
CREATE TABLE operations (
  id INTEGER PRIMARY KEY, session_id BLOB NOT NULL, kind TEXT NOT NULL, strategy TEXT NOT NULL,
  began_at INTEGER NOT NULL, state TEXT NOT NULL, result TEXT
);
CREATE INDEX operations_by_session ON operations (session_id, state);
";

/// Messages to sessions, and how far they have come.
const LEDGER_8: &str = "
CREATE TABLE messages (
  id TEXT PRIMARY KEY, session_id BLOB NOT NULL, number INTEGER NOT NULL,
  accepted_at INTEGER NOT NULL, open INTEGER NOT NULL, body TEXT NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX messages_by_session ON messages (session_id, number);
CREATE INDEX messages_open ON messages (session_id) WHERE open = 1;
";

/// Sessions that came from another device, and where they go on here.
const LEDGER_9: &str = "
CREATE TABLE carried (
  session_id BLOB PRIMARY KEY, device TEXT NOT NULL, device_name TEXT NOT NULL,
  at INTEGER NOT NULL, bundle TEXT NOT NULL, project_path TEXT NOT NULL, body TEXT NOT NULL
) WITHOUT ROWID;
";

/// What is to be carried to other devices, and how far theirs was read.
const LEDGER_10: &str = "
CREATE TABLE out_streams (
  stream TEXT PRIMARY KEY, incarnation TEXT NOT NULL, audience TEXT NOT NULL,
  last INTEGER NOT NULL, sealed INTEGER NOT NULL, chain TEXT, batches INTEGER NOT NULL,
  appended INTEGER NOT NULL, confirmed INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE out_rows (
  stream TEXT NOT NULL, number INTEGER NOT NULL, at INTEGER NOT NULL, bytes BLOB NOT NULL,
  PRIMARY KEY (stream, number)
);
CREATE TABLE out_batches (
  stream TEXT NOT NULL, seq INTEGER NOT NULL, last INTEGER NOT NULL, at INTEGER NOT NULL,
  bytes BLOB NOT NULL, PRIMARY KEY (stream, seq)
);
CREATE TABLE in_cursors (
  device TEXT NOT NULL, stream TEXT NOT NULL, incarnation TEXT NOT NULL,
  seq INTEGER NOT NULL, chain TEXT NOT NULL, PRIMARY KEY (device, stream, incarnation)
) WITHOUT ROWID;
CREATE TABLE exchange_notes (name TEXT PRIMARY KEY, bytes BLOB NOT NULL) WITHOUT ROWID;
";

/// What other devices were told, by a mark of each thing: nothing is told twice, also not after the index
/// was made anew.
const LEDGER_11: &str = "
CREATE TABLE told_sessions (
  session_id BLOB PRIMARY KEY, generation TEXT NOT NULL, sequence INTEGER NOT NULL,
  number INTEGER NOT NULL, bodies INTEGER NOT NULL, gone INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE told (
  session_id BLOB NOT NULL, what INTEGER NOT NULL, key BLOB NOT NULL, mark BLOB NOT NULL,
  PRIMARY KEY (session_id, what, key)
) WITHOUT ROWID;
";

/// Sessions that are shared from here, each in a stream of its own, and how far each was told.
const LEDGER_12: &str = "
CREATE TABLE shares (
  stream TEXT PRIMARY KEY, session_id BLOB NOT NULL, readers TEXT NOT NULL, since INTEGER NOT NULL,
  state INTEGER NOT NULL, generation TEXT NOT NULL, batch INTEGER NOT NULL,
  sequence INTEGER NOT NULL, number INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE share_marks (
  stream TEXT NOT NULL, what INTEGER NOT NULL, key BLOB NOT NULL, mark BLOB NOT NULL,
  PRIMARY KEY (stream, what, key)
) WITHOUT ROWID;
";

/// What the ledger says of sessions that are forgotten, by the table `tombstones`.
pub(crate) const FORGET: &str = "
DELETE FROM bindings WHERE session_id IN (SELECT session_id FROM tombstones);
DELETE FROM approvals WHERE session_id IN (SELECT session_id FROM tombstones);
DELETE FROM messages WHERE session_id IN (SELECT session_id FROM tombstones);
DELETE FROM operations WHERE session_id IN (SELECT session_id FROM tombstones);
DELETE FROM carried WHERE session_id IN (SELECT session_id FROM tombstones);
DELETE FROM tags WHERE session_id IN (SELECT session_id FROM tombstones);
DELETE FROM told WHERE session_id IN (SELECT session_id FROM tombstones);
DELETE FROM share_marks WHERE stream IN
  (SELECT stream FROM shares WHERE session_id IN (SELECT session_id FROM tombstones));
UPDATE shares SET state = 1 WHERE state = 0 AND session_id IN (SELECT session_id FROM tombstones);
DELETE FROM notes WHERE session_id IN (SELECT session_id FROM tombstones);
DELETE FROM exchange_notes WHERE name IN
  (SELECT 'pushed/' || lower(hex(session_id)) FROM tombstones);
DELETE FROM snapshots WHERE replace(session, '-', '') IN
  (SELECT lower(hex(session_id)) FROM tombstones);
DELETE FROM snapshot_history WHERE replace(session, '-', '') IN
  (SELECT lower(hex(session_id)) FROM tombstones);
";

pub(crate) const INDEX: &str = "
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE sources (
  id INTEGER PRIMARY KEY,
  agent TEXT NOT NULL, home TEXT NOT NULL, path TEXT NOT NULL, key TEXT NOT NULL,
  locator TEXT NOT NULL, rank INTEGER NOT NULL,
  device INTEGER NOT NULL, inode INTEGER NOT NULL, size INTEGER NOT NULL,
  modified_ns INTEGER NOT NULL, beside INTEGER NOT NULL,
  offset INTEGER NOT NULL, last_offset INTEGER, last_length INTEGER, last_hash BLOB,
  read_whole_next INTEGER NOT NULL,
  present INTEGER NOT NULL, half_read INTEGER NOT NULL, again INTEGER NOT NULL DEFAULT 0,
  skipped INTEGER NOT NULL DEFAULT 0,
  cut_at INTEGER, reader TEXT NOT NULL,
  kept INTEGER NOT NULL DEFAULT 0,
  UNIQUE (home, path, key)
);
CREATE TABLE unknown_records (
  source INTEGER NOT NULL, raw_type TEXT NOT NULL, version TEXT NOT NULL, count INTEGER NOT NULL,
  PRIMARY KEY (source, raw_type, version)
) WITHOUT ROWID;
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid BLOB NOT NULL UNIQUE,
  agent TEXT NOT NULL, scope TEXT NOT NULL, runtime_id TEXT NOT NULL,
  title TEXT, title_derived INTEGER NOT NULL DEFAULT 0,
  project_path TEXT, git_branch TEXT, model TEXT, agent_version TEXT, entrypoint TEXT,
  lifecycle TEXT NOT NULL DEFAULT 'lost', source_uri TEXT NOT NULL DEFAULT '',
  said_started_at INTEGER, first_at INTEGER, last_at INTEGER,
  sequence INTEGER NOT NULL DEFAULT 0, last_batch INTEGER NOT NULL DEFAULT 0,
  turns INTEGER NOT NULL DEFAULT 0, prompts INTEGER NOT NULL DEFAULT 0,
  tool_calls INTEGER NOT NULL DEFAULT 0,
  input_tokens INTEGER NOT NULL DEFAULT 0, output_tokens INTEGER NOT NULL DEFAULT 0,
  cache_read_tokens INTEGER NOT NULL DEFAULT 0, cache_write_tokens INTEGER NOT NULL DEFAULT 0,
  reasoning_tokens INTEGER NOT NULL DEFAULT 0,
  cost_microdollars INTEGER,
  parent BLOB, forked_from BLOB, first_record BLOB, own_since INTEGER,
  uncopied_since INTEGER,
  lineage_kind TEXT, lineage_session BLOB,
  pid INTEGER, process_start INTEGER,
  captured INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX sessions_by_last ON sessions (coalesce(last_at, said_started_at, 0) DESC, uuid);
CREATE INDEX sessions_by_batch ON sessions (last_batch);
CREATE INDEX sessions_by_parent ON sessions (parent) WHERE parent IS NOT NULL;
CREATE INDEX sessions_by_first_record ON sessions (first_record) WHERE first_record IS NOT NULL;
CREATE INDEX sessions_by_fork ON sessions (forked_from) WHERE forked_from IS NOT NULL;
CREATE INDEX sessions_not_captured ON sessions (id) WHERE captured = 0;
CREATE INDEX sessions_with_process ON sessions (pid) WHERE pid IS NOT NULL;
CREATE INDEX sources_to_read_again ON sources (id) WHERE half_read = 1 OR again = 1;
CREATE TABLE unbound (session INTEGER PRIMARY KEY);
CREATE TABLE source_sessions (
  session INTEGER NOT NULL, source INTEGER NOT NULL, facts TEXT NOT NULL,
  PRIMARY KEY (session, source)
) WITHOUT ROWID;
CREATE INDEX source_sessions_by_source ON source_sessions (source);
CREATE TABLE events (
  session INTEGER NOT NULL, sequence INTEGER NOT NULL, batch INTEGER NOT NULL,
  id BLOB NOT NULL, revision INTEGER NOT NULL, removed INTEGER NOT NULL,
  kind TEXT NOT NULL, origin TEXT, confidence TEXT,
  at INTEGER NOT NULL, observed_at INTEGER NOT NULL,
  turn BLOB, parent BLOB, marks INTEGER NOT NULL,
  source INTEGER NOT NULL, position INTEGER NOT NULL, length INTEGER, place TEXT,
  part INTEGER NOT NULL, source_event_id TEXT,
  label TEXT, signal TEXT, excerpt TEXT NOT NULL, content BLOB NOT NULL, raw BLOB NOT NULL,
  inherited_from INTEGER,
  PRIMARY KEY (session, sequence)
) WITHOUT ROWID;
CREATE UNIQUE INDEX events_by_id ON events (session, id);
CREATE TABLE usage (
  session INTEGER NOT NULL, key BLOB NOT NULL,
  source INTEGER NOT NULL, at INTEGER, model TEXT, owned INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL, cache_write_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL, cost_microdollars INTEGER,
  PRIMARY KEY (session, key)
) WITHOUT ROWID;
CREATE INDEX usage_with_cost ON usage (session) WHERE cost_microdollars IS NOT NULL;
CREATE TABLE finals (
  session INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, category TEXT NOT NULL, told TEXT NOT NULL
);
CREATE TABLE topics (
  topic TEXT NOT NULL, session INTEGER NOT NULL,
  PRIMARY KEY (topic, session)
) WITHOUT ROWID;
CREATE INDEX topics_by_session ON topics (session);
";

/// Makes a folder of our own that nobody else can look into.
pub(crate) fn private_folder(path: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Opens a database file for writing, making it private first.
pub(crate) fn open_writable(path: &Path) -> Result<Connection, StoreError> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    let connection = Connection::open(path)?;
    connection.busy_timeout(std::time::Duration::from_secs(5))?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // What is deleted is overwritten, so that forgetting can be complete.
    connection.pragma_update(None, "secure_delete", "ON")?;
    prepare_once(&connection)?;
    Ok(connection)
}

/// Opens a database file for reading only.
pub(crate) fn open_readable(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(std::time::Duration::from_secs(2))?;
    prepare_once(&connection)?;
    Ok(connection)
}

/// Statements stay prepared: enough are kept, and a plan does not follow the values given to it.
fn prepare_once(connection: &Connection) -> Result<(), StoreError> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// The schema number a file carries; 0 for a new one.
pub(crate) fn version(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}
