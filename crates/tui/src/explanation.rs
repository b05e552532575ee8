//! A session's status and the evidence for it, as lines for people.

use crate::terminal::{fit, line, pad};
use crate::when::{self, Clock};
use taffrail_api::{EvidenceRow, Explanation};

/// The status, why it is the status, and at most `limit` pieces of evidence no wider than `width`.
#[must_use]
pub fn lines(it: &Explanation, limit: usize, width: usize, clock: &Clock) -> Vec<String> {
    let since = when::ago(it.since, clock.now);
    let (status, confidence) = (it.status.as_str(), it.confidence.as_str());
    let mut out = vec![format!("{status} for {since}, confidence {confidence}")];
    out.extend(waiting(it));
    out.push(format!("because {}", it.rule));
    if let Some(pid) = it.pid {
        let at = it.executor.as_deref().unwrap_or("no known terminal");
        out.push(format!("process {pid}, {at}"));
    }
    if !it.also_on.is_empty() {
        out.push(format!("also reported by {}", line(&it.also_on.join(", "))));
    }
    let findings = it.findings.iter();
    out.extend(findings.map(|it| format!("{}: {}", it.kind.as_str(), line(&it.says))));
    out.push(String::new());
    let rows = it.evidence.iter().take(limit);
    out.extend(rows.map(|row| fit(&evidence(row, clock), width)));
    if it.evidence.is_empty() {
        out.push("no recent evidence".to_owned());
    }
    out
}

fn waiting(it: &Explanation) -> Vec<String> {
    let Some(waiting) = it.waiting_for.as_ref().filter(|it| !it.text.is_empty()) else {
        return Vec::new();
    };
    let mut out = vec![format!("waits for: {}", line(&waiting.text))];
    if !waiting.options.is_empty() {
        let options: Vec<_> = waiting.options.iter().map(|it| line(it)).collect();
        out.push(format!("options: {}", options.join(" · ")));
    }
    out
}

fn evidence(row: &EvidenceRow, clock: &Clock) -> String {
    let mark = if row.decided { "▸" } else { " " };
    let age = clock.age(row.at);
    format!(
        "{mark} {age:>6} {} {} {} {} {}",
        pad(row.source.as_str(), 10),
        pad(&line(&row.kind), 18),
        pad(row.confidence.as_str(), 6),
        pad(&row.says, 14),
        line(&row.detail)
    )
}
