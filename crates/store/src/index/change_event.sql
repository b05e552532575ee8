UPDATE events SET sequence = ?3, revision = revision + 1, removed = 0, kind = ?4,
  confidence = ?5, at = ?6, observed_at = ?7, turn = ?8, parent = ?9, marks = ?10,
  source = ?11, position = ?12, length = ?13, place = ?14, part = ?15,
  source_event_id = ?16, label = ?17, excerpt = ?18, content = ?19, raw = ?20, batch = ?21,
  signal = ?22
WHERE session = ?1 AND id = ?2
