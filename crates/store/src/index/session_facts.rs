//! Merges the facts of all sources of a session into its row.

use super::slots::Slot;
use crate::db::StoreError;
use crate::db::codec::{micros, read_facts, signed, write_imported};
use crate::ledger::ImportPlace;
use rusqlite::{Connection, OptionalExtension, params};
use taffrail_model::binding::{History, Standing};
use taffrail_model::{
    Facts, Lifecycle, LineageKind, RuntimeIdentity, TitleRank, journal, prompt_history, replication,
};

/// The merged facts of a session, the locator of its history, and whether that can be read.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is true or not, whatever the others are")]
struct SessionFacts {
    facts: Facts,
    source_uri: String,
    readable: bool,
    archived: bool,
    /// A source of the agent holds it, not only our journal or a prompt history.
    told: bool,
    /// Nothing but prompt histories hold it.
    prompts_only: bool,
}

/// What one source says about a session.
struct FactsRow {
    facts: Facts,
    locator: String,
    present: bool,
    kept: bool,
}

impl SessionFacts {
    /// Joins the facts of sources in their order.
    fn of(mut rows: Vec<FactsRow>) -> Self {
        let told = rows.iter().any(|it| !prompt_history::is_shared(&it.locator));
        let prompts_only = rows.iter().all(|it| prompt_history::is_locator(&it.locator));
        // A transcript says all that a prompt history says.
        rows.retain(|it| !told || !prompt_history::is_locator(&it.locator));
        let mut joined = Self { told, prompts_only, ..Self::default() };
        for row in rows {
            // The journal proves nothing about whether a transcript can be read.
            let is_proof = !journal::is_locator(&row.locator);
            joined.facts = joined.facts.joined(row.facts);
            joined.source_uri = row.locator;
            joined.readable |= is_proof && row.present;
            joined.archived |= is_proof && row.kept;
        }
        joined.prompts_only &= !joined.source_uri.is_empty();
        joined
    }

    fn history(&self) -> History {
        match (self.told, self.readable, self.archived) {
            (false, ..) if self.prompts_only => History::PromptsOnly,
            (false, ..) => History::Unexposed,
            (true, true, _) => History::Readable,
            (true, false, true) => History::Copied,
            (true, false, false) => History::Missing,
        }
    }
}

fn join(connection: &Connection, session: i64) -> Result<SessionFacts, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT facts, locator, present, kept > 0 FROM source_sessions JOIN sources ON sources.id = source \
         WHERE session = ?1 \
         ORDER BY locator NOT LIKE 'prompts:%', locator NOT LIKE 'journal:%', present, locator NOT LIKE 'relay:%', rank, offset, locator, home, path",
    )?;
    let rows = statement.query_map([session], |row| {
        let facts = read_facts(row.get_ref(0)?.as_str()?);
        Ok(FactsRow { facts, locator: row.get(1)?, present: row.get(2)?, kept: row.get(3)? })
    })?;
    let mut joined = SessionFacts::of(rows.collect::<Result<_, _>>()?);
    if let Some(elsewhere) = goes_on_elsewhere(connection, session)? {
        joined.source_uri = elsewhere;
    }
    Ok(joined)
}

/// The locator on another device, if the session exists on both and continues there: its last event
/// decides. An event known on both counts as local.
fn goes_on_elsewhere(connection: &Connection, session: i64) -> Result<Option<String>, StoreError> {
    if !is_on_two_devices(connection, session)? {
        return Ok(None);
    }
    let mut statement = connection.prepare_cached(
        "SELECT locator FROM events JOIN sources ON sources.id = events.source \
         WHERE session = ?1 AND removed = 0 AND present = 1 AND locator NOT LIKE 'journal:%' \
         AND locator NOT LIKE 'prompts:%' \
         ORDER BY at DESC, locator LIKE 'relay:%' LIMIT 1",
    )?;
    let last: Option<String> = statement.query_row([session], |row| row.get(0)).optional()?;
    Ok(last.filter(|it| replication::is_locator(it)))
}

/// Whether a session's history is here and another device publishes it too.
pub(crate) fn is_on_two_devices(connection: &Connection, session: i64) -> Result<bool, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT count(DISTINCT locator LIKE 'relay:%') FROM source_sessions \
         JOIN sources ON sources.id = source \
         WHERE session = ?1 AND present = 1 AND locator NOT LIKE 'journal:%' \
         AND locator NOT LIKE 'prompts:%'",
    )?;
    Ok(statement.query_row([session], |row| row.get::<_, i64>(0))? > 1)
}

/// Writes the merged facts of a session; its binding is due then. An imported session continues in
/// its folder here, whatever its history says about another machine.
pub(crate) fn refresh(
    connection: &Connection,
    slot: &Slot,
    (resumes, here): (bool, Option<ImportPlace>),
) -> Result<(), StoreError> {
    let joined = join(connection, slot.row)?;
    let history = joined.history();
    let SessionFacts { facts, source_uri, .. } = joined;
    // A session that runs on another device is resumed there.
    let resumable = resumes && facts.parent.is_none() && !replication::is_locator(&source_uri);
    let lifecycle = Lifecycle::of(Standing { history, resumable });
    let mut statement = connection.prepare_cached(REFRESH)?;
    let title = facts.title.as_ref();
    let parent = facts.parent.as_ref().map(|who| *who.session().as_bytes());
    let (here, taken_from) = here.map(|it| (it.project, it.forked_from)).unzip();
    let said = facts.forked_from.as_ref().map(RuntimeIdentity::session);
    let fork = taken_from.flatten().or(said).map(|it| *it.as_bytes());
    let handed = facts.handed_from.map(|it| *it.as_bytes());
    let lineage = parent
        .map(|_| LineageKind::Subagent)
        .or(fork.map(|_| LineageKind::Fork))
        .or(handed.map(|_| LineageKind::Handoff));
    statement.execute(params![
        slot.row,
        title.map(|it| &it.text),
        title.is_some_and(|it| it.rank <= TitleRank::FirstPrompt),
        here.or(facts.project_path),
        facts.git_branch,
        facts.model,
        facts.agent_version,
        facts.entrypoint,
        lifecycle.as_str(),
        source_uri,
        facts.started_at.map(micros),
        facts.cost_microdollars,
        parent,
        fork,
        facts.first_record,
        lineage.as_ref().map(LineageKind::as_str),
        parent.or(fork).or(handed),
        facts.uncopied_since.map(micros),
        facts.process.map(|it| it.pid),
        facts.process.map(|it| signed(it.start)),
        facts.imported.as_ref().map(write_imported),
    ])?;
    Ok(())
}

const REFRESH: &str = include_str!("refresh_session.sql");
