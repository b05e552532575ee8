//! `taffrail show`

use super::completions::session_ids;
use super::terminal;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use serde::Serialize;
use taffrail_api::client::path;
use taffrail_api::{EventLine, EventsRequest, FindingList, SCHEMA_VERSION, Session};
use taffrail_context::Target;
use taffrail_model::SessionId;
use taffrail_model::findings::Finding;
use taffrail_model::turn::Turn;
use taffrail_query::bindings::{FeatureLink, feature_of, followed, tied};
use taffrail_query::contracts::{ImportedWork, imported_work};
use taffrail_query::events::{Texts, turns};
use taffrail_query::{Secrets, trace};
use taffrail_tui::printer::Printer;
use taffrail_tui::session_text::{Turns, event_lines, head_lines, painted_head};
use taffrail_tui::terminal::line;
use taffrail_tui::waterfall;
use taffrail_tui::when::Clock;

/// The columns of a waterfall.
const WIDTH: usize = 80;

/// Show a session turn by turn
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail show @last      the latest session
  taffrail show .          the latest in this folder
  taffrail show 3f2a --json
  taffrail show 3f2a --trace      where the time of its last turn went
  taffrail show 3f2a --trace 7    of turn 7
  taffrail show 3f2a --terminal   the kept output of its terminal under `run`
")]
pub(super) struct Args {
    /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
    #[arg(value_name = "ID", add = session_ids())]
    id: String,
    /// Show the kept output of its terminal, if it ran under `taffrail run`
    #[arg(long)]
    terminal: bool,
    /// Show where the time of a turn went
    #[arg(long, value_name = "TURN", num_args = 0..=1, conflicts_with = "terminal")]
    trace: Option<Option<u32>>,
}

#[derive(Debug, Serialize)]
struct Shown {
    schema_version: u32,
    session: Session,
    turns: Vec<Turn>,
    /// The feature it works for, in a project with an `.ai-session` directory.
    feature: Option<FeatureLink>,
    /// The session that was named, where another took its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    resolved_from: Option<SessionId>,
    findings: Vec<Finding>,
    /// The work in the document, if the session is an imported one.
    #[serde(skip_serializing_if = "Option::is_none")]
    imported: Option<ImportedWork>,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let target = context.found(&args.id)?;
    let followed = followed(&context.settings, &target)?;
    let target = Target::Id(followed.id.to_string());
    if args.terminal {
        let out = Out::paged(context.pager.as_ref());
        return terminal::print(context, &target, Secrets::Shown, out);
    }
    if let Some(turn) = args.trace {
        let trace = trace(&context.settings, &target, turn)?;
        if context.json {
            return Out::new().json(&trace);
        }
        let mut out = Out::paged(context.pager.as_ref());
        for it in waterfall::lines(&trace, WIDTH) {
            out.line(&it)?;
        }
        return out.end();
    }
    let tied = tied(&context.settings, &target)?;
    let session = context.session(&target)?;
    let session = Session { lifecycle: tied.binding.status.clone(), ..session };
    let feature = feature_of(session.project_path.as_deref(), session.last_event_at);
    if context.json {
        let turns = turns(&context.settings, &target, Texts::Whole)?;
        let (schema_version, resolved_from) = (SCHEMA_VERSION, followed.from);
        let asked = path("/api/findings", &[("id", &session.id.to_string()), ("all", "true")]);
        let findings = context.questions()?.get::<FindingList>(&asked)?.findings;
        let imported = imported_work(&context.settings, &target)?;
        let shown =
            Shown { schema_version, session, turns, feature, resolved_from, findings, imported };
        return Out::new().json(&shown);
    }
    let mut out = Out::paged(context.pager.as_ref());
    if let Some(from) = followed.from {
        out.line(&format!(
            "{from} was joined to this session; `taffrail events {from}` has its own"
        ))?;
    }
    let (clock, printer) = (context.clock(), context.printer());
    for it in head(&session, &clock, printer.as_ref()) {
        out.line(&it)?;
    }
    for it in &tied.supersedes {
        out.line(&format!("took the place of {it}"))?;
    }
    if let Some(feature) = &feature {
        out.line(&format!(
            "works for {} in {}",
            line(&feature.feature_id),
            line(&feature.project)
        ))?;
    }
    let mut turns = printer.as_ref().map(|it| Turns::new(&session, &clock, it));
    let mut fault = None;
    let all = EventsRequest::default();
    taffrail_query::events::events(&context.settings, &target, &all, &mut |event| {
        let EventLine::Event(event) = event else { return true };
        let lines = match &mut turns {
            Some(turns) => turns.push(&event),
            None => event_lines(&event, &clock),
        };
        lines.iter().all(|it| {
            out.line(it).unwrap_or_else(|error| {
                fault = Some(error);
                false
            })
        })
    })?;
    for it in turns.iter_mut().flat_map(Turns::rest) {
        out.line(&it)?;
    }
    match fault {
        Some(error) => Err(error),
        None => out.end(),
    }
}

fn head(session: &Session, clock: &Clock, printer: Option<&Printer>) -> Vec<String> {
    match printer {
        Some(printer) => painted_head(session, clock, printer),
        None => head_lines(session, clock),
    }
}
