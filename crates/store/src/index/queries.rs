//! Queries of the writer.

use super::append::Life;
use crate::db::codec::read_facts;
use crate::db::{Columns, StoreError};
use crate::ledger::BindingDraft;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashSet;
use taffrail_model::{AgentId, EventId, Facts, Lifecycle, RuntimeIdentity, SessionId, TurnId};

/// Writes a source's facts about a session; `false` when they did not change.
pub(crate) fn write_facts(
    index: &Connection,
    session: i64,
    source: i64,
    json: &str,
) -> Result<bool, StoreError> {
    let mut statement = index.prepare_cached(
        "INSERT INTO source_sessions (session, source, facts) VALUES (?1, ?2, ?3) \
         ON CONFLICT DO UPDATE SET facts = ?3 WHERE facts <> ?3",
    )?;
    Ok(statement.execute(params![session, source, json])? > 0)
}

/// A source's facts about a session.
pub(crate) fn facts_of(index: &Connection, session: i64, source: i64) -> Result<Facts, StoreError> {
    let mut statement = index
        .prepare_cached("SELECT facts FROM source_sessions WHERE session = ?1 AND source = ?2")?;
    let json: Option<String> =
        statement.query_row([session, source], |row| row.get(0)).optional()?;
    Ok(json.as_deref().map(read_facts).unwrap_or_default())
}

/// The sessions of a source.
pub(crate) fn identities_of(
    index: &Connection,
    source: i64,
) -> Result<Vec<RuntimeIdentity>, StoreError> {
    let mut statement = index.prepare_cached(
        "SELECT agent, scope, runtime_id FROM sessions WHERE id IN \
         (SELECT session FROM source_sessions WHERE source = ?1)",
    )?;
    let rows = statement.query_map([source], identity)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn identity(row: &rusqlite::Row<'_>) -> rusqlite::Result<RuntimeIdentity> {
    let agent = AgentId::new(row.get::<_, String>(0)?);
    Ok(RuntimeIdentity::new(agent, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
}

/// The live events of a source.
pub(crate) fn events_of(
    index: &Connection,
    session: i64,
    source: i64,
) -> Result<Vec<EventId>, StoreError> {
    let mut statement = index.prepare_cached(
        "SELECT id FROM events WHERE session = ?1 AND source = ?2 AND removed = 0",
    )?;
    let rows =
        statement.query_map([session, source], |row| Ok(EventId::from_bytes(row.get(0)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The events of a turn that were not retracted, in order.
pub(crate) fn events_in(
    index: &Connection,
    session: i64,
    turn: TurnId,
) -> Result<Vec<EventId>, StoreError> {
    let mut statement = index.prepare_cached(
        "SELECT id FROM events WHERE session = ?1 AND turn = ?2 AND removed <> ?3 ORDER BY sequence",
    )?;
    let found = params![session, turn.as_bytes(), Life::TakenBack as u8];
    let rows = statement.query_map(found, |row| Ok(EventId::from_bytes(row.get(0)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Deletes a source's facts about a session that it no longer mentions.
pub(crate) fn drop_facts(index: &Connection, session: i64, source: i64) -> Result<(), StoreError> {
    index
        .prepare_cached("DELETE FROM source_sessions WHERE session = ?1 AND source = ?2")?
        .execute([session, source])?;
    Ok(())
}

/// Deletes costs that a source no longer reports; `true` when there were any.
pub(crate) fn drop_usage(
    index: &Connection,
    session: i64,
    source: i64,
    seen: &HashSet<(i64, [u8; 16])>,
) -> Result<bool, StoreError> {
    let mut statement =
        index.prepare_cached("SELECT key FROM usage WHERE session = ?1 AND source = ?2")?;
    let keys = statement.query_map([session, source], |row| row.get::<_, [u8; 16]>(0))?;
    let mut dropped = false;
    for key in keys.collect::<Result<Vec<_>, _>>()? {
        if !seen.contains(&(session, key)) {
            let mut drop =
                index.prepare_cached("DELETE FROM usage WHERE session = ?1 AND key = ?2")?;
            drop.execute(params![session, key])?;
            dropped = true;
        }
    }
    Ok(dropped)
}

/// Bindings that were not copied to the ledger yet.
pub(crate) fn due_bindings(index: &Connection) -> Result<Vec<BindingDraft>, StoreError> {
    let mut statement = index.prepare(include_str!("due_bindings.sql"))?;
    let rows = statement.query_map([], |row| {
        let who = identity(row)?;
        let row = Columns::of(row);
        Ok(BindingDraft {
            session: who.session(),
            who,
            project_path: row.get("project_path")?,
            source_uri: row.get("source_uri")?,
            lifecycle: Lifecycle::from(row.get::<String>("lifecycle")?.as_str()),
            parent: row.get::<Option<_>>("parent")?.map(SessionId::from_bytes),
            offset: row.count("read_to")?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
