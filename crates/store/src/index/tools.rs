//! The calls of each tool and how long they took, counted as events come, so that sums read no events.
//!
//! Times are rounded to two significant digits: a session then has few rows, and a percentile is as
//! exact as anybody reads it.

use super::slots::Slot;
use crate::db::codec::micros;
use crate::db::{Columns, StoreError};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::BTreeMap;
use taffrail_model::observed::{Marks, NewEvent};
use taffrail_model::{EventId, Kind};

/// Calls and results that came in a batch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ToolUse {
    /// Calls by tool.
    calls: BTreeMap<String, i64>,
    results: Vec<ToolResult>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct ToolResult {
    call: EventId,
    at: i64,
    marks: Marks,
}

/// Notes what an event that came says about tools.
pub(crate) fn note(slot: &mut Slot, event: &NewEvent) {
    match event.kind {
        Kind::ToolCall => {
            let tool = event.label.clone().unwrap_or_default();
            *slot.tools.calls.entry(tool).or_default() += 1;
        }
        Kind::ToolResult => {
            let Some(call) = event.parent else { return };
            let (at, marks) = (micros(event.at), event.marks);
            slot.tools.results.push(ToolResult { call, at, marks });
        }
        _ => {}
    }
}

/// Adds what came to the sums of a session.
pub(crate) fn add(index: &Connection, slot: &mut Slot) -> Result<(), StoreError> {
    let came = std::mem::take(&mut slot.tools);
    for (tool, calls) in &came.calls {
        add_calls(index, slot.row, (tool, *calls))?;
    }
    for result in &came.results {
        if let Some((tool, at)) = call(index, slot.row, result.call)? {
            add_result(index, slot.row, (&tool, result.at - at, result.marks))?;
        }
    }
    Ok(())
}

/// Counts the live events of a session again.
pub(crate) fn recount(index: &Connection, slot: &mut Slot) -> Result<(), StoreError> {
    slot.tools = ToolUse::default();
    let row = slot.row;
    for table in ["tool_calls", "tool_times"] {
        index.prepare_cached(&format!("DELETE FROM {table} WHERE session = ?1"))?.execute([row])?;
    }
    index.prepare_cached(include_str!("count_tool_calls.sql"))?.execute([row])?;
    let mut statement = index.prepare_cached(include_str!("tool_results.sql"))?;
    let results = statement.query_map([row], |row| {
        let row = Columns::of(row);
        let marks = Marks::from_bits(row.get("marks")?);
        Ok((row.get::<String>("tool")?, row.get::<i64>("took")?, marks))
    })?;
    for (tool, took, marks) in results.collect::<Result<Vec<_>, _>>()? {
        add_result(index, row, (&tool, took, marks))?;
    }
    Ok(())
}

/// The tool and the time of a call.
fn call(
    index: &Connection,
    session: i64,
    id: EventId,
) -> Result<Option<(String, i64)>, StoreError> {
    let mut statement = index.prepare_cached(
        "SELECT coalesce(label, ''), at FROM events \
         WHERE session = ?1 AND id = ?2 AND removed = 0 AND kind = 'tool.call'",
    )?;
    let found =
        statement.query_row(params![session, id.as_bytes()], |row| Ok((row.get(0)?, row.get(1)?)));
    Ok(found.optional()?)
}

fn add_calls(index: &Connection, row: i64, (tool, calls): (&str, i64)) -> Result<(), StoreError> {
    let mut statement = index.prepare_cached(
        "INSERT INTO tool_calls VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET calls = calls + ?3",
    )?;
    statement.execute(params![row, tool, calls])?;
    Ok(())
}

fn add_result(
    index: &Connection,
    row: i64,
    (tool, took, marks): (&str, i64, Marks),
) -> Result<(), StoreError> {
    let mut statement = index.prepare_cached(
        "INSERT INTO tool_times VALUES (?1, ?2, ?3, 1, ?4, ?5) ON CONFLICT DO UPDATE SET \
         results = results + 1, failed = failed + ?4, denied = denied + ?5",
    )?;
    let (failed, denied) = (marks.has(Marks::FAILED), marks.has(Marks::DENIED));
    statement.execute(params![row, tool, rounded(took / 1000), failed, denied])?;
    Ok(())
}

/// A number of milliseconds to two significant digits; at least 0.
fn rounded(milliseconds: i64) -> i64 {
    let milliseconds = milliseconds.max(0);
    let mut unit = 1;
    while milliseconds / unit >= 100 {
        unit *= 10;
    }
    (milliseconds + unit / 2) / unit * unit
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn times_keep_two_digits() {
        let times = [-5, 0, 7, 99, 104, 105, 500, 994, 996, 12_345, 86_400_000];
        let expected = [0, 0, 7, 99, 100, 110, 500, 990, 1000, 12_000, 86_000_000];
        assert_eq!(times.map(rounded), expected);
    }
}
