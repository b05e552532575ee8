//! The tool `why`.

use crate::page::Page;
use crate::query::{Question, Refusal, about};
use crate::sessions;
use crate::text::{plain, quoted_line};
use taffrail_api::{EvidenceRow, Explanation, Summary};

/// How many pieces of evidence are shown.
const EVIDENCE: usize = 8;

/// Explains the status of a session.
pub(crate) fn why(question: &Question) -> Result<String, Refusal> {
    let session = question.session()?;
    let explained: Explanation = question.get(&about(session.id, "explain"), &[])?;
    let mut page = Page::new(question.fence.clone(), &sessions::place(&session));
    page.add("title", &sessions::said(&session));
    page.add(&ruling(&explained), &waits(&explained));
    let evidence: Vec<_> = explained.evidence.iter().take(EVIDENCE).map(row).collect();
    page.add("evidence, the latest first", &evidence.join("\n"));
    let findings = explained.findings.iter().map(|it| quoted_line(&it.says, 200));
    let findings: Vec<_> = findings.collect();
    if !findings.is_empty() {
        page.add("findings", &findings.join("\n"));
    }
    // A session without a summary has an explanation all the same.
    if let Ok(summary) = question.get::<Summary>(&about(session.id, "summary"), &[]) {
        let lines = summary.text.lines().map(|it| quoted_line(it, 300)).collect::<Vec<_>>();
        page.add("summary", &lines.join("\n"));
    }
    Ok(page.end(None, None))
}

fn ruling(it: &Explanation) -> String {
    let (status, confidence) = (it.status.as_str(), it.confidence.as_str());
    format!("{status} since {:.0}, {}: {}", it.since, plain(confidence), it.rule)
}

fn waits(it: &Explanation) -> String {
    let Some(waits) = &it.waiting_for else { return String::new() };
    format!("waits for {}: {}", waits.kind.as_str(), quoted_line(&waits.text, 300))
}

fn row(it: &EvidenceRow) -> String {
    let mark = if it.decided { "* " } else { "" };
    let detail = quoted_line(&it.detail, 120);
    let text = format!("{mark}{:.0} {} {}: {detail}", it.at, it.kind, it.says);
    quoted_line(&text, 240)
}
