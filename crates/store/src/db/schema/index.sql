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
  cut_at INTEGER, kept INTEGER NOT NULL DEFAULT 0,
  UNIQUE (home, path, key)
);
INSERT INTO meta VALUES ('sources', '0');
CREATE TRIGGER sources_added AFTER INSERT ON sources
  BEGIN UPDATE meta SET value = value + 1 WHERE name = 'sources'; END;
CREATE TRIGGER sources_changed AFTER UPDATE ON sources
  BEGIN UPDATE meta SET value = value + 1 WHERE name = 'sources'; END;
CREATE TRIGGER sources_removed AFTER DELETE ON sources
  BEGIN UPDATE meta SET value = value + 1 WHERE name = 'sources'; END;
CREATE TABLE readers (source INTEGER PRIMARY KEY, memory TEXT NOT NULL);
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
  tool_calls INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0,
  input_tokens INTEGER NOT NULL DEFAULT 0, output_tokens INTEGER NOT NULL DEFAULT 0,
  cache_read_tokens INTEGER NOT NULL DEFAULT 0, cache_write_tokens INTEGER NOT NULL DEFAULT 0,
  reasoning_tokens INTEGER NOT NULL DEFAULT 0,
  cost_microdollars INTEGER, said_microdollars INTEGER, reported_microdollars INTEGER,
  estimated_microdollars INTEGER, unknown_answers INTEGER NOT NULL DEFAULT 0,
  parent BLOB, forked_from BLOB, first_record BLOB, own_since INTEGER,
  uncopied_since INTEGER,
  lineage_kind TEXT, lineage_session BLOB,
  pid INTEGER, process_start INTEGER,
  captured INTEGER NOT NULL DEFAULT 1,
  failure TEXT,
  ended_at INTEGER,
  imported TEXT
);
CREATE INDEX sessions_by_last ON sessions (coalesce(last_at, said_started_at, 0) DESC, uuid, project_path);
CREATE INDEX sessions_by_batch ON sessions (last_batch);
CREATE INDEX sessions_by_parent ON sessions (parent) WHERE parent IS NOT NULL;
CREATE INDEX sessions_by_first_record ON sessions (first_record) WHERE first_record IS NOT NULL;
CREATE INDEX sessions_by_fork ON sessions (forked_from) WHERE forked_from IS NOT NULL;
CREATE INDEX sessions_not_captured ON sessions (id) WHERE captured = 0;
CREATE INDEX sessions_with_process ON sessions (pid) WHERE pid IS NOT NULL;
CREATE INDEX sessions_of_prompts ON sessions (last_at) WHERE lifecycle = 'prompts_only';
CREATE INDEX sources_by_agent ON sources (agent, home);
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
CREATE INDEX events_by_kind ON events (session, kind, at) WHERE removed = 0 AND kind NOT IN
  ('assistant.message', 'assistant.thinking', 'tool.result');
CREATE INDEX events_carried ON events (session) WHERE removed = 0 AND origin = 'hook' AND kind IN
  ('session.started', 'user.prompt', 'assistant.message', 'tool.call', 'tool.result');
CREATE INDEX events_of_prompt_history ON events (session) WHERE removed = 0 AND
  origin = 'prompt_history';
CREATE INDEX events_in_order ON events (session, at, kind, removed) WHERE removed = 0 AND kind NOT IN
  ('heartbeat', 'turn.started', 'turn.completed', 'status.changed', 'finding.raised',
   'finding.withdrawn');
CREATE INDEX events_of_prompts ON events (session, at, source, position, part, id, turn, kind, removed)
  WHERE removed = 0 AND kind = 'user.prompt' AND turn IS NOT NULL;
CREATE INDEX events_of_turns ON events (session, at) WHERE removed = 0 AND
  (marks & 2 <> 0 OR kind IN ('user.prompt', 'session.started', 'session.exited') OR signal IN
   ('started', 'took-over', 'prompted', 'turn-over', 'working-on', 'interrupted', 'failed', 'quiet',
    'ended', 'died'));
CREATE INDEX events_denied ON events (at) WHERE removed = 0 AND marks & 8 <> 0;
CREATE TABLE usage (
  session INTEGER NOT NULL, key BLOB NOT NULL,
  source INTEGER NOT NULL, at INTEGER, model TEXT, owned INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL, cache_write_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL, cache_write_1h_tokens INTEGER NOT NULL,
  cost_microdollars INTEGER, estimated_microdollars INTEGER,
  PRIMARY KEY (session, key)
) WITHOUT ROWID;
CREATE TABLE spent (
  session INTEGER NOT NULL, quarter INTEGER, model TEXT,
  answers INTEGER NOT NULL, unknown_answers INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL, cache_write_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  cost_microdollars INTEGER, reported_microdollars INTEGER, estimated_microdollars INTEGER
);
CREATE INDEX spent_by_session ON spent (session);
CREATE TABLE acts (
  session INTEGER NOT NULL, quarter INTEGER NOT NULL,
  turns INTEGER NOT NULL, prompts INTEGER NOT NULL, tool_calls INTEGER NOT NULL,
  PRIMARY KEY (session, quarter)
) WITHOUT ROWID;
CREATE TABLE tool_calls (
  session INTEGER NOT NULL, tool TEXT NOT NULL, calls INTEGER NOT NULL,
  PRIMARY KEY (session, tool)
) WITHOUT ROWID;
CREATE TABLE tool_times (
  session INTEGER NOT NULL, tool TEXT NOT NULL, milliseconds INTEGER NOT NULL,
  results INTEGER NOT NULL, failed INTEGER NOT NULL, denied INTEGER NOT NULL,
  PRIMARY KEY (session, tool, milliseconds)
) WITHOUT ROWID;
CREATE TABLE quality (session INTEGER PRIMARY KEY, fold TEXT NOT NULL);
CREATE TABLE quotas (
  agent TEXT NOT NULL, window_minutes INTEGER NOT NULL, name TEXT NOT NULL,
  slot INTEGER NOT NULL, session BLOB NOT NULL,
  at INTEGER NOT NULL, used INTEGER NOT NULL, resets_at INTEGER NOT NULL, source TEXT NOT NULL,
  PRIMARY KEY (agent, window_minutes, name, slot, session)
) WITHOUT ROWID;
CREATE TABLE finals (
  session INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, category TEXT NOT NULL, told TEXT NOT NULL
);
CREATE TABLE topics (
  topic TEXT NOT NULL, session INTEGER NOT NULL,
  PRIMARY KEY (topic, session)
) WITHOUT ROWID;
CREATE INDEX topics_by_session ON topics (session);
