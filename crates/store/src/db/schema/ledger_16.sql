ALTER TABLE messages ADD COLUMN not_before INTEGER;
CREATE INDEX messages_scheduled ON messages (not_before, session_id)
  WHERE open = 1 AND not_before IS NOT NULL;
