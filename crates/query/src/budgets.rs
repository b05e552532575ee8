//! Budgets, and how far they are spent.

use crate::filter::{filter, tagged};
use std::path::Path;
use taffrail_api::{BudgetList, BudgetRow, ListRequest, SCHEMA_VERSION};
use taffrail_context::{Error, Settings};
use taffrail_model::budget::{Budget, BudgetOf, BudgetState};
use taffrail_model::findings::{Finding, nearly_spent};
use taffrail_model::rules::Spending;
use taffrail_model::{SessionId, Timestamp};
use taffrail_store::{Filter, IndexReader, SpentBy, SpentRow};

/// Every budget of the configuration, with what its period has cost so far.
///
/// # Errors
/// When our own files cannot be read.
pub fn budgets(settings: &Settings) -> Result<BudgetList, Error> {
    let reader = IndexReader::open(&settings.data)?;
    let rows = settings.budgets.iter().map(|it| row(settings, reader.as_ref(), it));
    Ok(BudgetList { schema_version: SCHEMA_VERSION, budgets: rows.collect::<Result<_, _>>()? })
}

/// A finding about a budget, and what it is about.
#[derive(Debug)]
pub(crate) struct SpentBudget {
    of: String,
    began: Timestamp,
    state: BudgetState,
    pub(crate) finding: Finding,
}

impl SpentBudget {
    /// Whether both are about the same budget, period and state.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (&self.of, self.began, self.state) == (&other.of, other.began, other.state)
    }
}

/// The budgets that are nearly or wholly spent.
pub(crate) fn spent_budgets(
    settings: &Settings,
    index: &IndexReader,
) -> Result<Vec<SpentBudget>, Error> {
    let all = settings.budgets.iter().map(|it| spent_budget(settings, index, it));
    Ok(all.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

fn spent_budget(
    settings: &Settings,
    index: &IndexReader,
    budget: &Budget,
) -> Result<Option<SpentBudget>, Error> {
    let now = (settings.now)();
    let (filter, began, spent) = spending(settings, Some(index), budget)?;
    let known = spent.cost_microdollars.unwrap_or(0);
    let state = budget.state(known);
    if state == BudgetState::Within {
        return Ok(None);
    }
    let latest = index.sessions(&Filter { limit: Some(1), ..filter })?;
    let Some(session) = latest.first().map(|it| it.id) else { return Ok(None) };
    let spent = (known, spent.cost.unknown_answers);
    let of = format!("{} {}", budget.of, budget.per.as_str());
    let finding = nearly_spent(budget, spent, (session, now));
    Ok(finding.map(|finding| SpentBudget { of, began, state, finding }))
}

/// Whoever may belong to a budget, as far as that is known.
#[derive(Debug, Clone, Copy)]
pub struct BudgetMember<'a> {
    /// The session.
    pub session: Option<SessionId>,
    /// The agent's id.
    pub agent: Option<&'a str>,
    /// The working folder.
    pub project: Option<&'a Path>,
}

/// Whether a budget is spent that a session belongs to. A budget that cannot be read, or that has
/// answers without a known cost and is not spent without them, is not known.
#[must_use]
pub fn spending_of(settings: &Settings, who: &BudgetMember<'_>) -> Spending {
    let reader = IndexReader::open(&settings.data);
    let of = |budget: &Budget| match &reader {
        Ok(reader) => spending_state(settings, reader.as_ref(), (budget, who)),
        Err(_) => Ok(Spending::Unknown),
    };
    let states = settings.budgets.iter().map(|it| {
        of(it).unwrap_or_else(|error| {
            tracing::warn!(%error, "cannot read a budget");
            Spending::Unknown
        })
    });
    states.fold(Spending::Within, |all, it| match (all, it) {
        (Spending::Over, _) | (_, Spending::Over) => Spending::Over,
        (Spending::Unknown, _) | (_, Spending::Unknown) => Spending::Unknown,
        (Spending::Within, Spending::Within) => Spending::Within,
    })
}

fn spending_state(
    settings: &Settings,
    reader: Option<&IndexReader>,
    (budget, who): (&Budget, &BudgetMember<'_>),
) -> Result<Spending, Error> {
    let belongs = belongs(settings, reader, (&budget.of, who))?;
    if belongs == Some(false) {
        return Ok(Spending::Within);
    }
    let (_, _, spent) = spending(settings, reader, budget)?;
    let is_over = budget.state(spent.cost_microdollars.unwrap_or(0)) == BudgetState::Over;
    Ok(match (is_over, belongs) {
        (true, Some(_)) => Spending::Over,
        (true, None) => Spending::Unknown,
        (false, _) if spent.cost.unknown_answers > 0 => Spending::Unknown,
        (false, _) => Spending::Within,
    })
}

/// Whether a session belongs to a budget; `None` if that is not known.
fn belongs(
    settings: &Settings,
    reader: Option<&IndexReader>,
    (of, who): (&BudgetOf, &BudgetMember<'_>),
) -> Result<Option<bool>, Error> {
    Ok(match of {
        BudgetOf::All => Some(true),
        BudgetOf::Project(it) => who.project.map(|project| project.starts_with(it)),
        BudgetOf::Agent(it) => {
            let id = taffrail_context::agent_id(it)?;
            who.agent.map(|agent| agent == id)
        }
        BudgetOf::Branch(it) => {
            let row = reader.zip(who.session).map(|(index, id)| index.session_by_id(id));
            let branch = row.transpose()?.flatten().and_then(|it| it.git_branch);
            branch.map(|branch| branch == *it)
        }
        BudgetOf::Tag(it) => {
            let tagged = tagged(settings, it)?;
            who.session.map(|session| tagged.contains(&session))
        }
    })
}

/// The sessions of a budget, when its period began, and what they spent since.
fn spending(
    settings: &Settings,
    reader: Option<&IndexReader>,
    budget: &Budget,
) -> Result<(Filter, Timestamp, SpentRow), Error> {
    let began = budget.per.began((settings.now)(), &(settings.ahead)());
    let filter = Filter { since: Some(began), workers: true, ..chosen(settings, &budget.of)? };
    let spent = reader.map(|it| it.spent(&filter, &SpentBy::Nothing)).transpose()?;
    let spent = spent.and_then(|it| it.into_iter().next()).unwrap_or_default();
    Ok((filter, began, spent))
}

fn row(
    settings: &Settings,
    reader: Option<&IndexReader>,
    budget: &Budget,
) -> Result<BudgetRow, Error> {
    let (_, began, spent) = spending(settings, reader, budget)?;
    let known = spent.cost_microdollars.unwrap_or(0);
    Ok(BudgetRow {
        of: budget.of.to_string(),
        per: budget.per.as_str().to_owned(),
        began_at: began,
        spent_microdollars: known,
        limit_microdollars: budget.limit,
        unknown_answers: spent.cost.unknown_answers,
        state: word(budget.state(known)).to_owned(),
    })
}

fn chosen(settings: &Settings, of: &BudgetOf) -> Result<Filter, Error> {
    Ok(match of {
        BudgetOf::All => Filter::default(),
        BudgetOf::Project(it) => Filter { project: Some(it.clone()), ..Filter::default() },
        BudgetOf::Branch(it) => Filter { branch: Some(it.clone()), ..Filter::default() },
        BudgetOf::Tag(it) => Filter { among: Some(tagged(settings, it)?), ..Filter::default() },
        BudgetOf::Agent(it) => {
            let request = ListRequest { agent: Some(it.clone()), ..ListRequest::default() };
            filter(settings, &request)?
        }
    })
}

fn word(state: BudgetState) -> &'static str {
    match state {
        BudgetState::Within => "within",
        BudgetState::Near => "near",
        BudgetState::Over => "over",
    }
}
