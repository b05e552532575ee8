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
