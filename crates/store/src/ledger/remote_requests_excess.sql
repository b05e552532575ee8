DELETE FROM remote_requests WHERE device = ?1 AND id IN
  (SELECT id FROM remote_requests WHERE device = ?1
   ORDER BY asked_at DESC, id DESC LIMIT -1 OFFSET ?2)
