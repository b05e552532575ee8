//! Final summaries of sessions.
//!
//! They are derived from events, so a rebuild drops them and they are made again. A summary is
//! valid until the session changes: a session that continues has none until it is over again.
//! Writing one needs no batch, because search does not read it.

use super::IndexReader;
use crate::db::StoreError;
use crate::db::codec::signed;
use crate::db::rows::SessionRow;
use rusqlite::{OptionalExtension, params};
use taffrail_model::Timestamp;
use taffrail_model::summary::Final;

/// The most sessions examined in one step of the search for missing summaries.
const WINDOW: i64 = 256;

/// A condition on sessions.
pub(crate) const OF_TOPIC: &str = "id IN (SELECT t.session FROM topics t \
    JOIN finals f ON f.session = t.session JOIN sessions s ON s.id = f.session \
    WHERE t.topic = ? AND f.sequence = s.sequence)";
pub(crate) const OF_CATEGORY: &str = "id IN (SELECT f.session FROM finals f \
    JOIN sessions s ON s.id = f.session WHERE f.category = ? AND f.sequence = s.sequence)";
/// What a session did and was last asked. What it does at its end is the same for all.
pub(crate) const OF_SUMMARY: &str = "id IN (SELECT f.session FROM finals f \
    JOIN sessions s ON s.id = f.session WHERE f.sequence = s.sequence AND \
    (f.told ->> '$.summary.recent') || char(10) || (f.told ->> '$.summary.last_prompt') \
    LIKE ? ESCAPE '\\')";
const LACKING: &str = "NOT EXISTS (SELECT 1 FROM finals f \
    WHERE f.session = sessions.id AND f.sequence = sessions.sequence)";

/// The pattern of texts that contain a text, whatever the case of its ASCII letters.
pub(crate) fn containing(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    format!("%{escaped}%")
}

impl IndexReader {
    /// The final summary of a session, if it is stored and still valid.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn final_of(&self, session: &SessionRow) -> Result<Option<Final>, StoreError> {
        let query = "SELECT told FROM finals WHERE session = ?1 AND sequence = ?2";
        let told: Option<String> = self
            .connection
            .prepare_cached(query)?
            .query_row(params![session.row, signed(session.sequence)], |row| row.get(0))
            .optional()?;
        // An unreadable summary counts as missing, because it can be made again.
        Ok(told.and_then(|it| serde_json::from_str(&it).ok()))
    }

    /// Sessions below a row that lack a final summary, and the row to continue below; `None` when
    /// there are no more. Each call examines a bounded number of sessions.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn lacking_final(&self, below: i64) -> Result<Option<(Vec<SessionRow>, i64)>, StoreError> {
        let query = "SELECT max(id) FROM sessions WHERE id < ?1";
        let last: Option<i64> = self.connection.query_row(query, [below], |row| row.get(0))?;
        let Some(last) = last else { return Ok(None) };
        let first = last.saturating_sub(WINDOW - 1);
        let clause = format!("id BETWEEN ?1 AND ?2 AND {LACKING}");
        Ok(Some((self.sessions_where(&clause, &[&first, &last])?, first)))
    }

    /// Whether a session without changes since an instant lacks a final summary.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn lacks_finals(&self, since: Timestamp) -> Result<bool, StoreError> {
        let query = format!(
            "SELECT EXISTS (SELECT 1 FROM sessions WHERE last_at < ?1 AND pid IS NULL AND {LACKING})"
        );
        Ok(self.connection.query_row(&query, [since.as_microsecond()], |row| row.get(0))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::schema::INDEX;
    use rusqlite::Connection;

    /// No query scans all sessions.
    #[test]
    fn no_question_walks_through_all_sessions() {
        let index = Connection::open_in_memory().unwrap();
        index.execute_batch(INDEX).unwrap();
        let check = |query: &str| {
            let query = format!("EXPLAIN QUERY PLAN {query}");
            let mut statement = index.prepare(&query).unwrap();
            let steps = statement.query_map([], |row| row.get::<_, String>(3)).unwrap();
            let steps: Vec<_> = steps.collect::<Result<_, _>>().unwrap();
            assert!(!steps.iter().any(|it| it.starts_with("SCAN")), "{query}: {steps:?}");
        };
        check(&format!(
            "SELECT * FROM sessions WHERE id BETWEEN 1 AND 9 AND {LACKING} ORDER BY id"
        ));
        check("SELECT max(id) FROM sessions WHERE id < 9");
        check(&format!("SELECT * FROM sessions WHERE {}", OF_TOPIC.replace('?', "'x'")));
        check("SELECT told FROM finals WHERE session = 1 AND sequence = 2");
    }
}
