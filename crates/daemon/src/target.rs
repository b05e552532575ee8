//! Which session a person means.

use crate::{DaemonError, Settings};
use std::collections::HashSet;
use std::path::Path;
use taffrail_model::SessionId;
use taffrail_model::relay::{is_shared, told_as};
use taffrail_store::{Filter, IndexReader, SessionRow};

/// What a person typed for a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// `@last`: the one with the latest event.
    Last,
    /// `.`: the latest in this folder or a folder above it.
    Here(String),
    /// The beginning of its id, or its agent's own id.
    Id(String),
}

/// Why no one session is meant.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum TargetError {
    /// There is none.
    #[error("no session matches `{0}`")]
    NotFound(String),
    /// There are several.
    #[error("`{0}` matches several sessions: {1}")]
    Ambiguous(String, String),
    /// No executor has this name.
    #[error("no peer is called `{0}`")]
    NoPeer(String),
    /// It runs, or ran, several sessions.
    #[error("the peer `{0}` stands for several sessions: {list}", list = .1.join(", "))]
    ManyPeers(String, Vec<String>),
    /// There is no copy of it.
    #[error("the archive holds no copy of session {0}")]
    NotArchived(String),
    /// There is no such file.
    #[error("there is no file {0}")]
    NoFile(String),
    /// Nothing can be waited for yet.
    #[error("`@waiting` needs the live status of sessions, which this version does not have")]
    WaitingUnknown,
}

impl Target {
    /// Reads what was typed; `here` is the current folder.
    ///
    /// # Errors
    /// For words that mean nothing yet.
    pub fn parse(text: &str, here: &Path) -> Result<Self, TargetError> {
        match text {
            "@last" => Ok(Self::Last),
            "@waiting" => Err(TargetError::WaitingUnknown),
            "." => Ok(Self::Here(here.to_string_lossy().into_owned())),
            id => Ok(Self::Id(id.to_owned())),
        }
    }
}

/// Finds the one session that is meant.
///
/// # Errors
/// When there is none or more than one, or the index cannot be read.
pub fn resolve(settings: &Settings, target: &Target) -> Result<SessionRow, DaemonError> {
    let Some(reader) = IndexReader::open(&settings.data)? else {
        return Err(TargetError::NotFound(shown(target)).into());
    };
    match target {
        Target::Last => first(&reader, target, &Filter { limit: Some(1), ..Filter::default() }),
        Target::Here(folder) => here(&reader, target, folder),
        Target::Id(id) => by_id(&reader, id),
    }
}

/// Where the sources of a session are: home and path of each.
///
/// # Errors
/// When the session cannot be found or the index cannot be read.
pub fn places_of(
    settings: &Settings,
    target: &Target,
) -> Result<HashSet<(String, String)>, DaemonError> {
    let session = resolve(settings, target)?;
    let Some(reader) = IndexReader::open(&settings.data)? else { return Ok(HashSet::new()) };
    let sources = reader.sources_of(session.row)?.into_iter();
    Ok(sources.map(|it| (it.state.home, it.state.path)).collect())
}

fn shown(target: &Target) -> String {
    match target {
        Target::Last => "@last".to_owned(),
        Target::Here(folder) => folder.clone(),
        Target::Id(id) => id.clone(),
    }
}

fn first(
    reader: &IndexReader,
    target: &Target,
    filter: &Filter,
) -> Result<SessionRow, DaemonError> {
    let found = reader.sessions(filter)?.into_iter().next();
    found.ok_or_else(|| TargetError::NotFound(shown(target)).into())
}

fn here(reader: &IndexReader, target: &Target, folder: &str) -> Result<SessionRow, DaemonError> {
    for above in Path::new(folder).ancestors().take_while(|it| it.parent().is_some()) {
        let exact_project = Some(above.to_string_lossy().into_owned());
        let filter = Filter { limit: Some(1), exact_project, ..Filter::default() };
        if let Some(found) = reader.sessions(&filter)?.into_iter().next() {
            return Ok(found);
        }
    }
    Err(TargetError::NotFound(shown(target)).into())
}

/// Sessions that others share with us, by the id they have on their own device.
fn shared_as(reader: &IndexReader, id: &str) -> Result<Vec<SessionRow>, DaemonError> {
    let plain = |text: &str| text.replace('-', "").to_lowercase();
    let begins = |row: &SessionRow| {
        let there = told_as(&row.source_uri).map(|it| plain(&it.to_string()));
        there.is_some_and(|it| it.starts_with(&plain(id)))
    };
    Ok(reader.shared_here()?.into_iter().filter(begins).collect())
}

fn by_id(reader: &IndexReader, id: &str) -> Result<SessionRow, DaemonError> {
    // A session's own id is meant before another's that a document names.
    if let Some(whole) = SessionId::parse(id) {
        let prefix = Some(whole.to_string());
        let exact = Filter { workers: true, id_prefix: prefix, ..Filter::default() };
        if let Some(found) = reader.sessions(&exact)?.into_iter().next() {
            return Ok(found);
        }
    }
    let runtime = Filter { workers: true, runtime_id: Some(id.to_owned()), ..Filter::default() };
    let mut found = reader.sessions(&runtime)?;
    // What others call theirs does not stand in the way of what is ours.
    if found.iter().any(|it| !is_shared(&it.source_uri)) {
        found.retain(|it| !is_shared(&it.source_uri));
    }
    let digits = id.chars().all(|it| it.is_ascii_hexdigit() || it == '-');
    if found.is_empty() && digits && !id.is_empty() {
        let prefix = Some(id.to_owned());
        found =
            reader.sessions(&Filter { workers: true, id_prefix: prefix, ..Filter::default() })?;
        if found.is_empty() {
            found = shared_as(reader, id)?;
        }
    }
    match found.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(TargetError::NotFound(id.to_owned()).into()),
        many => {
            let ids = many.iter().take(5).map(|it| it.id.to_string()).collect::<Vec<_>>();
            Err(TargetError::Ambiguous(id.to_owned(), ids.join(", ")).into())
        }
    }
}
