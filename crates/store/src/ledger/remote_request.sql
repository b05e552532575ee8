INSERT INTO remote_requests (device, id, asked_at, expires_at, body, answer)
VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT (device, id) DO UPDATE SET asked_at = excluded.asked_at,
  expires_at = excluded.expires_at, body = excluded.body
