//! Packs everything that belongs to a session into one sealed file.

use super::entries::{BundleEntry, Bytes};
use super::sources::{files_of, walk};
use super::{PLAN, annotations, git, metadata, redact};
use crate::error::DevicesError;
use crate::error::TeleportError;
use std::path::{Path, PathBuf};
use taffrail_api::{PackReport, PatchReport, SCHEMA_VERSION};
use taffrail_context::Error;
use taffrail_context::{Settings, Target, TargetError};
use taffrail_contracts::captured::{Captured, Carried};
use taffrail_contracts::craft;
use taffrail_model::{AgentId, DeviceId};
use taffrail_query::bindings::{binding_with, followed, tie};
use taffrail_query::contracts::{captured, checked};
use taffrail_query::resolve::resolve;
use taffrail_store::{IndexReader, SessionRow};
use taffrail_sync::bundle::{About, GitFacts, Kind, MOST_ENTRIES, write};
use taffrail_team::{ThisDevice, own, resolve_recipients};

/// The depth limit of the plans folder.
const PLAN_DEPTH: usize = 8;

/// What to pack, and for whom.
#[derive(Debug)]
pub struct PackWish<'a> {
    /// Names of devices and of users.
    pub to: &'a [String],
    /// The file to write.
    pub out: &'a Path,
    /// An existing file may be replaced.
    pub replace: bool,
    /// Include uncommitted changes.
    pub with_patch: bool,
    /// Include only the conversation, with known kinds of secrets removed.
    pub redacted: bool,
}

/// Packs a session for devices of the team.
///
/// # Errors
/// When the session cannot be found, cannot be moved, or has no recipient in the team.
pub fn pack(
    settings: &Settings,
    target: &Target,
    wish: &PackWish<'_>,
) -> Result<PackReport, DevicesError> {
    if !wish.replace && wish.out.symlink_metadata().is_ok() {
        return Err(TeleportError::Exists(wish.out.to_owned()).into());
    }
    let own = own(settings)?;
    own.check_current()?;
    let to = resolve_recipients(&own, wish.to)?;
    let row = packable(settings, target)?;
    let reader = IndexReader::open(&settings.data)?;
    let reader = reader.ok_or_else(|| TargetError::NotFound(row.id.to_string()))?;
    let mut packing = Packing { settings, own: &own, row: &row, to: &to, entries: Vec::new() };
    let packed = match wish.redacted {
        true => packing.redacted()?,
        false => packing.whole(&reader, wish.with_patch)?,
    };
    let bytes = packing.written(wish, packed.git.clone())?;
    let running = tie(settings, &row, &|_| None)?.current_executor_peer_id;
    Ok(PackReport { running, ..packing.told(wish, packed, bytes) })
}

/// The session to pack, with its sub-agents.
fn packable(settings: &Settings, target: &Target) -> Result<SessionRow, DevicesError> {
    let meant = followed(settings, target)?.id;
    let row = resolve(settings, &Target::Id(meant.to_string()))?;
    match row.parent {
        Some(parent) => Err(TeleportError::Worker(parent.to_string()).into()),
        None => Ok(row),
    }
}

struct Packing<'a> {
    settings: &'a Settings,
    own: &'a ThisDevice,
    row: &'a SessionRow,
    to: &'a [DeviceId],
    entries: Vec<BundleEntry>,
}

/// What was packed, for the report.
#[derive(Default)]
struct Along {
    git: Option<GitFacts>,
    patch: Option<PatchReport>,
    workers: usize,
    files: usize,
    plan: usize,
}

impl Packing<'_> {
    fn put(&mut self, entry: &str, kind: Kind, bytes: Vec<u8>) {
        self.entries.push(BundleEntry { entry: entry.to_owned(), kind, from: Bytes::Held(bytes) });
    }

    fn project(&self) -> Option<PathBuf> {
        let path = self.row.project_path.as_deref().map(PathBuf::from);
        path.filter(|it| it.is_absolute() && it.is_dir())
    }

    /// Packs everything, as the agent wrote it.
    fn whole(&mut self, reader: &IndexReader, with_patch: bool) -> Result<Along, DevicesError> {
        let found = files_of(self.settings, reader, self.row)?;
        let workers = found.sessions.iter().filter(|it| it.parent.is_some()).count();
        let mut along = Along { workers, files: found.files.len(), ..Along::default() };
        self.put("events.json", Kind::Events, annotations::events(reader, &found.sessions)?);
        self.documents()?;
        along.git = self.repository(with_patch, &mut along.patch)?;
        let plan = self.plan()?;
        along.plan = plan.len();
        let places = metadata::Places {
            version: metadata::VERSION,
            project: self.row.project_path.clone(),
            files: found.files,
            plan,
        };
        self.put("places.json", Kind::Places, metadata::written(&places));
        self.entries.extend(found.entries);
        if self.entries.len() > MOST_ENTRIES {
            return Err(TeleportError::from(taffrail_sync::bundle::WriteFault::TooLarge).into());
        }
        Ok(along)
    }

    fn documents(&mut self) -> Result<(), DevicesError> {
        let state = checked("state", &craft::of(&self.captured()?))?;
        self.put("state.json", Kind::State, state.get().as_bytes().to_vec());
        let target = Target::Id(self.row.id.to_string());
        let binding = binding_with(self.settings, &target, &|_| None)?;
        self.put("binding.json", Kind::Binding, binding.get().as_bytes().to_vec());
        let descent = annotations::descent(self.settings, self.row, &self.own.name)?;
        self.put("lineage.json", Kind::Lineage, descent);
        self.put("ledger.json", Kind::Ledger, annotations::remarks(self.settings, self.row.id)?);
        Ok(())
    }

    /// The session in the form of its contract, for other devices.
    fn captured(&self) -> Result<Captured, DevicesError> {
        let mut captured = captured(self.settings, self.row.clone(), &|_| None)?;
        let members = self.to.iter().filter_map(|it| self.own.roster.member(it));
        let users = members.map(|it| it.device.user.clone()).filter(|it| *it != self.own.user);
        let mut shared_with: Vec<_> = users.collect();
        shared_with.sort();
        shared_with.dedup();
        let before = std::mem::take(&mut captured.carried);
        captured.carried = Carried { enabled: true, sealed: true, shared_with, ..before };
        Ok(captured)
    }

    fn repository(
        &mut self,
        with_patch: bool,
        told: &mut Option<PatchReport>,
    ) -> Result<Option<GitFacts>, DevicesError> {
        let Some((found, facts)) = self.project().and_then(|it| git::facts(&it)) else {
            return Ok(None);
        };
        if with_patch && facts.dirty {
            let patch = git::patch(&found)?;
            let (bytes, left_behind) = (patch.bytes.len() as u64, patch.left_behind);
            *told = Some(PatchReport { bytes, left_behind });
            self.put("uncommitted.patch", Kind::Patch, patch.bytes);
        }
        // Plain strings always serialize.
        let json = serde_json::to_vec(&facts).unwrap_or_default();
        self.put("git.json", Kind::Git, json);
        Ok(Some(facts))
    }

    fn plan(&mut self) -> Result<Vec<metadata::PlanFile>, DevicesError> {
        let Some(project) = self.project() else { return Ok(Vec::new()) };
        let (mut paths, mut out) = (Vec::new(), Vec::new());
        walk(&project, PLAN, PLAN_DEPTH, &mut paths)?;
        for path in paths.iter().filter_map(|it| it.strip_prefix(PLAN)?.strip_prefix('/')) {
            // Locks and half-written files have such names.
            if path.split('/').any(|part| part.starts_with('.') || part.ends_with(".lock")) {
                continue;
            }
            let entry = format!("plan/{}", out.len());
            let below = format!("{PLAN}/{path}");
            let length = project.join(&below).metadata().map_or(0, |it| it.len());
            let from = Bytes::File { folder: project.clone(), path: below, length };
            self.entries.push(BundleEntry { entry: entry.clone(), kind: Kind::Plan, from });
            out.push(metadata::PlanFile { entry, path: path.to_owned() });
        }
        Ok(out)
    }

    /// Packs the conversation for others to read.
    fn redacted(&mut self) -> Result<Along, DevicesError> {
        let project = self.row.project_path.clone();
        let reduce = redact::Reduce::of(project.as_deref(), &self.settings.user_home);
        let state = serde_json::to_value(craft::of(&self.captured()?));
        let mut state = state.map_err(|error| Error::Bug(error.to_string()))?;
        reduce.document(&mut state);
        self.put("state.json", Kind::State, state.to_string().into_bytes());
        let events = redact::events(self.settings, self.row, &reduce)?;
        self.put("events.jsonl", Kind::Events, events);
        Ok(Along::default())
    }

    /// Writes a temporary file and renames it, so that the bundle is complete or absent.
    fn written(&self, wish: &PackWish<'_>, git: Option<GitFacts>) -> Result<u64, DevicesError> {
        let at = TeleportError::at(wish.out);
        let folder = wish.out.parent().filter(|it| !it.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let file = tempfile::Builder::new().prefix(".taffrail-").tempfile_in(folder);
        let mut file = file.map_err(&at)?;
        let pieces: Vec<_> = self.entries.iter().map(BundleEntry::piece).collect();
        let about = self.about(wish, git);
        let written =
            write(file.as_file_mut(), &about, &pieces, &self.own.roster, &self.own.signer());
        written.map_err(TeleportError::from)?;
        file.as_file().sync_all().map_err(&at)?;
        let length = file.as_file().metadata().map_err(&at)?.len();
        let kept = match wish.replace {
            true => file.persist(wish.out),
            false => file.persist_noclobber(wish.out),
        };
        kept.map_err(|error| at(error.error))?;
        Ok(length)
    }

    fn about(&self, wish: &PackWish<'_>, git: Option<GitFacts>) -> About {
        let path = self.row.project_path.as_deref().map(Path::new);
        let name = path.and_then(Path::file_name).map(|it| it.to_string_lossy().into_owned());
        About {
            session: self.row.id,
            runtime_session: self.row.runtime_id.clone(),
            agent: AgentId::new(self.row.agent.clone()),
            project: name.unwrap_or_default(),
            redacted: wish.redacted,
            git,
            made_at: (self.settings.now)(),
            to: self.to.to_vec(),
        }
    }

    fn told(&self, wish: &PackWish<'_>, along: Along, bytes: u64) -> PackReport {
        let members = self.to.iter().filter_map(|it| self.own.roster.member(it));
        PackReport {
            schema_version: SCHEMA_VERSION,
            session_id: self.row.id.to_string(),
            file: wish.out.to_string_lossy().into_owned(),
            bytes,
            to: members.map(|it| it.device.name.clone()).collect(),
            redacted: wish.redacted,
            files: along.files,
            workers: along.workers,
            plan_files: along.plan,
            patch: along.patch,
            running: None,
        }
    }
}
