//! Unpacks a bundle: first verifies everything, then decides everything, then writes.

mod report;
mod wish;

pub use wish::{Arrived, Extras, UnpackWish};

use super::fork::Fork;
use super::open::{Opened, opened};
use super::patch::Patching;
use super::place_files::{Action, Step, action, put};
use super::sources::{is_about, label};
use super::{PLAN, annotations, git, metadata};
use crate::error::DevicesError;
use crate::error::TeleportError;
use std::collections::{BTreeSet, HashSet};
use std::fs::{DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use taffrail_adapters::{Adapter, Destination, TransferPlan, by_id, is_plain_path};
use taffrail_api::PatchFile;
use taffrail_capture::{Checkout, checkout, usual_home};
use taffrail_context::Error;
use taffrail_context::Settings;
use taffrail_model::{Facts, RuntimeIdentity, SessionId};
use taffrail_query::bindings::tie;
use taffrail_query::contracts::ledger;
use taffrail_store::{Carried, IndexReader, Ledger};
use taffrail_sync::bundle::Kind;
use taffrail_team::{own, take_in};

/// The folder below our data for the set-aside ends of files.
const ASIDE: &str = "aside";

/// Opens a bundle, and puts its session where its agent resumes it.
///
/// # Errors
/// When anything about the bundle is invalid, or an existing file differs. Nothing is written then.
pub fn unpack(
    settings: &Settings,
    file: &Path,
    wish: &UnpackWish<'_>,
) -> Result<Arrived, DevicesError> {
    let own = own(settings)?;
    let bundle = opened(settings, &own, file)?;
    let arriving = Arriving::of(settings, &bundle, wish)?;
    if bundle.manifest.about.redacted {
        return arriving.read_only();
    }
    let decided = arriving.decided()?;
    let is_done = !wish.dry_run && !decided.is_ahead();
    let mut branch = None;
    if is_done {
        take_in(settings, &bundle.roster)?;
        branch = arriving.done(&decided)?;
    }
    let mut told = arriving.report(decided, is_done)?;
    told.arrival.patch_branch = branch;
    Ok(told)
}

/// Returns how many events were expected, and how many of them are missing here.
///
/// # Errors
/// When the index cannot be read.
pub fn events_here(settings: &Settings, arrived: &Arrived) -> Result<(usize, usize), DevicesError> {
    let reader = IndexReader::open(&settings.data)?;
    let (mut came, mut missing) = (0, 0);
    for (session, ids) in &arrived.events {
        let row = reader.as_ref().map(|it| it.session_by_id(*session)).transpose()?.flatten();
        let rows = match (&reader, row) {
            (Some(reader), Some(row)) => reader.events(row.row)?,
            _ => Vec::new(),
        };
        let here: HashSet<_> = rows.into_iter().map(|it| it.id.to_string()).collect();
        came += ids.len();
        missing += ids.difference(&here).count();
    }
    Ok((came, missing))
}

struct Arriving<'a> {
    settings: &'a Settings,
    bundle: &'a Opened,
    wish: &'a UnpackWish<'a>,
    /// The folder to resume in, absolute and without links.
    project: PathBuf,
}

/// What to do.
struct Decided {
    /// Every path of the patch.
    patch: Vec<PatchFile>,
    home: PathBuf,
    steps: Vec<Step>,
    sessions: Vec<SessionId>,
    places: metadata::Places,
    remarks: metadata::Remarks,
    descent: metadata::Descent,
    events: metadata::Events,
    /// Owns the files of a fork until they are in place.
    fork: Option<Fork>,
}

impl Decided {
    /// True if the session continued here and the bundle is behind it.
    fn is_ahead(&self) -> bool {
        self.steps.last().is_some_and(|it| it.action == Action::Ahead)
    }
}

impl<'a> Arriving<'a> {
    fn of(
        settings: &'a Settings,
        bundle: &'a Opened,
        wish: &'a UnpackWish<'a>,
    ) -> Result<Self, DevicesError> {
        let folder = || TeleportError::NoFolder(wish.project.to_owned());
        let project = wish.project.canonicalize().map_err(|_| folder())?;
        if !project.is_dir() {
            return Err(folder().into());
        }
        let about = &bundle.manifest.about;
        let who = RuntimeIdentity::new(about.agent.clone(), "", about.runtime_session.as_str());
        let ledger = Ledger::open_read_only(&settings.data)?;
        let forgotten = ledger.map(|it| it.forgotten()).transpose()?;
        if forgotten.is_some_and(|it| it.holds(&who, &Facts::default())) {
            return Err(Error::Forgotten(about.session.to_string()).into());
        }
        Ok(Self { settings, bundle, wish, project })
    }

    fn adapter(&self) -> Result<(&'static dyn Adapter, &'static TransferPlan), TeleportError> {
        let agent = self.bundle.manifest.about.agent.as_str();
        let adapter = by_id(agent);
        let plan = adapter.and_then(Adapter::transfer_plan);
        adapter.zip(plan).ok_or_else(|| TeleportError::NoWay(label(agent)))
    }

    /// Makes every check that can refuse the bundle.
    fn decided(&self) -> Result<Decided, DevicesError> {
        let (adapter, plan) = self.adapter()?;
        let home = usual_home(adapter, &self.settings.user_home, &self.settings.variables);
        let home = home.ok_or_else(|| TeleportError::NoWay(label(adapter.descriptor().id)))?;
        let places: metadata::Places = self.bundle.paper(&Kind::Places)?;
        let fork = self.wish.fork.then(|| self.fork()).transpose()?;
        let steps = self.steps((adapter, plan), (&home, &places), fork.as_ref())?;
        let mut sessions: BTreeSet<_> = places.files.iter().map(|it| it.session).collect();
        match &fork {
            Some(fork) => sessions = [self.new_session(Some(fork))].into(),
            None => self.check_place(&home, &steps)?,
        }
        let patch = self.check_patch()?;
        self.check_plan(&places)?;
        Ok(Decided {
            patch,
            home,
            steps,
            sessions: sessions.into_iter().collect(),
            places,
            remarks: self.bundle.paper(&Kind::Ledger)?,
            descent: self.bundle.paper(&Kind::Lineage)?,
            events: self.bundle.paper(&Kind::Events)?,
            fork,
        })
    }

    fn fork(&self) -> Result<Fork, TeleportError> {
        let id = self.bundle.manifest.about.runtime_session.as_str();
        Fork::of(id, &self.bundle.mark(), &self.settings.data)
    }

    /// The session that exists here afterwards.
    fn new_session(&self, fork: Option<&Fork>) -> SessionId {
        let about = &self.bundle.manifest.about;
        fork.map_or(about.session, |it| it.who(&about.agent).session())
    }

    /// The destination of each file; the session's own history comes last.
    fn steps(
        &self,
        (adapter, plan): (&dyn Adapter, &TransferPlan),
        (home, places): (&Path, &metadata::Places),
        fork: Option<&Fork>,
    ) -> Result<Vec<Step>, DevicesError> {
        let (mut out, mut last, mut met) = (Vec::new(), None, BTreeSet::new());
        for file in &places.files {
            let path = self.new_path((adapter, plan), file)?;
            if !met.insert(path.to_lowercase()) {
                return Err(contradicts(format!("two files are {path}")).into());
            }
            let came = self.bundle.path(&file.entry);
            let came = came.ok_or_else(|| contradicts(format!("{} is missing", file.entry)))?;
            let (path, came) = match fork {
                Some(fork) => (fork.path(&path), fork.file(&came)?),
                None => (path, came),
            };
            let bytes = came.metadata().map_err(TeleportError::at(&came))?.len();
            let bookkeeping = plan.bookkeeping;
            let action = action(home, &path, &came, bookkeeping)?;
            let aside = self.aside(&path);
            let step = Step { came, path, bytes, action, bookkeeping, aside };
            match self.is_main(file) {
                true => out.extend(last.replace(step)),
                false => out.push(step),
            }
        }
        let last =
            last.ok_or_else(|| contradicts("the session's own history is missing".into()))?;
        out.push(last);
        Ok(out)
    }

    /// Where the set-aside end of a file goes: among our own files, by name and time.
    fn aside(&self, path: &str) -> PathBuf {
        let file = path.rsplit('/').next().unwrap_or(path);
        let at = (self.settings.now)().as_millisecond();
        self.settings.data.join(ASIDE).join(format!("{at}-{file}"))
    }

    fn is_main(&self, file: &metadata::File) -> bool {
        let is_source = self.bundle.kind(&file.entry) == Some(&Kind::Source);
        is_source && file.session == self.bundle.manifest.about.session
    }

    /// The path of a file here, if it belongs to this session.
    fn new_path(
        &self,
        (adapter, plan): (&dyn Adapter, &TransferPlan),
        file: &metadata::File,
    ) -> Result<String, TeleportError> {
        let about = &self.bundle.manifest.about;
        let project = self.project.to_string_lossy();
        let to = Destination { session: about.runtime_session.as_str(), project: &project };
        let no = |why: &str| contradicts(format!("{:?} {why}", file.path));
        let path = (plan.rehome)(&file.path, to).map_err(|it| no(it.as_str()))?;
        if !is_plain_path(&path) {
            return Err(no("is not a plain path"));
        }
        let place = adapter.place(&path);
        let named = place.as_ref().and_then(|it| it.session.as_ref()).map(RuntimeIdentity::session);
        match self.bundle.kind(&file.entry) {
            Some(Kind::Source) if named == Some(file.session) => Ok(path),
            Some(Kind::Worker) if place.is_some() && named.is_none_or(|it| it == file.session) => {
                Ok(path)
            }
            // A file beside a source is not a history of its own.
            Some(Kind::Spill) if place.is_none() => Ok(path),
            _ => Err(no("is not what the bundle says it is")),
        }
    }

    /// Checks that the session exists in only one place here and is not running.
    fn check_place(&self, home: &Path, steps: &[Step]) -> Result<(), DevicesError> {
        let Some(reader) = IndexReader::open(&self.settings.data)? else { return Ok(()) };
        let Some(row) = reader.session_by_id(self.bundle.manifest.about.session)? else {
            return Ok(());
        };
        // A home that does not exist yet is compared as written.
        let home = home.canonicalize().unwrap_or_else(|_| home.to_owned());
        for source in reader.sources_of(row.row)? {
            let state = &source.state;
            let path = Path::new(&state.home).join(&state.path);
            let is_meant = steps.iter().any(|it| home.join(&it.path) == path);
            if !is_meant && !is_about(&state.locator) && path.is_file() {
                return Err(TeleportError::Elsewhere { path }.into());
            }
        }
        match tie(self.settings, &row, &|_| None)?.current_executor_peer_id {
            Some(executor) => Err(TeleportError::Running(executor).into()),
            None => Ok(()),
        }
    }

    /// Lists every path of the patch, and checks that the accepted part applies.
    fn check_patch(&self) -> Result<Vec<PatchFile>, TeleportError> {
        let Some((patch, _)) = self.bundle.first(&Kind::Patch) else {
            let is_wanted = self.wish.with.patch;
            return if is_wanted { Err(TeleportError::Absent("patch")) } else { Ok(Vec::new()) };
        };
        let here = match self.here() {
            Ok(here) => here,
            // Without a repository there is nothing to apply it to.
            Err(_) if !self.wish.with.patch => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let patching = self.patching(&here, &patch);
        match patching.files() {
            Ok(files) if self.wish.with.patch && self.wish.with.here => {
                git::check(&here.root, &patching.taken(&files)?)?;
                Ok(files)
            }
            // A patch that does not apply is reported only if it is wanted.
            Err(_) if !self.wish.with.patch => Ok(Vec::new()),
            files => files,
        }
    }

    fn patching<'p>(&'p self, here: &'p Checkout, patch: &'p Path) -> Patching<'p> {
        Patching { here, patch, named: &self.wish.with.named }
    }

    /// Applies uncommitted changes; returns the branch if they went to one.
    fn apply_patch(&self, files: &[PatchFile]) -> Result<Option<String>, TeleportError> {
        let wanted = self.bundle.first(&Kind::Patch).filter(|_| self.wish.with.patch);
        let Some((patch, _)) = wanted else { return Ok(None) };
        let here = self.here()?;
        let patching = self.patching(&here, &patch);
        if self.wish.with.here {
            git::apply_patch(&here.root, &patching.taken(files)?)?;
            return Ok(None);
        }
        let session = self.bundle.manifest.about.session.to_string();
        let short: String = session.chars().take(8).collect();
        patching.to_branch(files, &format!("taffrail/{short}")).map(Some)
    }

    /// The repository to resume in.
    fn here(&self) -> Result<Checkout, TeleportError> {
        let none = || TeleportError::Patch("the folder is in no git repository".to_owned());
        checkout(&self.project).ok_or_else(none)
    }

    fn check_plan(&self, places: &metadata::Places) -> Result<(), TeleportError> {
        let plain = |it: &metadata::PlanFile| {
            is_plain_path(&it.path) && !it.path.split('/').any(|part| part.starts_with('.'))
        };
        if let Some(odd) = places.plan.iter().find(|it| !plain(it)) {
            return Err(contradicts(format!("{:?} is not a file of a plan", odd.path)));
        }
        let folder = self.project.join(PLAN);
        match self.wish.with.plan {
            true if places.plan.is_empty() => Err(TeleportError::Absent("plan")),
            true if folder.symlink_metadata().is_ok() => Err(TeleportError::PlanThere(folder)),
            true | false => Ok(()),
        }
    }

    /// Does what was decided. Records the origin of the session before any of its files exist.
    fn done(&self, decided: &Decided) -> Result<Option<String>, DevicesError> {
        let session = self.new_session(decided.fork.as_ref());
        let mut sessions = decided.sessions.clone();
        sessions.extend((!sessions.contains(&session)).then_some(session));
        ledger(self.settings)?.carry(&sessions, &self.carried(decided))?;
        for step in &decided.steps {
            put(&decided.home, step)?;
        }
        annotations::take_over(self.settings, session, &decided.remarks)?;
        if self.wish.with.plan {
            self.put_plan(&decided.places)?;
        }
        Ok(self.apply_patch(&decided.patch)?)
    }

    fn carried(&self, decided: &Decided) -> Carried {
        let manifest = &self.bundle.manifest;
        let maker = self.bundle.roster.member(&manifest.made_by);
        let kept = annotations::LedgerExtract {
            version: metadata::VERSION,
            devices: decided.descent.devices.clone(),
            lineage: decided.descent.lineage.clone(),
            approvals: decided.remarks.approvals.clone(),
            forked_from: decided.fork.as_ref().map(|_| manifest.about.session),
            project: decided.places.project.clone(),
        };
        Carried {
            device: manifest.made_by.clone(),
            device_name: maker.map(|it| it.device.name.clone()).unwrap_or_default(),
            at: (self.settings.now)(),
            bundle: self.bundle.mark(),
            project_path: self.project.to_string_lossy().into_owned(),
            // Plain strings always serialize.
            body: String::from_utf8(metadata::written(&kept)).unwrap_or_default(),
        }
    }

    /// Builds the plan's folder beside its destination and renames it when complete.
    fn put_plan(&self, places: &metadata::Places) -> Result<(), TeleportError> {
        let folder = self.project.join(PLAN);
        let at = TeleportError::at(&folder);
        let beside = tempfile::Builder::new().prefix(".taffrail-").tempdir_in(&self.project);
        let beside = beside.map_err(&at)?;
        for file in &places.plan {
            let Some(came) = self.bundle.path(&file.entry) else { continue };
            let to = beside.path().join("plan").join(&file.path);
            let parent = to.parent().unwrap_or(beside.path());
            DirBuilder::new().recursive(true).mode(0o755).create(parent).map_err(&at)?;
            std::fs::copy(&came, &to).map_err(&at)?;
        }
        // A folder that appeared in the meantime is not empty, so the rename does not replace it.
        std::fs::rename(beside.path().join("plan"), &folder).map_err(&at)?;
        File::open(&self.project).and_then(|it| it.sync_all()).map_err(&at)
    }
}

fn contradicts(why: String) -> TeleportError {
    TeleportError::Contradicts(why)
}
