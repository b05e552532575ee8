//! Budgets, and how far they are spent.

use crate::filter::{filter, tagged};
use taffrail_api::{BudgetList, BudgetRow, ListRequest, SCHEMA_VERSION};
use taffrail_context::{Error, Settings};
use taffrail_model::budget::{Budget, BudgetOf, BudgetState};
use taffrail_store::{Filter, IndexReader, SpentBy};

/// Every budget of the configuration, with what its period has cost so far.
///
/// # Errors
/// When our own files cannot be read.
pub fn budgets(settings: &Settings) -> Result<BudgetList, Error> {
    let reader = IndexReader::open(&settings.data)?;
    let rows = settings.budgets.iter().map(|it| row(settings, reader.as_ref(), it));
    Ok(BudgetList { schema_version: SCHEMA_VERSION, budgets: rows.collect::<Result<_, _>>()? })
}

fn row(
    settings: &Settings,
    reader: Option<&IndexReader>,
    budget: &Budget,
) -> Result<BudgetRow, Error> {
    let began = budget.per.began((settings.now)(), &(settings.ahead)());
    let filter = Filter { since: Some(began), workers: true, ..chosen(settings, &budget.of)? };
    let spent = reader.map(|it| it.spent(&filter, &SpentBy::Nothing)).transpose()?;
    let spent = spent.and_then(|it| it.into_iter().next()).unwrap_or_default();
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
