//! What happened in sessions, by quarter of an hour, so that totals do not read every event.

use super::slots::Slot;
use super::spent::QUARTER;
use crate::db::StoreError;
use rusqlite::{Connection, params};
use taffrail_model::Kind;
use taffrail_model::observed::Marks;

/// Events that came in a quarter of an hour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Acts {
    turns: i64,
    prompts: i64,
    tool_calls: i64,
}

/// Counts an event that came.
pub(crate) fn count(slot: &mut Slot, at: i64, kind: &Kind, marks: Marks) {
    let acts = slot.acts.entry(at.div_euclid(QUARTER)).or_default();
    acts.turns += i64::from(marks.has(Marks::OPENS_TURN));
    acts.prompts += i64::from(*kind == Kind::UserPrompt);
    acts.tool_calls += i64::from(*kind == Kind::ToolCall);
}

/// Adds what came to the sums of a session.
pub(crate) fn add(index: &Connection, slot: &Slot) -> Result<(), StoreError> {
    let mut statement = index.prepare_cached(
        "INSERT INTO acts VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET \
         turns = turns + ?3, prompts = prompts + ?4, tool_calls = tool_calls + ?5",
    )?;
    for (quarter, it) in &slot.acts {
        let values = params![slot.row, quarter, it.turns, it.prompts, it.tool_calls];
        statement.execute(values)?;
    }
    Ok(())
}

/// Counts the live events of a session again.
pub(crate) fn recount(index: &Connection, session: i64) -> Result<(), StoreError> {
    index.prepare_cached("DELETE FROM acts WHERE session = ?1")?.execute([session])?;
    index.prepare_cached(include_str!("count_acts.sql"))?.execute([session])?;
    Ok(())
}
