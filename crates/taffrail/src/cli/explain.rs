//! `taffrail explain`

use super::completions::session_ids;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, columns, is_terminal};
use taffrail_api::Explanation;
use taffrail_tui::explanation::lines;

/// Evidence shown to people unless they ask for more.
const ROWS: usize = 20;

/// Explain a session's status and the evidence for it
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail explain 3f2a          the status, its rule and the evidence
  taffrail explain @last --json
")]
pub(super) struct Args {
    /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
    #[arg(value_name = "ID", default_value = "@last", add = session_ids())]
    id: String,
    /// Show at most N pieces of evidence
    #[arg(long, short = 'n', value_name = "N", default_value_t = ROWS)]
    limit: usize,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let explanation = context.answer(&args.id, "explain")?;
    if context.json {
        return Out::new().json(&explanation);
    }
    show(&explanation, args.limit, context)
}

fn show(it: &Explanation, limit: usize, context: &Context) -> Result<(), CliError> {
    let width = if is_terminal() { columns() } else { usize::MAX };
    Out::paged(context.pager.as_ref()).lines(lines(it, limit, width, &context.clock()))
}
