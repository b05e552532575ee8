SELECT coalesce(sum(marks & 1), 0) AS turns,
  coalesce(sum(kind = 'user.prompt'), 0) AS prompts,
  coalesce(sum(kind = 'tool.call'), 0) AS tool_calls,
  coalesce(sum(kind = 'error' OR kind = 'tool.result' AND marks & 4 <> 0), 0) AS failures,
  min(at) AS first_at, max(at) AS last_at
FROM events WHERE session = ?1 AND removed = 0
