//! `taffrail findings`

use super::completions::session_ids;
use super::events::refresh;
use super::ls::CATCH_UP;
use super::send::send;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, columns, is_terminal};
use crate::terminal::{fit, line, pad};
use crate::{rim, when};
use std::time::Instant;
use taffrail_api::client::path;
use taffrail_api::{ErrorKind, FindingList, ListRequest};
use taffrail_daemon::{Budget, Whose, list};
use taffrail_model::findings::Finding;

/// Say what is stuck, failing, asking or done
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail findings              in all sessions of the last day
  taffrail findings 3f2a         in one session
  taffrail findings 3f2a --accept   send the prompt that is proposed there
  taffrail findings --json | jq '.findings[].says'
")]
pub(super) struct Args {
    /// The beginning of its id, its agent's own id, @last, or . for this folder
    #[arg(value_name = "ID", add = session_ids())]
    id: Option<String>,
    /// Workers too
    #[arg(long, short = 'a')]
    all: bool,
    /// Send the prompt that the newest finding of the session proposes
    #[arg(long, requires = "id", conflicts_with = "all")]
    accept: bool,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let found = found(args, context)?;
    if args.accept {
        return accept(&found, args, context);
    }
    if args.json {
        return Out::new().json(&found);
    }
    let mut out = Out::paged(context.pager.as_ref());
    let width = if is_terminal() { columns() } else { usize::MAX };
    for finding in &found.findings {
        out.line(&fit(&row(finding), width))?;
        if let Some(proposes) = &finding.proposes {
            out.line(&fit(&format!("{:38}▸ {}", "", line(proposes)), width))?;
        }
    }
    if found.findings.is_empty() {
        out.line("nothing to remark")?;
    }
    out.end()
}

/// Sends what the newest finding proposes, as the user would.
fn accept(found: &FindingList, args: &Args, context: &Context) -> Result<(), CliError> {
    let newest = found.findings.iter().filter(|it| it.proposes.is_some()).max_by_key(|it| it.since);
    let Some((finding, text)) = newest.and_then(|it| Some((it, it.proposes.as_deref()?))) else {
        let hint = Some("`taffrail findings` shows what was found".to_owned());
        let message = "no finding of it proposes a prompt".to_owned();
        return Err(CliError { kind: ErrorKind::NotFound, message, hint });
    };
    send(&finding.session_id.to_string(), text, args.json, context)
}

fn found(args: &Args, context: &Context) -> Result<FindingList, CliError> {
    let whose = if args.all { Whose::All } else { Whose::Main };
    if let Some(client) = &context.client {
        let id = args.id.as_ref().map(|it| context.id(client, it)).transpose()?;
        let all = if args.all { "true" } else { "false" };
        let mut asked = vec![("all", all)];
        asked.extend(id.as_deref().map(|it| ("id", it)));
        return Ok(client.get(&path("/api/findings", &asked))?);
    }
    let target = args.id.as_ref().map(|it| context.target(it)).transpose()?;
    match &target {
        Some(target) => refresh(context, target)?,
        None => {
            // What is new on disk counts, as far as it is read in time.
            let soon = Budget::Until(Instant::now() + CATCH_UP);
            list(&context.settings, &ListRequest::default(), soon, &mut |_| {})?;
        }
    }
    Ok(taffrail_daemon::findings(&context.settings, target.as_ref(), whose)?)
}

fn row(finding: &Finding) -> String {
    let id: String = finding.session_id.to_string().chars().take(8).collect();
    let age = when::ago(finding.since, rim::now());
    let sure = finding.confidence.as_str();
    format!(
        "{id} {age:>4} {} {} {}",
        pad(finding.kind.as_str(), 21),
        pad(sure, 6),
        line(&finding.says)
    )
}
