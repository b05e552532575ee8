SELECT id, uuid, agent, runtime_id, title, title_derived, project_path, git_branch, model, lifecycle,
  said_started_at, first_at, last_at, turns, prompts, tool_calls, failures, input_tokens, output_tokens,
  cache_read_tokens, cache_write_tokens, reasoning_tokens, cost_microdollars,
  reported_microdollars, estimated_microdollars, unknown_answers,
  (WITH RECURSIVE below (uuid, cost) AS (
     SELECT w.uuid, w.cost_microdollars FROM sessions w WHERE w.parent = sessions.uuid UNION
     SELECT w.uuid, w.cost_microdollars FROM sessions w JOIN below ON w.parent = below.uuid)
   SELECT sum(cost) FROM below) AS workers_microdollars, parent, lineage_kind,
  lineage_session, source_uri, sequence, pid, process_start, captured, failure, ended_at, imported FROM sessions
