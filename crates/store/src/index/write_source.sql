INSERT INTO sources (agent, home, path, key, locator, rank, device, inode, size, modified_ns, beside,
  offset, last_offset, last_length, last_hash, read_whole_next, half_read, present, kept)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)
ON CONFLICT (home, path, key) DO UPDATE SET agent = ?1, locator = ?5, rank = ?6, device = ?7,
  inode = ?8, size = ?9, modified_ns = ?10, beside = ?11, offset = ?12, last_offset = ?13,
  last_length = ?14, last_hash = ?15, read_whole_next = ?16, half_read = ?17,
  present = ?18, kept = ?19
RETURNING id
