//! Totals by agent, by project, by model and by day.

use super::IndexReader;
use super::costs::Group;
use super::filter::{Filter, conditions};
use crate::db::codec::{count, micros};
use crate::db::{Columns, StoreError, TOKEN_SUMS};
use crate::index::QUARTER;
use rusqlite::ToSql;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use taffrail_model::answer::Answer;
use taffrail_model::{Ahead, Timestamp, Tokens, hash};

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
    /// The part of it that agents reported.
    pub reported_microdollars: Option<i64>,
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
             sum(reported_microdollars) AS reported_microdollars, \
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
                reported_microdollars: row.get("reported_microdollars")?,
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
        let workers = self.workers()?;
        let groups = self.groups(filter, "SELECT * FROM spent", "NULL, model")?.into_iter();
        Ok(groups.map(|((_, model), group)| spending_of(model, &group, &workers)).collect())
    }

    /// The sub-agents.
    fn workers(&self) -> Result<HashSet<i64>, StoreError> {
        let query = "SELECT id FROM sessions WHERE parent IS NOT NULL";
        let mut statement = self.connection().prepare_cached(query)?;
        let rows = statement.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Totals of each day by a local clock, from the filter's instant on.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn tally_days(&self, filter: &Filter, ahead: &Ahead) -> Result<Vec<TallyRow>, StoreError> {
        // A session that went on after the end did something on these days, too.
        let filter = &Filter { until: None, begun_before: filter.until, ..filter.clone() };
        let (spending, grain) = (self.spending(filter)?, format!("{}, NULL", day_of(ahead)));
        let groups = self.groups(filter, &spending, &grain)?.into_iter();
        self.days(filter, ahead, groups.map(|((day, _), group)| (day, group)).collect())
    }

    /// Tokens and cost by model, and totals of each day, as `tally_models` and `tally_days` give them.
    /// The sums are read once where the filter has no period.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn tally_models_and_days(
        &self,
        filter: &Filter,
        ahead: &Ahead,
    ) -> Result<(Vec<TallyRow>, Vec<TallyRow>), StoreError> {
        if filter.since.is_some() || filter.until.is_some() {
            return Ok((self.tally_models(filter)?, self.tally_days(filter, ahead)?));
        }
        let (mut models, mut days) = (BTreeMap::new(), BTreeMap::new());
        let grain = format!("{}, model", day_of(ahead));
        for ((day, model), group) in self.groups(filter, "SELECT * FROM spent", &grain)? {
            models.entry(model).or_insert_with(Group::default).add(&group);
            days.entry(day).or_insert_with(Group::default).add(&group);
        }
        let workers = self.workers()?;
        let models = models.into_iter().map(|(model, group)| spending_of(model, &group, &workers));
        Ok((models.collect(), self.days(filter, ahead, days)?))
    }

    /// What happened on each day, and what was spent on it.
    fn days(
        &self,
        filter: &Filter,
        ahead: &Ahead,
        spent: BTreeMap<Option<i64>, Group>,
    ) -> Result<Vec<TallyRow>, StoreError> {
        let workers = self.workers()?;
        let mut days = self.events_by_day(filter, ahead, &workers)?;
        let zero = Some(0);
        for (day, group) in spent {
            let spent = spending_of(None, &group, &workers);
            let none = TallyRow { turns: zero, prompts: zero, tool_calls: zero, ..spent.clone() };
            let day = days.entry(day).or_insert(none);
            (day.tokens, day.cost_microdollars) = (spent.tokens, spent.cost_microdollars);
            day.reported_microdollars = spent.reported_microdollars;
        }
        let mut date = self.connection().prepare("SELECT date(?1 * 86400, 'unixepoch')")?;
        let named = days.into_iter().map(|(day, row)| {
            Ok(TallyRow { key: date.query_row([day], |row| row.get(0))?, ..row })
        });
        named.collect()
    }

    /// What happened on each day.
    fn events_by_day(
        &self,
        filter: &Filter,
        ahead: &Ahead,
        workers: &HashSet<i64>,
    ) -> Result<BTreeMap<Option<i64>, TallyRow>, StoreError> {
        let (clause, values) = conditions(filter);
        let query = format!(
            "SELECT {day}, session, turns, prompts, tool_calls FROM ({acts}) \
             WHERE {before} AND session IN (SELECT id FROM sessions WHERE {clause})",
            day = day_of(ahead),
            acts = acts(filter),
            before = before(filter),
        );
        let mut statement = self.connection().prepare(&query)?;
        let values: Vec<&dyn ToSql> = values.iter().map(AsRef::as_ref).collect();
        let mut rows = statement.query(values.as_slice())?;
        let mut days: BTreeMap<Option<i64>, ([u64; 3], HashSet<i64>)> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let (counts, sessions) = days.entry(row.get(0)?).or_default();
            sessions.insert(row.get(1)?);
            for (sum, column) in counts.iter_mut().zip(2..) {
                *sum += count(row, column)?;
            }
        }
        let of_day = |([turns, prompts, calls], sessions): ([u64; 3], HashSet<i64>)| TallyRow {
            sessions: sessions.len() as u64,
            workers: sessions.intersection(workers).count() as u64,
            turns: Some(turns),
            prompts: Some(prompts),
            tool_calls: Some(calls),
            ..TallyRow::default()
        };
        Ok(days.into_iter().map(|(day, it)| (day, of_day(it))).collect())
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

/// What was spent under a key.
fn spending_of(key: Option<String>, group: &Group, workers: &HashSet<i64>) -> TallyRow {
    TallyRow {
        key,
        sessions: group.sessions.len() as u64,
        workers: group.sessions.intersection(workers).count() as u64,
        tokens: group.row.tokens,
        cost_microdollars: group.row.cost_microdollars,
        reported_microdollars: group.row.cost.reported_microdollars,
        ..TallyRow::default()
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

/// The quarters before the end of a filter, as SQL; the quarter of the end counts whole.
pub(super) fn before(filter: &Filter) -> String {
    let quarter = |end: Timestamp| (micros(end) - 1).div_euclid(QUARTER);
    filter
        .begun_before
        .map_or("1".to_owned(), |end| format!("(quarter IS NULL OR quarter <= {})", quarter(end)))
}

/// The sessions whose agent reported the cost of all answers together: it is divided among them.
const DIVIDED: &str = "SELECT id FROM sessions WHERE said_microdollars = reported_microdollars";

impl IndexReader {
    /// The sums of answers from the filter's instant on; answers in its own quarter are read one by
    /// one. Those without a time count always.
    pub(super) fn spending(&self, filter: &Filter) -> Result<String, StoreError> {
        let Some(since) = filter.since.map(micros) else {
            return Ok("SELECT * FROM spent".to_owned());
        };
        let quarter = since.div_euclid(QUARTER);
        let end = quarter.saturating_add(1).saturating_mul(QUARTER);
        Ok(format!(
            "SELECT * FROM spent WHERE quarter IS NULL OR quarter > {quarter} \
             UNION ALL SELECT session, {quarter}, model, 1, \
             cost_microdollars IS NULL AND estimated_microdollars IS NULL, \
             input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, \
             coalesce(cost_microdollars, estimated_microdollars), cost_microdollars, \
             estimated_microdollars FROM usage WHERE owned = 1 AND at >= {since} AND at < {end} \
             AND session IN (SELECT session FROM spent WHERE quarter = {quarter}) \
             AND session NOT IN ({DIVIDED}){divided}",
            divided = self.divided(quarter, since..end)?,
        ))
    }

    /// The answers of a part of a quarter whose cost is a part of a report, as SQL.
    fn divided(&self, quarter: i64, part: Range<i64>) -> Result<String, StoreError> {
        let query = format!(
            "SELECT DISTINCT session FROM spent WHERE quarter = ?1 AND session IN ({DIVIDED})"
        );
        let mut statement = self.connection().prepare_cached(&query)?;
        let sessions = statement.query_map([quarter], |row| row.get::<_, i64>(0))?;
        let mut rows = Vec::new();
        for session in sessions.collect::<Result<Vec<_>, _>>()? {
            let answers = self.answers(session)?.into_iter();
            let within = answers.filter(|it| it.at.is_some_and(|at| part.contains(&micros(at))));
            rows.extend(within.map(|it| format!("({session}, {quarter}, {})", literals(&it))));
        }
        Ok(if rows.is_empty() {
            String::new()
        } else {
            format!(" UNION ALL VALUES {}", rows.join(", "))
        })
    }
}

/// The columns of `spent` after the quarter, for one answer.
fn literals(answer: &Answer) -> String {
    let amount = |it: Option<i64>| it.map_or("NULL".to_owned(), |it| it.to_string());
    // As bytes, because a name in a transcript may hold anything.
    let text = |it: &String| format!("CAST(x'{}' AS TEXT)", hash::to_hex(it.as_bytes()));
    let model = answer.model.as_ref().map(text);
    let Tokens { input, output, cache_read, cache_write, reasoning } = answer.tokens;
    let cost = amount(answer.cost_microdollars);
    format!(
        "{}, 1, 0, {input}, {output}, {cache_read}, {cache_write}, {reasoning}, {cost}, {cost}, {}",
        model.as_deref().unwrap_or("NULL"),
        amount(answer.estimated_microdollars),
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
