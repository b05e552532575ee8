INSERT INTO acts SELECT session, (at - (((at % 900000000) + 900000000) % 900000000)) / 900000000,
  sum(marks & 1), sum(kind = 'user.prompt'), sum(kind = 'tool.call')
FROM events WHERE session = ?1 AND removed = 0 GROUP BY 2
