//! `taffrail stats`

use super::index::Bar;
use super::ls::{CATCH_UP, warn};
use super::usage::print;
use super::which::{Which, instant};
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use std::time::Instant;
use taffrail_api::ListRequest;
use taffrail_ingest::Budget;
use taffrail_model::Ahead;
use taffrail_query::{period_before, stats};
use taffrail_tui::stats::rows;

/// Rows of a table unless more are asked for.
const ROWS: usize = 10;

/// Count sessions, time, turns, tokens and cost
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail stats                      by agent, project, model and day
  taffrail stats --since 7d
      sessions with an event in the last seven days
  taffrail stats --project . -n 30    of this folder, 30 rows per table
  taffrail stats --since 7d --compare with the seven days before
  taffrail stats --json | jq '.totals'
")]
pub(super) struct Args {
    /// Show at most N rows in each table
    #[arg(long, short = 'n', value_name = "N", default_value_t = ROWS)]
    limit: usize,
    /// Only sessions with no event since: 7d, 12h, 30m, a date or a time
    #[arg(long, value_name = "WHEN")]
    until: Option<String>,
    /// Only sessions whose last model is this one
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Only sessions on this branch last
    #[arg(long, value_name = "BRANCH")]
    branch: Option<String>,
    /// Only sessions with this tag
    #[arg(long, value_name = "TAG")]
    tag: Option<String>,
    /// Count the period of the same length before, too
    #[arg(long, requires = "since")]
    compare: bool,
    #[command(flatten)]
    which: Which,
}

impl Args {
    fn request(&self, context: &Context) -> Result<ListRequest, CliError> {
        let until = self.until.as_deref().map(|it| instant(it, &context.clock())).transpose()?;
        let (model, branch, tag) = (self.model.clone(), self.branch.clone(), self.tag.clone());
        Ok(ListRequest { until, model, branch, tag, ..self.which.request(context)? })
    }
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let request = args.request(context)?;
    let soon = Budget::Until(Instant::now() + CATCH_UP);
    let budget = if context.json { Budget::Whole } else { soon };
    let bar = Bar::new();
    // Programs get days in UTC, people days in their own time zone.
    let ahead = if context.json { Ahead::default() } else { context.clock().ahead() };
    let mut counted = stats(&context.settings, &request, &ahead, budget, &mut |it| bar.show(it))?;
    bar.end();
    if args.compare {
        counted.stats.previous = Some(period_before(&context.settings, &request)?);
    }
    if context.json {
        Out::new().json(&counted.stats)?;
    } else {
        print(rows(&counted.stats, args.limit, &context.env.user_home), context)?;
    }
    warn(counted.waiting, &counted.problems);
    Ok(())
}
