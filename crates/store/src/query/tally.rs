//! Totals by agent, by project, by model and by day.

use super::IndexReader;
use super::filter::{Filter, conditions};
use crate::db::codec::micros;
use crate::db::{Columns, StoreError, TOKEN_SUMS};
use crate::index::QUARTER;
use rusqlite::ToSql;
use std::collections::BTreeMap;
use taffrail_model::{Ahead, Timestamp, Tokens};

/// The total of several sessions; `None` where a value cannot be known for this key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TallyRow {
    /// The key that they share, if known.
    pub key: Option<String>,
    /// How many sessions, including sub-agents.
    pub sessions: u64,
    /// How many of these are sub-agents.
    pub workers: u64,
    /// Turns.
    pub turns: Option<u64>,
    /// Prompts.
    pub prompts: Option<u64>,
    /// Tool calls.
    pub tool_calls: Option<u64>,
    /// The tokens spent, each answer counted once.
    pub tokens: Tokens,
    /// The sum of the known costs.
    pub cost_microdollars: Option<i64>,
    /// From the first to the last event of each session, in milliseconds, added up. Sub-agents work
    /// in the time of their session.
    pub duration_ms: Option<u64>,
}

/// How to group sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping {
    /// All of them together.
    Nothing,
    /// Their agent.
    Agent,
    /// Their project folder.
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

/// How many of the sessions are sub-agents.
const WORKERS: &str = "count(DISTINCT CASE WHEN session IN \
  (SELECT id FROM sessions WHERE parent IS NOT NULL) THEN session END) AS workers";

impl IndexReader {
    /// Totals of sessions, each counted whole.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn tally(&self, filter: &Filter, by: Grouping) -> Result<Vec<TallyRow>, StoreError> {
        let (clause, values) = conditions(filter);
        let query = format!(
            "SELECT {} AS key, count(*) AS sessions, {TOKEN_SUMS}, sum(turns) AS turns, \
             sum(prompts) AS prompts, sum(tool_calls) AS tool_calls, \
             sum(cost_microdollars) AS cost_microdollars, \
             coalesce(sum(parent IS NOT NULL), 0) AS workers, \
             sum(iif(parent IS NULL, last_at - first_at, NULL)) / 1000 AS duration_ms \
             FROM sessions WHERE {clause} GROUP BY 1",
            by.column()
        );
        self.tally_rows(&query, &values, |row| {
            let spent = spent(row)?;
            Ok(TallyRow {
                turns: Some(row.count("turns")?),
                prompts: Some(row.count("prompts")?),
                tool_calls: Some(row.count("tool_calls")?),
                cost_microdollars: row.get("cost_microdollars")?,
                workers: row.count("workers")?,
                duration_ms: row
                    .get::<Option<i64>>("duration_ms")?
                    .and_then(|it| it.try_into().ok()),
                ..spent
            })
        })
    }

    /// Tokens and cost by model: nothing else is known by model.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn tally_models(&self, filter: &Filter) -> Result<Vec<TallyRow>, StoreError> {
        let (clause, values) = conditions(filter);
        let query = format!(
            "SELECT model AS key, count(DISTINCT session) AS sessions, {TOKEN_SUMS}, \
             sum(cost_microdollars) AS cost_microdollars, {WORKERS} FROM spent \
             WHERE session IN (SELECT id FROM sessions WHERE {clause}) GROUP BY 1"
        );
        self.tally_rows(&query, &values, |row| {
            let spent = spent(row)?;
            let cost_microdollars = row.get("cost_microdollars")?;
            Ok(TallyRow { cost_microdollars, workers: row.count("workers")?, ..spent })
        })
    }

    /// Totals of each day by a local clock, from the filter's instant on.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn tally_days(&self, filter: &Filter, ahead: &Ahead) -> Result<Vec<TallyRow>, StoreError> {
        let mut days: BTreeMap<Option<String>, TallyRow> = BTreeMap::new();
        for row in self.events_by_day(filter, ahead)? {
            days.insert(row.key.clone(), row);
        }
        for row in self.spent_by_day(filter, ahead)? {
            let TallyRow { tokens, cost_microdollars, .. } = row;
            let day = days.entry(row.key.clone()).or_insert(row);
            (day.tokens, day.cost_microdollars) = (tokens, cost_microdollars);
        }
        Ok(days.into_values().collect())
    }

    fn events_by_day(&self, filter: &Filter, ahead: &Ahead) -> Result<Vec<TallyRow>, StoreError> {
        let (clause, values) = conditions(filter);
        let query = format!(
            "SELECT date(day * 86400, 'unixepoch') AS key, count(*) AS sessions, \
             sum(turns) AS turns, sum(prompts) AS prompts, sum(calls) AS tool_calls, \
             {WORKERS} FROM (SELECT session, {day} AS day, sum(turns) AS turns, \
                   sum(prompts) AS prompts, sum(tool_calls) AS calls FROM ({acts}) \
                   WHERE session IN (SELECT id FROM sessions WHERE {clause}) \
                   GROUP BY session, day) GROUP BY day",
            day = day_of(ahead),
            acts = acts(filter),
        );
        self.tally_rows(&query, &values, |row| {
            Ok(TallyRow {
                key: row.get("key")?,
                sessions: row.count("sessions")?,
                turns: Some(row.count("turns")?),
                prompts: Some(row.count("prompts")?),
                tool_calls: Some(row.count("tool_calls")?),
                workers: row.count("workers")?,
                ..TallyRow::default()
            })
        })
    }

    /// Usage without a time belongs to no day.
    fn spent_by_day(&self, filter: &Filter, ahead: &Ahead) -> Result<Vec<TallyRow>, StoreError> {
        let (clause, values) = conditions(filter);
        let query = format!(
            "SELECT date({day} * 86400, 'unixepoch') AS key, \
             count(DISTINCT session) AS sessions, {TOKEN_SUMS}, \
             sum(cost_microdollars) AS cost_microdollars, {WORKERS} FROM ({spending}) \
             WHERE session IN (SELECT id FROM sessions WHERE {clause}) GROUP BY 1",
            day = day_of(ahead),
            spending = spending(filter),
        );
        let none = TallyRow { turns: Some(0), prompts: Some(0), ..TallyRow::default() };
        self.tally_rows(&query, &values, |row| {
            let TallyRow { key, sessions, tokens, .. } = spent(row)?;
            let cost_microdollars = row.get("cost_microdollars")?;
            let (workers, tool_calls) = (row.count("workers")?, Some(0));
            Ok(TallyRow {
                key,
                sessions,
                workers,
                tokens,
                cost_microdollars,
                tool_calls,
                ..none.clone()
            })
        })
    }

    fn tally_rows(
        &self,
        query: &str,
        values: &[Box<dyn ToSql>],
        read: impl Fn(&Columns<'_, '_>) -> rusqlite::Result<TallyRow>,
    ) -> Result<Vec<TallyRow>, StoreError> {
        let mut statement = self.connection().prepare(query)?;
        let values: Vec<&dyn ToSql> = values.iter().map(AsRef::as_ref).collect();
        let rows = statement.query_map(values.as_slice(), |row| read(&Columns::of(row)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// A key, a number of sessions, and tokens.
fn spent(row: &Columns<'_, '_>) -> rusqlite::Result<TallyRow> {
    let (key, sessions, tokens) = (row.get("key")?, row.count("sessions")?, row.tokens()?);
    Ok(TallyRow { key, sessions, tokens, ..TallyRow::default() })
}

/// The sums of events from the filter's instant on; its own quarter is counted event by event.
fn acts(filter: &Filter) -> String {
    let Some(since) = filter.since.map(micros) else { return "SELECT * FROM acts".to_owned() };
    let quarter = since.div_euclid(QUARTER);
    format!(
        "SELECT session, quarter, turns, prompts, tool_calls FROM acts WHERE quarter > {quarter} \
         UNION ALL SELECT session, {quarter}, marks & 1, kind = 'user.prompt', kind = 'tool.call' \
         FROM events WHERE removed = 0 AND at >= {since} AND at < {end} \
         AND session IN (SELECT session FROM acts WHERE quarter = {quarter})",
        end = quarter.saturating_add(1).saturating_mul(QUARTER),
    )
}

/// The sums of answers from the filter's instant on; answers in its own quarter are read one by
/// one. Those without a time count always.
pub(super) fn spending(filter: &Filter) -> String {
    let Some(since) = filter.since.map(micros) else { return "SELECT * FROM spent".to_owned() };
    let quarter = since.div_euclid(QUARTER);
    format!(
        "SELECT * FROM spent WHERE quarter IS NULL OR quarter > {quarter} \
         UNION ALL SELECT session, {quarter}, model, 1, \
         cost_microdollars IS NULL AND estimated_microdollars IS NULL, \
         input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, \
         coalesce(cost_microdollars, estimated_microdollars), cost_microdollars, \
         estimated_microdollars FROM usage WHERE owned = 1 AND at >= {since} AND at < {end} \
         AND session IN (SELECT session FROM spent WHERE quarter = {quarter})",
        end = quarter.saturating_add(1).saturating_mul(QUARTER),
    )
}

/// The day number of a quarter, as SQL: uses the UTC offset at its beginning.
pub(super) fn day_of(ahead: &Ahead) -> String {
    let before = ahead.before.iter();
    let whens: String = before
        .map(|(until, seconds)| format!(" WHEN quarter < {} THEN {seconds}", quarter_of(*until)))
        .collect();
    let since = ahead.since;
    let shift =
        if whens.is_empty() { since.to_string() } else { format!("CASE{whens} ELSE {since} END") };
    // Rounds down before 1970, too.
    format!("((quarter * 900 + {shift} + 86400 * 1000000) / 86400 - 1000000)")
}

fn quarter_of(at: Timestamp) -> i64 {
    at.as_microsecond().div_euclid(QUARTER)
}
