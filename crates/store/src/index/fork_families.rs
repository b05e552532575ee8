//! Sessions that are copies of one another: decides who owns the records they share.

use super::slots::{self, Slot};
use super::spent;
use super::writer_io::Boot;
use crate::db::StoreError;
use crate::db::codec::{from_micros, micros, signed};
use rusqlite::{Connection, params};
use std::collections::{HashMap, HashSet};
use taffrail_model::copies::{self, Member, Settlement};
use taffrail_model::hash::{self, Digest16};
use taffrail_model::{EventId, LineageKind, SessionId, Timestamp};

/// A member's row, and the session that it was forked from according to its agent.
struct Relative {
    row: i64,
    session: SessionId,
    copies_records: bool,
}

/// Whether a session's place among its copies may have changed: it has no record of its own yet, or
/// received one that is older than its oldest.
pub(crate) fn is_open(index: &Connection, slot: &Slot) -> Result<bool, StoreError> {
    let Some(earliest) = slot.earliest else { return Ok(false) };
    let mut statement = index.prepare_cached(
        "SELECT first_record IS NOT NULL AND (own_since IS NULL OR ?2 < own_since) \
         FROM sessions WHERE id = ?1",
    )?;
    Ok(statement.query_row(params![slot.row, earliest], |row| row.get(0))?)
}

/// Settles the families of these sessions.
pub(crate) fn settle(
    index: &Connection,
    rows: &[i64],
    (batch, boot): (i64, &Boot),
) -> Result<Vec<OwnerChange>, StoreError> {
    let mut done = HashSet::new();
    let mut out = Vec::new();
    for row in rows {
        if done.contains(row) {
            continue;
        }
        let family = family_of(index, *row)?;
        done.extend(family.iter().map(|kin| kin.row));
        if family.len() > 1 {
            out.extend(settle_one(index, &family, (batch, boot))?);
        }
    }
    Ok(out)
}

/// An event that became a copy, or stopped being one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OwnerChange {
    pub(crate) session: i64,
    pub(crate) event: EventId,
    pub(crate) is_copy: bool,
}

fn family_of(index: &Connection, row: i64) -> Result<Vec<Relative>, StoreError> {
    let mut statement = index.prepare_cached(include_str!("family.sql"))?;
    let rows = statement.query_map([row], |row| {
        let session = SessionId::from_bytes(row.get(1)?);
        Ok(Relative { row: row.get(0)?, session, copies_records: row.get(2)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn settle_one(
    index: &Connection,
    family: &[Relative],
    (batch, boot): (i64, &Boot),
) -> Result<Vec<OwnerChange>, StoreError> {
    let mut members = Vec::new();
    for kin in family {
        let mut records = usage_keys(index, kin.row)?;
        if kin.copies_records {
            records.extend(records_of(index, kin.row)?);
        }
        let (origin, uncopied) = origin_of(index, kin.row)?;
        // No copy holds this record, so the session owns it whatever its id.
        records.extend(uncopied.map(|at| (*kin.session.as_bytes(), at)));
        members.push(Member { session: kin.session, origin, records });
    }
    let settled = copies::settle(&members);
    let rows: HashMap<SessionId, i64> = family.iter().map(|kin| (kin.session, kin.row)).collect();
    own_usage(index, family, &settled, boot)?;
    let marked = mark_inherited(index, family, &settled)?;
    for it in &marked {
        write_batch(index, it, batch)?;
    }
    for (session, since) in &settled.own_since {
        if let Some(row) = rows.get(session) {
            write_since(index, *row, *since)?;
        }
    }
    let origins: HashMap<_, _> = settled.origins.iter().copied().collect();
    for (session, row) in &rows {
        write_origin(index, *row, origins.get(session).copied())?;
    }
    Ok(marked)
}

fn write_batch(index: &Connection, it: &OwnerChange, batch: i64) -> Result<(), StoreError> {
    index
        .prepare_cached("UPDATE events SET batch = ?3 WHERE session = ?1 AND id = ?2")?
        .execute(params![it.session, it.event.as_bytes(), batch])?;
    index
        .prepare_cached("UPDATE sessions SET last_batch = ?2 WHERE id = ?1 AND last_batch <> ?2")?
        .execute(params![it.session, batch])?;
    Ok(())
}

/// The origin of a member according to its agent, and since when it surely was a session of its
/// own.
fn origin_of(
    index: &Connection,
    row: i64,
) -> Result<(Option<SessionId>, Option<Timestamp>), StoreError> {
    let mut statement =
        index.prepare_cached("SELECT forked_from, uncopied_since FROM sessions WHERE id = ?1")?;
    Ok(statement.query_row([row], |row| {
        let origin = row.get::<_, Option<Digest16>>(0)?.map(SessionId::from_bytes);
        Ok((origin, row.get::<_, Option<i64>>(1)?.map(from_micros)))
    })?)
}

fn records_of(index: &Connection, row: i64) -> Result<Vec<(Digest16, Timestamp)>, StoreError> {
    let mut statement = index.prepare_cached(
        "SELECT source_event_id, min(at) FROM events \
         WHERE session = ?1 AND removed = 0 AND source_event_id IS NOT NULL \
         GROUP BY source_event_id",
    )?;
    let rows = statement.query_map([row], |row| {
        let id = row.get_ref(0)?.as_bytes().map(hash::of_bytes)?;
        Ok((id, from_micros(row.get(1)?)))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn usage_keys(index: &Connection, row: i64) -> Result<Vec<(Digest16, Timestamp)>, StoreError> {
    let mut statement =
        index.prepare_cached("SELECT key, coalesce(at, 0) FROM usage WHERE session = ?1")?;
    let rows = statement.query_map([row], |row| Ok((row.get(0)?, from_micros(row.get(1)?))))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn own_usage(
    index: &Connection,
    family: &[Relative],
    settled: &Settlement,
    boot: &Boot,
) -> Result<(), StoreError> {
    let mut holders: HashMap<Digest16, Vec<SessionId>> = HashMap::new();
    for kin in family {
        for (key, _) in usage_keys(index, kin.row)? {
            holders.entry(key).or_default().push(kin.session);
        }
    }
    for kin in family {
        for (key, _) in usage_keys(index, kin.row)? {
            let all = holders.get(&key).map(Vec::as_slice).unwrap_or_default();
            let mut statement = index.prepare_cached(
                "UPDATE usage SET owned = ?3 WHERE session = ?1 AND key = ?2 AND owned <> ?3",
            )?;
            statement.execute(params![kin.row, key, settled.owner(all) == Some(kin.session)])?;
        }
        write_tokens(index, kin.row)?;
        spent::write(index, kin.row, boot)?;
    }
    Ok(())
}

fn write_tokens(index: &Connection, row: i64) -> Result<(), StoreError> {
    let spent = slots::owned_tokens(index, row)?;
    let mut statement = index.prepare_cached(
        "UPDATE sessions SET input_tokens = ?2, output_tokens = ?3, cache_read_tokens = ?4, \
         cache_write_tokens = ?5, reasoning_tokens = ?6 WHERE id = ?1",
    )?;
    statement.execute(params![
        row,
        signed(spent.input),
        signed(spent.output),
        signed(spent.cache_read),
        signed(spent.cache_write),
        signed(spent.reasoning)
    ])?;
    Ok(())
}

/// Marks every event whose record an older member holds too.
fn mark_inherited(
    index: &Connection,
    family: &[Relative],
    settled: &Settlement,
) -> Result<Vec<OwnerChange>, StoreError> {
    let mut out = Vec::new();
    let mut owner: HashMap<Digest16, i64> = HashMap::new();
    for session in &settled.order {
        let Some(kin) = family.iter().find(|kin| kin.session == *session && kin.copies_records)
        else {
            continue;
        };
        for (event, record, known) in events_with_records(index, kin.row)? {
            let first = *owner.entry(record).or_insert(kin.row);
            let from = (first != kin.row).then_some(first);
            if from == known {
                continue;
            }
            let mut statement = index.prepare_cached(
                "UPDATE events SET inherited_from = ?3 WHERE session = ?1 AND id = ?2",
            )?;
            statement.execute(params![kin.row, event.as_bytes(), from])?;
            out.push(OwnerChange { session: kin.row, event, is_copy: from.is_some() });
        }
    }
    Ok(out)
}

/// The live events of a session that have a record id: that id, and their known origin. A session
/// that retracted a record does not own it any more.
fn events_with_records(
    index: &Connection,
    row: i64,
) -> Result<Vec<(EventId, Digest16, Option<i64>)>, StoreError> {
    let mut statement = index.prepare_cached(
        "SELECT id, source_event_id, inherited_from FROM events \
         WHERE session = ?1 AND removed = 0 AND source_event_id IS NOT NULL",
    )?;
    let rows = statement.query_map([row], |row| {
        let record = row.get_ref(1)?.as_bytes().map(hash::of_bytes)?;
        Ok((EventId::from_bytes(row.get(0)?), record, row.get(2)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn write_since(index: &Connection, row: i64, since: Option<Timestamp>) -> Result<(), StoreError> {
    let mut statement = index.prepare_cached("UPDATE sessions SET own_since = ?2 WHERE id = ?1")?;
    statement.execute(params![row, since.map(micros)])?;
    Ok(())
}

/// Writes the origin of a copy, or that it has none; keeps an origin that its agent reports.
fn write_origin(index: &Connection, row: i64, origin: Option<SessionId>) -> Result<(), StoreError> {
    let kind = origin.map(|_| LineageKind::Fork);
    let mut statement = index.prepare_cached(
        "UPDATE sessions SET lineage_kind = ?2, lineage_session = ?3 \
         WHERE id = ?1 AND parent IS NULL AND forked_from IS NULL \
           AND (?2 IS NOT NULL OR lineage_kind IS NOT 'handoff')",
    )?;
    let kind = kind.as_ref().map(LineageKind::as_str);
    statement.execute(params![row, kind, origin.as_ref().map(SessionId::as_bytes)])?;
    Ok(())
}
