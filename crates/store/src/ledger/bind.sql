INSERT INTO bindings (session_id, backend, project_path, scope, runtime_session_id,
  runtime_source_uri, resume_capability, created_at, last_seen_at, status, source_cursor,
  provenance, metadata)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?9, ?10, ?11, ?12)
ON CONFLICT (session_id) DO UPDATE SET project_path = coalesce(excluded.project_path, project_path),
  runtime_source_uri = excluded.runtime_source_uri, resume_capability = excluded.resume_capability,
  last_seen_at = iif(excluded.status = 'lost', last_seen_at, excluded.last_seen_at),
  source_cursor = iif(excluded.status = 'lost', source_cursor,
    json_set(excluded.source_cursor, '$.generation', coalesce(source_cursor ->> 'generation', 0) +
      coalesce(excluded.source_cursor ->> 'byte_offset' < source_cursor ->> 'byte_offset', 0))),
  provenance = iif(excluded.status = 'lost', provenance, excluded.provenance),
  status = iif(current_executor_peer_id IS NULL, excluded.status, 'active'),
  metadata = excluded.metadata
