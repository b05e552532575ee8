//! `taffrail archive`

use super::completions::session_ids;
use super::index::{bytes, counted};
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, say};
use crate::terminal::{fit, line};
use crate::{rim, when};
use std::time::SystemTime;
use taffrail_api::{ArchiveEntry, ArchiveReport, NoBody, PruneBody};
use taffrail_daemon::{Mode, Prune, archive, archived_bytes, prune_archive, verify_archive};

/// Look into the archive: copies of what agents wrote, which outlive their clean-up
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail archive                   how much is kept, and how much may be
  taffrail archive ls                every copy
  taffrail archive cat 3f2a > old.jsonl
  taffrail archive verify            look at every byte
  taffrail archive prune --older-than 365d --yes
")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(super) json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List every copy
    Ls,
    /// Look at every byte that is kept; what is damaged is cut away
    Verify,
    /// Print what is kept of a session's main file, byte for byte
    Cat {
        /// The beginning of its id, its agent's own id, @last, or . for this folder
        #[arg(value_name = "ID", add = session_ids())]
        id: String,
    },
    /// Drop older editions, and with --older-than whole copies; without --yes only say so
    Prune {
        /// Copies nothing was added to since then, too: 365d, a date or a time
        #[arg(long, value_name = "WHEN")]
        older_than: Option<String>,
        /// Do it
        #[arg(long, short)]
        yes: bool,
    },
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    match &args.action {
        None => summary(args, context),
        Some(Action::Ls) => list(args, context),
        Some(Action::Verify) => verify(args, context),
        Some(Action::Cat { id }) => cat(id, context),
        Some(Action::Prune { older_than, yes }) => {
            prune((older_than.as_deref(), *yes), args, context)
        }
    }
}

fn summary(args: &Args, context: &Context) -> Result<(), CliError> {
    let report = archive(&context.settings, false)?;
    let mut out = Out::new();
    if args.json {
        return out.json(&report);
    }
    for line in described(&report) {
        out.line(&line)?;
    }
    out.end()
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

fn list(args: &Args, context: &Context) -> Result<(), CliError> {
    let report = archive(&context.settings, true)?;
    if args.json {
        return Out::new().json(&report);
    }
    let mut out = Out::paged(context.pager.as_ref());
    for entry in &report.entries {
        out.line(&fit(&row(entry), 120))?;
    }
    out.end()
}

fn row(entry: &ArchiveEntry) -> String {
    let age = entry.modified_at.map_or("?".to_owned(), |at| when::ago(at, rim::now()));
    let gone = if entry.source_exists { "     " } else { "gone " };
    let (kept, disk) = (bytes(entry.kept_bytes), bytes(entry.disk_bytes));
    format!("{age:>4} {kept:>9} {disk:>9} {gone}{}", line(&entry.source_uri))
}

fn verify(args: &Args, context: &Context) -> Result<(), CliError> {
    let check = match &context.client {
        Some(client) => client.with_patience(None).post("/api/archive/verify", &NoBody {})?,
        None => verify_archive(&context.settings)?,
    };
    let mut out = Out::new();
    if args.json {
        return out.json(&check);
    }
    out.line(&format!("{} looked at, {} damaged", copies(check.checked), check.cut))?;
    out.end()
}

fn copies(count: u64) -> String {
    if count == 1 { "1 copy".to_owned() } else { format!("{count} copies") }
}

fn cat(id: &str, context: &Context) -> Result<(), CliError> {
    let mut stdout = std::io::stdout().lock();
    Ok(archived_bytes(&context.settings, &context.target(id)?, &mut stdout)?)
}

fn prune(
    (older_than, yes): (Option<&str>, bool),
    args: &Args,
    context: &Context,
) -> Result<(), CliError> {
    let which = match older_than {
        None => Prune::OlderEditions,
        Some(text) => Prune::Before(SystemTime::from(super::which::instant(text)?)),
    };
    let mode = if yes { Mode::Do } else { Mode::Report };
    let report = match &context.client {
        Some(client) => {
            let body = PruneBody { older_than: older_than.map(str::to_owned), yes };
            client.with_patience(None).post("/api/archive/prune", &body)?
        }
        None => prune_archive(&context.settings, which, mode)?,
    };
    if args.json {
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
