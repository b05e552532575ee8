//! Counting what is known, by agent, by project, by model and by day.

use crate::codec::{count, micros};
use crate::reader::{Filter, IndexReader, conditions};
use crate::sessions::tokens;
use crate::{StoreError, rows::TallyRow};
use rusqlite::{Row, ToSql};
use std::collections::BTreeMap;

/// What sessions are counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping {
    /// All of them together.
    Nothing,
    /// Their agent.
    Agent,
    /// The folder they work in.
    Project,
}

impl Grouping {
    fn column(self) -> &'static str {
        match self {
            Self::Nothing => "NULL",
            Self::Agent => "agent",
            Self::Project => "project_path",
        }
    }
}

const SPENT: &str = "coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0), \
  coalesce(sum(cache_read_tokens), 0), coalesce(sum(cache_write_tokens), 0), \
  coalesce(sum(reasoning_tokens), 0)";

/// A day in microseconds.
const DAY: &str = "86400000000";

impl IndexReader {
    /// What sessions come to, each counted whole.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn tally(&self, filter: &Filter, by: Grouping) -> Result<Vec<TallyRow>, StoreError> {
        let (clause, values) = conditions(filter);
        let query = format!(
            "SELECT {}, count(*), {SPENT}, sum(turns), sum(prompts), sum(tool_calls), \
             sum(cost_microdollars) FROM sessions WHERE {clause} GROUP BY 1",
            by.column()
        );
        self.tally_rows(&query, &values, |row| {
            Ok(TallyRow {
                turns: Some(count(row, 7)?),
                prompts: Some(count(row, 8)?),
                tool_calls: Some(count(row, 9)?),
                cost_microdollars: row.get(10)?,
                ..spent(row)?
            })
        })
    }

    /// What sessions spent, by model: nothing else is known by model.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn tally_models(&self, filter: &Filter) -> Result<Vec<TallyRow>, StoreError> {
        let (clause, values) = conditions(filter);
        let query = format!(
            "SELECT model, count(DISTINCT session), {SPENT} FROM usage \
             WHERE owned = 1 AND session IN (SELECT id FROM sessions WHERE {clause}) GROUP BY 1"
        );
        self.tally_rows(&query, &values, spent)
    }

    /// What happened each day in UTC, from the filter's instant on.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn tally_days(&self, filter: &Filter) -> Result<Vec<TallyRow>, StoreError> {
        let mut days: BTreeMap<Option<String>, TallyRow> = BTreeMap::new();
        for row in self.events_by_day(filter)? {
            days.insert(row.key.clone(), row);
        }
        for row in self.usage_by_day(filter)? {
            let tokens = row.tokens;
            days.entry(row.key.clone()).or_insert(row).tokens = tokens;
        }
        Ok(days.into_values().collect())
    }

    fn events_by_day(&self, filter: &Filter) -> Result<Vec<TallyRow>, StoreError> {
        let (clause, values) = conditions(filter);
        let query = format!(
            "SELECT date(day * 86400, 'unixepoch'), count(*), sum(turns), sum(prompts), sum(calls) \
             FROM (SELECT at / {DAY} AS day, sum(marks & 1) AS turns, \
                   sum(kind = 'user.prompt') AS prompts, sum(kind = 'tool.call') AS calls \
                   FROM events WHERE removed = 0 AND at >= {} \
                   AND session IN (SELECT id FROM sessions WHERE {clause}) \
                   GROUP BY session, day) GROUP BY day",
            earliest(filter)
        );
        self.tally_rows(&query, &values, |row| {
            Ok(TallyRow {
                key: row.get(0)?,
                sessions: count(row, 1)?,
                turns: Some(count(row, 2)?),
                prompts: Some(count(row, 3)?),
                tool_calls: Some(count(row, 4)?),
                ..TallyRow::default()
            })
        })
    }

    /// What has no time is kept under no day.
    fn usage_by_day(&self, filter: &Filter) -> Result<Vec<TallyRow>, StoreError> {
        let (clause, values) = conditions(filter);
        let query = format!(
            "SELECT date(at / {DAY} * 86400, 'unixepoch'), count(DISTINCT session), {SPENT} \
             FROM usage WHERE owned = 1 AND coalesce(at >= {}, 1) \
             AND session IN (SELECT id FROM sessions WHERE {clause}) GROUP BY at / {DAY}",
            earliest(filter)
        );
        let none = TallyRow { turns: Some(0), prompts: Some(0), ..TallyRow::default() };
        self.tally_rows(&query, &values, |row| {
            let TallyRow { key, sessions, tokens, .. } = spent(row)?;
            Ok(TallyRow { key, sessions, tokens, tool_calls: Some(0), ..none.clone() })
        })
    }

    fn tally_rows(
        &self,
        query: &str,
        values: &[Box<dyn ToSql>],
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<TallyRow>,
    ) -> Result<Vec<TallyRow>, StoreError> {
        let mut statement = self.connection().prepare(query)?;
        let values: Vec<&dyn ToSql> = values.iter().map(AsRef::as_ref).collect();
        let rows = statement.query_map(values.as_slice(), read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// A key, a number of sessions, and tokens.
fn spent(row: &Row<'_>) -> rusqlite::Result<TallyRow> {
    let (key, sessions, tokens) = (row.get(0)?, count(row, 1)?, tokens(row, 2)?);
    Ok(TallyRow { key, sessions, tokens, ..TallyRow::default() })
}

fn earliest(filter: &Filter) -> i64 {
    filter.since.map_or(-i64::MAX, micros)
}
