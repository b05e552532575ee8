//! `taffrail quota`

use super::ls::{CATCH_UP, warn};
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use std::time::Instant;
use taffrail_api::QuotaList;
use taffrail_ingest::Budget;
use taffrail_query::caught_up;
use taffrail_tui::quota::rows;

/// Show how much of each agent's limits is used
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail quota    as agents last reported it on this machine
  taffrail quota --json | jq '.quotas[] | select(.stale | not)'
")]
pub(super) struct Args {}

pub(super) fn run(context: &Context) -> Result<(), CliError> {
    if context.client.is_none() {
        let soon = Budget::Until(Instant::now() + CATCH_UP);
        let budget = if context.json { Budget::Whole } else { soon };
        let caught_up = caught_up(&context.settings, budget, &mut |_| {})?;
        warn(caught_up.waiting(), &caught_up.problems);
    }
    let quotas: QuotaList = context.questions()?.get("/api/quota")?;
    let mut out = Out::new();
    if context.json {
        return out.json(&quotas);
    }
    rows(&quotas, &context.clock()).iter().try_for_each(|it| out.line(it).map(|_| ()))?;
    out.end()
}
