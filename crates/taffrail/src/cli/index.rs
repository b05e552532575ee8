//! `taffrail index`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, is_watched, say};
use indicatif::{ProgressBar, ProgressStyle};
use taffrail_api::{IndexReport, NoBody};
use taffrail_ingest::{Budget, Indexed, Progress, Scope, index};
use taffrail_tui::numbers::sessions;
pub(super) use taffrail_tui::numbers::{bytes, counted};
use taffrail_tui::terminal::clean;

/// Read what is new in the agents' histories
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail index          read what is new, with a progress bar
  taffrail index --json   also print the counts as JSON
")]
pub(super) struct Args {}

pub(super) fn run(context: &Context) -> Result<(), CliError> {
    if let Some(client) = &context.client {
        let report = client.with_timeout(None).post("/api/index", &NoBody {})?;
        return told(&Indexed { report, problems: Vec::new(), complete: true }, context);
    }
    let bar = Bar::new();
    let indexed = index(&context.settings, &Scope::All, Budget::Whole, &mut |it| bar.show(it))?;
    bar.end();
    told(&indexed, context)?;
    tell_of_archive(context);
    Ok(())
}

/// Says once that copies are kept, and how to stop that; `true` if this was the time.
pub(super) fn tell_of_archive(context: &Context) -> bool {
    let is_due = taffrail_query::must_tell_of_archive(&context.settings);
    if is_due {
        say(
            "Taffrail keeps copies of the agents' files in its archive, so that they survive the agents' \
             clean-up:\nsee `taffrail archive`; `taffrail config set archive.enabled false` stops it.",
        );
    }
    is_due
}

/// Says at the first run what agents deleted before it, and what they will delete next.
pub(super) fn tell_of_lost(context: &Context) -> Result<(), CliError> {
    let lost = taffrail_ingest::count_lost(&context.settings, IndexReport::default())?;
    lost_lines(&lost, context.settings.archive.enabled).iter().for_each(|it| say(it));
    Ok(())
}

/// What agents deleted already, and what they will delete this week.
fn lost_lines(report: &IndexReport, archived: bool) -> Vec<String> {
    let (sessions, prompts) = (report.prompts_only_sessions, report.prompts_only_prompts);
    let found = || {
        let of = counted(sessions, "deleted session");
        format!("{} of {of} found: see `taffrail ls --all`", counted(prompts, "prompt"))
    };
    let keeps = match archived {
        true => "the archive keeps copies",
        false => "`taffrail config set archive.enabled true` keeps copies",
    };
    let next = |soon| format!("{} will be deleted this week; {keeps}", counted(soon, "session"));
    let soon = Some(report.deleted_within_week).filter(|it| *it > 0);
    (sessions > 0).then(found).into_iter().chain(soon.map(next)).collect()
}

/// Tells what a run came to.
pub(super) fn told(indexed: &Indexed, context: &Context) -> Result<(), CliError> {
    for problem in &indexed.problems {
        say(&format!("not read: {}", clean(problem)));
    }
    if !indexed.complete {
        say("stopped early: another taffrail asked to write; what was read so far is kept");
    }
    let mut out = Out::new();
    if context.json {
        return out.json(&indexed.report);
    }
    let report = &indexed.report;
    out.line(&format!(
        "{} from {}; read {} in {:.1} s, {} new or changed",
        sessions(report.sessions, report.sub_agents),
        counted(report.sources, "source"),
        bytes(report.bytes_read),
        report.elapsed_ms as f64 / 1000.0,
        counted(report.events, "event")
    ))?;
    for it in lost_lines(report, context.settings.archive.enabled) {
        out.line(&it)?;
    }
    if report.unknown_records > 0 {
        let unknown = counted(report.unknown_records, "record");
        say(&format!("{unknown} of unknown type: see `taffrail doctor`"));
    }
    out.end()
}

/// A bar on stderr, where someone looks.
pub(super) struct Bar(Option<ProgressBar>);

impl Bar {
    pub(super) fn new() -> Self {
        let style = ProgressStyle::with_template("reading {bar:30} {bytes}/{total_bytes} {eta}");
        Self(is_watched().then(|| {
            let bar = ProgressBar::new(0);
            style.map(|style| bar.set_style(style)).ok();
            bar
        }))
    }

    pub(super) fn show(&self, progress: Progress) {
        if let Some(bar) = &self.0 {
            bar.set_length(progress.of_bytes.max(progress.bytes));
            bar.set_position(progress.bytes);
        }
    }

    pub(super) fn end(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
