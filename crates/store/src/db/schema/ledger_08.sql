CREATE TABLE messages (
  id TEXT PRIMARY KEY, session_id BLOB NOT NULL, number INTEGER NOT NULL,
  accepted_at INTEGER NOT NULL, open INTEGER NOT NULL, body TEXT NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX messages_by_session ON messages (session_id, number);
CREATE INDEX messages_open ON messages (session_id) WHERE open = 1;
