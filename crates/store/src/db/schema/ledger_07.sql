CREATE TABLE operations (
  id INTEGER PRIMARY KEY, session_id BLOB NOT NULL, kind TEXT NOT NULL, strategy TEXT NOT NULL,
  began_at INTEGER NOT NULL, state TEXT NOT NULL, result TEXT
);
CREATE INDEX operations_by_session ON operations (session_id, state);
