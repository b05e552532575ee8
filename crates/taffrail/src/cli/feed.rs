//! `taffrail feed`

use super::daemon::ensured;
use super::events::catch_up;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::happening::{Happening, of};
use crate::output::{Out, columns, is_terminal};
use crate::terminal::{fit, line, pad};
use crate::{table, when};
use std::collections::HashMap;
use taffrail_api::client::path;
use taffrail_api::{EventLine, FeedReply, ListRequest, Session, SessionList, StatusList};
use taffrail_daemon::{Budget, Scope, feed, list};
use taffrail_model::{Event, SessionId};

/// Print what happened, across all sessions
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail feed              the latest prompts, calls, approvals, ends and changed files
  taffrail feed -n 200
  taffrail feed -f           and everything that happens from now on
  taffrail feed -f --json | jq -r .text
")]
pub(super) struct Args {
    /// How many
    #[arg(long, short = 'n', value_name = "N", default_value_t = 50)]
    lines: usize,
    /// Go on with what happens; starts the daemon if none runs
    #[arg(long, short)]
    follow: bool,
    /// Print one event a line, as `events --json` does
    #[arg(long)]
    pub(super) json: bool,
}

/// Sessions by their id, for their names.
type Names = HashMap<SessionId, Session>;

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    if args.follow {
        return follow(args, context);
    }
    let (events, names) = match &context.client {
        Some(client) => {
            let asked = path("/api/feed", &[("limit", &args.lines.to_string())]);
            let all = client.get::<SessionList>(&path("/api/sessions", &[("all", "true")]))?;
            (client.get::<FeedReply>(&asked)?.events, named(all.sessions))
        }
        None => {
            catch_up(context, &Scope::All)?;
            let request = ListRequest { all: true, ..ListRequest::default() };
            let all = list(&context.settings, &request, Budget::Whole, &mut |_| {})?;
            (feed(&context.settings, args.lines)?.events, named(all.sessions))
        }
    };
    let mut out = if args.json { Out::new() } else { Out::paged(context.pager.as_ref()) };
    for event in &events {
        if !print(&mut out, event, &names, args.json)? {
            break;
        }
    }
    out.end()
}

fn named(sessions: Vec<Session>) -> Names {
    sessions.into_iter().map(|it| (it.id, it)).collect()
}

fn follow(args: &Args, context: &Context) -> Result<(), CliError> {
    let client = ensured(context)?;
    let mut names = Names::new();
    let mut out = Out::new();
    let stream = client.follow("/api/stream")?;
    let asked = path("/api/feed", &[("limit", &args.lines.to_string())]);
    let before = client.get::<FeedReply>(&asked)?.events;
    let mut is_begun = false;
    for told in stream {
        let told = told?;
        let goes_on = match told.name.as_str() {
            "snapshot" => {
                names.extend(named(read::<StatusList>(&told.data)?.sessions));
                let before = if std::mem::replace(&mut is_begun, true) { &[] } else { &*before };
                print_all(&mut out, before, &names, args.json)?
            }
            "status" => {
                let session: Session = read(&told.data)?;
                names.insert(session.id, session);
                true
            }
            "" => match read(&told.data)? {
                EventLine::Event(event) => print(&mut out, &event, &names, args.json)?,
                EventLine::Removed(_) => true,
            },
            _ => true,
        };
        if !goes_on || !out.flush()? {
            return Ok(());
        }
    }
    out.end()
}

fn read<T: serde::de::DeserializeOwned>(data: &str) -> Result<T, CliError> {
    Ok(serde_json::from_str(data).map_err(anyhow::Error::from)?)
}

fn print_all(out: &mut Out, all: &[Event], names: &Names, json: bool) -> Result<bool, CliError> {
    for event in all {
        if !print(out, event, names, json)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Prints an event that tells what happened; `false` when nobody reads any more.
fn print(out: &mut Out, event: &Event, names: &Names, json: bool) -> Result<bool, CliError> {
    let Some(happening) = of(event) else { return Ok(true) };
    if json {
        return out.json_line(event);
    }
    let width = if is_terminal() { columns() } else { usize::MAX };
    out.line(&fit(&readable(&happening, event, names), width))
}

fn readable(it: &Happening, event: &Event, names: &Names) -> String {
    let project = names.get(&it.session_id).map_or("?".to_owned(), table::project);
    let agent = line(event.provider.as_str());
    format!(
        "{} {} {} {} {} {}",
        when::minute(it.at),
        it.kind.shape(),
        pad(it.kind.word(), 8),
        pad(&project, 14),
        pad(table::short(&agent), 8),
        it.text
    )
}
