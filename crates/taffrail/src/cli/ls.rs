//! `taffrail ls`, and `taffrail` alone

mod filters;

use super::index::{Bar, bytes, counted, tell_of_archive, tell_of_lost};
use super::usage::one_format;
use super::which::Which;
use super::{Context, TEMPLATE, hub};
use crate::error::CliError;
use crate::output::{Out, say};
use serde_json::Value;
use std::time::{Duration, Instant};
use taffrail_api::client::path;
use taffrail_api::{AgentList, ListQuery, ListRequest, SCHEMA_VERSION, Session, SessionList, csv};
use taffrail_ingest::Budget;
use taffrail_query::selection::asks_what_about;
use taffrail_query::summary::bring_up;
use taffrail_query::{Waiting, caught_up};
use taffrail_tui::printer::Printer;
use taffrail_tui::table;
use taffrail_tui::terminal::clean;

/// How long a list for people may spend on catching up.
pub(super) const CATCH_UP: Duration = Duration::from_millis(300);
/// Rows shown to people unless they ask for more.
const ROWS: usize = 40;
/// Rows a screen list can ask for.
const MOST_ROWS: usize = 1_000_000;

/// List sessions by who must act, the latest first
#[derive(Debug, Default, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail ls                       the latest sessions
  taffrail ls --since 7d            with an event in the last seven days
  taffrail ls --project . --all     of this folder, sub-agents included
  taffrail ls --topic parser --category fix
  taffrail ls --device laptop       of another device of yours
  taffrail ls --json | jq '.sessions[0]'
  taffrail ls --all --csv           for a spreadsheet or a notebook
")]
pub(super) struct Args {
    /// Include sub-agents, and sessions of which only prompts are left
    #[arg(long, short)]
    all: bool,
    /// Show at most N sessions
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
    /// Print comma-separated values
    #[arg(long)]
    csv: bool,
    #[command(flatten)]
    at: At,
    #[command(flatten)]
    about: About,
    #[command(flatten)]
    which: Which,
}

// A plain comment: a documented one would become the help of the command.
// Filters a list by what sessions are doing.
#[derive(Debug, Default, clap::Args)]
struct At {
    /// Only sessions that wait for you
    #[arg(long, short)]
    waiting: bool,
    /// Only sessions whose latest result is a failure
    #[arg(long)]
    failing: bool,
    /// Only sessions that work on a call with these words in it
    #[arg(long, value_name = "TEXT")]
    doing: Option<String>,
}

// A plain comment: a documented one would become the help of the command.
// Filters a list by what sessions were about.
#[derive(Debug, Default, clap::Args)]
struct About {
    /// Only finished sessions with this topic
    #[arg(long, value_name = "WORD")]
    topic: Option<String>,
    /// Only finished sessions of this category: feature, fix, refactor, test, docs, question, ops or
    /// other
    #[arg(long, value_name = "WORD")]
    category: Option<String>,
    /// Only sessions with this tag
    #[arg(long, value_name = "TAG")]
    tag: Option<String>,
}

/// The same as a question to the daemon.
fn query(request: &ListRequest) -> ListQuery {
    ListQuery {
        all: request.all,
        with_transcript: request.with_transcript,
        limit: request.limit,
        agent: request.agent.clone(),
        since: request.since.map(|it| it.to_string()),
        project: request.project.clone(),
        tag: request.tag.clone(),
        waiting: request.waiting,
        failing: request.failing,
        doing: request.doing.clone(),
        topic: request.topic.clone(),
        category: request.category.clone(),
        device: request.device.clone(),
        words: None,
        until: request.until.map(|it| it.to_string()),
        model: request.model.clone(),
        branch: request.branch.clone(),
        starred: request.starred,
        ..ListQuery::default()
    }
}

/// What a list shows, and what it could not show yet.
pub(super) struct Listing {
    /// The sessions, the latest first.
    sessions: Vec<Session>,
    /// What waits to be read.
    waiting: Waiting,
    /// Sources that could not be read.
    problems: Vec<String>,
    /// Some finished sessions have no summary yet.
    unfinished: bool,
}

/// Lists sessions; without a daemon it catches up first, within a budget.
pub(super) fn listed(
    request: &ListRequest,
    budget: Budget<'_>,
    context: &Context,
) -> Result<Listing, CliError> {
    let settings = &context.settings;
    let bar = Bar::new();
    let caught_up = caught_up(settings, budget, &mut |it| bar.show(it));
    bar.end();
    let caught_up = caught_up?;
    let alone = context.client.is_none();
    let unfinished = alone && asks_what_about(request) && !bring_up(settings, budget)?;
    let mut sessions = asked(request, context)?;
    caught_up.add_unread(settings, &mut sessions, request)?;
    let waiting = caught_up.waiting();
    Ok(Listing { sessions, waiting, problems: caught_up.problems, unfinished })
}

fn asked(request: &ListRequest, context: &Context) -> Result<Vec<Session>, CliError> {
    let query = serde_json::to_value(query(request)).map_err(anyhow::Error::from)?;
    let fields = query.as_object().into_iter().flatten();
    let texts: Vec<(String, String)> =
        fields.filter_map(|(name, it)| Some((name.clone(), text(it)?))).collect();
    let pairs: Vec<(&str, &str)> =
        texts.iter().map(|(name, it)| (name.as_str(), it.as_str())).collect();
    Ok(context.questions()?.get::<SessionList>(&path("/api/sessions", &pairs))?.sessions)
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null | Value::Bool(false) => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    one_format(context, args.csv)?;
    let which = args.which.request(context)?;
    let request = ListRequest {
        all: args.all,
        with_transcript: !args.all,
        limit: args.limit,
        tag: args.about.tag.clone(),
        waiting: args.at.waiting,
        failing: args.at.failing,
        doing: args.at.doing.clone(),
        topic: args.about.topic.clone(),
        category: args.about.category.clone(),
        ..which
    };
    if context.json || args.csv {
        let listing = listed(&request, Budget::Whole, context)?;
        warn(listing.waiting, &listing.problems);
        warn_of_finals(&listing);
        let sessions = listing.sessions;
        if args.csv {
            return Out::new().lines(csv::sessions(&sessions));
        }
        return Out::new().json(&SessionList { schema_version: SCHEMA_VERSION, sessions });
    }
    let budget = Budget::Until(Instant::now() + CATCH_UP);
    // One more than is shown, to find out whether there are more.
    let limit = Some(args.limit.unwrap_or(ROWS).saturating_add(1).min(MOST_ROWS));
    let listing = listed(&ListRequest { limit, ..request.clone() }, budget, context)?;
    if listing.sessions.is_empty() {
        warn_of_finals(&listing);
        return nothing(&request, args.which.since.as_ref(), context);
    }
    show(&listing, args, context)
}

fn show(listing: &Listing, args: &Args, context: &Context) -> Result<(), CliError> {
    let rows = args.limit.unwrap_or(ROWS);
    let some = listing.sessions.get(..rows).unwrap_or(&listing.sessions);
    print(some, context.printer().as_ref(), context)?;
    if listing.sessions.len() > rows {
        say(&format!("more sessions exist: taffrail ls -n {}", rows.saturating_mul(5)));
    }
    warn(listing.waiting, &listing.problems);
    warn_of_finals(listing);
    hub::mark_trouble(context);
    if tell_of_archive(context) {
        tell_of_lost(context)?;
    }
    Ok(())
}

/// Prints rows of sessions in groups, by who must act.
pub(super) fn print(
    sessions: &[Session],
    printer: Option<&Printer>,
    context: &Context,
) -> Result<(), CliError> {
    let mut out = Out::paged(context.pager.as_ref());
    let (clock, shown_too) = (context.clock(), table::Shown::of(sessions));
    for group in table::GROUPS {
        let shown = sessions.iter().filter(|it| it.group == group);
        for (number, session) in shown.enumerate() {
            if number == 0 {
                out.line(&bold(table::heading(group)))?;
            }
            out.line(&match printer {
                Some(printer) => table::painted_row(session, &clock, shown_too, printer),
                None => table::row(session, &clock, shown_too),
            })?;
        }
    }
    out.end()
}

pub(super) fn bold(text: &str) -> String {
    let style = anstyle::Style::new().bold();
    format!("{style}{text}{style:#}")
}

/// Says what an answer leaves out.
pub(super) fn warn(waiting: Waiting, problems: &[String]) {
    for problem in problems {
        say(&format!("not read: {}", clean(problem)));
    }
    if waiting.sources > 0 {
        let why = if waiting.writer_elsewhere { " (another taffrail is reading them)" } else { "" };
        let sources = counted(waiting.sources as u64, "source");
        say(&format!("not yet indexed: {sources}, {}{why}: taffrail index", bytes(waiting.bytes)));
    }
}

/// Says that a list by topic or category may lack something.
fn warn_of_finals(listing: &Listing) {
    if listing.unfinished {
        say("some finished sessions have no summary yet; run this again, or taffrail daemon start");
    }
}

/// Nothing to list: because of filters, or because there is nothing.
fn nothing(
    request: &ListRequest,
    since: Option<&String>,
    context: &Context,
) -> Result<(), CliError> {
    let every = ListRequest { all: request.all, ..ListRequest::default() };
    let every = listed(&every, Budget::Whole, context)?.sessions;
    match every.is_empty() {
        true => empty_machine(context),
        false => filters::explain((request, since), &every, context),
    }
}

/// Whether no session is known.
pub(super) fn is_empty(context: &Context) -> Result<bool, CliError> {
    let any = ListRequest { all: true, limit: Some(1), ..ListRequest::default() };
    Ok(listed(&any, Budget::Whole, context)?.sessions.is_empty())
}

/// The agents that an empty machine names.
const NAMED: usize = 3;

/// An empty machine: where it looked, what it did not find, and one next step.
pub(super) fn empty_machine(context: &Context) -> Result<(), CliError> {
    let known = context.questions()?.get::<AgentList>("/api/agents")?.agents;
    let some: Vec<_> = known.iter().take(NAMED).map(|it| it.label.as_str()).collect();
    let more = known.len().saturating_sub(NAMED);
    let homes: Vec<_> = known.iter().flat_map(|it| &it.homes).collect();
    let sources: u64 = homes.iter().map(|it| it.sources).sum();
    let found: Vec<_> = homes.iter().map(|it| it.path.as_str()).collect();
    let mut out = Out::new();
    out.line(&format!("No sessions. Looked for {} and {more} more agents.", some.join(", ")))?;
    out.line(&match found.as_slice() {
        [] => "None of them has any history on this machine yet: see `taffrail agents`.".to_owned(),
        found => format!("Found {}, with {}.", found.join(", "), counted(sources, "source")),
    })?;
    out.line("Next: taffrail doctor")?;
    out.end()
}
