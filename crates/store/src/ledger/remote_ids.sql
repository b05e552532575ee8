SELECT device, id FROM remote_requests WHERE substr(id, 1, length(?1)) = ?1
UNION
SELECT device, id FROM remote_settlements WHERE substr(id, 1, length(?1)) = ?1
ORDER BY device, id
