//! Projects, with the sums of their sessions.

use crate::filter::filter;
use taffrail_api::{ListRequest, ProjectList, ProjectRow, SCHEMA_VERSION};
use taffrail_context::{Error, Settings};
use taffrail_store::{Filter, IndexReader, ProjectSums};

/// The projects that sessions worked in, the latest first.
///
/// # Errors
/// When a filter is not valid or our own files cannot be read.
pub fn projects(settings: &Settings, request: &ListRequest) -> Result<ProjectList, Error> {
    let filter = Filter { workers: true, limit: None, ..filter(settings, request)? };
    let reader = IndexReader::open(&settings.data)?;
    let sums = reader.map(|it| it.projects(&filter)).transpose()?.unwrap_or_default();
    let most = request.limit.unwrap_or(usize::MAX);
    let projects = sums.into_iter().filter_map(row).take(most).collect();
    Ok(ProjectList { schema_version: SCHEMA_VERSION, projects })
}

fn row(sums: ProjectSums) -> Option<ProjectRow> {
    Some(ProjectRow {
        path: sums.path?,
        sessions: sums.sessions,
        sub_agents: sums.workers,
        last_event_at: sums.last_event_at,
        prompts: sums.prompts,
        failures: sums.failures,
        tokens: sums.tokens,
        cost_microdollars: sums.cost_microdollars,
    })
}
