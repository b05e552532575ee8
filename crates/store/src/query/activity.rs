//! When sessions were active, without their content.

use super::IndexReader;
use super::filter::{Filter, conditions};
use crate::db::StoreError;
use rusqlite::{Row, ToSql, params};
use std::collections::HashSet;
use taffrail_model::observed::Marks;
use taffrail_model::spans::Moment;
use taffrail_model::{Kind, Signal, Timestamp};

/// An hour of the week, from Sunday midnight, and the tokens spent in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HourRow {
    /// From 0 to 167.
    pub hour: u32,
    /// Tokens.
    pub tokens: u64,
}

/// Seconds from the start of the week, a Sunday, to the Unix epoch, a Thursday.
const THURSDAY: i64 = 4 * 86_400;

impl IndexReader {
    /// The times of a session's live events between two instants, in order.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn moments(
        &self,
        session: i64,
        (since, until): (Timestamp, Timestamp),
    ) -> Result<Vec<Moment>, StoreError> {
        let query = "SELECT kind, at, marks, id, parent, signal FROM events \
            WHERE session = ?1 AND removed = 0 AND at BETWEEN ?2 AND ?3 ORDER BY at, sequence";
        let mut statement = self.connection().prepare_cached(query)?;
        let values = params![session, since.as_microsecond(), until.as_microsecond()];
        let mut rows = statement.query(values)?;
        let (mut out, mut questions) = (Vec::new(), HashSet::new());
        while let Some(row) = rows.next()? {
            let kind: Kind = row.get_ref(0)?.as_str().map_or_else(|_| "".into(), Kind::from);
            let is_question = match kind {
                Kind::ToolCall if asks(row)? => questions.insert(row.get::<_, [u8; 16]>(3)?),
                Kind::ToolResult if !questions.is_empty() => {
                    row.get::<_, Option<[u8; 16]>>(4)?.is_some_and(|it| questions.contains(&it))
                }
                _ => false,
            };
            let marks = Marks::from_bits(row.get(2)?);
            // An event without a valid time is not activity.
            if let Ok(at) = Timestamp::from_microsecond(row.get(1)?) {
                out.push(Moment { kind, marks, at, is_question });
            }
        }
        Ok(out)
    }

    /// The tokens spent in each hour of the week, for a clock that is `ahead` minutes ahead of UTC.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn tally_hours(&self, filter: &Filter, ahead: i64) -> Result<Vec<HourRow>, StoreError> {
        let (clause, values) = conditions(filter);
        let since = filter.since.map_or(-i64::MAX, Timestamp::as_microsecond);
        let shift = ahead * 60 + THURSDAY;
        let query = format!(
            "SELECT ((at / 1000000 + {shift}) / 3600) % 168 AS hour, \
             sum(input_tokens + output_tokens + cache_read_tokens + cache_write_tokens) \
             FROM usage WHERE owned = 1 AND at >= {since} \
             AND session IN (SELECT id FROM sessions WHERE {clause}) GROUP BY hour ORDER BY hour"
        );
        let mut statement = self.connection().prepare(&query)?;
        let values: Vec<&dyn ToSql> = values.iter().map(AsRef::as_ref).collect();
        let rows = statement.query_map(values.as_slice(), |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
        })?;
        let rows: Vec<(i64, i64)> = rows.collect::<Result<_, _>>()?;
        let row = |(hour, tokens): (i64, i64)| {
            Some(HourRow { hour: hour.try_into().ok()?, tokens: tokens.try_into().ok()? })
        };
        Ok(rows.into_iter().filter_map(row).collect())
    }
}

/// Whether a call puts a question to a person.
fn asks(row: &Row<'_>) -> Result<bool, StoreError> {
    let signal = row.get_ref(5)?.as_str().ok().map(Signal::parse);
    Ok(matches!(signal, Some(Signal::Asked { .. })))
}
