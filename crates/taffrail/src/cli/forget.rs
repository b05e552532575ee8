//! `taffrail forget`

use super::completions::session_ids;
use super::index::{Bar, bytes, counted};
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, say};
use clap::ValueHint;
use taffrail_api::{ForgetBody, ForgetReport, ForgottenSession};
use taffrail_ingest::{Mode, Which};
use taffrail_query::resolve::forget;
use taffrail_tui::terminal::{fit, line};
use taffrail_tui::when::Clock;

/// Remove sessions everywhere and for good
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail forget 3f2a
      list what would be removed
  taffrail forget 3f2a --yes             remove it
  taffrail forget --project ~/src/secret --yes
  taffrail forget --before 365d
")]
pub(super) struct Args {
    /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder; repeatable
    #[arg(value_name = "ID", add = session_ids(), required_unless_present_any = ["project", "before"])]
    ids: Vec<String>,
    /// Every session in this folder or below it
    #[arg(long, value_name = "PATH", value_hint = ValueHint::DirPath, conflicts_with = "ids")]
    project: Option<String>,
    /// Every session without an event since: 365d, a date or a time
    #[arg(long, value_name = "WHEN", conflicts_with_all = ["ids", "project"])]
    before: Option<String>,
    /// Remove them; without it, only list them
    #[arg(long, short)]
    yes: bool,
    /// Only list what would be removed, as without --yes
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let report = forgotten(args, context)?;
    if context.json {
        return Out::new().json(&report);
    }
    show(&report, &context.clock())
}

fn forgotten(args: &Args, context: &Context) -> Result<ForgetReport, CliError> {
    if let Some(client) = &context.client {
        let ids: Result<Vec<_>, _> = args.ids.iter().map(|it| context.id(client, it)).collect();
        let project = args.project.as_ref();
        let body = ForgetBody {
            ids: ids?,
            project: project.map(|it| super::which::absolute(&context.env.here, it)),
            before: args.before.clone(),
            yes: args.yes,
        };
        return Ok(client.with_timeout(None).post("/api/forget", &body)?);
    }
    let which = which(args, context)?;
    let mode = if args.yes { Mode::Do } else { Mode::Report };
    let bar = Bar::new();
    let report = forget(&context.settings, &which, mode, &mut |it| bar.show(it));
    bar.end();
    Ok(report?)
}

fn which(args: &Args, context: &Context) -> Result<Which, CliError> {
    if let Some(path) = &args.project {
        return Ok(Which::Project(super::which::absolute(&context.env.here, path)));
    }
    if let Some(text) = &args.before {
        return Ok(Which::Before(super::which::instant(text, &context.clock())?));
    }
    let targets: Result<_, _> = args.ids.iter().map(|id| context.target(id)).collect();
    Ok(Which::Sessions(targets?))
}

fn show(report: &ForgetReport, clock: &Clock) -> Result<(), CliError> {
    let mut out = Out::new();
    for session in &report.sessions {
        out.line(&fit(&row(session, clock), 100))?;
        for heir in &session.also_in {
            out.line(&format!("         its beginning is also in {heir}, which stays"))?;
        }
    }
    out.end()?;
    let count = counted(report.sessions.len() as u64, "session");
    let events = counted(report.sessions.iter().map(|it| it.events).sum(), "event");
    let archived = bytes(report.sessions.iter().map(|it| it.archived_bytes).sum());
    match (report.done, report.sessions.is_empty()) {
        (_, true) => say("no session matches"),
        (true, false) => say(&format!(
            "forgotten: {count}, {events}, {archived} of archive. The agents' own files were not \
             touched; Taffrail does not read these sessions from them again"
        )),
        (false, false) => say(&format!(
            "would forget {count}, {events}, {archived} of archive; --yes does it. The agents' own \
             files are not touched"
        )),
    }
    Ok(())
}

fn row(session: &ForgottenSession, clock: &Clock) -> String {
    let id: String = session.id.to_string().chars().take(8).collect();
    let age = session.last_event_at.map_or("?".to_owned(), |at| clock.age(at));
    let worker = if session.parent_id.is_some() { "└ " } else { "" };
    let title = session.title.as_deref().map_or("(no title)".to_owned(), line);
    format!("{id} {age:>6} {:>6} events  {worker}{title}", session.events)
}
