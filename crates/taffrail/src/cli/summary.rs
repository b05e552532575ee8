//! `taffrail summary`

use super::completions::session_ids;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use taffrail_api::Summary;
use taffrail_tui::terminal::line;

/// Summarize a session in three lines
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail summary 3f2a
  taffrail summary . --json
")]
pub(super) struct Args {
    /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
    #[arg(value_name = "ID", default_value = "@last", add = session_ids())]
    id: String,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let summary: Summary = context.answer(&args.id, "summary?wait=true")?;
    let mut out = Out::new();
    if context.json {
        return out.json(&summary);
    }
    for it in summary.text.lines() {
        out.line(&line(it))?;
    }
    if let Some(category) = &summary.category {
        let about = Some(summary.topics.join(", ")).filter(|it| !it.is_empty());
        let about = about.as_deref().unwrap_or("no topic");
        out.line(&line(&format!("Was about: {about} ({category})")))?;
    }
    out.end()
}
