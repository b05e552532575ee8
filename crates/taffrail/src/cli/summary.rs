//! `taffrail summary`

use super::completions::session_ids;
use super::events::refresh;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use crate::terminal::line;
use taffrail_api::Summary;
use taffrail_api::client::escaped;

/// Say in three lines what a session does, did of late, and was asked
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail summary 3f2a
  taffrail summary . --json
")]
pub(super) struct Args {
    /// The beginning of its id, its agent's own id, @last, or . for this folder
    #[arg(value_name = "ID", default_value = "@last", add = session_ids())]
    id: String,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let summary: Summary = match &context.client {
        Some(client) => {
            let id = context.id(client, &args.id)?;
            client.get(&format!("/api/sessions/{}/summary?wait=true", escaped(&id)))?
        }
        None => {
            let target = context.target(&args.id)?;
            refresh(context, &target)?;
            taffrail_daemon::summary(&context.settings, &target)?
        }
    };
    let mut out = Out::new();
    if args.json {
        return out.json(&summary);
    }
    for it in summary.text.lines() {
        out.line(&line(it))?;
    }
    if let Some(category) = &summary.category {
        let about = Some(summary.topics.join(", ")).filter(|it| !it.is_empty());
        let about = about.as_deref().unwrap_or("nothing that tells");
        out.line(&line(&format!("Was about: {about} ({category})")))?;
    }
    out.end()
}
