DELETE FROM remote_settlements WHERE device = ?1 AND number IN
  (SELECT number FROM remote_settlements WHERE device = ?1
   ORDER BY number DESC LIMIT -1 OFFSET ?2)
