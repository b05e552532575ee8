CREATE TABLE approvals (
  id TEXT PRIMARY KEY, session_id BLOB NOT NULL, asked_at INTEGER NOT NULL, state TEXT NOT NULL,
  followed INTEGER NOT NULL, body TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX approvals_followed ON approvals (followed, asked_at);
