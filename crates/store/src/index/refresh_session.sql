UPDATE sessions SET title = ?2, title_derived = ?3, project_path = ?4, git_branch = ?5, model = ?6,
  agent_version = ?7, entrypoint = ?8, lifecycle = ?9, source_uri = ?10, said_started_at = ?11,
  said_microdollars = ?12, parent = ?13, forked_from = ?14, first_record = ?15,
  lineage_kind = coalesce(?16, lineage_kind), lineage_session = coalesce(?17, lineage_session),
  uncopied_since = ?18, pid = ?19, process_start = ?20, imported = ?21
WHERE id = ?1
