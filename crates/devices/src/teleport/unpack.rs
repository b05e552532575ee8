//! Unpacking: everything is checked, then everything is decided, then it is done.

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

/// The folder below our data with what was at the end of files that were gone on with.
const ASIDE: &str = "aside";

/// Opens a bundle, and puts the session in it where its agent goes on with it.
///
/// # Errors
/// When anything about the bundle is not as it should be, or a file that is there differs. Nothing
/// is written then.
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

/// How many of the events that were to come are not here.
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
    /// The folder it goes on in, from the root and without links.
    project: PathBuf,
}

/// What is to be done.
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
    /// Holds the files of a fork until they are put in their places.
    fork: Option<Fork>,
}

impl Decided {
    /// The session ran on here: what came is behind it.
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

    /// Everything that can be refused is refused here.
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

    /// The session that is here afterwards.
    fn new_session(&self, fork: Option<&Fork>) -> SessionId {
        let about = &self.bundle.manifest.about;
        fork.map_or(about.session, |it| it.who(&about.agent).session())
    }

    /// Where each file goes; the session's own history comes last.
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

    /// Where the end of a file goes that is set aside: among our own files, by name and time.
    fn aside(&self, path: &str) -> PathBuf {
        let file = path.rsplit('/').next().unwrap_or(path);
        let at = (self.settings.now)().as_millisecond();
        self.settings.data.join(ASIDE).join(format!("{at}-{file}"))
    }

    fn is_main(&self, file: &metadata::File) -> bool {
        let is_source = self.bundle.kind(&file.entry) == Some(&Kind::Source);
        is_source && file.session == self.bundle.manifest.about.session
    }

    /// The path a file has here, if it is one of this session.
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
            // What stands beside is not a history of its own.
            Some(Kind::Spill) if place.is_none() => Ok(path),
            _ => Err(no("is not what the bundle says it is")),
        }
    }

    /// A session is in one place, and runs nowhere while it is put there.
    fn check_place(&self, home: &Path, steps: &[Step]) -> Result<(), DevicesError> {
        let Some(reader) = IndexReader::open(&self.settings.data)? else { return Ok(()) };
        let Some(row) = reader.session_by_id(self.bundle.manifest.about.session)? else {
            return Ok(());
        };
        // A home that is not there yet is named as it will be.
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

    /// Every path of the patch, and that what is taken of it applies.
    fn check_patch(&self) -> Result<Vec<PatchFile>, TeleportError> {
        let Some((patch, _)) = self.bundle.first(&Kind::Patch) else {
            let is_wanted = self.wish.with.patch;
            return if is_wanted { Err(TeleportError::Absent("patch")) } else { Ok(Vec::new()) };
        };
        let here = match self.here() {
            Ok(here) => here,
            // Without a repository there is nothing to apply it to, and nothing to ask.
            Err(_) if !self.wish.with.patch => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let patching = self.patching(&here, &patch);
        match patching.files() {
            Ok(files) if self.wish.with.patch && self.wish.with.here => {
                git::check(&here.root, &patching.taken(&files)?)?;
                Ok(files)
            }
            // What does not apply is only told where it is wanted.
            Err(_) if !self.wish.with.patch => Ok(Vec::new()),
            files => files,
        }
    }

    fn patching<'p>(&'p self, here: &'p Checkout, patch: &'p Path) -> Patching<'p> {
        Patching { here, patch, named: &self.wish.with.named }
    }

    /// Takes what was not committed; gives the branch it is on, if that is where it went.
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

    /// The repository it goes on in.
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

    /// Does what was decided. That it came from elsewhere is noted before any of it is there.
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
        };
        Carried {
            device: manifest.made_by.clone(),
            device_name: maker.map(|it| it.device.name.clone()).unwrap_or_default(),
            at: (self.settings.now)(),
            bundle: self.bundle.mark(),
            project_path: self.project.to_string_lossy().into_owned(),
            // Plain texts can always be written.
            body: String::from_utf8(metadata::written(&kept)).unwrap_or_default(),
        }
    }

    /// Makes the plan's folder beside, and renames it when it is whole.
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
        // A folder that came up meanwhile is not empty, and is not replaced.
        std::fs::rename(beside.path().join("plan"), &folder).map_err(&at)?;
        File::open(&self.project).and_then(|it| it.sync_all()).map_err(&at)
    }
}

fn contradicts(why: String) -> TeleportError {
    TeleportError::Contradicts(why)
}
