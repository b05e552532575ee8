//! `taffrail show`

use super::completions::session_ids;
use super::index::counted;
use super::terminal::{self, Secrets};
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use serde::Serialize;
use taffrail_api::client::path;
use taffrail_api::{EventLine, EventsRequest, FindingList, SCHEMA_VERSION, Session};
use taffrail_context::Target;
use taffrail_model::findings::Finding;
use taffrail_model::turn::Turn;
use taffrail_model::{Event, Kind, SessionId};
use taffrail_query::bindings::{FeatureLink, feature_of, followed, tied};
use taffrail_query::contracts::{ImportedWork, imported_work};
use taffrail_tui::numbers::short;
use taffrail_tui::phrases::{Outcome, decided, flag, word};
use taffrail_tui::table::{self, elsewhere};
use taffrail_tui::terminal::{clean, fit, line};
use taffrail_tui::when::Clock;

/// The most lines of a message or a result that are shown.
const LINES: usize = 40;
const WIDTH: usize = 100;

/// Show a session turn by turn
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail show @last      the latest session
  taffrail show .          the latest in this folder
  taffrail show 3f2a --json
  taffrail show 3f2a --terminal   the kept output of its terminal under `run`
")]
pub(super) struct Args {
    /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
    #[arg(value_name = "ID", add = session_ids())]
    id: String,
    /// Show the kept output of its terminal, if it ran under `taffrail run`
    #[arg(long)]
    terminal: bool,
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
        return terminal::print(
            context,
            &target,
            Secrets::Shown,
            Out::paged(context.pager.as_ref()),
        );
    }
    let tied = tied(&context.settings, &target)?;
    let session = context.session(&target)?;
    let session = Session { lifecycle: tied.binding.status.clone(), ..session };
    let feature = feature_of(session.project_path.as_deref(), session.last_event_at);
    if context.json {
        let turns = taffrail_query::events::turns(&context.settings, &target)?;
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
    head(&mut out, &session, &context.clock())?;
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
    let (mut fault, clock) = (None, context.clock());
    let all = EventsRequest::default();
    taffrail_query::events::events(&context.settings, &target, &all, &mut |event| {
        let EventLine::Event(event) = event else { return true };
        told(&mut out, &event, &clock).unwrap_or_else(|error| {
            fault = Some(error);
            false
        })
    })?;
    match fault {
        Some(error) => Err(error),
        None => out.end(),
    }
}

fn head(out: &mut Out, session: &Session, clock: &Clock) -> Result<(), CliError> {
    let words = [
        session.title.as_deref(),
        Some(session.agent.as_str()),
        session.project_path.as_deref(),
        session.git_branch.as_deref(),
        session.model.as_deref(),
    ];
    let mut words: Vec<_> = words.into_iter().flatten().map(line).collect();
    words.extend(elsewhere(session).map(|it| format!("on {it}")));
    out.line(&words.join(" · "))?;
    let usage = &session.usage;
    let read = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
    let cost = session.cost_microdollars;
    let cost = cost.map_or("cost unknown".to_owned(), |it| format!("${:.2}", it as f64 / 1e6));
    out.line(&format!(
        "{} · {} · {} tokens in, {} out · {cost} · {}",
        counted(session.turns, "turn"),
        counted(session.tool_calls, "tool call"),
        short(read),
        short(usage.output_tokens),
        session.lifecycle.as_str()
    ))?;
    out.line(&table::status(session, clock))?;
    out.line(&session.id.to_string())?;
    if let Some(lineage) = &session.lineage {
        out.line(&format!("{} of {}", lineage.kind.as_str(), lineage.session_id))?;
    }
    out.line(&line(&session.source_uri))?;
    Ok(())
}

fn told(out: &mut Out, event: &Event, clock: &Clock) -> Result<bool, CliError> {
    let text = event.text.as_deref().unwrap_or_default();
    match event.kind {
        Kind::UserPrompt => prompt(out, event, text, clock),
        Kind::AssistantMessage => {
            out.line("")?;
            block(out, text, "  ")
        }
        Kind::ToolCall => {
            let call = format!("    {} {}", word(event, "tool"), line(text));
            out.line(&fit(call.trim_end(), WIDTH))
        }
        Kind::ToolResult => result(out, event, text),
        Kind::ContextCompacted => out.line("──── context compacted ────"),
        Kind::Error => {
            let again = if flag(event, "retrying") == Some(true) { " (trying again)" } else { "" };
            let what = if text.is_empty() { word(event, "code") } else { line(text) };
            out.line(&format!("  ✕ error{again}: {}", fit(&what, WIDTH)))
        }
        Kind::ApprovalRequested => {
            out.line(&format!("    asks for approval: {} {}", word(event, "tool"), line(text)))
        }
        Kind::ApprovalResolved => out.line(&format!("    approval: {}", decided(event))),
        Kind::AgentStopped if word(event, "reason") == "interrupted" => out.line("  ■ interrupted"),
        Kind::Notice => {
            let said = format!("  · {} {}", word(event, "label"), line(text));
            out.line(&fit(said.trim_end(), WIDTH))
        }
        _ => Ok(true),
    }
}

fn prompt(out: &mut Out, event: &Event, text: &str, clock: &Clock) -> Result<bool, CliError> {
    let stale =
        if flag(event, "stale") == Some(true) { " (excerpt: the source is gone)" } else { "" };
    out.line("")?;
    out.line(&format!("▸ {}{stale}", clock.minute(event.created_at)))?;
    block(out, text, "▸ ")
}

/// A result on one line: ✓ and ✕ only where the agent said how it went.
fn result(out: &mut Out, event: &Event, text: &str) -> Result<bool, CliError> {
    let mark = Outcome::of(event).mark();
    let lines = text.lines().count();
    let first = fit(&line(text.lines().next().unwrap_or_default()), WIDTH - 24);
    let first = if first.is_empty() { "(no output)".to_owned() } else { first };
    let more = match lines {
        0 | 1 => String::new(),
        2 => "  +1 line".to_owned(),
        _ => format!("  +{} lines", lines - 1),
    };
    out.line(&format!("      {mark} {first}{more}"))
}

fn block(out: &mut Out, text: &str, indent: &str) -> Result<bool, CliError> {
    let text = clean(text);
    let mut lines = text.lines();
    for part in lines.by_ref().take(LINES) {
        out.line(&format!("{indent}{part}"))?;
    }
    match lines.count() {
        0 => Ok(true),
        more => out.line(&format!("{indent}… {more} more lines")),
    }
}
