//! `taffrail explain`

use super::completions::session_ids;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, columns, is_terminal};
use taffrail_api::{EvidenceRow, Explanation};
use taffrail_tui::terminal::{fit, line, pad};
use taffrail_tui::when::{self, Clock};

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
    let mut out = Out::paged(context.pager.as_ref());
    let clock = context.clock();
    let since = when::ago(it.since, clock.now);
    let status = it.status.as_str();
    out.line(&format!("{status} for {since}, confidence {}", it.confidence.as_str()))?;
    if let Some(waiting) = it.waiting_for.as_ref().filter(|it| !it.text.is_empty()) {
        out.line(&format!("waits for: {}", line(&waiting.text)))?;
        if !waiting.options.is_empty() {
            let options: Vec<_> = waiting.options.iter().map(|it| line(it)).collect();
            out.line(&format!("options: {}", options.join(" · ")))?;
        }
    }
    out.line(&format!("because {}", it.rule))?;
    if let Some(pid) = it.pid {
        let at = it.executor.as_deref().unwrap_or("no known terminal");
        out.line(&format!("process {pid}, {at}"))?;
    }
    if !it.also_on.is_empty() {
        out.line(&format!("also reported by {}", line(&it.also_on.join(", "))))?;
    }
    for finding in &it.findings {
        out.line(&format!("{}: {}", finding.kind.as_str(), line(&finding.says)))?;
    }
    out.line("")?;
    let width = if is_terminal() { columns() } else { usize::MAX };
    for row in it.evidence.iter().take(limit) {
        out.line(&fit(&evidence(row, &clock), width))?;
    }
    if it.evidence.is_empty() {
        out.line("no recent evidence")?;
    }
    out.end()
}

fn evidence(row: &EvidenceRow, clock: &Clock) -> String {
    let mark = if row.decided { "▸" } else { " " };
    let age = clock.age(row.at);
    format!(
        "{mark} {age:>6} {} {} {} {} {}",
        pad(row.source.as_str(), 10),
        pad(&line(&row.kind), 18),
        pad(row.confidence.as_str(), 6),
        pad(&row.says, 14),
        line(&row.detail)
    )
}
