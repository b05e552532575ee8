//! What was spent, by time, model, project and so on, from the sums of the index.

use super::IndexReader;
use super::filter::{Filter, conditions};
use super::tally::{day_of, spending};
use crate::db::{Columns, StoreError, TOKEN_SUMS};
use rusqlite::types::Value;
use rusqlite::{ToSql, params};
use taffrail_model::cost::{self, AnswerCost, Cost, plus};
use taffrail_model::{Ahead, SessionId, Timestamp, Tokens};

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
}

impl SpentBy {
    fn key(&self) -> String {
        match self {
            Self::Nothing => "NULL".to_owned(),
            Self::Day(ahead) => format!("date({} * 86400, 'unixepoch')", day_of(ahead)),
            Self::Week(ahead) => {
                format!("date({} * 86400, 'unixepoch', 'weekday 0', '-6 days')", day_of(ahead))
            }
            Self::Month(ahead) => {
                format!("strftime('%Y-%m', {} * 86400, 'unixepoch')", day_of(ahead))
            }
            Self::Model => "spent.model".to_owned(),
            Self::Project => "project_path".to_owned(),
            Self::Agent => "agent".to_owned(),
            Self::Branch => "git_branch".to_owned(),
            Self::Session => "uuid".to_owned(),
        }
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

/// One model answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerRow {
    /// When it was written.
    pub at: Option<Timestamp>,
    /// Its tokens.
    pub tokens: Tokens,
    /// Its cost.
    pub cost_microdollars: Option<i64>,
}

impl IndexReader {
    /// What the sessions of a filter spent from its instant on.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn spent(&self, filter: &Filter, by: &SpentBy) -> Result<Vec<SpentRow>, StoreError> {
        let (clause, values) = conditions(filter);
        let query = format!(
            "SELECT {key} AS key, count(DISTINCT session) AS sessions, sum(answers) AS answers, \
             {sums}, sum(spent.cost_microdollars) AS cost_microdollars, \
             sum(spent.reported_microdollars) AS reported_microdollars, \
             sum(spent.estimated_microdollars) AS estimated_microdollars, \
             sum(spent.unknown_answers) AS unknown_answers \
             FROM ({spending}) AS spent JOIN sessions ON sessions.id = session \
             WHERE session IN (SELECT id FROM sessions WHERE {clause}) GROUP BY 1",
            key = by.key(),
            sums = TOKEN_SUMS.replace("sum(", "sum(spent."),
            spending = spending(filter),
        );
        let mut statement = self.connection().prepare(&query)?;
        let values: Vec<&dyn ToSql> = values.iter().map(AsRef::as_ref).collect();
        let rows = statement.query_map(values.as_slice(), |row| read_spent(&Columns::of(row)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The model answers that a session owns, in order, with their costs.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn answers(&self, session: i64) -> Result<Vec<AnswerRow>, StoreError> {
        let mut statement = self.connection().prepare_cached(
            "SELECT at, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, \
             reasoning_tokens, cost_microdollars, estimated_microdollars FROM usage \
             WHERE session = ?1 AND owned = 1 ORDER BY at, key",
        )?;
        let rows = statement.query_map([session], |row| read_answer(&Columns::of(row)))?;
        let rows: Vec<(AnswerRow, AnswerCost)> = rows.collect::<Result<_, _>>()?;
        let known: Vec<_> = rows.iter().map(|(_, cost)| *cost).collect();
        let costs = cost::costs(self.said_cost(session)?, &known);
        let answers = rows.into_iter().zip(costs);
        Ok(answers.map(|((row, _), cost)| AnswerRow { cost_microdollars: cost, ..row }).collect())
    }

    /// The cost that the agent reported for the session without its sub-agents.
    fn said_cost(&self, session: i64) -> Result<Option<i64>, StoreError> {
        let query = "SELECT iif(said_microdollars IS NULL, NULL, cost_microdollars) \
                     FROM sessions WHERE id = ?1";
        let mut statement = self.connection().prepare_cached(query)?;
        Ok(statement.query_row(params![session], |row| row.get(0))?)
    }
}

fn read_spent(row: &Columns<'_, '_>) -> rusqlite::Result<SpentRow> {
    Ok(SpentRow {
        key: match row.get("key")? {
            Value::Text(text) => Some(text),
            Value::Blob(id) => id.try_into().ok().map(|id| SessionId::from_bytes(id).to_string()),
            Value::Null | Value::Integer(_) | Value::Real(_) => None,
        },
        sessions: row.count("sessions")?,
        answers: row.count("answers")?,
        tokens: row.tokens()?,
        cost_microdollars: row.get("cost_microdollars")?,
        cost: row.cost()?,
    })
}

fn read_answer(row: &Columns<'_, '_>) -> rusqlite::Result<(AnswerRow, AnswerCost)> {
    let (at, tokens) = (row.maybe_time("at")?, row.tokens()?);
    let cost = AnswerCost {
        reported: row.get("cost_microdollars")?,
        estimated: row.get("estimated_microdollars")?,
        tokens: tokens.total(),
    };
    Ok((AnswerRow { at, tokens, cost_microdollars: None }, cost))
}
