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
