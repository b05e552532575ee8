//! How often each tool was called, how often it failed, and how long it took, from sums of the index.

use super::IndexReader;
use super::filter::{Filter, conditions};
use crate::db::StoreError;
use crate::db::codec::count;
use rusqlite::{Row, ToSql};
use std::collections::BTreeMap;

/// The calls of one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolRow {
    /// The tool.
    pub tool: String,
    /// Its calls.
    pub calls: u64,
    /// Those that failed.
    pub failed: u64,
    /// Those that somebody refused.
    pub denied: u64,
    /// How long the calls took that returned, the shortest first.
    pub times: Vec<ToolTime>,
}

/// Calls that took equally long, to two significant digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolTime {
    /// From the call to its result.
    pub milliseconds: u64,
    /// How many.
    pub results: u64,
}

impl ToolRow {
    /// The time within which this share of the calls returned, in hundredths; `None` if none did.
    #[must_use]
    pub fn percentile(&self, share: u64) -> Option<u64> {
        let all: u64 = self.times.iter().map(|it| it.results).sum();
        let wanted = (all * share).div_ceil(100).max(1);
        let mut met = 0;
        let within = |it: &&ToolTime| {
            met += it.results;
            met >= wanted
        };
        self.times.iter().find(within).map(|it| it.milliseconds)
    }
}

impl IndexReader {
    /// The tools that the sessions of a filter called, the most called first.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn tools(&self, filter: &Filter) -> Result<Vec<ToolRow>, StoreError> {
        let mut tools: BTreeMap<String, ToolRow> = BTreeMap::new();
        let calls = "SELECT tool, 0, sum(calls), 0, 0 FROM tool_calls";
        for (tool, [_, calls, ..]) in self.sums(calls, "1", filter)? {
            tools.insert(tool.clone(), ToolRow { tool, calls, ..ToolRow::default() });
        }
        let times = "SELECT tool, milliseconds, sum(results), sum(failed), sum(denied) \
            FROM tool_times";
        for (tool, [milliseconds, results, failed, denied]) in self.sums(times, "1, 2", filter)? {
            let Some(row) = tools.get_mut(&tool) else { continue };
            row.failed += failed;
            row.denied += denied;
            row.times.push(ToolTime { milliseconds, results });
        }
        let mut tools: Vec<_> = tools.into_values().collect();
        tools.sort_by(|a, b| b.calls.cmp(&a.calls).then_with(|| a.tool.cmp(&b.tool)));
        Ok(tools)
    }

    fn sums(
        &self,
        query: &str,
        by: &str,
        filter: &Filter,
    ) -> Result<Vec<(String, [u64; 4])>, StoreError> {
        let (clause, values) = conditions(filter);
        let query = format!(
            "{query} WHERE session IN (SELECT id FROM sessions WHERE {clause}) GROUP BY {by} \
             ORDER BY {by}"
        );
        let mut statement = self.connection().prepare(&query)?;
        let values: Vec<&dyn ToSql> = values.iter().map(AsRef::as_ref).collect();
        let sums = |row: &Row<'_>| {
            Ok((row.get(0)?, [count(row, 1)?, count(row, 2)?, count(row, 3)?, count(row, 4)?]))
        };
        let rows = statement.query_map(values.as_slice(), sums)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
