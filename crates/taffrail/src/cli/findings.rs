//! `taffrail findings`

use super::completions::session_ids;
use super::ls::CATCH_UP;
use super::send::{queue, send};
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, columns, is_terminal};
use std::time::Instant;
use taffrail_api::FindingList;
use taffrail_api::client::path;
use taffrail_ingest::Budget;
use taffrail_model::findings::Finding;
use taffrail_query::caught_up;
use taffrail_tui::terminal::{fit, line, pad};
use taffrail_tui::when::Clock;

/// List sessions that are stuck, failing, asking or done
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail findings              in all sessions of the last day
  taffrail findings 3f2a         in one session
  taffrail findings 3f2a --accept   send the proposed prompt
  taffrail findings 3f2a --queue    queue it for when the session waits
  taffrail findings --json | jq '.findings[].says'
")]
pub(super) struct Args {
    /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
    #[arg(value_name = "ID", add = session_ids())]
    id: Option<String>,
    /// Include sub-agents
    #[arg(long, short = 'a')]
    all: bool,
    /// Send the prompt that the newest finding of the session proposes
    #[arg(long, requires = "id", conflicts_with = "all")]
    accept: bool,
    /// Queue that prompt, also if no process runs the session
    #[arg(long, requires = "id", conflicts_with_all = ["all", "accept"])]
    queue: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let found = found(args, context)?;
    if args.accept || args.queue {
        let (id, text) = proposal(&found)?;
        return if args.queue { queue(&id, text, context) } else { send(&id, text, context) };
    }
    if context.json {
        return Out::new().json(&found);
    }
    let mut out = Out::paged(context.pager.as_ref());
    let width = if is_terminal() { columns() } else { usize::MAX };
    let clock = context.clock();
    for finding in &found.findings {
        out.line(&fit(&row(finding, &clock), width))?;
        if let Some(proposes) = &finding.proposes {
            out.line(&fit(&format!("{:40}▸ {}", "", line(proposes)), width))?;
        }
    }
    if found.findings.is_empty() {
        out.line("No findings.")?;
    }
    out.end()
}

/// The session and the prompt of the newest finding that proposes one. Only a person accepts it.
fn proposal(found: &FindingList) -> Result<(String, &str), CliError> {
    let newest = found.findings.iter().filter(|it| it.proposes.is_some()).max_by_key(|it| it.since);
    let Some((finding, text)) = newest.and_then(|it| Some((it, it.proposes.as_deref()?))) else {
        let message = "no finding of this session proposes a prompt";
        return Err(CliError::not_found(message, "`taffrail findings` lists the findings"));
    };
    Ok((finding.session_id.to_string(), text))
}

fn found(args: &Args, context: &Context) -> Result<FindingList, CliError> {
    let id = args.id.as_ref().map(|it| context.found_id(it)).transpose()?;
    if context.client.is_none() && id.is_none() {
        // New data on disk counts, as far as it is read in time.
        let soon = Budget::Until(Instant::now() + CATCH_UP);
        caught_up(&context.settings, soon, &mut |_| {})?;
    }
    let all = if args.all { "true" } else { "false" };
    let id = id.as_deref().map(|it| ("id", it));
    let asked: Vec<_> = [("all", all)].into_iter().chain(id).collect();
    Ok(context.questions()?.get(&path("/api/findings", &asked))?)
}

fn row(finding: &Finding, clock: &Clock) -> String {
    let id: String = finding.session_id.to_string().chars().take(8).collect();
    let age = clock.age(finding.since);
    let sure = finding.confidence.as_str();
    format!(
        "{id} {age:>6} {} {} {}",
        pad(finding.kind.as_str(), 21),
        pad(sure, 6),
        line(&finding.says)
    )
}
