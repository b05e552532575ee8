//! Counts of sessions as tables.

use crate::numbers::{LIST_PRICE, cost, counted, dollars, short};
use crate::terminal::{fit_end, line, pad};
use std::path::Path;
use taffrail_api::{KeyedTally, Outcomes, Quality, Stats, Tally};

/// The column of keys.
const KEY: usize = 19;

/// A line of the tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// The head of a table.
    Head(String),
    /// Anything else.
    Line(String),
}

/// All tables, each with at most so many rows; projects below the user's home from there on.
#[must_use]
pub fn rows(stats: &Stats, most: usize, home: &Path) -> Vec<Row> {
    let mut out = vec![Row::Head(head("")), Row::Line(row("all sessions", &stats.totals))];
    out.extend(stats.previous.iter().map(|it| Row::Line(row("the period before", it))));
    if stats.totals.sub_agents > 0 {
        let sub_agents = counted(stats.totals.sub_agents, "sub-agent");
        out.push(Row::Line(format!("with the turns, calls and tokens of {sub_agents}")));
    }
    let by_project = from_home(&stats.by_project, home);
    for (name, tallies) in [
        ("agent", &stats.by_agent),
        ("project", &by_project),
        ("model", &stats.by_model),
        ("day", &stats.by_day),
    ] {
        out.extend(table(name, tallies, most));
    }
    let is_estimated = stats.totals.cost_microdollars != stats.totals.reported_microdollars;
    out.extend(is_estimated.then(|| Row::Line(LIST_PRICE.to_owned())));
    out.extend(quality(&stats.quality));
    out.extend(outcomes(&stats.outcomes));
    out
}

fn table(name: &str, all: &[KeyedTally], most: usize) -> Vec<Row> {
    if all.is_empty() {
        return Vec::new();
    }
    let mut out = vec![Row::Line(String::new()), Row::Head(head(name))];
    for it in all.iter().take(most) {
        let key = it.key.as_deref().map_or("(unknown)".to_owned(), line);
        out.push(Row::Line(row(&fit_end(&key, KEY), &it.tally)));
    }
    let more = all.len().saturating_sub(most);
    out.extend((more > 0).then(|| Row::Line(format!("… {more} more"))));
    out
}

/// What came out of the latest sessions.
fn outcomes(it: &Outcomes) -> Option<Row> {
    let nothing = (it.nothing.sessions > 0).then(|| {
        let sessions = counted(it.nothing.sessions, "session");
        format!("ended in nothing: {sessions}, {}", dollars(it.nothing.cost_microdollars))
    });
    let commits = (it.commits > 0).then(|| {
        let commits = counted(it.commits, "commit");
        format!("{commits}, {} each", dollars(it.cost_per_commit_microdollars))
    });
    let parts: Vec<_> = nothing.into_iter().chain(commits).collect();
    (!parts.is_empty()).then(|| Row::Line(parts.join("; ")))
}

/// How well the latest sessions went, as far as that is known.
fn quality(quality: &Quality) -> Vec<Row> {
    let span = |ms: u64| {
        if ms < 120_000 { format!("{} s", ms / 1000) } else { format!("{} min", ms / 60_000) }
    };
    let known = [
        ("turns to completion", quality.turns_to_completion.map(|it| it.to_string())),
        ("checks fixed", quality.test_fix_loops.map(|it| it.to_string())),
        ("approval latency", quality.approval_latency_ms.map(span)),
        ("wait for a prompt", quality.idle_ms.map(span)),
    ];
    if known.iter().all(|(_, it)| it.is_none()) {
        return Vec::new();
    }
    let title = format!("quality of the latest {} sessions", quality.sessions);
    let values = known.into_iter().map(|(name, value)| {
        let value = value.unwrap_or_else(|| "-".to_owned());
        Row::Line(format!("{} {value:>8}", pad(name, KEY)))
    });
    [Row::Line(String::new()), Row::Head(title)].into_iter().chain(values).collect()
}

/// Folders below the user's home, from there on.
fn from_home(tallies: &[KeyedTally], home: &Path) -> Vec<KeyedTally> {
    let short = |key: &String| below_home(key, home);
    let shown = |it: &KeyedTally| KeyedTally { key: it.key.as_ref().map(short), ..it.clone() };
    tallies.iter().map(shown).collect()
}

/// A folder below the user's home, from there on.
pub(crate) fn below_home(folder: &str, home: &Path) -> String {
    let below = Path::new(folder).strip_prefix(home).ok();
    below.map_or(folder.to_owned(), |it| format!("~/{}", it.display()))
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
        cost(tally.cost_microdollars, tally.reported_microdollars, 0),
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
