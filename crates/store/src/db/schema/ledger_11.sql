CREATE TABLE told_sessions (
  session_id BLOB PRIMARY KEY, generation TEXT NOT NULL, sequence INTEGER NOT NULL,
  number INTEGER NOT NULL, bodies INTEGER NOT NULL, gone INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE told (
  session_id BLOB NOT NULL, what INTEGER NOT NULL, key BLOB NOT NULL, mark BLOB NOT NULL,
  PRIMARY KEY (session_id, what, key)
) WITHOUT ROWID;
