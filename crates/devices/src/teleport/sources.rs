//! The files of a session: its sources, those of its sub-agents, and what its agent keeps beside
//! them.

use super::entries::{BundleEntry, Bytes, Source, whole_lines};
use super::metadata;
use crate::error::DevicesError;
use crate::error::TeleportError;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use taffrail_adapters::{Adapter, Encoding, Shape, TransferPlan, by_id, is_plain_path};
use taffrail_capture::open_below;
use taffrail_context::Settings;
use taffrail_model::{AgentId, LineageKind, SessionId, prompt_history, replication};
use taffrail_query::contracts::workers_below;
use taffrail_store::{IndexReader, SessionRow, SourceRow};
use taffrail_sync::bundle::{Kind, MOST_ENTRIES};

/// The depth limit of a folder beside a source.
const DEPTH: usize = 8;
/// How many forks are followed back to their origin.
const ORIGINS: usize = 32;

/// The files of a session to pack, and what each of them is.
pub(super) struct SessionFiles<'a> {
    settings: &'a Settings,
    reader: &'a IndexReader,
    plan: &'static TransferPlan,
    taken: BTreeSet<String>,
    pub(super) entries: Vec<BundleEntry>,
    pub(super) files: Vec<metadata::File>,
    /// The sessions that own these files, the packed one first.
    pub(super) sessions: Vec<SessionRow>,
}

/// Collects a session with everything its agent needs to resume it, or returns why that is
/// impossible.
pub(super) fn files_of<'a>(
    settings: &'a Settings,
    reader: &'a IndexReader,
    row: &SessionRow,
) -> Result<SessionFiles<'a>, DevicesError> {
    let plan = by_id(&row.agent).and_then(Adapter::transfer_plan);
    let plan = plan.ok_or_else(|| TeleportError::NoWay(label(&row.agent)))?;
    let (taken, entries, files, sessions) = Default::default();
    let mut found = SessionFiles { settings, reader, plan, taken, entries, files, sessions };
    for worker in workers_below(reader, row.id)? {
        found.session(&worker, &Kind::Worker)?;
    }
    for origin in origins(reader, row, plan)? {
        found.session(&origin, &Kind::Source)?;
    }
    found.session(row, &Kind::Source)?;
    found.sessions.reverse();
    Ok(found)
}

/// True for a source that is about a session but is not its history: observations, a prompt history,
/// and data from another device.
pub(super) fn is_about(locator: &str) -> bool {
    prompt_history::is_shared(locator) || replication::is_locator(locator)
}

pub(super) fn label(agent: &str) -> String {
    by_id(agent).map_or_else(|| agent.to_owned(), |it| it.descriptor().label.to_owned())
}

/// The sessions that contain the beginning of a fork.
fn origins(
    reader: &IndexReader,
    row: &SessionRow,
    plan: &TransferPlan,
) -> Result<Vec<SessionRow>, DevicesError> {
    let (mut out, mut next) = (Vec::new(), row.clone());
    while plan.needs_origin && out.len() < ORIGINS {
        let fork = next.lineage.as_ref().filter(|it| it.kind == LineageKind::Fork);
        let Some(fork) = fork else { break };
        let gone = || TeleportError::Gone(format!("session {}", fork.session_id));
        next = reader.session_by_id(fork.session_id)?.ok_or_else(gone)?;
        out.push(next.clone());
    }
    Ok(out)
}

impl SessionFiles<'_> {
    fn session(&mut self, row: &SessionRow, kind: &Kind) -> Result<(), DevicesError> {
        let sources = self.reader.sources_of(row.row)?;
        let own = sources.into_iter().filter(|it| !is_about(&it.state.locator));
        let own: Vec<_> = own.collect();
        if own.is_empty() && replication::is_locator(&row.source_uri) {
            let device = replication::device_of(&row.source_uri);
            let device = device.map(|it| self.settings.devices.name_of(&it));
            return Err(TeleportError::Remote(device.unwrap_or_default()).into());
        }
        if own.is_empty() && *kind == Kind::Source {
            return Err(TeleportError::NotWritten(label(&row.agent)).into());
        }
        let paths: BTreeSet<_> = own.iter().map(|it| it.state.path.clone()).collect();
        for path in paths {
            let of_path: Vec<_> = own.iter().filter(|it| it.state.path == path).collect();
            self.source((row, kind), &path, &of_path)?;
        }
        self.sessions.push(row.clone());
        Ok(())
    }

    /// Adds one source. It may exist in several homes: the longest file counts.
    fn source(
        &mut self,
        (row, kind): (&SessionRow, &Kind),
        path: &str,
        rows: &[&SourceRow],
    ) -> Result<(), DevicesError> {
        if rows.iter().any(|it| !it.state.key.is_empty()) {
            return Err(TeleportError::NoWay(label(&row.agent)).into());
        }
        let there = rows.iter().filter_map(|it| on_disk(&row.agent, &it.state.home, path));
        if let Some((home, length)) = there.max_by_key(|(_, length)| *length) {
            if length == 0 && *kind == Kind::Source {
                return Err(TeleportError::NotWritten(label(&row.agent)).into());
            }
            if let Some(folder) = (self.plan.beside)(path) {
                self.beside(row, &home, &folder)?;
            }
            let from = Bytes::File { folder: home, path: path.to_owned(), length };
            self.put((row.id, kind.clone()), path, from);
            return Ok(());
        }
        let copies = rows.iter().filter_map(|it| self.copied(&row.agent, &it.state.home, path));
        let source = copies.max_by_key(|(_, length)| *length).map(|(source, _)| source);
        let source = source.ok_or_else(|| TeleportError::Gone(path.to_owned()))?;
        self.copy((row.id, kind), source);
        Ok(())
    }

    fn copied(&self, agent: &str, home: &str, path: &str) -> Option<(Source, usize)> {
        let (home, path) = (home.to_owned(), path.to_owned());
        let source = Source { agent: AgentId::new(agent), home, path };
        let length = source.copy(&self.settings.data).ok()?.len();
        Some((source, length))
    }

    /// Adds a deleted source from its copy. Copies are uncompressed, whatever the source was.
    fn copy(&mut self, (session, kind): (SessionId, &Kind), source: Source) {
        let data = self.settings.data.clone();
        for (path, text) in source.beside(&data) {
            self.put((session, Kind::Spill), &path, Bytes::Held(text.into_bytes()));
        }
        let path = match encoding(source.agent.as_str(), &source.path) {
            Some(Encoding::Zstd) => source.path.strip_suffix(".zst").unwrap_or(&source.path),
            Some(Encoding::Plain) | None => &source.path,
        };
        let path = path.to_owned();
        self.put((session, kind.clone()), &path, Bytes::Copy { data, source });
    }

    fn put(&mut self, (session, kind): (SessionId, Kind), path: &str, from: Bytes) {
        if !is_plain_path(path) || !self.taken.insert(path.to_owned()) {
            return;
        }
        let entry = format!("{}/{}", kind.as_str(), self.files.len());
        let path = path.to_owned();
        self.files.push(metadata::File { entry: entry.clone(), path, session });
        self.entries.push(BundleEntry { entry, kind, from });
    }

    /// Adds everything in the folder beside a source. Sub-agents have their own sources and are
    /// found again there.
    fn beside(&mut self, row: &SessionRow, home: &Path, folder: &str) -> Result<(), DevicesError> {
        let mut paths = Vec::new();
        walk(home, folder, DEPTH, &mut paths)?;
        for path in paths {
            // A link, or a file that was deleted in the meantime.
            let Ok(file) = open_below(home, &path) else { continue };
            let length = file.metadata().map_err(TeleportError::at(&home.join(&path)))?.len();
            let from = Bytes::File { folder: home.to_owned(), path: path.clone(), length };
            self.put(what(row, &path), &path, from);
        }
        Ok(())
    }
}

/// What a file beside a source is: a sub-agent's history that is not indexed, or spilled text.
fn what(row: &SessionRow, path: &str) -> (SessionId, Kind) {
    match by_id(&row.agent).and_then(|it| it.place(path)) {
        Some(place) => (place.session.map_or(row.id, |it| it.session()), Kind::Worker),
        None => (row.id, Kind::Spill),
    }
}

fn encoding(agent: &str, path: &str) -> Option<Encoding> {
    match by_id(agent)?.place(path)?.shape {
        Shape::Lines(encoding) => Some(encoding),
        Shape::Document | Shape::Text | Shape::Folder(_) | Shape::Sqlite(_) => None,
    }
}

/// A source on disk: its home, and how much of it to pack.
fn on_disk(agent: &str, home: &str, path: &str) -> Option<(PathBuf, u64)> {
    let home = PathBuf::from(home);
    let mut file = open_below(&home, path).ok()?;
    let length = match encoding(agent, path) {
        Some(Encoding::Plain) => whole_lines(&mut file).ok()?,
        Some(Encoding::Zstd) | None => file.metadata().ok()?.len(),
    };
    Some((home, length))
}

/// The regular files below a folder, by path, without links.
pub(super) fn walk(
    root: &Path,
    folder: &str,
    depth: usize,
    out: &mut Vec<String>,
) -> Result<(), TeleportError> {
    // Most sources have no folder beside them.
    let Ok(listed) = std::fs::read_dir(root.join(folder)) else { return Ok(()) };
    let mut names: Vec<_> = listed.flatten().collect();
    names.sort_by_key(std::fs::DirEntry::file_name);
    for entry in names {
        let (Some(name), Ok(kind)) =
            (entry.file_name().to_str().map(str::to_owned), entry.file_type())
        else {
            continue;
        };
        let path = format!("{folder}/{name}");
        if kind.is_dir() && depth > 0 {
            walk(root, &path, depth.saturating_sub(1), out)?;
        } else if kind.is_file() {
            out.push(path);
        }
        if out.len() > MOST_ENTRIES {
            return Err(taffrail_sync::bundle::WriteFault::TooLarge.into());
        }
    }
    Ok(())
}
