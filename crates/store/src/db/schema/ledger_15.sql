CREATE TABLE remote_requests (
  device TEXT NOT NULL, id TEXT NOT NULL, asked_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
  body TEXT NOT NULL, answer TEXT, PRIMARY KEY (device, id)
) WITHOUT ROWID;
CREATE TABLE remote_settlements (
  number INTEGER PRIMARY KEY, device TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL,
  UNIQUE (device, id)
);
CREATE TABLE remote_decisions (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, session_id BLOB NOT NULL, body TEXT NOT NULL
);
CREATE TABLE published_requests (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE remote_answers (
  number INTEGER PRIMARY KEY, device TEXT NOT NULL, body TEXT NOT NULL
);
CREATE TABLE remote_prompts (
  number INTEGER PRIMARY KEY, device TEXT NOT NULL, id TEXT NOT NULL, message TEXT, progress TEXT,
  open INTEGER NOT NULL, UNIQUE (device, id)
);
-- Earlier versions kept each of these as one JSON array in a note.
CREATE TABLE desk_lists AS SELECT name, value FROM exchange_notes, json_each(
    iif(json_valid(CAST(bytes AS TEXT)), CAST(bytes AS TEXT), '[]')) AS list
  WHERE name LIKE 'desk/%' AND list.type = iif(name = 'desk/told', 'text', 'object')
  ORDER BY name, list.key;
INSERT OR IGNORE INTO remote_decisions (id, session_id, body)
  SELECT value ->> 'approval_id', unhex(replace(value ->> 'session_id', '-', '')), value
  FROM desk_lists WHERE name = 'desk/decided' ORDER BY rowid;
INSERT OR IGNORE INTO published_requests (id)
  SELECT value FROM desk_lists WHERE name = 'desk/told';
INSERT OR IGNORE INTO remote_answers (device, body)
  SELECT value ->> 'from', value -> 'answer' FROM desk_lists
  WHERE name = 'desk/answers' ORDER BY rowid;
INSERT OR IGNORE INTO remote_prompts (device, id, message, progress, open)
  SELECT value ->> 'from', value ->> 'id', value ->> 'message', nullif(value -> 'told', 'null'),
    coalesce(value ->> '$.told.state', 'accepted') IN ('accepted', 'delivering', 'delivered')
  FROM desk_lists WHERE name = 'desk/prompts' ORDER BY rowid;
DROP TABLE desk_lists;
DELETE FROM exchange_notes
  WHERE name IN ('desk/decided', 'desk/told', 'desk/answers', 'desk/prompts');
