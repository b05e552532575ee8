//! `taffrail stats`

use super::index::Bar;
use super::ls::{CATCH_UP, bold, warn};
use super::which::Which;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use std::path::Path;
use std::time::Instant;
use taffrail_api::{KeyedTally, Quality, Stats, Tally};
use taffrail_ingest::Budget;
use taffrail_model::Ahead;
use taffrail_query::stats;
use taffrail_tui::numbers::{counted, dollars, short};
use taffrail_tui::terminal::{fit_end, line, pad};

/// Rows of a table unless more are asked for.
const ROWS: usize = 10;
/// The column of keys.
const KEY: usize = 19;

/// Count sessions, time, turns, tokens and cost
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail stats                      by agent, project, model and day
  taffrail stats --since 7d
      sessions with an event in the last seven days
  taffrail stats --project . -n 30    of this folder, 30 rows per table
  taffrail stats --json | jq '.totals'
")]
pub(super) struct Args {
    /// Show at most N rows in each table
    #[arg(long, short = 'n', value_name = "N", default_value_t = ROWS)]
    limit: usize,
    #[command(flatten)]
    which: Which,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let request = args.which.request(context)?;
    let soon = Budget::Until(Instant::now() + CATCH_UP);
    let budget = if context.json { Budget::Whole } else { soon };
    let bar = Bar::new();
    // Programs get days in UTC, people days in their own time zone.
    let ahead = if context.json { Ahead::default() } else { context.clock().ahead() };
    let counted = stats(&context.settings, &request, &ahead, budget, &mut |it| bar.show(it))?;
    bar.end();
    if context.json {
        Out::new().json(&counted.stats)?;
    } else {
        show(&counted.stats, args.limit, context)?;
    }
    warn(counted.waiting, &counted.problems);
    Ok(())
}

fn show(stats: &Stats, rows: usize, context: &Context) -> Result<(), CliError> {
    let mut out = Out::paged(context.pager.as_ref());
    out.line(&bold(&head("")))?;
    out.line(&row("all sessions", &stats.totals))?;
    if stats.totals.sub_agents > 0 {
        let sub_agents = counted(stats.totals.sub_agents, "sub-agent");
        out.line(&format!("with the turns, calls and tokens of {sub_agents}"))?;
    }
    let by_project = from_home(&stats.by_project, &context.env.user_home);
    for (name, tallies) in [
        ("agent", &stats.by_agent),
        ("project", &by_project),
        ("model", &stats.by_model),
        ("day", &stats.by_day),
    ] {
        table(&mut out, name, tallies, rows)?;
    }
    quality(&mut out, &stats.quality)?;
    out.end()
}

fn table(out: &mut Out, name: &str, all: &[KeyedTally], rows: usize) -> Result<(), CliError> {
    if all.is_empty() {
        return Ok(());
    }
    out.line("")?;
    out.line(&bold(&head(name)))?;
    for it in all.iter().take(rows) {
        let key = it.key.as_deref().map_or("(unknown)".to_owned(), line);
        out.line(&row(&fit_end(&key, KEY), &it.tally))?;
    }
    match all.len().saturating_sub(rows) {
        0 => Ok(()),
        more => out.line(&format!("… {more} more")).map(|_| ()),
    }
}

/// How well the latest sessions went, as far as that is known.
fn quality(out: &mut Out, quality: &Quality) -> Result<(), CliError> {
    let span = |ms: u64| {
        if ms < 120_000 { format!("{} s", ms / 1000) } else { format!("{} min", ms / 60_000) }
    };
    let told = [
        ("turns to completion", quality.turns_to_completion.map(|it| it.to_string())),
        ("checks fixed", quality.test_fix_loops.map(|it| it.to_string())),
        ("approval latency", quality.approval_latency_ms.map(span)),
        ("wait for a prompt", quality.idle_ms.map(span)),
    ];
    if told.iter().all(|(_, it)| it.is_none()) {
        return Ok(());
    }
    out.line("")?;
    out.line(&bold(&format!("quality of the latest {} sessions", quality.sessions)))?;
    for (name, value) in told {
        let value = value.unwrap_or_else(|| "-".to_owned());
        out.line(&format!("{} {value:>8}", pad(name, KEY)))?;
    }
    Ok(())
}

/// Folders below the user's home, from there on.
fn from_home(tallies: &[KeyedTally], home: &Path) -> Vec<KeyedTally> {
    let below = |key: &String| Path::new(key).strip_prefix(home).ok().map(Path::to_owned);
    let short = |key: &String| below(key).map_or(key.clone(), |it| format!("~/{}", it.display()));
    let shown = |it: &KeyedTally| KeyedTally { key: it.key.as_ref().map(short), ..it.clone() };
    tallies.iter().map(shown).collect()
}

fn head(name: &str) -> String {
    cells(
        name,
        ["sessions", "time", "turns", "prompts", "calls", "tok in", "tok out", "cost"]
            .map(str::to_owned),
    )
}

/// A span of time in at most five characters, as `90s`, `12m`, `7h` or `41d`.
fn time(ms: u64) -> String {
    let seconds = ms / 1000;
    match seconds {
        0..120 => format!("{seconds}s"),
        120..7_200 => format!("{}m", seconds / 60),
        7_200..172_800 => format!("{}h", seconds / 3600),
        _ => format!("{}d", short(seconds / 86_400)),
    }
}

fn row(key: &str, tally: &Tally) -> String {
    let known = |count: Option<u64>| count.map_or("-".to_owned(), short);
    let numbers = [
        short(tally.sessions.saturating_sub(tally.sub_agents)),
        tally.duration_ms.map_or("-".to_owned(), time),
        known(tally.turns),
        known(tally.prompts),
        known(tally.tool_calls),
        short(tally.usage.read()),
        short(tally.usage.output_tokens),
        dollars(tally.cost_microdollars),
    ];
    cells(key, numbers)
}

fn cells(
    key: &str,
    [sessions, time, turns, prompts, calls, read, out, cost]: [String; 8],
) -> String {
    let key = pad(key, KEY);
    format!(
        "{key} {sessions:>8} {time:>5} {turns:>6} {prompts:>7} {calls:>6} {read:>6} {out:>7} {cost:>8}"
    )
}
