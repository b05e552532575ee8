WITH RECURSIVE kin (id) AS (
  SELECT ?1 UNION
  SELECT other.id FROM kin JOIN sessions me ON me.id = kin.id
    JOIN sessions other ON other.first_record = me.first_record UNION
  SELECT other.id FROM kin JOIN sessions me ON me.id = kin.id
    JOIN sessions other ON other.uuid = me.forked_from UNION
  SELECT other.id FROM kin JOIN sessions me ON me.id = kin.id
    JOIN sessions other ON other.forked_from = me.uuid)
SELECT sessions.id, uuid, first_record IS NOT NULL FROM sessions JOIN kin USING (id)
