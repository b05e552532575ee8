//! Totals of sessions, overall and by common keys.

use crate::catch_up::Waiting;
use crate::catch_up::caught_up;
use crate::filter::filter;
use crate::findings::quality_of;
use std::cmp::Reverse;
use taffrail_api::{
    KeyedTally, ListRequest, Outcomes, Quality, SCHEMA_VERSION, Stats, Tally, Usage,
};
use taffrail_context::{Error, Settings};
use taffrail_ingest::{Budget, Progress};
use taffrail_model::{Ahead, Timestamp};
use taffrail_store::{Filter, Grouping, IndexReader, TallyRow};

/// Totals, and the data they do not include yet.
#[derive(Debug)]
pub struct Counted {
    /// The totals.
    pub stats: Stats,
    /// The data that is not indexed yet.
    pub waiting: Waiting,
    /// Sources that could not be read.
    pub problems: Vec<String>,
}

/// Totals of sessions after catching up within a budget. Always includes sub-agents. Days are those
/// of a clock that is `ahead` of UTC.
///
/// # Errors
/// When our own files cannot be read.
pub fn stats(
    settings: &Settings,
    request: &ListRequest,
    ahead: &Ahead,
    budget: Budget<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Counted, Error> {
    let filter = filter(settings, request)?;
    // Prompts without answers spent nothing that is known.
    let filter = Filter { workers: true, with_transcript: true, limit: None, ..filter };
    let caught_up = caught_up(settings, budget, progress)?;
    let stats = match &caught_up.reader {
        Some(reader) => counted(reader, &filter, (ahead, (settings.now)()))?,
        None => nothing(),
    };
    Ok(Counted { stats, waiting: caught_up.waiting(), problems: caught_up.problems })
}

/// Totals of the period of the same length before the one of a request.
///
/// # Errors
/// When the request has no beginning, or our own files cannot be read.
pub fn period_before(settings: &Settings, request: &ListRequest) -> Result<Tally, Error> {
    let since = request.since.ok_or(Error::NoPeriod)?;
    let until = request.until.unwrap_or_else(|| (settings.now)());
    let length = until.as_microsecond().saturating_sub(since.as_microsecond()).max(0);
    let before = since.as_microsecond().saturating_sub(length);
    let before = Timestamp::from_microsecond(before).unwrap_or(Timestamp::MIN);
    let request = ListRequest { since: Some(before), until: Some(since), ..request.clone() };
    let filter = Filter { workers: true, with_transcript: true, ..filter(settings, &request)? };
    let filter = Filter { limit: None, ..filter };
    let reader = IndexReader::open(&settings.data)?;
    let totals = reader.map(|it| it.tally(&filter, Grouping::Nothing)).transpose()?;
    let totals = totals.into_iter().flatten().next();
    Ok(totals.map_or_else(|| nothing().totals, |all| tally(&all)))
}

fn counted(
    reader: &IndexReader,
    filter: &Filter,
    (ahead, now): (&Ahead, Timestamp),
) -> Result<Stats, Error> {
    let (quality, outcomes) = quality_of(reader, filter, now)?;
    let totals = reader.tally(filter, Grouping::Nothing)?.into_iter().next();
    let (by_model, by_day) = reader.tally_models_and_days(filter, ahead)?;
    Ok(Stats {
        totals: totals.map_or_else(|| nothing().totals, |all| tally(&all)),
        by_agent: the_most_first(reader.tally(filter, Grouping::Agent)?),
        by_project: the_most_first(reader.tally(filter, Grouping::Project)?),
        by_model: the_most_first(by_model),
        by_day: by_day.into_iter().rev().map(keyed).collect(),
        quality: quality.into(),
        outcomes,
        ..nothing()
    })
}

fn nothing() -> Stats {
    let zero = Some(0);
    let none = TallyRow {
        turns: zero,
        prompts: zero,
        tool_calls: zero,
        duration_ms: zero,
        ..TallyRow::default()
    };
    Stats {
        schema_version: SCHEMA_VERSION,
        totals: tally(&none),
        previous: None,
        by_agent: Vec::new(),
        by_project: Vec::new(),
        by_model: Vec::new(),
        by_day: Vec::new(),
        quality: Quality::default(),
        outcomes: Outcomes::default(),
    }
}

fn the_most_first(rows: Vec<TallyRow>) -> Vec<KeyedTally> {
    let mut rows: Vec<_> = rows.into_iter().map(keyed).collect();
    rows.sort_by_cached_key(|row| {
        (Reverse(row.tally.usage.total()), Reverse(row.tally.sessions), row.key.clone())
    });
    rows
}

fn keyed(row: TallyRow) -> KeyedTally {
    KeyedTally { tally: tally(&row), key: row.key }
}

fn tally(row: &TallyRow) -> Tally {
    Tally {
        sessions: row.sessions,
        sub_agents: row.workers,
        turns: row.turns,
        prompts: row.prompts,
        tool_calls: row.tool_calls,
        usage: Usage::from(row.tokens),
        cost_microdollars: row.cost_microdollars,
        reported_microdollars: row.reported_microdollars,
        duration_ms: row.duration_ms,
    }
}
