UPDATE sessions SET sequence = ?2, turns = ?3, prompts = ?4, tool_calls = ?5,
  first_at = ?6, last_at = ?7, input_tokens = ?8, output_tokens = ?9,
  cache_read_tokens = ?10, cache_write_tokens = ?11, reasoning_tokens = ?12,
  last_batch = ?13, failures = ?14
WHERE id = ?1
