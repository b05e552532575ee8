//! `taffrail approvals`, `taffrail approve` and `taffrail deny`

mod always;
mod log;
mod selection;

use super::completions::session_ids;
use super::confirmation::{agreed, not_agreed};
use super::{Context, TEMPLATE, hub};
use crate::error::CliError;
use crate::output::{Out, columns, is_terminal};
use selection::{Choice, choose, of_session};
use taffrail_api::client::{Client, escaped, path};
use taffrail_api::{Allowed, ApprovalRow, Approvals, DecisionBody, ErrorKind};
use taffrail_env as env;
use taffrail_model::approval::State;
use taffrail_tui::phrases::outcome_says;
use taffrail_tui::requests::{one_line, project, whole};
use taffrail_tui::terminal::{fit, line, pad};
use taffrail_tui::when::{self};

/// List the approval requests of agents
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, help_template = TEMPLATE, before_help = "\
Examples:
  taffrail approvals
      open requests, with project and session
  taffrail approvals show 3f2a
      one request in full, with every field and the change it makes
  taffrail approve
      allow the only open request; else name its id or session
  taffrail deny 3f2a --reason \"not on main\"
  taffrail approvals log            every decision, its author and reason
  taffrail approvals log --verify   check that nobody changed the log
  taffrail approvals denied --since 7d
      what agents wanted to do, and somebody refused
Requests from your other devices are listed, too, if `sync.remote` on that
device names the project.
")]
pub(super) struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Include decided and expired requests
    #[arg(long)]
    all: bool,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Show one request in full: its command line by line, every field, and the change it makes
    Show {
        /// Request id or session id, or a prefix of one; @last or @waiting
        #[arg(value_name = "ID|SESSION", add = session_ids())]
        id: String,
    },
    /// Show what agents wanted to do and somebody refused, here or in the agents' own dialogs
    Denied {
        /// Only since: 7d, 12h, 30m, a date or a time
        #[arg(long, value_name = "WHEN", default_value = "7d")]
        since: String,
    },
    /// Show every decision with its author and reason, and every refused attempt
    Log {
        /// Check that no entry was changed or removed
        #[arg(long)]
        verify: bool,
    },
}

/// Allow an approval request
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail approve            the only open request
  taffrail approve 3f2a       by a prefix of the request's or session's id
  taffrail approve @last      the request of the latest session
  taffrail approve --always
      also add a rule that allows the same command in this project
")]
pub(super) struct ApproveArgs {
    /// Request id or session id, or a prefix of one; @last or @waiting; not needed for the only open request
    #[arg(value_name = "ID|SESSION", add = session_ids())]
    id: Option<String>,
    /// Also add a rule that allows exactly this in this project; shows the rule first
    #[arg(long)]
    always: bool,
    /// Do not ask at the terminal before allowing a high-risk command
    #[arg(long)]
    yes: bool,
    /// Allow a request of another device although part of it is hidden here
    #[arg(long)]
    blind: bool,
}

/// Deny an approval request
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail deny               the only open request
  taffrail deny 3f2a --reason \"use the staging database\"
      the agent receives the reason
")]
pub(super) struct DenyArgs {
    /// Request id or session id, or a prefix of one; @last or @waiting; not needed for the only open request
    #[arg(value_name = "ID|SESSION", add = session_ids())]
    id: Option<String>,
    /// Reason that the agent receives
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    match &args.what {
        Some(What::Show { id }) => show(id, context),
        Some(What::Log { verify: true }) => log::verify(context),
        Some(What::Log { verify: false }) => log::log(context),
        Some(What::Denied { since }) => log::denied(since, context),
        None => list(args, context),
    }
}

fn show(id: &str, context: &Context) -> Result<(), CliError> {
    let (_, it) = chosen(context, Some(id), "approvals show")?;
    let row = it.row()?;
    if context.json {
        return Out::new().json(row);
    }
    Out::paged(context.pager.as_ref()).lines(whole(row))
}

fn list(args: &Args, context: &Context) -> Result<(), CliError> {
    let all = if args.all { "true" } else { "false" };
    let told: Approvals = context.questions()?.get(&path("/api/approvals", &[("all", all)]))?;
    if context.json {
        return Out::new().json(&told);
    }
    let mut out = Out::paged(context.pager.as_ref());
    out.line(&match told.approvals.is_empty() {
        true => "No request waits for an answer.".to_owned(),
        false => fit(&head(), width()),
    })?;
    out.lines(told.approvals.iter().map(|it| fit(&row(it), width())))?;
    hub::mark_trouble(context);
    Ok(())
}

/// The columns of the list, and how wide each is.
const HEAD: [(&str, usize); 7] = [
    ("ID", 10),
    ("AGE", 4),
    ("STATE", 12),
    ("PROJECT", 14),
    ("SESSION", 8),
    ("AGENT", 11),
    ("RISK", 6),
];

fn head() -> String {
    let names = HEAD.map(|(name, width)| pad(name, width));
    format!("{} COMMAND", names.join(" "))
}

/// A request in one line, under the head.
fn row(it: &ApprovalRow) -> String {
    let age = when::ago(it.asked_at, env::now());
    let state = it.outcome.as_ref().map_or_else(|| line(it.state.as_str()), outcome_says);
    let word = if it.state == State::DialogOnly { "at agent".to_owned() } else { state };
    let place = it.device.as_deref().map(|it| format!("[{}] ", line(it))).unwrap_or_default();
    let session = short(&it.session_id.to_string());
    let (agent, risk) = (line(it.agent.as_str()), line(&it.risk));
    let cells = [it.id.to_string(), age, word, project(it), session, agent, risk];
    let cells = HEAD.iter().zip(cells).map(|((_, width), cell)| pad(&cell, *width));
    format!("{} {place}{}", cells.collect::<Vec<_>>().join(" "), one_line(&it.command))
}

fn short(session: &str) -> String {
    session.chars().take(8).collect()
}

fn width() -> usize {
    if is_terminal() { columns() } else { usize::MAX }
}

pub(super) fn approve(args: &ApproveArgs, context: &Context) -> Result<(), CliError> {
    let (client, it) = chosen(context, args.id.as_deref(), "approve")?;
    let rule = args.always.then(|| always::propose(context, it.row()?)).transpose()?;
    if !args.yes && !is_agreed(&it, rule.is_some()) {
        return Err(not_agreed());
    }
    let done = decide(client, it.id(), (Allowed::Allow, None), args.blind)?;
    if let Some(rule) = rule {
        always::add(context, &rule)?;
    }
    told(&done, "allowed", context.json)
}

/// A high risk, and whatever is allowed from now on, is agreed to at the terminal.
fn is_agreed(it: &Meant, for_good: bool) -> bool {
    let row = it.row().ok();
    let is_high = row.is_some_and(|it| it.risk == "high" || it.truncated);
    let command = row.map(|it| one_line(&it.command)).unwrap_or_default();
    match (is_high, for_good) {
        (_, true) => agreed(&format!("Allow this, and from now on without asking: {command}?")),
        (true, false) => agreed(&format!("This is a high risk: {command}\nAllow it?")),
        (false, false) => true,
    }
}

pub(super) fn deny(args: &DenyArgs, context: &Context) -> Result<(), CliError> {
    let (client, it) = chosen(context, args.id.as_deref(), "deny")?;
    let done = decide(client, it.id(), (Allowed::Deny, args.reason.clone()), false)?;
    told(&done, "denied", context.json)
}

/// The request that is meant.
enum Meant {
    Row(Box<ApprovalRow>),
    /// An id that is not listed: a request of another device is listed only while it is open, and
    /// the daemon says what became of it.
    Unlisted(String),
}

impl Meant {
    fn id(&self) -> &str {
        match self {
            Self::Row(it) => it.id.as_str(),
            Self::Unlisted(id) => id,
        }
    }

    fn row(&self) -> Result<&ApprovalRow, CliError> {
        match self {
            Self::Row(it) => Ok(it),
            Self::Unlisted(id) => Err(nothing(&[], Some(id))),
        }
    }
}

/// The one request that is meant. It is looked up once: what is asked later is not answered.
fn chosen<'a>(
    context: &'a Context,
    word: Option<&str>,
    verb: &str,
) -> Result<(&'a Client, Meant), CliError> {
    let why = "no daemon runs: only the daemon can pass a decision to a waiting agent";
    let client = context.client.as_ref().ok_or_else(|| CliError::no_daemon(why))?;
    let open: Approvals = client.get(&path("/api/approvals", &[("all", "false")]))?;
    let found = match choose(&open.approvals, word) {
        Choice::Nothing => choose_by_session(context, client, &open.approvals, word)?,
        other => other,
    };
    match found {
        Choice::One(it) => Ok((client, Meant::Row(Box::new(it.clone())))),
        Choice::Several(rows) => Err(several(&rows, verb)),
        Choice::Nothing => match past(client, word)? {
            Some(it) => Ok((client, Meant::Row(Box::new(it)))),
            None => {
                let id = word.filter(|it| is_whole_id(it));
                let meant = id.map(|id| (client, Meant::Unlisted(id.to_owned())));
                meant.ok_or_else(|| nothing(&open.approvals, word))
            }
        },
    }
}

/// What is asked in the session that is meant by a word such as `@last`, or by its agent's own id.
fn choose_by_session<'a>(
    context: &Context,
    client: &Client,
    open: &'a [ApprovalRow],
    word: Option<&str>,
) -> Result<Choice<'a>, CliError> {
    let Some(word) = word else { return Ok(Choice::Nothing) };
    match context.id(client, word) {
        Ok(session) => Ok(of_session(open, &session)),
        Err(error) if error.kind == ErrorKind::NotFound => Ok(Choice::Nothing),
        Err(error) => Err(error),
    }
}

/// Whether it has the form of a request's whole id, so that it can mean no other.
fn is_whole_id(word: &str) -> bool {
    word.len() == 10 && word.bytes().all(|it| it.is_ascii_hexdigit())
}

/// A request that is over; the daemon says what became of it.
fn past(client: &Client, word: Option<&str>) -> Result<Option<ApprovalRow>, CliError> {
    let Some(word) = word.filter(|it| !it.is_empty()) else { return Ok(None) };
    let all: Approvals = client.get(&path("/api/approvals", &[("all", "true")]))?;
    let is_over = |it: &ApprovalRow| !matches!(it.state, State::Pending);
    let mut over = all.approvals.into_iter().filter(is_over);
    Ok(over.find(|it| it.id.as_str().starts_with(word)))
}

fn nothing(open: &[ApprovalRow], word: Option<&str>) -> CliError {
    let message = match word {
        Some(word) => format!("no open request and no session with one matches `{word}`"),
        None => "no request waits for an answer".to_owned(),
    };
    let hint = match open.is_empty() {
        true => "`taffrail approvals --all` lists earlier requests",
        false => "`taffrail approvals` lists the open requests",
    };
    CliError::not_found(message, hint)
}

fn several(rows: &[&ApprovalRow], verb: &str) -> CliError {
    let rows: Vec<String> = rows.iter().map(|it| format!("  {}", row(it))).collect();
    let all = rows.join("\n");
    let message = format!("{} requests wait; nothing was decided\n  {}\n{all}", rows.len(), head());
    let hint = format!("name one of them: taffrail {verb} ID");
    CliError::usage(message, hint)
}

fn decide(
    client: &Client,
    id: &str,
    (decision, reason): (Allowed, Option<String>),
    blind: bool,
) -> Result<ApprovalRow, CliError> {
    let body = DecisionBody { decision, reason, by: Some("cli".to_owned()), blind };
    Ok(client.post(&format!("/api/approvals/{}", escaped(id)), &body)?)
}

fn told(done: &ApprovalRow, word: &str, json: bool) -> Result<(), CliError> {
    if json {
        return Out::new().json(done);
    }
    let mut out = Out::new();
    let session = short(&done.session_id.to_string());
    let place = format!("{} {session}", project(done));
    out.line(&format!("{} {word} in {place}: {}", done.id, one_line(&done.command)))?;
    out.end()
}
