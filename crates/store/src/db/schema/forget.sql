DELETE FROM bindings WHERE session_id IN (SELECT session_id FROM tombstones);
DELETE FROM approvals WHERE session_id IN (SELECT session_id FROM tombstones);
DELETE FROM remote_decisions WHERE session_id IN (SELECT session_id FROM tombstones);
DELETE FROM messages WHERE session_id IN (SELECT session_id FROM tombstones);
DELETE FROM operations WHERE session_id IN (SELECT session_id FROM tombstones);
DELETE FROM carried WHERE session_id IN (SELECT session_id FROM tombstones);
DELETE FROM tags WHERE session_id IN (SELECT session_id FROM tombstones);
DELETE FROM marks WHERE session_id IN (SELECT session_id FROM tombstones);
DELETE FROM told WHERE session_id IN (SELECT session_id FROM tombstones);
DELETE FROM share_marks WHERE stream IN
  (SELECT stream FROM shares WHERE session_id IN (SELECT session_id FROM tombstones));
UPDATE shares SET state = 1 WHERE state = 0 AND session_id IN (SELECT session_id FROM tombstones);
DELETE FROM notes WHERE session_id IN (SELECT session_id FROM tombstones);
DELETE FROM exchange_notes WHERE name IN
  (SELECT 'pushed/' || lower(hex(session_id)) FROM tombstones);
DELETE FROM snapshots WHERE replace(session, '-', '') IN
  (SELECT lower(hex(session_id)) FROM tombstones);
DELETE FROM snapshot_history WHERE replace(session, '-', '') IN
  (SELECT lower(hex(session_id)) FROM tombstones);
