//! Where the tokens and the money of one session went, as tables.

use super::notes;
use crate::numbers::{cost, counted, dollars, short};
use crate::stats::Row;
use crate::terminal::{fit_end, line, pad};
use crate::when::{Clock, MINUTE_WIDTH};
use taffrail_api::{ContextPart, SessionUsage, TurnUsage};

/// The column of what fills a context.
const PART: usize = 40;

/// The latest turns, at most so many, and what filled the context.
#[must_use]
pub fn session_rows(usage: &SessionUsage, most: usize, clock: &Clock) -> Vec<Row> {
    let mut out = vec![Row::Head(cells("turn", "began", HEAD.map(str::to_owned)))];
    let earlier = usage.turns.len().saturating_sub(most);
    out.extend((earlier > 0).then(|| Row::Line(format!("… {earlier} earlier"))));
    out.extend(usage.turns.iter().skip(earlier).map(|it| Row::Line(turn(it, clock))));
    out.push(Row::Line(all(usage)));
    out.extend(context(usage));
    out.extend(extras(usage).into_iter().map(Row::Line));
    out.extend(notes(&usage.totals));
    out
}

const HEAD: [&str; 6] = ["tok in", "tok out", "context", "cached", "cost", "cache missed"];

fn turn(it: &TurnUsage, clock: &Clock) -> String {
    let number = it.number.map_or("-".to_owned(), |it| it.to_string());
    let began = it.started_at.map_or("-".to_owned(), |it| clock.minute(it));
    let known = |count: Option<u64>| count.map_or("-".to_owned(), short);
    let cells_of = [
        short(it.usage.input_tokens.saturating_add(it.usage.cache_write_tokens)),
        short(it.usage.output_tokens),
        known(it.context_tokens),
        it.cache_hit.map_or("-".to_owned(), |it| format!("{:.0} %", it * 100.0)),
        unmarked(it.cost_microdollars, it.unknown_answers),
        it.cache_miss.as_deref().unwrap_or_default().replace('_', " "),
    ];
    cells(&number, &began, cells_of)
}

/// Whether a cost is a list price is said once, below the table.
fn unmarked(known: Option<i64>, unknown_answers: u64) -> String {
    cost(known, known, unknown_answers)
}

fn all(usage: &SessionUsage) -> String {
    let spent = &usage.totals;
    let cells_of = [
        short(spent.usage.input_tokens.saturating_add(spent.usage.cache_write_tokens)),
        short(spent.usage.output_tokens),
        usage.context.tokens.map_or("-".to_owned(), short),
        String::new(),
        super::cost(spent),
        String::new(),
    ];
    cells("all", &counted(spent.answers, "answer"), cells_of)
}

fn context(usage: &SessionUsage) -> Vec<Row> {
    let Some(size) = usage.context.tokens else { return Vec::new() };
    let head = pad("what filled the context (estimated)", PART);
    let mut out = vec![Row::Line(String::new()), Row::Head(format!("{head} {:>7}", "tokens"))];
    for it in &usage.context.filled_by {
        let percent = it.tokens as f64 / size.max(1) as f64 * 100.0;
        let name = pad(&fit_end(&line(&name(it)), PART), PART);
        out.push(Row::Line(format!("{name} {:>7} {percent:>4.0} %", short(it.tokens))));
    }
    out
}

fn name(part: &ContextPart) -> String {
    match (part.kind.as_str(), part.tool.as_deref()) {
        ("tool_result", tool) => format!("results of {}", tool.unwrap_or("tools")),
        ("prompt", _) => "prompts".to_owned(),
        ("reply", _) => "answers".to_owned(),
        ("summary", _) => "kept at the compaction".to_owned(),
        ("agent", _) => "instructions, tools and unexplained".to_owned(),
        (other, _) => other.to_owned(),
    }
}

fn extras(usage: &SessionUsage) -> Vec<String> {
    let mut out = Vec::new();
    for it in &usage.compactions {
        let known = |count: Option<u64>| count.map_or("?".to_owned(), short);
        let (before, after) = (known(it.before_tokens), known(it.after_tokens));
        out.push(format!("compacted from {before} to {after} tokens"));
    }
    let (retries, cold) = (&usage.retries, &usage.cold);
    if retries.answers > 0 {
        let answers = counted(retries.answers, "answer");
        out.push(format!(
            "failed calls repeated: {answers}, {}",
            dollars(retries.cost_microdollars)
        ));
    }
    if cold.answers > 0 {
        let (tokens, more) = (short(cold.tokens), dollars(cold.cost_microdollars));
        out.push(format!("cache written again after a pause: {tokens} tokens, {more} more"));
    }
    let is_any = !out.is_empty();
    [String::new()].into_iter().filter(|_| is_any).chain(out).collect()
}

fn cells(number: &str, began: &str, columns: [String; 6]) -> String {
    let [read, out, context, cached, cost, missed] = columns;
    let began = pad(began, MINUTE_WIDTH);
    let row = format!(
        "{number:>4} {began} {read:>7} {out:>7} {context:>7} {cached:>6} {cost:>12} {missed}"
    );
    row.trim_end().to_owned()
}

#[cfg(test)]
mod tests;
