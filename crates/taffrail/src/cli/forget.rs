//! `taffrail forget`

use super::completions::session_ids;
use super::index::{Bar, bytes, counted};
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, say};
use crate::terminal::{fit, line};
use crate::{rim, when};
use clap::ValueHint;
use taffrail_api::{ForgetBody, ForgetReport, ForgottenSession};
use taffrail_daemon::{Mode, Which, forget};

/// Forget sessions everywhere and for good; without --yes only say what that would mean
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail forget 3f2a                   what forgetting this session would take away
  taffrail forget 3f2a --yes             do it
  taffrail forget --project ~/src/secret --yes
  taffrail forget --before 365d
")]
pub(super) struct Args {
    /// The beginning of its id, its agent's own id, @last, or . for this folder; several are fine
    #[arg(value_name = "ID", add = session_ids(), required_unless_present_any = ["project", "before"])]
    ids: Vec<String>,
    /// All sessions in this folder or below it
    #[arg(long, value_name = "PATH", value_hint = ValueHint::DirPath, conflicts_with = "ids")]
    project: Option<String>,
    /// All sessions with nothing new since then: 365d, a date or a time
    #[arg(long, value_name = "WHEN", conflicts_with_all = ["ids", "project"])]
    before: Option<String>,
    /// Do it
    #[arg(long, short)]
    yes: bool,
    /// Only say what it would mean, as without --yes
    #[arg(long, short = 'n', conflicts_with = "yes")]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let report = forgotten(args, context)?;
    if args.json {
        return Out::new().json(&report);
    }
    show(&report)
}

fn forgotten(args: &Args, context: &Context) -> Result<ForgetReport, CliError> {
    if let Some(client) = &context.client {
        let ids: Result<Vec<_>, _> = args.ids.iter().map(|it| context.id(client, it)).collect();
        let project = args.project.as_ref();
        let body = ForgetBody {
            ids: ids?,
            project: project.map(|it| super::which::absolute(&context.rim.here, it)),
            before: args.before.clone(),
            yes: args.yes,
        };
        return Ok(client.with_patience(None).post("/api/forget", &body)?);
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
        return Ok(Which::Project(super::which::absolute(&context.rim.here, path)));
    }
    if let Some(text) = &args.before {
        return Ok(Which::Before(super::which::instant(text)?));
    }
    let targets: Result<_, _> = args.ids.iter().map(|id| context.target(id)).collect();
    Ok(Which::Sessions(targets?))
}

fn show(report: &ForgetReport) -> Result<(), CliError> {
    let mut out = Out::new();
    for session in &report.sessions {
        out.line(&fit(&row(session), 100))?;
        for heir in &session.also_in {
            out.line(&format!("         its beginning is also in {heir}, which stays"))?;
        }
    }
    out.end()?;
    let count = counted(report.sessions.len() as u64, "session");
    let events = counted(report.sessions.iter().map(|it| it.events).sum(), "event");
    let archived = bytes(report.sessions.iter().map(|it| it.archived_bytes).sum());
    match (report.done, report.sessions.is_empty()) {
        (_, true) => say("no session is meant"),
        (true, false) => say(&format!(
            "forgotten: {count}, {events}, {archived} of archive. The agents' own files were not \
             touched; what they hold of it is not read again"
        )),
        (false, false) => say(&format!(
            "would forget {count}, {events}, {archived} of archive; --yes does it. The agents' own \
             files are not touched"
        )),
    }
    Ok(())
}

fn row(session: &ForgottenSession) -> String {
    let id: String = session.id.to_string().chars().take(8).collect();
    let age = session.last_event_at.map_or("?".to_owned(), |at| when::ago(at, rim::now()));
    let worker = if session.parent_id.is_some() { "└ " } else { "" };
    let title = session.title.as_deref().map_or("(no title)".to_owned(), line);
    format!("{id} {age:>4} {:>6} events  {worker}{title}", session.events)
}
