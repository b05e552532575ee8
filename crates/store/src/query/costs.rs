//! What was spent, by time, model, project and so on, from the sums of the index.

use super::IndexReader;
use super::filter::{Filter, conditions};
use super::tally::{before, day_of};
use crate::db::codec::count;
use crate::db::{Columns, StoreError};
use rusqlite::types::Value;
use rusqlite::{Row, ToSql, params};
use std::collections::{BTreeMap, HashSet};
use taffrail_model::answer::Answer;
use taffrail_model::cost::{self, AnswerCost, Cost, plus};
use taffrail_model::{Ahead, SessionId, Tokens};

/// How to group what was spent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpentBy {
    /// All of it together.
    Nothing,
    /// The day by a local clock.
    Day(Ahead),
    /// The week by a local clock, by its Monday.
    Week(Ahead),
    /// The month by a local clock.
    Month(Ahead),
    /// The model.
    Model,
    /// The project folder.
    Project,
    /// The agent.
    Agent,
    /// The branch.
    Branch,
    /// The session.
    Session,
    /// The quarter of an hour since 1970 and the session's row, as `quarter:row`.
    Quarter,
}

impl SpentBy {
    /// What the sums of one key have in common, as a number and a text in SQL.
    fn grain(&self) -> String {
        match self {
            Self::Nothing => "NULL, NULL".to_owned(),
            Self::Day(ahead) | Self::Week(ahead) | Self::Month(ahead) => {
                format!("{}, NULL", day_of(ahead))
            }
            Self::Model => "NULL, model".to_owned(),
            Self::Quarter => "NULL, quarter || ':' || session".to_owned(),
            Self::Project | Self::Agent | Self::Branch | Self::Session => {
                "session, NULL".to_owned()
            }
        }
    }

    /// Asks for the key of a number; `None` if the text is the key.
    fn key(&self) -> Option<&'static str> {
        match self {
            Self::Nothing | Self::Model | Self::Quarter => None,
            Self::Day(_) => Some("SELECT date(?1 * 86400, 'unixepoch')"),
            Self::Week(_) => Some("SELECT date(?1 * 86400, 'unixepoch', 'weekday 0', '-6 days')"),
            Self::Month(_) => Some("SELECT strftime('%Y-%m', ?1 * 86400, 'unixepoch')"),
            Self::Project => Some("SELECT project_path FROM sessions WHERE id = ?1"),
            Self::Agent => Some("SELECT agent FROM sessions WHERE id = ?1"),
            Self::Branch => Some("SELECT git_branch FROM sessions WHERE id = ?1"),
            Self::Session => Some("SELECT uuid FROM sessions WHERE id = ?1"),
        }
    }
}

/// A number and a text that sums have in common.
type Grain = (Option<i64>, Option<String>);

/// What was spent together, and the sessions that spent it.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) row: SpentRow,
    pub(super) sessions: HashSet<i64>,
}

impl Group {
    /// Adds what others spent.
    pub(super) fn add(&mut self, other: &Self) {
        self.row = self.row.plus(&other.row);
        self.sessions.extend(&other.sessions);
    }
}

/// What was spent under one key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpentRow {
    /// The key, if known.
    pub key: Option<String>,
    /// How many sessions, including sub-agents.
    pub sessions: u64,
    /// How many model answers.
    pub answers: u64,
    /// Their tokens.
    pub tokens: Tokens,
    /// Their cost; `None` if nothing is known.
    pub cost_microdollars: Option<i64>,
    /// Their cost by source.
    pub cost: Cost,
}

impl SpentRow {
    /// The sum of both, under the key of the first.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let (one, two) = (self.cost, other.cost);
        Self {
            key: self.key.clone(),
            sessions: self.sessions + other.sessions,
            answers: self.answers + other.answers,
            tokens: self.tokens.plus(other.tokens),
            cost_microdollars: plus(self.cost_microdollars, other.cost_microdollars),
            cost: Cost {
                reported_microdollars: plus(one.reported_microdollars, two.reported_microdollars),
                estimated_microdollars: plus(
                    one.estimated_microdollars,
                    two.estimated_microdollars,
                ),
                unknown_answers: one.unknown_answers + two.unknown_answers,
            },
        }
    }
}

impl IndexReader {
    /// What the sessions of a filter spent from its instant on.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn spent(&self, filter: &Filter, by: &SpentBy) -> Result<Vec<SpentRow>, StoreError> {
        let mut key = by.key().map(|it| self.connection().prepare(it)).transpose()?;
        let mut out: BTreeMap<Option<String>, Group> = BTreeMap::new();
        let spending = self.spending(filter)?;
        for ((number, text), group) in self.groups(filter, &spending, &by.grain())? {
            let key = match &mut key {
                Some(key) => text_of(key.query_row([number], |row| row.get(0))?),
                None => text,
            };
            out.entry(key).or_default().add(&group);
        }
        let rows = out.into_iter();
        Ok(rows
            .map(|(key, it)| SpentRow { key, sessions: it.sessions.len() as u64, ..it.row })
            .collect())
    }

    /// The sums of spending by what they have in common. They are added here, because SQLite would sort
    /// all of them first.
    pub(super) fn groups(
        &self,
        filter: &Filter,
        spending: &str,
        grain: &str,
    ) -> Result<BTreeMap<Grain, Group>, StoreError> {
        let (clause, values) = conditions(filter);
        let query = format!(
            "SELECT {grain}, session, answers, input_tokens, output_tokens, cache_read_tokens, \
             cache_write_tokens, reasoning_tokens, cost_microdollars, reported_microdollars, \
             estimated_microdollars, unknown_answers FROM ({spending}) \
             WHERE {before} AND session IN (SELECT id FROM sessions WHERE {clause})",
            before = before(filter),
        );
        let mut statement = self.connection().prepare(&query)?;
        let values: Vec<&dyn ToSql> = values.iter().map(AsRef::as_ref).collect();
        let mut rows = statement.query(values.as_slice())?;
        let mut out: BTreeMap<Grain, Group> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let group = out.entry((row.get(0)?, row.get(1)?)).or_default();
            group.sessions.insert(row.get(2)?);
            group.row = group.row.plus(&read_spent(row)?);
        }
        Ok(out)
    }

    /// The model answers that a session owns, in order, with their costs.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn answers(&self, session: i64) -> Result<Vec<Answer>, StoreError> {
        let mut statement = self.connection().prepare_cached(
            "SELECT at, model, input_tokens, output_tokens, cache_read_tokens, \
             cache_write_tokens, reasoning_tokens, cache_write_1h_tokens, cost_microdollars, \
             estimated_microdollars FROM usage \
             WHERE session = ?1 AND owned = 1 ORDER BY at, key",
        )?;
        let rows = statement.query_map([session], |row| read_answer(&Columns::of(row)))?;
        let rows: Vec<(Answer, AnswerCost)> = rows.collect::<Result<_, _>>()?;
        let known: Vec<_> = rows.iter().map(|(_, cost)| *cost).collect();
        let said = self.said_cost(session)?;
        let is_covered = cost::covering(said, &known).is_some();
        let answers = rows.into_iter().zip(cost::costs(said, &known));
        let answer = |((row, known), cost_microdollars): ((Answer, AnswerCost), Option<i64>)| {
            let is_estimated = !is_covered && known.reported.is_none() && known.estimated.is_some();
            Answer { cost_microdollars, is_estimated, ..row }
        };
        Ok(answers.map(answer).collect())
    }

    /// The version of the agent program that a session last recorded.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn agent_version(&self, session: i64) -> Result<Option<String>, StoreError> {
        let query = "SELECT agent_version FROM sessions WHERE id = ?1";
        Ok(self.connection().query_row(query, params![session], |row| row.get(0))?)
    }

    /// The cost that the agent reported for the session without its sub-agents.
    fn said_cost(&self, session: i64) -> Result<Option<i64>, StoreError> {
        let query = "SELECT iif(said_microdollars IS NULL, NULL, cost_microdollars) \
                     FROM sessions WHERE id = ?1";
        let mut statement = self.connection().prepare_cached(query)?;
        Ok(statement.query_row(params![session], |row| row.get(0))?)
    }
}

fn text_of(value: Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text),
        Value::Blob(id) => id.try_into().ok().map(|id| SessionId::from_bytes(id).to_string()),
        Value::Null | Value::Integer(_) | Value::Real(_) => None,
    }
}

fn read_spent(row: &Row<'_>) -> rusqlite::Result<SpentRow> {
    Ok(SpentRow {
        key: None,
        sessions: 0,
        answers: count(row, 3)?,
        tokens: Tokens {
            input: count(row, 4)?,
            output: count(row, 5)?,
            cache_read: count(row, 6)?,
            cache_write: count(row, 7)?,
            reasoning: count(row, 8)?,
        },
        cost_microdollars: row.get(9)?,
        cost: Cost {
            reported_microdollars: row.get(10)?,
            estimated_microdollars: row.get(11)?,
            unknown_answers: count(row, 12)?,
        },
    })
}

fn read_answer(row: &Columns<'_, '_>) -> rusqlite::Result<(Answer, AnswerCost)> {
    let tokens = row.tokens()?;
    let cost = AnswerCost {
        reported: row.get("cost_microdollars")?,
        estimated: row.get("estimated_microdollars")?,
        tokens: tokens.total(),
    };
    let answer = Answer {
        at: row.maybe_time("at")?,
        model: row.get("model")?,
        tokens,
        cache_write_1h: row.count("cache_write_1h_tokens")?,
        cost_microdollars: None,
        estimated_microdollars: cost.estimated,
        is_estimated: false,
    };
    Ok((answer, cost))
}
