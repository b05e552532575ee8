INSERT INTO tool_calls SELECT session, coalesce(label, ''), count(*) FROM events
WHERE session = ?1 AND removed = 0 AND kind = 'tool.call' GROUP BY 2
