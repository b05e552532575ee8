//! `taffrail ls`, and `taffrail` alone

use super::index::{Bar, bytes, tell_of_archive};
use super::which::Which;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, columns, is_terminal, say};
use crate::terminal::clean;
use crate::{rim, table};
use serde_json::Value;
use std::time::{Duration, Instant};
use taffrail_api::client::path;
use taffrail_api::{ListQuery, ListRequest, SCHEMA_VERSION, SessionList};
use taffrail_daemon::{Budget, Listing, Waiting, agents, list};

/// How long a list for people may spend on catching up.
pub(super) const CATCH_UP: Duration = Duration::from_millis(300);
/// Rows shown to people unless they ask for more.
const ROWS: usize = 40;
/// Rows a screen list can ask for.
const MOST_ROWS: usize = 1_000_000;

/// List sessions, the latest first
#[derive(Debug, Default, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail ls                       the latest sessions
  taffrail ls --since 7d            with something new in the last seven days
  taffrail ls --project . --all     of this folder, sub-agents too
  taffrail ls --topic parser --category fix
  taffrail ls --device laptop       of another device of yours
  taffrail ls --json | jq '.sessions[0]'
")]
pub(super) struct Args {
    /// Print JSON, with everything there is and no limit
    #[arg(long)]
    pub(super) json: bool,
    /// Sub-agents too
    #[arg(long, short)]
    all: bool,
    /// At most so many
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
    #[command(flatten)]
    at: At,
    #[command(flatten)]
    about: About,
    #[command(flatten)]
    which: Which,
}

// A plain comment: a documented one would become the help of the command.
// Narrows a list to what sessions are at.
#[derive(Debug, Default, clap::Args)]
struct At {
    /// Only what waits for you
    #[arg(long, short)]
    waiting: bool,
    /// Only those whose latest result is a failure
    #[arg(long)]
    failing: bool,
    /// Only those at work on something with these words in it
    #[arg(long, value_name = "TEXT")]
    doing: Option<String>,
}

// A plain comment: a documented one would become the help of the command.
// Narrows a list to what sessions were about.
#[derive(Debug, Default, clap::Args)]
struct About {
    /// Only those that are over and were about this
    #[arg(long, value_name = "WORD")]
    topic: Option<String>,
    /// Only those that are over and were such work: feature, fix, refactor, test, docs, question,
    /// ops or other
    #[arg(long, value_name = "WORD")]
    category: Option<String>,
}

impl About {
    fn is_anything(&self) -> bool {
        self.topic.is_some() || self.category.is_some()
    }
}

impl At {
    fn is_anything(&self) -> bool {
        self.waiting || self.failing || self.doing.is_some()
    }
}

impl Args {
    /// The same as a question to the daemon.
    fn query(&self, request: &ListRequest) -> ListQuery {
        ListQuery {
            all: request.all,
            limit: request.limit,
            agent: request.agent.clone(),
            since: request.since.map(|it| it.to_string()),
            project: request.project.clone(),
            waiting: self.at.waiting,
            failing: self.at.failing,
            doing: self.at.doing.clone(),
            topic: self.about.topic.clone(),
            category: self.about.category.clone(),
            device: request.device.clone(),
        }
    }
}

/// Asks the daemon, or looks without one.
fn listed(
    args: &Args,
    request: &ListRequest,
    budget: Budget,
    context: &Context,
) -> Result<Listing, CliError> {
    if let Some(client) = &context.client {
        let query = serde_json::to_value(args.query(request)).map_err(anyhow::Error::from)?;
        let fields = query.as_object().into_iter().flatten();
        let texts: Vec<(String, String)> =
            fields.filter_map(|(name, it)| Some((name.clone(), text(it)?))).collect();
        let pairs: Vec<(&str, &str)> =
            texts.iter().map(|(name, it)| (name.as_str(), it.as_str())).collect();
        let list: SessionList = client.get(&path("/api/sessions", &pairs))?;
        let (waiting, problems) = (Waiting::default(), Vec::new());
        let unfinished = false;
        return Ok(Listing { sessions: list.sessions, waiting, problems, unfinished });
    }
    let bar = Bar::new();
    let listing = list(&context.settings, request, budget, &mut |it| bar.show(it));
    bar.end();
    Ok(listing?)
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null | Value::Bool(false) => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let which = args.which.request(context)?;
    let request = ListRequest {
        all: args.all,
        limit: args.limit,
        waiting: args.at.waiting,
        failing: args.at.failing,
        doing: args.at.doing.clone(),
        topic: args.about.topic.clone(),
        category: args.about.category.clone(),
        ..which
    };
    if args.json {
        let listing = listed(args, &request, Budget::Whole, context)?;
        warn(listing.waiting, &listing.problems);
        warn_of_finals(&listing);
        let sessions = listing.sessions;
        return Out::new().json(&SessionList { schema_version: SCHEMA_VERSION, sessions });
    }
    let budget = Budget::Until(Instant::now() + CATCH_UP);
    // One more than is shown tells whether there are more.
    let limit = Some(args.limit.unwrap_or(ROWS).saturating_add(1).min(MOST_ROWS));
    let listing = listed(args, &ListRequest { limit, ..request }, budget, context)?;
    show(&listing, args, context)
}

fn show(listing: &Listing, args: &Args, context: &Context) -> Result<(), CliError> {
    if listing.sessions.is_empty() {
        warn_of_finals(listing);
        return match args.at.is_anything() || args.about.is_anything() {
            true => Out::new().line("none").map(|_| ()),
            false => nothing(context),
        };
    }
    let rows = args.limit.unwrap_or(ROWS);
    let width = if is_terminal() { columns() } else { usize::MAX };
    let mut out = Out::paged(context.pager.as_ref());
    let (now, shown_too) = (rim::now(), table::Shown::of(&listing.sessions));
    for group in table::GROUPS {
        let shown = listing.sessions.iter().take(rows).filter(|it| it.group == group);
        for (number, session) in shown.enumerate() {
            if number == 0 {
                out.line(&bold(table::heading(group)))?;
            }
            out.line(&table::row(session, now, (width, shown_too)))?;
        }
    }
    out.end()?;
    if listing.sessions.len() > rows {
        say(&format!("there are more: taffrail ls -n {}", rows.saturating_mul(5)));
    }
    warn(listing.waiting, &listing.problems);
    warn_of_finals(listing);
    tell_of_archive(context);
    Ok(())
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
        say(&format!(
            "not yet indexed: {} sources, {}{why}: taffrail index",
            waiting.sources,
            bytes(waiting.bytes)
        ));
    }
}

/// Says that a list by topic or category may lack something.
fn warn_of_finals(listing: &Listing) {
    if listing.unfinished {
        say(
            "not every session that is over was summed up yet: ask again, or taffrail daemon start",
        );
    }
}

/// An empty machine: where it looked, what it did not find, and one next step.
fn nothing(context: &Context) -> Result<(), CliError> {
    let known = agents(&context.settings)?.agents;
    let looked: Vec<_> = known.iter().map(|it| it.label.as_str()).collect();
    let homes: Vec<_> = known.iter().flat_map(|it| &it.homes).collect();
    let sources: u64 = homes.iter().map(|it| it.sources).sum();
    let found: Vec<_> = homes.iter().map(|it| it.path.as_str()).collect();
    let found = if found.is_empty() { "none of their homes".to_owned() } else { found.join(", ") };
    let mut out = Out::new();
    out.line(&format!("No sessions. Looked for {}.", looked.join(", ")))?;
    out.line(&format!("Found {found}, with {sources} sources of history."))?;
    out.line("Next: taffrail doctor")?;
    out.end()
}
