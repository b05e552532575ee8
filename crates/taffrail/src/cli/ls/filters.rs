//! The filters of a list, and how many sessions each filter alone would leave.

use super::listed;
use crate::cli::Context;
use crate::error::CliError;
use crate::output::Out;
use std::collections::BTreeSet;
use taffrail_api::{ListRequest, Session};
use taffrail_ingest::Budget;
use taffrail_tui::numbers::counted;
use taffrail_tui::table;
use taffrail_tui::terminal::line;

/// So many projects are named where the one asked for has no session.
const NAMED: usize = 8;

/// Each filter of a question as it was typed, and the question with that filter alone.
fn of(asked: &ListRequest, since: Option<&String>) -> Vec<(String, ListRequest)> {
    let all = ListRequest { all: asked.all, ..ListRequest::default() };
    let mut out = Vec::new();
    let mut add = |flag: &str, value: Option<&String>, alone: ListRequest| {
        out.extend(value.map(|it| (format!("--{flag} {}", line(it)), alone)));
    };
    add("agent", asked.agent.as_ref(), ListRequest { agent: asked.agent.clone(), ..all.clone() });
    add("since", since, ListRequest { since: asked.since, ..all.clone() });
    let project = asked.project.clone();
    add("project", asked.project.as_ref(), ListRequest { project, ..all.clone() });
    let device = asked.device.clone();
    add("device", asked.device.as_ref(), ListRequest { device, ..all.clone() });
    add("tag", asked.tag.as_ref(), ListRequest { tag: asked.tag.clone(), ..all.clone() });
    add("topic", asked.topic.as_ref(), ListRequest { topic: asked.topic.clone(), ..all.clone() });
    let category = asked.category.clone();
    add("category", asked.category.as_ref(), ListRequest { category, ..all.clone() });
    add("doing", asked.doing.as_ref(), ListRequest { doing: asked.doing.clone(), ..all.clone() });
    if asked.waiting {
        out.push(("--waiting".to_owned(), ListRequest { waiting: true, ..all.clone() }));
    }
    if asked.failing {
        out.push(("--failing".to_owned(), ListRequest { failing: true, ..all }));
    }
    out
}

/// Says which filter left nothing.
pub(super) fn explain(
    (asked, since): (&ListRequest, Option<&String>),
    every: &[Session],
    context: &Context,
) -> Result<(), CliError> {
    let filters = of(asked, since);
    let names: Vec<_> = filters.iter().map(|(name, _)| name.as_str()).collect();
    let mut out = Out::new();
    out.line(&format!("No session matches {}.", names.join(" ")))?;
    for (name, alone) in &filters {
        let left = listed(alone, Budget::Whole, context)?.sessions.len();
        let of = counted(every.len() as u64, "session");
        out.line(&format!("{name} alone matches {left} of {of}."))?;
    }
    if asked.project.is_some() {
        out.line(&format!("Projects: {}", projects(every)))?;
    }
    out.end()
}

/// The names of the latest projects.
fn projects(sessions: &[Session]) -> String {
    let mut seen = BTreeSet::new();
    let known = sessions.iter().filter(|it| it.project_path.is_some()).map(table::project);
    let mut names: Vec<_> = known.filter(|it| seen.insert(it.clone())).collect();
    let more = if names.len() > NAMED { ", …" } else { "" };
    names.truncate(NAMED);
    if names.is_empty() { "none yet".to_owned() } else { names.join(", ") + more }
}
