//! The tool `usage`.

use crate::page::Page;
use crate::query::{Question, Refusal};
use crate::sessions::cost;
use crate::text::quoted_line;
use taffrail_api::{Quota, QuotaList, Spending, UsageReport, UsageRow};

/// How many rows of each key are shown.
const ROWS: usize = 12;

/// What was used, by agent and by model, and the limits.
pub(crate) fn usage(question: &Question) -> Result<String, Refusal> {
    let since = question.given.text("since");
    let by = |key| {
        let mut given = vec![("by", key)];
        given.extend(since.as_deref().map(|it| ("since", it)));
        question.get::<UsageReport>("/api/usage", &given)
    };
    let (agents, models) = (by("agent")?, by("model")?);
    let mut page = Page::new(question.fence.clone(), &format!("total: {}", spent(&agents.totals)));
    page.add("by agent", &rows(&agents.rows));
    page.add("by model", &rows(&models.rows));
    let quotas = question.get::<QuotaList>("/api/quota", &[])?.quotas;
    if !quotas.is_empty() {
        page.add("limits", &quotas.iter().take(ROWS).map(quota).collect::<Vec<_>>().join("\n"));
    }
    Ok(page.end(None, None))
}

fn rows(all: &[UsageRow]) -> String {
    let row = |it: &UsageRow| {
        let key = it.key.as_deref().map_or("not known".to_owned(), |it| quoted_line(it, 60));
        format!("{key}: {}", spent(&it.spent))
    };
    let mut out: Vec<_> = all.iter().take(ROWS).map(row).collect();
    if all.len() > ROWS {
        out.push(format!("and {} more", all.len() - ROWS));
    }
    out.join("\n")
}

fn spent(it: &Spending) -> String {
    let known = it.cost_microdollars.map_or(" cost not known".to_owned(), cost);
    let unknown = match it.cost.unknown_answers {
        0 => String::new(),
        count => format!(" ({count} answers without a known cost)"),
    };
    let (sessions, answers, usage) = (it.sessions, it.answers, &it.usage);
    format!(
        "{sessions} sessions, {answers} answers, {} tokens in ({} cached), {} out,{known}{unknown}",
        usage.read(),
        usage.cache_read_tokens,
        usage.output_tokens,
    )
}

fn quota(it: &Quota) -> String {
    let stale = if it.stale { ", may be out of date" } else { "" };
    let name = quoted_line(&format!("{} {}", it.agent, it.limit), 80);
    format!("{name}: {:.0} % used, resets {:.0}{stale}", it.used_percent, it.resets_at)
}
