CREATE TABLE carried (
  session_id BLOB PRIMARY KEY, device TEXT NOT NULL, device_name TEXT NOT NULL,
  at INTEGER NOT NULL, bundle TEXT NOT NULL, project_path TEXT NOT NULL, body TEXT NOT NULL
) WITHOUT ROWID;
