//! `taffrail budgets`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, say};
use taffrail_api::BudgetList;
use taffrail_tui::budgets::lines;

/// Show how much of each budget is spent
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail budgets
  taffrail budgets --json | jq '.budgets[] | select(.state != \"within\")'

A budget is a [[budgets]] table in the configuration: docs/config.md
")]
pub(super) struct Args {}

pub(super) fn run(_: &Args, context: &Context) -> Result<(), CliError> {
    let list: BudgetList = context.questions()?.get("/api/budgets")?;
    if context.json {
        return Out::new().json(&list);
    }
    if list.budgets.is_empty() {
        say("the configuration has no [[budgets]]; docs/config.md shows how to add one");
    }
    Out::new().lines(lines(&list))
}
