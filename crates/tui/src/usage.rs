//! What was spent, as a table and as CSV.

mod session;

pub use session::session_rows;

use crate::numbers::{self, short};
use crate::stats::{Row, below_home};
use crate::terminal::{fit_end, line, pad};
use crate::when::{Clock, ago};
use std::path::Path;
use taffrail_api::{Spending, UsageBlock, UsageReport, UsageRow};
use taffrail_model::Timestamp;

/// The column of keys.
const KEY: usize = 24;

/// The table with at most so many rows; projects below the user's home from there on.
#[must_use]
pub fn rows(report: &UsageReport, most: usize, (home, clock): (&Path, &Clock)) -> Vec<Row> {
    let mut out = vec![Row::Head(cells(&report.by, HEAD.map(str::to_owned)))];
    let mut later = None;
    for it in report.rows.iter().take(most) {
        let key = it.key.as_deref().map_or("(unknown)".to_owned(), |key| shown(key, report, home));
        let key = it.block.and_then(|block| block_key(&key, block, clock)).unwrap_or(key);
        out.extend(gap(it, later).map(Row::Line));
        later = it.block.and(it.key.as_deref());
        out.push(Row::Line(cells(&fit_end(&key, KEY), numbers(&it.spent))));
    }
    let more = report.rows.len().saturating_sub(most);
    out.extend((more > 0).then(|| Row::Line(format!("… {more} more"))));
    out.push(Row::Line(cells("all", numbers(&report.totals))));
    out.extend(notes(&report.totals));
    out
}

fn block_key(key: &str, block: UsageBlock, clock: &Clock) -> Option<String> {
    let running = if block.is_running { " running" } else { "" };
    Some(format!("{}{running}", clock.minute(key.parse().ok()?)))
}

/// The time without an answer between a block and the later one.
fn gap(row: &UsageRow, later: Option<&str>) -> Option<String> {
    let later: Timestamp = later?.parse().ok()?;
    let ended = row.block?.ends_at;
    (later > ended).then(|| format!("  {} without a block", ago(ended, later)))
}

fn shown(key: &str, report: &UsageReport, home: &Path) -> String {
    let key = if report.by == "project" { below_home(key, home) } else { key.to_owned() };
    line(&key)
}

const HEAD: [&str; 5] = ["answers", "tok in", "cached", "tok out", "cost"];

/// New input apart from what was read from a cache.
fn numbers(spent: &Spending) -> [String; 5] {
    let usage = &spent.usage;
    [
        short(spent.answers),
        short(usage.input_tokens.saturating_add(usage.cache_write_tokens)),
        short(usage.cache_read_tokens),
        short(usage.output_tokens),
        cost(spent),
    ]
}

fn cost(spent: &Spending) -> String {
    let by_source = &spent.cost;
    let (reported, unknown) = (by_source.reported_microdollars, by_source.unknown_answers);
    numbers::cost(spent.cost_microdollars, reported, unknown)
}

fn notes(totals: &Spending) -> Vec<Row> {
    let mut out = Vec::new();
    if totals.cost_microdollars != totals.cost.reported_microdollars {
        out.push(numbers::LIST_PRICE.to_owned());
    }
    if totals.cost.unknown_answers > 0 {
        let unknown = short(totals.cost.unknown_answers);
        out.push(format!(
            "{unknown} answers have no known cost: add `[[prices]]` for their models"
        ));
    }
    out.into_iter().map(Row::Line).collect()
}

fn cells(key: &str, [answers, read, cached, out, cost]: [String; 5]) -> String {
    let key = pad(key, KEY);
    format!("{key} {answers:>8} {read:>8} {cached:>8} {out:>8} {cost:>14}")
}

const COLUMNS: &str = "key,sessions,answers,input_tokens,output_tokens,cache_read_tokens,\
    cache_write_tokens,reasoning_tokens,cost_microdollars,reported_microdollars,\
    estimated_microdollars,unknown_answers";

/// The rows as CSV, with a head.
#[must_use]
pub fn csv(report: &UsageReport) -> Vec<String> {
    let rows = report.rows.iter().map(|it| record(it.key.as_deref(), &it.spent));
    [COLUMNS.to_owned()].into_iter().chain(rows).collect()
}

fn record(key: Option<&str>, spent: &Spending) -> String {
    let known = |amount: Option<i64>| amount.map_or(String::new(), |it| it.to_string());
    let usage = &spent.usage;
    let counts = [
        spent.sessions,
        spent.answers,
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_read_tokens,
        usage.cache_write_tokens,
        usage.reasoning_tokens,
    ];
    let costs = [
        spent.cost_microdollars,
        spent.cost.reported_microdollars,
        spent.cost.estimated_microdollars,
    ];
    let mut fields = vec![key.map(field).unwrap_or_default()];
    fields.extend(counts.map(|it| it.to_string()));
    fields.extend(costs.map(known));
    fields.push(spent.cost.unknown_answers.to_string());
    fields.join(",")
}

#[cfg(test)]
mod tests;
