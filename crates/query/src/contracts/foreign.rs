//! Snapshots that other tools wrote, and the list of all recorded ones. Only documented fields are read.

use super::snapshots::SnapshotTarget;
use super::told;
use serde_json::Value;
use std::path::Path;
use taffrail_capture::text_below;
use taffrail_context::{Error, Settings};
use taffrail_contracts::ecc::{Snapshot, Worker};
use taffrail_contracts::{Strictness, find, validate};
use taffrail_model::Timestamp;
use taffrail_store::{Ledger, Taken};

/// The largest file that is read, in bytes.
const FILE_LIMIT: u64 = 16 * 1024 * 1024;

/// A recorded snapshot as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotRow {
    /// The adapter that made it.
    pub adapter: String,
    /// The adapter's id for the session.
    pub session: String,
    /// The kind of session.
    pub kind: String,
    /// Its state; any word is valid.
    pub state: String,
    /// The number of workers.
    pub workers: usize,
    /// The task of the first worker that has one.
    pub objective: Option<String>,
    /// When it was recorded.
    pub taken_at: Timestamp,
}

/// The snapshot in a file; `None` if the target is not a JSON file with a `schemaVersion`.
pub(super) fn snapshot(target: SnapshotTarget<'_>) -> Result<Option<Snapshot>, Error> {
    let file = target.here.join(target.text);
    let is_json = file.extension().is_some_and(|it| it == "json");
    if !is_json || target.adapter.is_some() || !file.is_file() {
        return Ok(None);
    }
    let Ok(value) = serde_json::from_str::<Value>(&text_of(&file)?) else { return Ok(None) };
    if value.get("schemaVersion").is_none() {
        return Ok(None);
    }
    conforming(value).map(Some)
}

/// A consumer accepts what the contract allows, unknown fields and states included.
fn conforming(value: Value) -> Result<Snapshot, Error> {
    if let Some(contract) = find("ecc") {
        let report = validate(contract, &value, Strictness::Lenient);
        if !report.is_valid() {
            return Err(Error::NotConforming(told(contract, &report.faults)));
        }
    }
    serde_json::from_value(value).map_err(|error| Error::NotConforming(error.to_string()))
}

fn text_of(file: &Path) -> Result<String, Error> {
    let (folder, name) = (file.parent().unwrap_or(file), file.file_name().unwrap_or_default());
    let text = text_below(folder, &name.to_string_lossy(), FILE_LIMIT);
    text.map_err(|error| Error::File(format!("{}: {error}", file.display())))
}

/// The latest snapshot of every session, the newest first; with words, those that have all of them.
///
/// # Errors
/// When the ledger cannot be read.
pub fn recorded_snapshots(settings: &Settings, words: &str) -> Result<Vec<SnapshotRow>, Error> {
    let Some(ledger) = Ledger::open_read_only(&settings.data)? else { return Ok(Vec::new()) };
    let words = words.to_lowercase();
    let words: Vec<_> = words.split_whitespace().collect();
    let found = ledger.snapshots()?.into_iter().filter_map(|taken| row(&taken, &words));
    Ok(found.collect())
}

fn row(taken: &Taken, words: &[&str]) -> Option<SnapshotRow> {
    let it: Snapshot = serde_json::from_str(&taken.body).ok()?;
    let text = texts(&it).join("\n").to_lowercase();
    let objectives = it.workers.iter().map(|it| it.intent.objective.trim());
    words.iter().all(|word| text.contains(word)).then(|| SnapshotRow {
        adapter: taken.adapter.clone(),
        session: taken.session.clone(),
        workers: it.workers.len(),
        objective: objectives.filter(|it| !it.is_empty()).map(str::to_owned).next(),
        kind: it.session.kind,
        state: it.session.state,
        taken_at: taken.at,
    })
}

/// The words of a snapshot, from documented fields.
fn texts(snapshot: &Snapshot) -> Vec<&str> {
    let session = &snapshot.session;
    let own = [&snapshot.adapter_id, &session.id, &session.kind, &session.state];
    let root = session.repo_root.iter().flatten();
    let workers = snapshot.workers.iter().flat_map(worker_texts);
    own.into_iter().chain(root).map(String::as_str).chain(workers).collect()
}

fn worker_texts(worker: &Worker) -> Vec<&str> {
    let Worker { id, label, state, branch, intent, outputs, .. } = worker;
    let lists =
        [&intent.seed_paths, &outputs.summary, &outputs.validation, &outputs.remaining_risks];
    let own = [id, label, state, &intent.objective].into_iter().chain(branch.iter().flatten());
    own.chain(lists.into_iter().flatten()).map(String::as_str).collect()
}
