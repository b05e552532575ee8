//! `taffrail explain`

use super::completions::session_ids;
use super::events::refresh;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, columns, is_terminal};
use crate::terminal::{fit, line, pad};
use crate::{rim, when};
use taffrail_api::client::escaped;
use taffrail_api::{EvidenceRow, Explanation};

/// Evidence shown to people unless they ask for more.
const ROWS: usize = 20;

/// Say how a session stands, how sure that is, and why
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail explain 3f2a          the status, the rule that won, and the evidence
  taffrail explain @last --json
")]
pub(super) struct Args {
    /// The beginning of its id, its agent's own id, @last, or . for this folder
    #[arg(value_name = "ID", default_value = "@last", add = session_ids())]
    id: String,
    /// At most so many pieces of evidence
    #[arg(long, short = 'n', value_name = "N", default_value_t = ROWS)]
    limit: usize,
    /// Print JSON, with all evidence there is
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let explanation = match &context.client {
        Some(client) => {
            let id = context.id(client, &args.id)?;
            client.get(&format!("/api/sessions/{}/explain", escaped(&id)))?
        }
        None => {
            let target = context.target(&args.id)?;
            refresh(context, &target)?;
            taffrail_daemon::explain(&context.settings, &target)?
        }
    };
    if args.json {
        return Out::new().json(&explanation);
    }
    show(&explanation, args.limit, context)
}

fn show(it: &Explanation, limit: usize, context: &Context) -> Result<(), CliError> {
    let mut out = Out::paged(context.pager.as_ref());
    let since = when::ago(it.since, rim::now());
    let status = it.status.as_str();
    out.line(&format!("{status} for {since}, confidence {}", it.confidence.as_str()))?;
    if let Some(waiting) = it.waiting_for.as_ref().filter(|it| !it.text.is_empty()) {
        out.line(&format!("waits for: {}", line(&waiting.text)))?;
    }
    out.line(&format!("because {}", it.rule))?;
    if let Some(pid) = it.pid {
        let at = it.executor.as_deref().unwrap_or("no known terminal");
        out.line(&format!("process {pid}, {at}"))?;
    }
    if !it.also_on.is_empty() {
        out.line(&format!("also told by {}", line(&it.also_on.join(", "))))?;
    }
    for finding in &it.findings {
        out.line(&format!("{}: {}", finding.kind.as_str(), line(&finding.says)))?;
    }
    out.line("")?;
    let width = if is_terminal() { columns() } else { usize::MAX };
    for row in it.evidence.iter().take(limit) {
        out.line(&fit(&evidence(row), width))?;
    }
    if it.evidence.is_empty() {
        out.line("no evidence of late")?;
    }
    out.end()
}

fn evidence(row: &EvidenceRow) -> String {
    let mark = if row.decided { "▸" } else { " " };
    let age = when::ago(row.at, rim::now());
    format!(
        "{mark} {age:>4} {} {} {} {} {}",
        pad(row.source.as_str(), 10),
        pad(&line(&row.kind), 18),
        pad(row.confidence.as_str(), 6),
        pad(&row.says, 14),
        line(&row.detail)
    )
}
