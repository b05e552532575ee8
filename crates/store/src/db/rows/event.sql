SELECT e.id, e.sequence, e.revision, e.removed, e.kind, e.origin, e.confidence, e.at, e.observed_at,
  e.turn, e.parent, e.marks, e.position, e.length, e.place, e.part, e.source_event_id, e.label,
  e.excerpt, e.raw, o.uuid AS inherited_from, s.home, s.path, s.key, s.locator, s.present,
  e.batch, e.signal, e.content
FROM events e JOIN sources s ON s.id = e.source LEFT JOIN sessions o ON o.id = e.inherited_from
WHERE e.session = ?1
