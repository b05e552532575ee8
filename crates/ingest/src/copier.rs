//! Archives sources while they are read, where that is allowed.

use crate::history_lines::{LineFilter, is_kept};
use std::path::Path;
use taffrail_adapters::Shape as Read;
use taffrail_capture::{Job, SourceFile, side_files};
use taffrail_context::Settings;
use taffrail_model::facts::Projects;
use taffrail_model::observed::{ArchiveState, Observed, SourceState};
use taffrail_model::{AgentId, Facts, RuntimeIdentity, journal, replication};
use taffrail_store::archive::{
    Archive, ArchiveError, Keeper, Label, Packer, Permission, RowLines, Shape, keep_whole,
};
use taffrail_store::{Forgotten, StoreError, Uncaptured, Writer};

/// Larger documents are not archived.
const DOCUMENT_LIMIT: usize = 64 * 1024 * 1024;

/// Which sources may be archived.
#[derive(Debug)]
pub struct CapturePolicy {
    archive: Option<Archive>,
    left_out: Projects,
    forgotten: Forgotten,
    uncaptured: Uncaptured,
}

impl CapturePolicy {
    /// The policy that follows from the settings and the ledger.
    pub fn of(settings: &Settings, writer: &Writer) -> Result<Self, StoreError> {
        Ok(Self { uncaptured: writer.uncaptured()?, ..Self::new(settings, writer.forgotten()?) })
    }

    fn new(settings: &Settings, forgotten: Forgotten) -> Self {
        let archive = settings.archive.enabled.then(|| Archive::new(&settings.data));
        let left_out = settings.excluded.iter().chain(&settings.archive.excluded).cloned();
        let left_out = Projects::new(&left_out.collect::<Vec<_>>());
        Self { archive, left_out, forgotten, uncaptured: Uncaptured::default() }
    }

    /// Repacks a source with many small frames.
    pub(crate) fn repack(&self, job: &Job, packer: &mut Packer) -> Result<(), ArchiveError> {
        let (Some(archive), Some(known), Read::Lines(_)) =
            (&self.archive, &job.known, job.found.place.shape)
        else {
            return Ok(());
        };
        if is_ours(&known.locator) {
            return Ok(());
        }
        archive.repack(known.into(), packer).map(drop)
    }

    /// Whether a session was forgotten.
    pub(crate) fn is_forgotten(&self, who: &RuntimeIdentity, facts: &Facts) -> bool {
        self.forgotten.holds(who, facts)
    }

    /// Sessions that are not captured.
    pub(crate) fn uncaptured(&self) -> &Uncaptured {
        &self.uncaptured
    }

    /// Whether all sessions of the piece are uncaptured.
    pub(crate) fn is_uncaptured(&self, piece: &Observed) -> bool {
        let mut all = piece.sessions.iter();
        !piece.sessions.is_empty() && all.all(|(who, facts)| self.uncaptured.holds(who, facts))
    }

    /// Whether what this session says may be archived.
    fn may_keep(&self, who: &RuntimeIdentity, facts: &Facts) -> bool {
        let is_left_out = facts.project_path.as_deref().is_some_and(|it| self.left_out.holds(it));
        !is_left_out && !self.forgotten.holds(who, facts) && !self.uncaptured.holds(who, facts)
    }

    /// Whether a source with these sessions may be archived; `None` before a session is known.
    fn permission(&self, piece: &Observed) -> Option<Permission> {
        // Existing copies stay.
        if piece.sessions.is_empty() || self.is_uncaptured(piece) {
            return None;
        }
        let refused = piece.sessions.iter().any(|(who, facts)| {
            self.forgotten.holds(who, facts)
                || facts.project_path.as_deref().is_some_and(|it| self.left_out.holds(it))
        });
        Some(if refused { Permission::Refuse } else { Permission::Keep })
    }
}

/// Our own files need no copy, and an item that another device retracts must be gone.
fn is_ours(locator: &str) -> bool {
    journal::is_locator(locator) || replication::is_locator(locator)
}

/// Archives one source while it is read.
pub(crate) struct Copier<'a> {
    rules: &'a CapturePolicy,
    job: &'a Job,
    packer: Option<&'a mut Packer>,
    lines: Option<Keeper<'a>>,
    /// Leaves out lines of a prompt history.
    filter: LineFilter,
    rows: RowLines,
    document: Vec<u8>,
    /// How much was archived before, and how much is now.
    kept: ArchiveState,
    /// Why archiving stopped.
    problem: Option<ArchiveError>,
}

impl<'a> Copier<'a> {
    pub(crate) fn new(rules: &'a CapturePolicy, job: &'a Job, packer: &'a mut Packer) -> Self {
        let kept = job.known.as_ref().map_or(ArchiveState::Nothing, |known| known.kept);
        let ours = is_ours(&job.found.place.locator);
        let wanted = rules.archive.is_some() && kept != ArchiveState::Dropped && !ours;
        let packer = wanted.then_some(packer);
        let (rows, document, filter) = (RowLines::default(), Vec::new(), LineFilter::default());
        Self { rules, job, packer, lines: None, filter, rows, document, kept, problem: None }
    }

    /// Begins a pass over lines.
    pub(crate) fn lines_from(&mut self, offset: u64) -> u64 {
        let (Some(packer), Some(archive)) = (self.packer.take(), &self.rules.archive) else {
            return offset;
        };
        let label = label(&self.job.found, "", Shape::Lines);
        let has_filter = self.job.found.prompt_history().is_some();
        // Only at the cursor or at the start is it sure that a line begins.
        let is_followed = || archive.covers_to(label.address(), offset).unwrap_or(false);
        let from = if has_filter && !is_followed() { 0 } else { offset };
        let keeper = Keeper::begin(archive, label, from, packer);
        self.lines = self.noted(keeper);
        self.lines.as_ref().map_or(offset, Keeper::wants_from)
    }

    pub(crate) fn lines(&mut self, offset: u64, bytes: &[u8]) {
        let Some(keeper) = self.lines.as_mut() else { return };
        let mut taken = Ok(());
        let mut keep = |offset, bytes: &[u8]| {
            if taken.is_ok() {
                taken = keeper.bytes(offset, bytes);
            }
        };
        let found = &self.job.found;
        match found.prompt_history() {
            None => keep(offset, bytes),
            Some(history) => {
                let source = (found.adapter.descriptor().id, history);
                let may_keep =
                    |who: &RuntimeIdentity, facts: &Facts| self.rules.may_keep(who, facts);
                self.filter.take(offset, bytes, |line| is_kept(source, line, may_keep), keep);
            }
        }
        if let Err(error) = taken {
            self.stop(error);
        }
    }

    pub(crate) fn document(&mut self, bytes: &[u8]) {
        if self.packer.is_some() && bytes.len() <= DOCUMENT_LIMIT {
            self.document = bytes.to_vec();
        }
    }

    pub(crate) fn row(&mut self, table: &str, number: i64, bytes: &[u8]) {
        if self.packer.is_some() {
            let pushed = self.rows.push(table, number, bytes);
            self.noted(pushed);
        }
    }

    /// Archives the bytes of a piece; they may be written now.
    pub(crate) fn piece(&mut self, piece: &mut Observed) {
        match self.job.found.place.shape {
            Read::Lines(_) => self.settle_lines(piece),
            Read::Document | Read::Text => {
                let bytes = std::mem::take(&mut self.document);
                self.settle_whole(piece, &bytes, Shape::Document);
            }
            Read::Sqlite(_) | Read::Folder(_) => {
                let rows = std::mem::take(&mut self.rows);
                self.settle_whole(piece, rows.as_bytes(), Shape::Rows);
            }
        }
        if !matches!(self.job.found.place.shape, Read::Sqlite(_)) {
            piece.source.kept = self.kept;
        }
    }

    /// Why archiving stopped, reported once.
    pub(crate) fn problem(&mut self) -> Option<String> {
        let problem = self.problem.take()?;
        Some(format!("{}: not archived: {problem}", self.job.found.path))
    }

    fn settle_lines(&mut self, piece: &Observed) {
        let has_filter = self.job.found.prompt_history().is_some();
        let allowed = has_filter.then_some(Permission::Keep);
        let Some(permission) = allowed.or_else(|| self.rules.permission(piece)) else { return };
        let written = match (self.lines.take(), piece.ends_pass) {
            (None, _) => return,
            (Some(keeper), true) => keeper.end(permission),
            (Some(mut keeper), false) => {
                let flushed = keeper.flush(permission);
                self.lines = Some(keeper);
                flushed
            }
        };
        match (written, permission) {
            (Err(error), _) => self.stop(error),
            (Ok(()), Permission::Refuse) => self.kept = ArchiveState::Nothing,
            (Ok(()), Permission::Keep) => {
                self.kept = ArchiveState::Bytes(piece.source.offset.max(1));
            }
        }
    }

    fn settle_whole(&mut self, piece: &mut Observed, bytes: &[u8], shape: Shape) {
        let (Some(permission), Some(archive)) = (self.rules.permission(piece), &self.rules.archive)
        else {
            return;
        };
        let label = label(&self.job.found, &piece.source.key, shape);
        let Some(packer) = self.packer.as_deref_mut().filter(|_| !bytes.is_empty()) else { return };
        let written = match permission {
            Permission::Keep => keep_whole(archive, label, bytes, packer).map(drop),
            Permission::Refuse => archive.remove(label.address()).map(drop),
        };
        self.kept = match permission {
            Permission::Keep => ArchiveState::Bytes(bytes.len() as u64),
            Permission::Refuse => ArchiveState::Nothing,
        };
        piece.source.kept = self.kept;
        if let Err(error) = written {
            self.stop(error);
        }
    }

    fn noted<T>(&mut self, result: Result<T, ArchiveError>) -> Option<T> {
        result.map_err(|error| self.stop(error)).ok()
    }

    fn stop(&mut self, error: ArchiveError) {
        self.lines = None;
        self.packer = None;
        self.problem = Some(error);
    }
}

/// The label of a source's copy.
fn label(found: &SourceFile, key: &str, shape: Shape) -> Label {
    let side = side_files(found).into_iter();
    let suffix = if key.is_empty() { String::new() } else { format!("#{key}") };
    Label {
        agent: AgentId::new(found.adapter.descriptor().id),
        home: found.home.clone(),
        path: found.path.clone(),
        key: key.to_owned(),
        locator: found.place.locator.clone() + &suffix,
        shape,
        beside: side.filter_map(|(at, it)| Some((at, String::from_utf8(it).ok()?))).collect(),
    }
}

/// Moves the copies of a source that moved, even if nothing new is archived.
pub(crate) fn follow(
    data: &Path,
    from: &SourceState,
    found: &SourceFile,
) -> Result<(), ArchiveError> {
    let shape = match found.place.shape {
        Read::Lines(_) => Shape::Lines,
        Read::Document | Read::Text => Shape::Document,
        Read::Folder(_) => Shape::Rows,
        // The sessions in a database are separate sources, and are read again.
        Read::Sqlite(_) => return Ok(()),
    };
    Archive::new(data).relabel(from.into(), &label(found, "", shape))
}
