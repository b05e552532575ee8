SELECT session_id, peer_id, current_executor_peer_id, backend, project_path,
  runtime_session_id, runtime_source_uri, source_cursor,
  coalesce(source_cursor ->> 'generation', 0) AS generation, provenance,
  resume_capability, created_at, last_seen_at, status, metadata
FROM bindings WHERE session_id = ?1
