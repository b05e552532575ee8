//! `taffrail archive`

use super::completions::session_ids;
use super::index::{bytes, counted};
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, say};
use serde_json::json;
use taffrail_api::{
    ArchiveCheck, ArchiveEntry, ArchiveReport, NoBody, PruneBody, PruneReport, SCHEMA_VERSION,
};
use taffrail_query::resolve::archived_bytes;
use taffrail_tui::terminal::{fit, line};
use taffrail_tui::when::Clock;

/// Show, check or prune the archive of agents' files
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail archive                   its size and its limit
  taffrail archive ls                every copy
  taffrail archive cat 3f2a > old.jsonl
  taffrail archive verify            check every byte
  taffrail archive prune --older-than 365d --yes
")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List every copy
    Ls,
    /// Check every byte of every copy, and cut off damaged parts
    Verify,
    /// Print the copy of a session's main file, byte for byte
    Cat {
        /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
        #[arg(value_name = "ID", add = session_ids())]
        id: String,
    },
    /// Delete older editions and, with --older-than, whole copies; needs --yes
    Prune {
        /// Also delete copies that have not grown since: 365d, a date or a time
        #[arg(long, value_name = "WHEN")]
        older_than: Option<String>,
        /// Delete them
        #[arg(long, short)]
        yes: bool,
    },
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    match &args.action {
        None => summary(context),
        Some(Action::Ls) => list(context),
        Some(Action::Verify) => verify(context),
        Some(Action::Cat { id }) => cat(id, context),
        Some(Action::Prune { older_than, yes }) => prune((older_than.as_deref(), *yes), context),
    }
}

fn summary(context: &Context) -> Result<(), CliError> {
    let report: ArchiveReport = context.questions()?.get("/api/archive")?;
    let mut out = Out::new();
    if context.json {
        return out.json(&report);
    }
    out.lines(described(&report))
}

fn described(report: &ArchiveReport) -> Vec<String> {
    let of = counted(report.sources, "source");
    let mut out = vec![format!(
        "{} of {of} in {} on disk, at most {}",
        bytes(report.kept_bytes),
        bytes(report.disk_bytes),
        bytes(report.cap_bytes)
    )];
    if report.gone > 0 {
        let gone = counted(report.gone, "source");
        out.push(format!("{gone} gone: these copies are all there is"));
    }
    if report.older_editions > 0 {
        let older = counted(report.older_editions, "older edition");
        out.push(format!("{older} of sources that were rewritten"));
    }
    out.push(line(&report.folder));
    if report.skipped > 0 {
        let files = counted(report.skipped, "file");
        out.push(format!("{files} there cannot be read: taffrail archive verify"));
    }
    if !report.enabled {
        out.push("nothing new is kept: archive.enabled is false".to_owned());
    }
    out
}

fn list(context: &Context) -> Result<(), CliError> {
    let report: ArchiveReport = context.questions()?.get("/api/archive?entries=true")?;
    if context.json {
        return Out::new().json(&report);
    }
    let (mut out, clock) = (Out::paged(context.pager.as_ref()), context.clock());
    out.lines(report.entries.iter().map(|entry| fit(&row(entry, &clock), 120)))
}

fn row(entry: &ArchiveEntry, clock: &Clock) -> String {
    let age = entry.modified_at.map_or("?".to_owned(), |at| clock.age(at));
    let gone = if entry.source_exists { "     " } else { "gone " };
    let (kept, disk) = (bytes(entry.kept_bytes), bytes(entry.disk_bytes));
    format!("{age:>6} {kept:>9} {disk:>9} {gone}{}", line(&entry.source_uri))
}

fn verify(context: &Context) -> Result<(), CliError> {
    let client = context.questions()?.with_timeout(None);
    let check: ArchiveCheck = client.post("/api/archive/verify", &NoBody {})?;
    let mut out = Out::new();
    if context.json {
        return out.json(&check);
    }
    out.line(&format!("{} checked, {} damaged", copies(check.checked), check.cut))?;
    out.end()
}

fn copies(count: u64) -> String {
    if count == 1 { "1 copy".to_owned() } else { format!("{count} copies") }
}

fn cat(id: &str, context: &Context) -> Result<(), CliError> {
    if context.json {
        let mut bytes = Vec::new();
        archived_bytes(&context.settings, &context.target(id)?, &mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        return Out::new().json(&json!({"schema_version": SCHEMA_VERSION, "text": text}));
    }
    let mut stdout = std::io::stdout().lock();
    Ok(archived_bytes(&context.settings, &context.target(id)?, &mut stdout)?)
}

fn prune((older_than, yes): (Option<&str>, bool), context: &Context) -> Result<(), CliError> {
    // A date begins at midnight by the clock of the person.
    let before = older_than.map(|it| super::which::instant(it, &context.clock())).transpose()?;
    let body = PruneBody { older_than: before.map(|it| it.to_string()), yes };
    let client = context.questions()?.with_timeout(None);
    let report: PruneReport = client.post("/api/archive/prune", &body)?;
    if context.json {
        return Out::new().json(&report);
    }
    let (copies, disk) = (copies(report.copies), bytes(report.disk_bytes));
    let last = format!("{} of them the last there is", report.gone);
    match report.done {
        true => say(&format!("dropped {copies}, {disk}, {last}")),
        false => say(&format!("would drop {copies}, {disk}, {last}; --yes does it")),
    }
    Ok(())
}
