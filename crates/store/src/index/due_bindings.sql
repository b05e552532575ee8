SELECT agent, scope, runtime_id, project_path, source_uri, lifecycle, parent,
  (SELECT coalesce(max(offset), 0) FROM sources WHERE locator = source_uri AND sources.id
   IN (SELECT source FROM source_sessions WHERE session = sessions.id)) AS read_to
FROM sessions WHERE id IN (SELECT session FROM unbound)
