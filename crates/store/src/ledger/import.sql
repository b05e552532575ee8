INSERT INTO carried (session_id, device, device_name, at, bundle, project_path, body)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT (session_id) DO UPDATE SET device = excluded.device,
  device_name = excluded.device_name, at = excluded.at, bundle = excluded.bundle,
  project_path = excluded.project_path, body = excluded.body
