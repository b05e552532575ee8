//! How the database of OpenCode and its forks is read.

use taffrail_kit::SqlitePlan;

/// The query of messages with their parts, which are sorted by their ids, because these grow with time.
/// A macro, because a constant cannot be a part of another text.
macro_rules! message_where {
    ($condition:literal) => {
        concat!(
            "SELECT m.*, (SELECT json_group_array(json_object('id', p.id, 'at', p.time_created, ",
            "'data', json(p.data))) FROM (SELECT * FROM part WHERE message_id = m.id ",
            "AND json_valid(data) ORDER BY id) p) AS parts, 'message' AS taffrail_table, ",
            "m.rowid AS taffrail_rowid FROM message m WHERE ",
            $condition
        )
    };
}
pub(crate) use message_where;

/// The columns of a session that are read; a macro for the same reason.
macro_rules! session {
    () => {
        "s.id, s.parent_id, s.directory, s.title, s.version, s.time_created, \
         'session' AS taffrail_table, s.rowid AS taffrail_rowid"
    };
}

/// Reads the sessions.
pub(crate) const PLAN: SqlitePlan = SqlitePlan {
    sessions: concat!(
        "SELECT ",
        session!(),
        ", s.id AS taffrail_key, s.time_updated || ' ' || (SELECT count(*) || ' ' \
         || coalesce(max(m.time_updated), 0) FROM message m WHERE m.session_id = s.id) || ' ' \
         || (SELECT count(*) || ' ' || coalesce(max(p.time_updated), 0) FROM part p \
         WHERE p.session_id = s.id) AS taffrail_version \
         FROM session s ORDER BY s.time_updated DESC, s.id DESC"
    ),
    rows: message_where!("m.session_id = ?1 ORDER BY m.time_created, m.id"),
    row: &[
        ("session", concat!("SELECT ", session!(), " FROM session s WHERE s.rowid = ?1")),
        ("message", message_where!("m.rowid = ?1")),
    ],
};
