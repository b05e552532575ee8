//! The tools that sessions called.

use crate::filter::filter;
use taffrail_api::{ListRequest, SCHEMA_VERSION, ToolStats, Tools};
use taffrail_context::{Error, Settings};
use taffrail_store::{Filter, IndexReader, ToolRow};

/// The tools that sessions and their sub-agents called, the most called first.
///
/// # Errors
/// When the index cannot be read.
pub fn tools(settings: &Settings, project: Option<String>) -> Result<Tools, Error> {
    let filter = filter(settings, &ListRequest { project, ..ListRequest::default() })?;
    let filter = Filter { workers: true, ..filter };
    let reader = IndexReader::open(&settings.data)?;
    let rows = reader.map(|it| it.tools(&filter)).transpose()?.unwrap_or_default();
    let tools = rows.into_iter().map(stats).collect();
    Ok(Tools { schema_version: SCHEMA_VERSION, tools })
}

fn stats(row: ToolRow) -> ToolStats {
    let (p50_ms, p95_ms) = (row.percentile(50), row.percentile(95));
    let ToolRow { tool, calls, failed, denied, times: _ } = row;
    ToolStats { tool, calls, failed, denied, p50_ms, p95_ms }
}
