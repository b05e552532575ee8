INSERT INTO quotas (agent, window_minutes, name, slot, session, at, used, resets_at, source)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
ON CONFLICT DO UPDATE SET at = excluded.at, used = excluded.used, resets_at = excluded.resets_at,
  source = excluded.source
WHERE (excluded.at, excluded.used, excluded.source) > (at, used, source)
