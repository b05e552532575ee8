//! Forgetting sessions, everywhere and for good.

use crate::contracts::remove_given;
use crate::indexing::{Budget, Progress, Scope, bring_up};
use crate::relay::remove_told;
use crate::searching::Bring;
use crate::{DaemonError, Settings, Target, resolve};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use taffrail_api::{ForgetReport, ForgottenSession, SCHEMA_VERSION};
use taffrail_capture::purge_journal;
use taffrail_model::{Facts, RuntimeIdentity, SessionId, Timestamp};
use taffrail_store::archive::Archive;
use taffrail_store::search::{Load, SearchReader, SearchWriter};
use taffrail_store::{Filter, IndexReader, Ledger, SessionRow, StoreError, Writer};

/// Which sessions to forget; their workers go with them.
#[derive(Debug, Clone)]
pub enum Which {
    /// These.
    Sessions(Vec<Target>),
    /// All of a project: in this folder or below it.
    Project(String),
    /// All whose latest event is older.
    Before(Timestamp),
}

/// Whether to do it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Only say what would be done.
    Report,
    /// Do it.
    Do,
}

/// Forgets sessions, or says what that would mean.
///
/// # Errors
/// When a session cannot be found, another program writes, or our own files fail.
pub fn forget(
    settings: &Settings,
    which: &Which,
    mode: Mode,
    progress: &mut dyn FnMut(Progress),
) -> Result<ForgetReport, DaemonError> {
    bring_up(settings, (&Scope::All, Budget::Whole), Bring::Now, progress)?;
    let Some(index) = IndexReader::open(&settings.data)? else {
        return Ok(report(Vec::new(), mode));
    };
    let chosen = chosen(settings, &index, which)?;
    let mut told = Vec::new();
    for session in chosen.values() {
        told.push(described(settings, &index, session)?);
    }
    drop(index);
    if mode == Mode::Do && !chosen.is_empty() {
        let mut writer = Writer::open(&settings.data, settings.boot())?;
        let ids: Vec<SessionId> = chosen.values().map(|it| it.id).collect();
        writer.bury(&ids, (settings.now)())?;
        finish_forgetting(settings, &mut writer)?;
    }
    Ok(report(told, mode))
}

fn report(sessions: Vec<ForgottenSession>, mode: Mode) -> ForgetReport {
    ForgetReport { schema_version: SCHEMA_VERSION, done: mode == Mode::Do, sessions }
}

/// The sessions that are meant and all that work for them, by row.
pub(crate) fn chosen(
    settings: &Settings,
    index: &IndexReader,
    which: &Which,
) -> Result<BTreeMap<i64, SessionRow>, DaemonError> {
    let every = Filter { workers: true, ..Filter::default() };
    let mut next = match which {
        Which::Sessions(targets) => {
            targets.iter().map(|it| resolve(settings, it)).collect::<Result<Vec<_>, _>>()?
        }
        Which::Project(path) => index.sessions(&Filter { project: Some(path.clone()), ..every })?,
        Which::Before(instant) => {
            let all = index.sessions(&every)?.into_iter();
            all.filter(|it| it.last_event_at.is_some_and(|at| at < *instant)).collect()
        }
    };
    let mut out = BTreeMap::new();
    while let Some(session) = next.pop() {
        if let Entry::Vacant(free) = out.entry(session.row) {
            next.extend(index.workers_of(session.id)?);
            free.insert(session);
        }
    }
    Ok(out)
}

fn described(
    settings: &Settings,
    index: &IndexReader,
    session: &SessionRow,
) -> Result<ForgottenSession, DaemonError> {
    let archive = Archive::new(&settings.data);
    let mut archived_bytes = 0;
    for source in index.sources_of(session.row)? {
        archived_bytes += archive.size((&source.state).into())?;
    }
    Ok(ForgottenSession {
        id: session.id,
        agent: session.agent.clone(),
        title: session.title.clone(),
        project_path: session.project_path.clone(),
        last_event_at: session.last_event_at,
        parent_id: session.parent,
        events: index.count_events(session.row)?,
        archived_bytes,
        also_in: index.heirs(session.row)?,
        source_uri: session.source_uri.clone(),
    })
}

/// Something that was marked as forgotten is still there.
pub(crate) fn is_to_forget(settings: &Settings, index: &IndexReader) -> Result<bool, DaemonError> {
    Ok(match Ledger::open_read_only(&settings.data)? {
        Some(ledger) => index.holds_any(&ledger.forgotten()?)?,
        None => false,
    })
}

/// Does what is left to do for sessions that are marked as forgotten: in this order, so that it can
/// be broken off anywhere and done again.
pub(crate) fn finish_forgetting(
    settings: &Settings,
    writer: &mut Writer,
) -> Result<(), DaemonError> {
    let rows = writer.unburied()?;
    if rows.is_empty() {
        return Ok(());
    }
    let forgotten = writer.forgotten()?;
    let is_meant = |who: &RuntimeIdentity| forgotten.holds(who, &Facts::default());
    purge_journal(&settings.data, &is_meant).map_err(StoreError::from)?;
    let archive = Archive::new(&settings.data);
    for state in writer.sources_of(&rows)? {
        archive.remove((&state).into())?;
        // What was given to us is ours to remove; files of agents are not.
        remove_given(settings, &state)?;
        remove_told(settings, &state)?;
    }
    unsearch(settings, writer, &rows)?;
    writer.erase(&rows, (settings.now)())?;
    Ok(())
}

/// Takes sessions out of search and merges what held them.
pub(crate) fn unsearch(
    settings: &Settings,
    writer: &Writer,
    rows: &[i64],
) -> Result<(), DaemonError> {
    let born = writer.born()?;
    let stand = SearchReader::open(&settings.data).map(|it| it.stand().clone());
    let Some(stand) = stand.filter(|it| it.born == born) else {
        // What cannot be read or is of another index may hold their words all the same.
        return Ok(SearchWriter::throw_away(&settings.data)?);
    };
    let mut search = SearchWriter::open(&settings.data, &born, Load::Steady)?;
    rows.iter().for_each(|row| search.remove_session(*row));
    search.commit(stand.change)?;
    search.purge()?;
    Ok(search.finish()?)
}
