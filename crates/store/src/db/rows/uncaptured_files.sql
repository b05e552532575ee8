SELECT home, path FROM sources JOIN source_sessions ON source = sources.id
JOIN sessions ON sessions.id = session
WHERE locator NOT LIKE 'journal:%' AND locator NOT LIKE 'prompts:%' AND key = '' AND sources.id IN
  (SELECT source FROM source_sessions JOIN sessions ON sessions.id = session
   WHERE captured = 0)
GROUP BY sources.id HAVING max(captured) = 0
