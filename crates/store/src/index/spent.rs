//! What sessions spent, by quarter of an hour and model, so that totals do not read every answer.
//!
//! A quarter of an hour fits every time zone. The rows of a session are derived from its answers
//! whenever one of these changes.

use super::writer_io::Boot;
use crate::db::codec::signed;
use crate::db::{Columns, StoreError};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::BTreeMap;
use taffrail_model::Tokens;
use taffrail_model::cost::{self, AnswerCost, plus};

/// A quarter of an hour in microseconds.
pub(crate) const QUARTER: i64 = 900_000_000;

/// A session, and what its agent reported about its cost.
struct Report {
    agent: String,
    /// For the whole session.
    said: Option<i64>,
    /// When it began, and its model: where the cost goes if no answer is known.
    began: Option<i64>,
    model: Option<String>,
}

/// An answer that the session owns.
struct Answer {
    quarter: Option<i64>,
    model: Option<String>,
    tokens: Tokens,
    cost: AnswerCost,
}

/// The sums of one quarter and model.
#[derive(Default)]
struct Sum {
    answers: u64,
    unknown: u64,
    tokens: Tokens,
    cost: Option<i64>,
    reported: Option<i64>,
    estimated: Option<i64>,
}

impl Sum {
    fn add(&mut self, answer: &Answer, cost: Option<i64>, is_reported: bool) {
        self.answers += 1;
        self.unknown += u64::from(cost.is_none());
        self.tokens = self.tokens.plus(answer.tokens);
        self.cost = plus(self.cost, cost);
        self.reported = plus(self.reported, cost.filter(|_| is_reported));
        self.estimated = plus(self.estimated, answer.cost.estimated);
    }
}

/// Writes what a session spent, and what the session that started it did, if that depends on it.
pub(crate) fn write(index: &Connection, row: i64, boot: &Boot) -> Result<(), StoreError> {
    write_one(index, row, boot)?;
    match reporting_parent(index, row)? {
        Some(parent) => write_one(index, parent, boot),
        None => Ok(()),
    }
}

fn write_one(index: &Connection, row: i64, boot: &Boot) -> Result<(), StoreError> {
    let Some(report) = report(index, row)? else { return Ok(()) };
    let answers = answers(index, row)?;
    let known: Vec<AnswerCost> = answers.iter().map(|it| it.cost).collect();
    let by_source = cost::by_source(report.said, &known);
    // The agent's report may include the sub-agents, which are sessions of their own here.
    let includes = boot.reports_with_workers.contains(&report.agent);
    let workers = if includes { cost_of_workers(index, row)? } else { 0 };
    let others = workers.saturating_add(cost_of_copies(index, row)?);
    let own = report.said.map(|it| it.saturating_sub(others).max(0));
    let sums = sums(&report, own, &answers, &known);
    index.prepare_cached("DELETE FROM spent WHERE session = ?1")?.execute([row])?;
    for ((quarter, model), sum) in &sums {
        insert(index, (row, *quarter, model.as_deref()), sum)?;
    }
    index.prepare_cached(SESSION)?.execute(params![
        row,
        cost::total(own, &known),
        by_source.reported_microdollars,
        by_source.estimated_microdollars,
        signed(by_source.unknown_answers),
    ])?;
    Ok(())
}

const SESSION: &str = "UPDATE sessions SET cost_microdollars = ?2, reported_microdollars = ?3, \
  estimated_microdollars = ?4, unknown_answers = ?5 WHERE id = ?1";

type Sums = BTreeMap<(Option<i64>, Option<String>), Sum>;

fn sums(report: &Report, own: Option<i64>, answers: &[Answer], known: &[AnswerCost]) -> Sums {
    let mut out = Sums::new();
    let covering = cost::covering(own, known);
    for (answer, cost) in answers.iter().zip(cost::costs(own, known)) {
        let key = (answer.quarter, answer.model.clone());
        let is_reported = covering.is_some() || answer.cost.reported.is_some();
        out.entry(key).or_default().add(answer, cost, is_reported);
    }
    if let (Some(_), true) = (covering, answers.is_empty()) {
        let quarter = report.began.map(|it| it.div_euclid(QUARTER));
        let sum = Sum { cost: covering, reported: covering, ..Sum::default() };
        out.insert((quarter, report.model.clone()), sum);
    }
    out
}

fn report(index: &Connection, row: i64) -> Result<Option<Report>, StoreError> {
    let mut statement = index.prepare_cached(
        "SELECT agent, said_microdollars, coalesce(said_started_at, first_at) AS began, model \
         FROM sessions WHERE id = ?1",
    )?;
    let found = statement.query_row([row], |row| {
        let row = Columns::of(row);
        Ok(Report {
            agent: row.get("agent")?,
            said: row.get("said_microdollars")?,
            began: row.get("began")?,
            model: row.get("model")?,
        })
    });
    Ok(found.optional()?)
}

fn answers(index: &Connection, row: i64) -> Result<Vec<Answer>, StoreError> {
    let mut statement = index.prepare_cached(
        "SELECT at, model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, \
         reasoning_tokens, cost_microdollars, estimated_microdollars FROM usage \
         WHERE session = ?1 AND owned = 1 ORDER BY at, key",
    )?;
    let rows = statement.query_map([row], |row| {
        let row = Columns::of(row);
        let at: Option<i64> = row.get("at")?;
        let (model, tokens) = (row.get("model")?, row.tokens()?);
        let cost = AnswerCost {
            reported: row.get("cost_microdollars")?,
            estimated: row.get("estimated_microdollars")?,
            tokens: tokens.total(),
        };
        Ok(Answer { quarter: at.map(|it| it.div_euclid(QUARTER)), model, tokens, cost })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn insert(
    index: &Connection,
    (row, quarter, model): (i64, Option<i64>, Option<&str>),
    sum: &Sum,
) -> Result<(), StoreError> {
    let tokens = sum.tokens;
    index.prepare_cached("INSERT INTO spent VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)")?.execute(
        params![
            row,
            quarter,
            model,
            signed(sum.answers),
            signed(sum.unknown),
            signed(tokens.input),
            signed(tokens.output),
            signed(tokens.cache_read),
            signed(tokens.cache_write),
            signed(tokens.reasoning),
            sum.cost,
            sum.reported,
            sum.estimated,
        ],
    )?;
    Ok(())
}

/// The known costs of all sub-agents below a session.
fn cost_of_workers(index: &Connection, row: i64) -> Result<i64, StoreError> {
    let mut statement = index.prepare_cached(
        "WITH RECURSIVE below (uuid, cost) AS (\
           SELECT w.uuid, w.cost_microdollars FROM sessions w \
             JOIN sessions s ON w.parent = s.uuid WHERE s.id = ?1 UNION \
           SELECT w.uuid, w.cost_microdollars FROM sessions w JOIN below ON w.parent = below.uuid) \
         SELECT coalesce(sum(cost), 0) FROM below",
    )?;
    Ok(statement.query_row([row], |row| row.get(0))?)
}

/// The known costs of the answers that a fork repeats, if its agent's report goes back to them: the
/// agent carries the bill of the origin on. They belong to the origin.
fn cost_of_copies(index: &Connection, row: i64) -> Result<i64, StoreError> {
    let mut statement = index.prepare_cached(
        "SELECT coalesce(sum(coalesce(u.cost_microdollars, u.estimated_microdollars)), 0) \
         FROM usage u JOIN sessions s ON s.id = u.session \
         WHERE s.id = ?1 AND u.owned = 0 AND u.at >= s.uncopied_since",
    )?;
    Ok(statement.query_row([row], |row| row.get(0))?)
}

/// The session that started this one, if its agent reported a total.
fn reporting_parent(index: &Connection, row: i64) -> Result<Option<i64>, StoreError> {
    let mut statement = index.prepare_cached(
        "SELECT s.id FROM sessions w JOIN sessions s ON s.uuid = w.parent \
         WHERE w.id = ?1 AND s.said_microdollars IS NOT NULL",
    )?;
    Ok(statement.query_row([row], |row| row.get(0)).optional()?)
}
