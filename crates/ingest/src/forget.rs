//! Forgets sessions, everywhere and for good.

use crate::index::bring_up;
use crate::scope::{Budget, Mode, Progress, Scope};
use crate::search_sync::Bring;
use crate::session_lookup::resolve_stored;
use crate::tombstones::finish_forgetting;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use taffrail_api::{ForgetReport, ForgottenSession, SCHEMA_VERSION};
use taffrail_context::{Error, Settings, Target};
use taffrail_model::{SessionId, Timestamp, prompt_history};
use taffrail_store::archive::Archive;
use taffrail_store::{Filter, IndexReader, SessionRow, Writer};

/// Which sessions to forget; their sub-agents go with them.
#[derive(Debug, Clone)]
pub enum Which {
    /// These sessions.
    Sessions(Vec<Target>),
    /// All sessions of a project: in this folder or below it.
    Project(String),
    /// All sessions whose latest event is older.
    Before(Timestamp),
}

/// Forgets sessions, or reports what would be forgotten.
///
/// # Errors
/// When a session cannot be found, another program writes, or our own files fail.
pub fn forget(
    settings: &Settings,
    which: &Which,
    mode: Mode,
    progress: &mut dyn FnMut(Progress),
) -> Result<ForgetReport, Error> {
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

/// The selected sessions and all their sub-agents, by row.
pub(crate) fn chosen(
    settings: &Settings,
    index: &IndexReader,
    which: &Which,
) -> Result<BTreeMap<i64, SessionRow>, Error> {
    let every = Filter { workers: true, ..Filter::default() };
    let mut next = match which {
        Which::Sessions(targets) => {
            targets.iter().map(|it| resolve_stored(settings, it)).collect::<Result<Vec<_>, _>>()?
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
) -> Result<ForgottenSession, Error> {
    let archive = Archive::new(&settings.data);
    let mut archived_bytes = 0;
    let sources = index.sources_of(session.row)?.into_iter();
    // The copy of a prompt history stays, without the lines of the session.
    for source in sources.filter(|it| !prompt_history::is_locator(&it.state.locator)) {
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
