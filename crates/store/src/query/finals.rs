//! What sessions were about, once they are over.
//!
//! Derived from their events, so a rebuild drops it and it is made again. It counts as long as
//! nothing in the session changed since: a session that goes on has none until it is over again.
//! Writing it needs no batch, because search does not read it.

use super::IndexReader;
use crate::db::StoreError;
use crate::db::codec::signed;
use crate::db::rows::SessionRow;
use rusqlite::{OptionalExtension, params};
use taffrail_model::Timestamp;
use taffrail_model::summary::Final;

/// The most sessions that are looked at for one that lacks its final summary.
const WINDOW: i64 = 256;

/// As a condition on sessions.
pub(crate) const OF_TOPIC: &str = "id IN (SELECT t.session FROM topics t \
    JOIN finals f ON f.session = t.session JOIN sessions s ON s.id = f.session \
    WHERE t.topic = ? AND f.sequence = s.sequence)";
pub(crate) const OF_CATEGORY: &str = "id IN (SELECT f.session FROM finals f \
    JOIN sessions s ON s.id = f.session WHERE f.category = ? AND f.sequence = s.sequence)";
const LACKING: &str = "NOT EXISTS (SELECT 1 FROM finals f \
    WHERE f.session = sessions.id AND f.sequence = sessions.sequence)";

impl IndexReader {
    /// What a session was about, if that was kept and nothing changed since.
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
        // One that cannot be read is as good as none, because it can be made again.
        Ok(told.and_then(|it| serde_json::from_str(&it).ok()))
    }

    /// Sessions below a row that lack a final summary, and the row to go on below; `None` when
    /// there are no more. A bounded number of sessions is looked at, however many there are.
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

    /// Some session that did not move since lacks a final summary.
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

    /// Nothing is walked through that is not asked for.
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
