//! `taffrail feed`

use super::daemon::ensured;
use super::events::catch_up;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, columns, is_terminal};
use std::collections::HashMap;
use taffrail_api::client::path;
use taffrail_api::{EventLine, FeedReply, Session, SessionList, StatusList};
use taffrail_env::Env;
use taffrail_ingest::Scope;
use taffrail_model::{Event, SessionId};
use taffrail_tui::feed_line::{FeedLine, FeedLines, of};
use taffrail_tui::table;
use taffrail_tui::terminal::{fit, line, pad};
use taffrail_tui::when::{Clock, MINUTE_WIDTH};

/// Print recent events of all sessions
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail feed
      the latest prompts, calls, approvals, ends and changed files
  taffrail feed -n 200
  taffrail feed -f           also follow new events
  taffrail feed -f --json | jq -r .text
")]
pub(super) struct Args {
    /// Print at most N events
    #[arg(long, alias = "lines", short = 'n', value_name = "N", default_value_t = 50)]
    limit: usize,
    /// Follow new events; starts the daemon if none is running
    #[arg(long, short)]
    follow: bool,
}

/// How an event is printed: for programs, or by the clock of the person who reads.
#[derive(Debug, Clone, Copy)]
enum Form<'a> {
    Json,
    Text(&'a Env),
}

fn form(context: &Context) -> Form<'_> {
    if context.json { Form::Json } else { Form::Text(&context.env) }
}

/// Sessions by their id, for their names.
type Names = HashMap<SessionId, Session>;

/// What is known of those that lines are about.
#[derive(Default)]
struct About {
    names: Names,
    telling: FeedLines,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    if args.follow {
        return follow(args, context);
    }
    if context.client.is_none() {
        catch_up(context, &Scope::All)?;
    }
    let client = context.questions()?;
    let all = client.get::<SessionList>(&path("/api/sessions", &[("all", "true")]))?;
    let asked = path("/api/feed", &[("limit", &args.limit.to_string())]);
    let (events, names) = (client.get::<FeedReply>(&asked)?.events, named(all.sessions));
    let mut out = if context.json { Out::new() } else { Out::paged(context.pager.as_ref()) };
    print_all(&mut out, &events, &mut About { names, ..About::default() }, form(context))?;
    out.end()
}

fn named(sessions: Vec<Session>) -> Names {
    sessions.into_iter().map(|it| (it.id, it)).collect()
}

fn follow(args: &Args, context: &Context) -> Result<(), CliError> {
    let client = ensured(context)?;
    let mut about = About::default();
    let mut out = Out::new();
    let stream = client.follow("/api/stream")?;
    let asked = path("/api/feed", &[("limit", &args.limit.to_string())]);
    let before = client.get::<FeedReply>(&asked)?.events;
    let mut is_begun = false;
    for told in stream {
        let told = told?;
        let goes_on = match told.name.as_str() {
            "snapshot" => {
                about.names.extend(named(read::<StatusList>(&told.data)?.sessions));
                let before = if std::mem::replace(&mut is_begun, true) { &[] } else { &*before };
                print_all(&mut out, before, &mut about, form(context))?
            }
            "status" => {
                let session: Session = read(&told.data)?;
                about.names.insert(session.id, session);
                true
            }
            "" => match read(&told.data)? {
                EventLine::Event(event) => print(&mut out, &event, &mut about, form(context))?,
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

fn print_all(
    out: &mut Out,
    all: &[Event],
    about: &mut About,
    form: Form<'_>,
) -> Result<bool, CliError> {
    for event in all {
        if !print(out, event, about, form)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Prints an event that tells what happened; `false` when nobody reads any more.
fn print(
    out: &mut Out,
    event: &Event,
    about: &mut About,
    form: Form<'_>,
) -> Result<bool, CliError> {
    let Form::Text(env) = form else {
        return if of(event).is_some() { out.json_line(event) } else { Ok(true) };
    };
    let Some(happening) = about.telling.take(event) else { return Ok(true) };
    let width = if is_terminal() { columns() } else { usize::MAX };
    out.line(&fit(&readable(&happening, event, &about.names, &env.clock()), width))
}

fn readable(it: &FeedLine, event: &Event, names: &Names, clock: &Clock) -> String {
    let project = names.get(&it.session_id).map_or("?".to_owned(), table::project);
    let agent = line(event.provider.as_str());
    format!(
        "{} {} {} {} {} {}",
        pad(&clock.minute(it.at), MINUTE_WIDTH),
        it.kind.shape(),
        pad(it.kind.word(), 8),
        pad(&project, 14),
        pad(table::short(&agent), 8),
        it.text
    )
}
