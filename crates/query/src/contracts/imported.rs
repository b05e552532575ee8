//! Imports session states: validates them, stores them unchanged, and reads them like any other
//! source.

use super::annotations::annotate;
use super::told;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::fs::DirBuilder;
use std::io::{Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use taffrail_adapters::{ImportedDocument, all, by_id};
use taffrail_context::{Error, Settings, Target, TargetError};
use taffrail_contracts::craft::State;
use taffrail_contracts::{Strictness, find, validate_text};
use taffrail_ingest::{IMPORTED, record};
use taffrail_model::{Facts, SessionId};
use taffrail_store::{IndexReader, Ledger, SessionRow, StoreError};
use tempfile::NamedTempFile;

/// The largest state, in bytes.
const LARGEST: u64 = 16 * 1024 * 1024;
/// An imported state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The id of its session.
    pub session_id: SessionId,
    /// The number of warnings from the contract's check.
    pub warnings: usize,
}

/// Imports a state: stores a copy below the data folder, byte for byte. The next run of the index
/// reads it.
///
/// # Errors
/// `NotConforming` when the state violates its contract; when the session was forgotten or a file
/// operation fails.
pub fn import_state(settings: &Settings, file: &Path) -> Result<Imported, Error> {
    let (text, given, warnings) = read_state(file)?;
    let forgotten = Ledger::open_read_only(&settings.data)?.map(|it| it.forgotten()).transpose()?;
    if forgotten.is_some_and(|it| it.holds(&given.session, &Facts::default())) {
        return Err(Error::Forgotten(given.session.session().to_string()));
    }
    let path = settings.data.join(IMPORTED).join(&given.path);
    keep(&path, text.as_bytes()).map_err(StoreError::from)?;
    let session_id = given.session.session();
    annotate(settings, session_id, &text)?;
    Ok(Imported { session_id, warnings })
}

/// Reads a state that conforms: its text, where it is stored, and the number of warnings.
fn read_state(file: &Path) -> Result<(String, ImportedDocument, usize), Error> {
    let text = text_of(file)?;
    let warnings = match find("state") {
        Some(contract) => {
            let report = validate_text(contract, &text, Strictness::Lenient);
            if !report.is_valid() {
                return Err(Error::NotConforming(told(contract, &report.faults)));
            }
            report.warnings.len()
        }
        None => 0,
    };
    let Some(given) = given(text.as_bytes()) else {
        return Err(Error::NotConforming("the session has no id".to_owned()));
    };
    Ok((text, given, warnings))
}

/// A state in a file that conforms, and the session that it becomes when it is imported. Nothing is
/// stored.
///
/// # Errors
/// `NotConforming` when the state violates its contract; when the file cannot be read.
pub fn state_in_file(file: &Path) -> Result<(SessionId, State), Error> {
    let (text, given, _) = read_state(file)?;
    Ok((given.session.session(), typed(&text)?))
}

fn typed(text: &str) -> Result<State, Error> {
    serde_json::from_str(text).map_err(|error| Error::NotConforming(error.to_string()))
}

/// Whether the index has the session of an imported state.
///
/// # Errors
/// When the index cannot be read.
pub fn imported_session(settings: &Settings, id: SessionId) -> Result<bool, Error> {
    match crate::resolve::resolve(settings, &Target::Id(id.to_string())) {
        Ok(_) => Ok(true),
        Err(Error::Target(TargetError::NotFound(_))) => Ok(false),
        Err(error) => Err(error),
    }
}

fn text_of(file: &Path) -> Result<String, Error> {
    let told = |why: String| Error::File(format!("{}: {why}", file.display()));
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(file).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            Error::Target(TargetError::NoFile(file.display().to_string()))
        }
        _ => told(error.to_string()),
    })?;
    let read = opened.take(LARGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| told(error.to_string()))?;
    if bytes.len() as u64 > LARGEST {
        return Err(Error::NotConforming(format!("a state has at most {LARGEST} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| told("is not UTF-8".to_owned()))
}

/// The adapter that stores such documents, and where.
fn given(document: &[u8]) -> Option<ImportedDocument> {
    all().iter().find_map(|adapter| adapter.importer().and_then(|given| given(document)))
}

/// Writes the file atomically, readable by this user only.
fn keep(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    std::fs::File::open(folder)?.sync_all()
}

/// The document of an imported session, unchanged to the last digit: from our copy, or from the
/// archive. `None` for other sessions.
pub(super) fn document_of(
    settings: &Settings,
    session: &SessionRow,
) -> Result<Option<Box<RawValue>>, Error> {
    let adapter = by_id(&session.agent).filter(|it| it.importer().is_some());
    let (Some(_), Some(reader)) = (adapter, IndexReader::open(&settings.data)?) else {
        return Ok(None);
    };
    let events = reader.last_events(session.row, 1)?;
    let bytes = events.first().and_then(|row| record(settings, &session.agent, row));
    let document = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    document.map(Some).ok_or_else(|| {
        Error::File(format!("{}: neither it nor its copy can be read", session.source_uri))
    })
}

/// The document of an imported session, read as a state; `None` for other sessions.
pub(crate) fn state_of(settings: &Settings, session: &SessionRow) -> Result<Option<State>, Error> {
    document_of(settings, session)?.map(|document| typed(document.get())).transpose()
}

/// The lists of an imported document, each exactly as it is there.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImportedWork {
    /// The status.
    pub status: Option<Value>,
    /// The completed part.
    pub progress: Option<Value>,
    /// The agents.
    pub agents: Option<Value>,
    /// Completed items.
    pub completed_work: Option<Value>,
    /// Items that are not completed.
    pub pending_tasks: Option<Value>,
    /// Decisions of the user.
    pub decisions_made: Option<Value>,
    /// Changed files.
    pub files_modified: Option<Value>,
}

/// The work in the document of an imported session; `None` for other sessions.
///
/// # Errors
/// When the session cannot be found, or its document cannot be read.
pub fn imported_work(settings: &Settings, target: &Target) -> Result<Option<ImportedWork>, Error> {
    let row = crate::resolve::resolve(settings, target)?;
    let Some(document) = document_of(settings, &row)? else { return Ok(None) };
    let mut fields: Map<String, Value> = serde_json::from_str(document.get())
        .map_err(|error| Error::File(format!("{}: {error}", row.source_uri)))?;
    let mut take = |name: &str| fields.remove(name);
    Ok(Some(ImportedWork {
        status: take("status"),
        progress: take("progress"),
        agents: take("agents"),
        completed_work: take("completed_work"),
        pending_tasks: take("pending_tasks"),
        decisions_made: take("decisions_made"),
        files_modified: take("files_modified"),
    }))
}
