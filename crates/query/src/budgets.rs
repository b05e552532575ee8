//! Budgets, and how far they are spent.

use crate::filter::{filter, tagged};
use taffrail_api::{BudgetList, BudgetRow, ListRequest, SCHEMA_VERSION};
use taffrail_context::{Error, Settings};
use taffrail_model::Timestamp;
use taffrail_model::budget::{Budget, BudgetOf, BudgetState};
use taffrail_model::findings::{Finding, nearly_spent};
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
