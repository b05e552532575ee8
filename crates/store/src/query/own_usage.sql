SELECT usage.key, at, model, input_tokens, output_tokens, cache_read_tokens,
  cache_write_tokens, reasoning_tokens, cache_write_1h_tokens, cost_microdollars
FROM usage JOIN sources ON sources.id = usage.source
WHERE session = ?1 AND coalesce(at, ?2) >= ?2 AND locator NOT LIKE 'relay:%'
ORDER BY at, usage.key
