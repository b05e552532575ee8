SELECT e.id, parent, kind, origin, signal, marks, label, excerpt, at, rank, position, part
FROM events e JOIN sources s ON s.id = e.source
WHERE session = ?1 AND removed = 0 AND (signal IS NOT NULL OR marks & 2 <> 0 OR kind IN
  ('user.prompt', 'assistant.message', 'tool.call', 'tool.result', 'error', 'agent.stopped', 'approval.requested',
   'approval.resolved'))
