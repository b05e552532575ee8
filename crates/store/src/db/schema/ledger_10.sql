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
