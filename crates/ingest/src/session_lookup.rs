//! Resolves which stored session a person means.

use std::path::Path;
use taffrail_context::{Error, Settings, Target, TargetError};
use taffrail_model::SessionId;
use taffrail_model::replication::{is_shared, told_as};
use taffrail_store::{Filter, IndexReader, SessionRow};

/// Finds the one matching session by stored data. Waiting is not stored: the caller replaces
/// [`Target::Waiting`] before.
///
/// # Errors
/// When no session matches or several do, or the index cannot be read.
pub fn resolve_stored(settings: &Settings, target: &Target) -> Result<SessionRow, Error> {
    let Some(reader) = IndexReader::open(&settings.data)? else {
        return Err(TargetError::NotFound(target.shown()).into());
    };
    match target {
        Target::Last => first(&reader, target, &latest()),
        Target::Waiting => Err(TargetError::NothingWaits.into()),
        Target::Here(folder) => here(&reader, target, folder),
        Target::Id(id) => by_id(&reader, id),
    }
}

/// The latest session; prompts alone are not one that a person works with.
fn latest() -> Filter {
    Filter { limit: Some(1), with_transcript: true, ..Filter::default() }
}

fn first(reader: &IndexReader, target: &Target, filter: &Filter) -> Result<SessionRow, Error> {
    let found = reader.sessions(filter)?.into_iter().next();
    found.ok_or_else(|| TargetError::NotFound(target.shown()).into())
}

fn here(reader: &IndexReader, target: &Target, folder: &str) -> Result<SessionRow, Error> {
    for above in Path::new(folder).ancestors().take_while(|it| it.parent().is_some()) {
        let exact_project = Some(above.to_string_lossy().into_owned());
        let filter = Filter { exact_project, ..latest() };
        if let Some(found) = reader.sessions(&filter)?.into_iter().next() {
            return Ok(found);
        }
    }
    Err(TargetError::NotFound(target.shown()).into())
}

/// Sessions that others share with us, by their id on their own device.
fn shared_as(reader: &IndexReader, id: &str) -> Result<Vec<SessionRow>, Error> {
    let plain = |text: &str| text.replace('-', "").to_lowercase();
    let begins = |row: &SessionRow| {
        let there = told_as(&row.source_uri).map(|it| plain(&it.to_string()));
        there.is_some_and(|it| it.starts_with(&plain(id)))
    };
    Ok(reader.shared_here()?.into_iter().filter(begins).collect())
}

fn by_id(reader: &IndexReader, id: &str) -> Result<SessionRow, Error> {
    // A session's own id takes precedence over another's id that a document names.
    if let Some(whole) = SessionId::parse(id) {
        let prefix = Some(whole.to_string());
        let exact = Filter { workers: true, id_prefix: prefix, ..Filter::default() };
        if let Some(found) = reader.sessions(&exact)?.into_iter().next() {
            return Ok(found);
        }
    }
    let runtime = Filter { workers: true, runtime_id: Some(id.to_owned()), ..Filter::default() };
    let mut found = reader.sessions(&runtime)?;
    // Ids of other devices never make our own ids ambiguous.
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
