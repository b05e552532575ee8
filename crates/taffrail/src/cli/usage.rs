//! `taffrail usage`

use super::completions::session_ids;
use super::index::Bar;
use super::ls::{CATCH_UP, bold, empty_machine, is_empty, warn};
use super::which::Which;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use clap::builder::PossibleValuesParser;
use std::time::Instant;
use taffrail_api::SessionUsage;
use taffrail_ingest::Budget;
use taffrail_model::Ahead;
use taffrail_query::usage::{UsageBy, UsageCounted, usage};
use taffrail_tui::stats::Row;
use taffrail_tui::usage::{csv, rows, session_rows};

/// Show tokens and cost; see also `budgets` and `prices`
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail usage                         by day
  taffrail usage --by model --since 7d   of the last seven days
  taffrail usage --by project --csv      for a spreadsheet
  taffrail usage --by block              by five hours, as limits count
  taffrail usage @last                   one session, turn by turn
  taffrail usage --by session --json | jq '.rows[0]'
  taffrail budgets                       how much of each budget is spent
  taffrail prices claude-sonnet-5-5      what a model costs

A cost is what the agent reported, or else the list price, marked ≈.
")]
pub(super) struct Args {
    /// Only this session, by turn: its id or a prefix of it, the agent's own id, @last, @waiting, or .
    #[arg(value_name = "ID", add = session_ids(), conflicts_with_all = ["by", "csv", "Which"])]
    id: Option<String>,
    /// Group by this key
    #[arg(long, value_name = "KEY", default_value = "day",
        value_parser = PossibleValuesParser::new(UsageBy::ALL.map(UsageBy::as_str)))]
    by: String,
    /// Print comma-separated values
    #[arg(long)]
    csv: bool,
    /// Show at most N rows
    #[arg(long, short = 'n', value_name = "N", default_value_t = 30)]
    limit: usize,
    #[command(flatten)]
    which: Which,
}

/// Refuses two formats at once. `--json` belongs to the whole program, so clap knows of no conflict
/// in a command alone.
pub(super) fn one_format(context: &Context, csv: bool) -> Result<(), CliError> {
    match context.json && csv {
        true => {
            Err(CliError::usage("`--json` and `--csv` cannot be used together", "leave one out"))
        }
        false => Ok(()),
    }
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    if let Some(id) = &args.id {
        return one(id, args, context);
    }
    one_format(context, args.csv)?;
    let request = args.which.request(context)?;
    let is_data = context.json || args.csv;
    let soon = Budget::Until(Instant::now() + CATCH_UP);
    let budget = if is_data { Budget::Whole } else { soon };
    // Programs get days in UTC, people days in their own time zone.
    let ahead = if is_data { Ahead::default() } else { context.clock().ahead() };
    let by = UsageBy::parse(&args.by).unwrap_or(UsageBy::Day);
    let bar = Bar::new();
    let mut progress = |it| bar.show(it);
    let counted = usage(&context.settings, &request, (by, &ahead), budget, &mut progress)?;
    bar.end();
    if context.json {
        Out::new().json(&counted.report)?;
    } else if args.csv {
        Out::new().lines(csv(&counted.report))?;
    } else if is_nothing(&counted) {
        nothing(context)?;
    } else {
        let (home, clock) = (&context.env.user_home, context.clock());
        print(rows(&counted.report, args.limit, (home, &clock)), context)?;
    }
    warn(counted.waiting, &counted.problems);
    Ok(())
}

/// Whether nothing was spent, and no source waits to be read.
fn is_nothing(counted: &UsageCounted) -> bool {
    let totals = &counted.report.totals;
    let is_zero = totals.answers == 0 && totals.cost_microdollars.is_none();
    is_zero && counted.waiting.sources == 0
}

/// Nothing was spent: because nothing is there, or because nothing matches.
fn nothing(context: &Context) -> Result<(), CliError> {
    if is_empty(context)? {
        return empty_machine(context);
    }
    let mut out = Out::new();
    out.line("No model answer matches, so there is nothing to count.")?;
    out.line("Next: taffrail ls shows the sessions there are")?;
    out.end()
}

fn one(id: &str, args: &Args, context: &Context) -> Result<(), CliError> {
    let usage: SessionUsage = context.answer(id, "usage")?;
    if context.json {
        return Out::new().json(&usage);
    }
    print(session_rows(&usage, args.limit, &context.clock()), context)
}

/// Prints tables, the heads in bold.
pub(super) fn print(rows: Vec<Row>, context: &Context) -> Result<(), CliError> {
    let text = |row| match row {
        Row::Head(text) => bold(&text),
        Row::Line(text) => text,
    };
    Out::paged(context.pager.as_ref()).lines(rows.into_iter().map(text))
}
