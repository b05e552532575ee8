//! `taffrail digest`

use super::index::Bar;
use super::ls::warn;
use super::which::{Which, instant};
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use taffrail_api::ListRequest;
use taffrail_ingest::Budget;
use taffrail_query::digest;
use taffrail_tui::digest::{html, markdown};

/// How far back a digest goes unless it is asked for.
const SINCE: &str = "7d";

/// Sum up what sessions did in a week
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail digest                             the last seven days, as Markdown
  taffrail digest --since 1d --project .      this folder since yesterday
  taffrail digest --format html > week.html   a page that loads nothing
")]
pub(super) struct Args {
    /// The form: md or html
    #[arg(long, value_name = "FORM", default_value = "md")]
    format: Form,
    #[command(flatten)]
    which: Which,
}

/// The form of a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    /// Markdown.
    Md,
    /// One HTML page.
    Html,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let request = args.which.request(context)?;
    let since = match request.since {
        Some(since) => since,
        None => instant(SINCE, &context.clock())?,
    };
    let request = ListRequest { since: Some(since), ..request };
    let bar = Bar::new();
    let made = digest(&context.settings, &request, Budget::Whole, &mut |it| bar.show(it))?;
    bar.end();
    let (home, clock) = (&context.env.user_home, context.clock());
    if context.json {
        Out::new().json(&made.digest)?;
    } else {
        let at = (home.as_path(), &clock);
        let text = match args.format {
            Form::Md => markdown(&made.digest, at),
            Form::Html => html(&made.digest, at),
        };
        Out::paged(context.pager.as_ref()).lines(text.lines())?;
    }
    warn(made.waiting, &made.problems);
    Ok(())
}
