SELECT coalesce(c.label, '') AS tool, r.at - c.at AS took, r.marks AS marks
FROM events r JOIN events c ON c.session = r.session AND c.id = r.parent
WHERE r.session = ?1 AND r.removed = 0 AND r.kind = 'tool.result'
  AND c.removed = 0 AND c.kind = 'tool.call'
