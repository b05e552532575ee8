//! The trace of a turn as text: a line a span, its bar at its place in time.

use crate::numbers::{counted, dollars, short};
use crate::terminal::{fit, pad, shown};
use std::collections::HashMap;
use taffrail_api::{Trace, TraceSpan};

/// The columns of what a span is.
const NAME: usize = 26;
/// The columns of its duration.
const TOOK: usize = 8;
/// The columns of its tokens.
const TOKENS: usize = 16;
/// The fewest columns of its bar.
const BAR: usize = 12;
/// The deepest indentation.
const DEEPEST: usize = 4;

/// The lines of a trace, each at most `width` columns wide.
pub fn lines(trace: &Trace, width: usize) -> Vec<String> {
    let bar = width.saturating_sub(NAME + TOOK + TOKENS + 4).max(BAR);
    let mut out = vec![fit(&head(trace), width)];
    let depths = depths(&trace.spans);
    for (span, depth) in trace.spans.iter().zip(depths) {
        let name = format!("{}{}{}", "  ".repeat(depth), word(&span.kind), shown(&span.name));
        let bar = drawn(span, (trace.from, trace.to), bar);
        let took = lasting(span.to - span.from);
        let rest = match (span.failed, span.denied) {
            (true, _) => "failed".to_owned(),
            (false, true) => "denied".to_owned(),
            (false, false) => spent(span),
        };
        let text = format!("{} {bar} {took:>TOOK$} {rest}", pad(&name, NAME));
        out.push(fit(text.trim_end(), width));
    }
    if trace.more {
        out.push(fit("more spans are left out", width));
    }
    out
}

/// The turn, how long it took, and what its time went to.
fn head(trace: &Trace) -> String {
    let total = |kind: &str| -> i64 {
        let of_turn = trace.spans.iter().filter(|it| it.kind == kind && it.parent_id.is_none());
        of_turn.map(|it| it.to - it.from).sum()
    };
    let tools = trace.spans.iter().filter(|it| it.kind == "tool").count() as u64;
    let mut parts = vec![
        format!("turn {}", trace.turn),
        lasting(trace.to - trace.from),
        format!("model {}", lasting(total("model"))),
        format!("{} {}", counted(tools, "call"), lasting(total("tool"))),
    ];
    if total("human") > 0 {
        parts.push(format!("waited for you {}", lasting(total("human"))));
    }
    parts.join(" · ")
}

/// How many spans are above each.
fn depths(spans: &[TraceSpan]) -> Vec<usize> {
    let parents: HashMap<&str, Option<&str>> =
        spans.iter().map(|it| (it.id.as_str(), it.parent_id.as_deref())).collect();
    let depth = |span: &TraceSpan| {
        let above = |it: &&str| parents.get(*it).copied().flatten();
        std::iter::successors(span.parent_id.as_deref(), above).take(DEEPEST).count()
    };
    spans.iter().map(depth).collect()
}

fn word(kind: &str) -> &str {
    match kind {
        "human" => "you: ",
        "agent" => "agent: ",
        "model" => "model ",
        _ => "",
    }
}

fn drawn(span: &TraceSpan, (from, to): (i64, i64), columns: usize) -> String {
    let whole = (to - from).max(1);
    let columns_wide = i64::try_from(columns).unwrap_or(1);
    let at = |time: i64| (time - from).clamp(0, whole) * columns_wide / whole;
    let start = at(span.from).min(columns_wide - 1);
    let length = (at(span.to) - start).max(1);
    let mark = match span.kind.as_str() {
        "model" => '▒',
        "human" => '░',
        _ => '█',
    };
    let before = usize::try_from(start).unwrap_or_default();
    let bar: String = std::iter::repeat_n(mark, usize::try_from(length).unwrap_or(1)).collect();
    pad(&format!("{}{bar}", " ".repeat(before)), columns)
}

fn spent(span: &TraceSpan) -> String {
    let Some(usage) = span.usage else { return String::new() };
    let tokens = format!("{}→{}", short(usage.read()), short(usage.output_tokens));
    match span.cost_microdollars {
        Some(_) => format!("{tokens} {}", dollars(span.cost_microdollars)),
        None => tokens,
    }
}

/// `80 ms`, `4.5 s`, `3m 20s`, `2h 05m`.
fn lasting(milliseconds: i64) -> String {
    let seconds = milliseconds / 1000;
    match milliseconds {
        ..1_000 => format!("{} ms", milliseconds.max(0)),
        1_000..60_000 => format!("{}.{} s", seconds, milliseconds % 1000 / 100),
        60_000..3_600_000 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_api::Usage;
    use taffrail_model::SessionId;
    use unicode_width::UnicodeWidthStr as _;

    fn span(
        id: &str,
        parent: Option<&str>,
        (kind, name): (&str, &str),
        time: (i64, i64),
    ) -> TraceSpan {
        let usage = Usage { input_tokens: 1200, output_tokens: 30, ..Usage::default() };
        TraceSpan {
            id: id.to_owned(),
            parent_id: parent.map(str::to_owned),
            kind: kind.to_owned(),
            name: name.to_owned(),
            from: time.0,
            to: time.1,
            usage: (kind == "model").then_some(usage),
            cost_microdollars: (kind == "model").then_some(12_000),
            failed: id == "b",
            denied: false,
            event_id: None,
            session_id: None,
        }
    }

    #[test]
    fn a_turn_is_a_waterfall_of_eighty_columns() {
        let trace = Trace {
            schema_version: 1,
            session_id: SessionId::from_bytes([1; 16]),
            turn: 7,
            from: 0,
            to: 10_000,
            spans: vec![
                span("a", None, ("model", "claude-x"), (0, 2_000)),
                span("b", None, ("tool", "Bash"), (2_000, 6_000)),
                span("c", Some("b"), ("agent", "Look\u{1b}[31m around"), (2_500, 5_000)),
                span("d", None, ("human", "Bash"), (6_000, 9_990)),
            ],
            more: false,
        };
        let got = lines(&trace, 80);
        assert!(got.iter().all(|it| it.width() <= 80 && !it.contains('\u{1b}')), "{got:?}");
        assert_eq!(got[0], "turn 7 · 10.0 s · model 2.0 s · 1 call 4.0 s · waited for you 3.9 s");
        assert!(
            got[1].starts_with("model claude-x            ")
                && got[1].ends_with("2.0 s 1.2k→30 $0.01"),
            "{}",
            got[1]
        );
        assert!(got[2].ends_with("4.0 s failed"), "{}", got[2]);
        assert!(got[3].starts_with("  agent: Look"), "{}", got[3]);
        assert_eq!(lines(&trace, 40).iter().map(|it| it.width()).max(), Some(40));
    }

    #[test]
    fn a_duration_is_short() {
        let all = [-1, 80, 4_560, 200_000, 7_500_000].map(lasting);
        assert_eq!(all, ["0 ms", "80 ms", "4.5 s", "3m 20s", "2h 05m"]);
    }
}
