//! What was spent, by a common key.

use crate::blocks::by_block;
use crate::catch_up::{Waiting, caught_up};
use crate::filter::filter;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use taffrail_api::{ListRequest, SCHEMA_VERSION, Spending, Usage, UsageReport, UsageRow};
use taffrail_context::{Error, Settings};
use taffrail_ingest::{Budget, Progress};
use taffrail_model::Ahead;
use taffrail_store::{Filter, IndexReader, Ledger, SpentBy, SpentRow};

/// What spending is grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsageBy {
    /// The day.
    Day,
    /// The week, by its Monday.
    Week,
    /// The month.
    Month,
    /// Five hours.
    Block,
    /// The model.
    Model,
    /// The project folder.
    Project,
    /// The agent.
    Agent,
    /// The branch.
    Branch,
    /// The person's tag.
    Tag,
    /// The session.
    Session,
}

impl UsageBy {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Day,
        Self::Week,
        Self::Month,
        Self::Block,
        Self::Model,
        Self::Project,
        Self::Agent,
        Self::Branch,
        Self::Tag,
        Self::Session,
    ];

    /// The word in commands and documents.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Block => "block",
            Self::Model => "model",
            Self::Project => "project",
            Self::Agent => "agent",
            Self::Branch => "branch",
            Self::Tag => "tag",
            Self::Session => "session",
        }
    }

    /// Reads the word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == word)
    }

    fn is_time(self) -> bool {
        matches!(self, Self::Day | Self::Week | Self::Month | Self::Block)
    }

    fn grouping(self, ahead: &Ahead) -> SpentBy {
        match self {
            Self::Day => SpentBy::Day(ahead.clone()),
            Self::Week => SpentBy::Week(ahead.clone()),
            Self::Month => SpentBy::Month(ahead.clone()),
            Self::Block => SpentBy::Quarter,
            Self::Model => SpentBy::Model,
            Self::Project => SpentBy::Project,
            Self::Agent => SpentBy::Agent,
            Self::Branch => SpentBy::Branch,
            Self::Tag | Self::Session => SpentBy::Session,
        }
    }
}

/// A report, and the data it does not include yet.
#[derive(Debug)]
pub struct UsageCounted {
    /// The report.
    pub report: UsageReport,
    /// The data that is not indexed yet.
    pub waiting: Waiting,
    /// Sources that could not be read.
    pub problems: Vec<String>,
}

/// What was spent, after catching up within a budget. Days are those of a clock that is `ahead` of
/// UTC.
///
/// # Errors
/// When our own files cannot be read.
pub fn usage(
    settings: &Settings,
    request: &ListRequest,
    (by, ahead): (UsageBy, &Ahead),
    budget: Budget<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<UsageCounted, Error> {
    let filter = filter(settings, request)?;
    // Prompts without answers spent nothing that is known.
    let filter = Filter { workers: true, with_transcript: true, limit: None, ..filter };
    let caught_up = caught_up(settings, budget, progress)?;
    let report = match &caught_up.reader {
        Some(reader) => report(settings, reader, &filter, (by, ahead))?,
        None => UsageReport {
            schema_version: SCHEMA_VERSION,
            by: by.as_str().to_owned(),
            rows: Vec::new(),
            totals: Spending::default(),
        },
    };
    Ok(UsageCounted { report, waiting: caught_up.waiting(), problems: caught_up.problems })
}

fn report(
    settings: &Settings,
    reader: &IndexReader,
    filter: &Filter,
    (by, ahead): (UsageBy, &Ahead),
) -> Result<UsageReport, Error> {
    let totals = reader.spent(filter, &SpentBy::Nothing)?.into_iter().next().unwrap_or_default();
    let rows = reader.spent(filter, &by.grouping(ahead))?;
    let mut rows: Vec<_> = match by {
        UsageBy::Tag => by_tag(settings, rows)?.into_iter().map(row).collect(),
        UsageBy::Block => {
            let blocks = by_block(rows, (settings.now)()).into_iter();
            blocks.map(|(block, spent)| UsageRow { block, ..row(spent) }).collect()
        }
        _ => rows.into_iter().map(row).collect(),
    };
    match by.is_time() {
        true => rows.sort_by_cached_key(|it| Reverse(it.key.clone())),
        false => rows.sort_by_cached_key(|it| {
            (Reverse(it.spent.cost_microdollars), Reverse(it.spent.usage.total()), it.key.clone())
        }),
    }
    Ok(UsageReport {
        schema_version: SCHEMA_VERSION,
        by: by.as_str().to_owned(),
        rows,
        totals: row(totals).spent,
    })
}

/// Sums of sessions by tag: a session with several tags counts under each of them.
fn by_tag(settings: &Settings, rows: Vec<SpentRow>) -> Result<Vec<SpentRow>, Error> {
    let tags = match Ledger::open_read_only(&settings.data)? {
        Some(ledger) => ledger.all_tags()?,
        None => Default::default(),
    };
    let tags: BTreeMap<String, Vec<String>> =
        tags.into_iter().map(|(id, tags)| (id.to_string(), tags)).collect();
    let mut out: BTreeMap<Option<String>, SpentRow> = BTreeMap::new();
    for row in rows {
        let of = row.key.as_ref().and_then(|id| tags.get(id)).filter(|it| !it.is_empty());
        let keys = of.map_or_else(|| vec![None], |it| it.iter().cloned().map(Some).collect());
        for key in keys {
            let sum = out.entry(key.clone()).or_default();
            *sum = SpentRow { key, ..sum.plus(&row) };
        }
    }
    Ok(out.into_values().collect())
}

fn row(row: SpentRow) -> UsageRow {
    let spent = Spending {
        sessions: row.sessions,
        answers: row.answers,
        usage: Usage::from(row.tokens),
        cost_microdollars: row.cost_microdollars,
        cost: row.cost.into(),
    };
    UsageRow { key: row.key, block: None, spent }
}
