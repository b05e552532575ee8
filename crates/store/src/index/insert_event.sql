INSERT OR IGNORE INTO events (session, sequence, id, revision, removed, kind, origin,
  confidence, at, observed_at, turn, parent, marks, source, position, length, place, part,
  source_event_id, label, excerpt, content, raw, batch, signal)
VALUES (?1, ?2, ?3, 1, 0, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,
  ?19, ?20, ?21, ?22, ?23)
