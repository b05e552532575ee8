//! Rows of the table `quotas`.

use crate::db::{Columns, StoreError};
use rusqlite::Connection;
use taffrail_model::quota::{Limit, Observation, Percent, QuotaSource};
use taffrail_model::{AgentId, SessionId};

/// Everything that is known of limits.
pub(crate) fn all(index: &Connection) -> Result<Vec<Observation>, StoreError> {
    let mut statement = index.prepare_cached(
        "SELECT agent, window_minutes, name, session, at, used, resets_at, source FROM quotas",
    )?;
    let rows = statement.query_map([], |row| read(&Columns::of(row)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The column of a session: empty for nobody known, because a key holds no NULL.
pub(crate) fn session(seen: &Observation) -> &[u8] {
    seen.session.as_ref().map_or(&[], |it| it.as_bytes().as_slice())
}

fn read(row: &Columns<'_, '_>) -> rusqlite::Result<Observation> {
    let agent = AgentId::new(row.get::<String>("agent")?);
    let window_minutes = row.get("window_minutes")?;
    let limit = Limit { agent, window_minutes, name: row.get("name")? };
    let session = row.get::<Vec<u8>>("session")?;
    Ok(Observation {
        limit,
        session: session.try_into().ok().map(SessionId::from_bytes),
        at: row.time("at")?,
        used: Percent::hundredths(row.get("used")?),
        resets_at: row.time("resets_at")?,
        source: QuotaSource::new(row.get::<String>("source")?),
    })
}
