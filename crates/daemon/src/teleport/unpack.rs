//! Unpacking: everything is checked, then everything is decided, then it is done.

use super::forking::Fork;
use super::opening::{Opened, opened};
use super::placing::{Action, Step, action, put};
use super::sources::{is_about, label};
use super::{PLAN, TeleportError, git, papers, remarks};
use crate::bindings::tie;
use crate::contracts::{import_state, ledger};
use crate::devices::{own, take_in};
use crate::{DaemonError, Settings};
use std::collections::{BTreeSet, HashSet};
use std::fs::{DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use taffrail_adapters::{Adapter, CarryPlan, Rehome, by_id, is_plain_path};
use taffrail_api::{Arrival, ArrivedFile, ArrivedFrom, ArrivedGit, SCHEMA_VERSION};
use taffrail_capture::{checkout, usual_home};
use taffrail_model::{Facts, RuntimeIdentity, SessionId};
use taffrail_store::{Carried, IndexReader, Ledger};
use taffrail_sync::bundle::Kind;

/// What to do with a bundle.
#[derive(Debug)]
pub struct UnpackWish<'a> {
    /// The folder the session goes on in.
    pub project: &'a Path,
    /// Only say what would be done.
    pub dry_run: bool,
    /// What else in it is wanted.
    pub with: Extras,
    /// Take it as a session of its own, because it went on here, too.
    pub fork: bool,
}

/// What a bundle has beside the session.
#[derive(Debug, Clone, Copy)]
pub struct Extras {
    /// Apply what was not committed.
    pub patch: bool,
    /// Put the plan there.
    pub plan: bool,
}

/// What came of a bundle.
#[derive(Debug)]
pub struct Arrived {
    /// What to tell.
    pub arrival: Arrival,
    /// The events that are to be met once it is indexed.
    pub events: Vec<(SessionId, HashSet<String>)>,
}

/// Opens a bundle, and puts the session in it where its agent goes on with it.
///
/// # Errors
/// When anything about the bundle is not as it should be, or a file that is there differs. Nothing
/// is written then.
pub fn unpack(
    settings: &Settings,
    file: &Path,
    wish: &UnpackWish<'_>,
) -> Result<Arrived, DaemonError> {
    let own = own(settings)?;
    let bundle = opened(settings, &own, file)?;
    let arriving = Arriving::of(settings, &bundle, wish)?;
    if bundle.manifest.about.redacted {
        return arriving.read_only();
    }
    let decided = arriving.decided()?;
    let is_done = !wish.dry_run && !decided.is_ahead();
    if is_done {
        take_in(settings, &bundle.roster)?;
        arriving.done(&decided)?;
    }
    arriving.told(decided, is_done)
}

/// How many of the events that were to come are not here.
///
/// # Errors
/// When the index cannot be read.
pub fn events_here(settings: &Settings, arrived: &Arrived) -> Result<(usize, usize), DaemonError> {
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
    home: PathBuf,
    steps: Vec<Step>,
    sessions: Vec<SessionId>,
    places: papers::Places,
    remarks: papers::Remarks,
    descent: papers::Descent,
    events: papers::Events,
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
    ) -> Result<Self, DaemonError> {
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
            return Err(DaemonError::Forgotten(about.session.to_string()));
        }
        Ok(Self { settings, bundle, wish, project })
    }

    fn adapter(&self) -> Result<(&'static dyn Adapter, &'static CarryPlan), TeleportError> {
        let agent = self.bundle.manifest.about.agent.as_str();
        let adapter = by_id(agent);
        let plan = adapter.and_then(Adapter::carry_plan);
        adapter.zip(plan).ok_or_else(|| TeleportError::NoWay(label(agent)))
    }

    /// Everything that can be refused is refused here.
    fn decided(&self) -> Result<Decided, DaemonError> {
        let (adapter, plan) = self.adapter()?;
        let home = usual_home(adapter, &self.settings.user_home, &self.settings.variables);
        let home = home.ok_or_else(|| TeleportError::NoWay(label(adapter.descriptor().id)))?;
        let places: papers::Places = self.bundle.paper(&Kind::Places)?;
        let fork = self.wish.fork.then(|| self.fork()).transpose()?;
        let steps = self.steps((adapter, plan), (&home, &places), fork.as_ref())?;
        let mut sessions: BTreeSet<_> = places.files.iter().map(|it| it.session).collect();
        match &fork {
            Some(fork) => sessions = [self.new_session(Some(fork))].into(),
            None => self.check_place(&home, &steps)?,
        }
        self.check_patch()?;
        self.check_plan(&places)?;
        Ok(Decided {
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
        (adapter, plan): (&dyn Adapter, &CarryPlan),
        (home, places): (&Path, &papers::Places),
        fork: Option<&Fork>,
    ) -> Result<Vec<Step>, DaemonError> {
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
            let action = action(home, &path, &came)?;
            let step = Step { came, path, bytes, action };
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

    fn is_main(&self, file: &papers::File) -> bool {
        let is_source = self.bundle.kind(&file.entry) == Some(&Kind::Source);
        is_source && file.session == self.bundle.manifest.about.session
    }

    /// The path a file has here, if it is one of this session.
    fn new_path(
        &self,
        (adapter, plan): (&dyn Adapter, &CarryPlan),
        file: &papers::File,
    ) -> Result<String, TeleportError> {
        let about = &self.bundle.manifest.about;
        let project = self.project.to_string_lossy();
        let to = Rehome { session: about.runtime_session.as_str(), project: &project };
        let no = |why: &str| contradicts(format!("{:?} {why}", file.path));
        let path = (plan.rehome)(&file.path, to).map_err(|it| no(it.as_str()))?;
        if !is_plain_path(&path) {
            return Err(no("is no plain path"));
        }
        let place = adapter.place(&path);
        let named = place.as_ref().and_then(|it| it.session.as_ref()).map(RuntimeIdentity::session);
        match self.bundle.kind(&file.entry) {
            Some(Kind::Source) if named == Some(file.session) => Ok(path),
            Some(Kind::Worker) if place.is_some() && named.is_none_or(|it| it == file.session) => {
                Ok(path)
            }
            // What stands beside is no history of its own.
            Some(Kind::Spill) if place.is_none() => Ok(path),
            _ => Err(no("is not what the bundle says it is")),
        }
    }

    /// A session is in one place, and runs nowhere while it is put there.
    fn check_place(&self, home: &Path, steps: &[Step]) -> Result<(), DaemonError> {
        let Some(reader) = IndexReader::open(&self.settings.data)? else { return Ok(()) };
        let Some(row) = reader.session_by_id(self.bundle.manifest.about.session)? else {
            return Ok(());
        };
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

    fn check_patch(&self) -> Result<(), TeleportError> {
        if !self.wish.with.patch {
            return Ok(());
        }
        let (patch, _) = self.bundle.first(&Kind::Patch).ok_or(TeleportError::Absent("patch"))?;
        git::check(&self.root()?, &patch)
    }

    /// The root of the working tree it goes on in.
    fn root(&self) -> Result<PathBuf, TeleportError> {
        let none = || TeleportError::Patch("the folder is in no git repository".to_owned());
        checkout(&self.project).map(|it| it.root).ok_or_else(none)
    }

    fn check_plan(&self, places: &papers::Places) -> Result<(), TeleportError> {
        let plain = |it: &papers::PlanFile| {
            is_plain_path(&it.path) && !it.path.split('/').any(|part| part.starts_with('.'))
        };
        if let Some(odd) = places.plan.iter().find(|it| !plain(it)) {
            return Err(contradicts(format!("{:?} is no file of a plan", odd.path)));
        }
        let folder = self.project.join(PLAN);
        match self.wish.with.plan {
            true if places.plan.is_empty() => Err(TeleportError::Absent("plan")),
            true if folder.symlink_metadata().is_ok() => Err(TeleportError::PlanThere(folder)),
            true | false => Ok(()),
        }
    }

    /// Does what was decided. That it came from elsewhere is noted before any of it is there.
    fn done(&self, decided: &Decided) -> Result<(), DaemonError> {
        let session = self.new_session(decided.fork.as_ref());
        let mut sessions = decided.sessions.clone();
        sessions.extend((!sessions.contains(&session)).then_some(session));
        ledger(self.settings)?.carry(&sessions, &self.carried(decided))?;
        for step in &decided.steps {
            put(&decided.home, step)?;
        }
        remarks::take_over(self.settings, session, &decided.remarks)?;
        if self.wish.with.plan {
            self.put_plan(&decided.places)?;
        }
        if let (true, Some((patch, _))) = (self.wish.with.patch, self.bundle.first(&Kind::Patch)) {
            git::apply_patch(&self.root()?, &patch)?;
        }
        Ok(())
    }

    fn carried(&self, decided: &Decided) -> Carried {
        let manifest = &self.bundle.manifest;
        let maker = self.bundle.roster.member(&manifest.made_by);
        let kept = remarks::Kept {
            version: papers::VERSION,
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
            body: String::from_utf8(papers::written(&kept)).unwrap_or_default(),
        }
    }

    /// Makes the plan's folder beside, and renames it when it is whole.
    fn put_plan(&self, places: &papers::Places) -> Result<(), TeleportError> {
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

    /// A bundle to be read: its state is taken in as any state that is given.
    fn read_only(&self) -> Result<Arrived, DaemonError> {
        let state = self.bundle.first(&Kind::State).ok_or(TeleportError::Absent("state"))?;
        let mut arrival = self.arrival("planned");
        if !self.wish.dry_run {
            take_in(self.settings, &self.bundle.roster)?;
            let imported = import_state(self.settings, &state.0)?;
            arrival.session_id = imported.session_id.to_string();
            arrival.state = "shared".to_owned();
        }
        Ok(Arrived { arrival, events: Vec::new() })
    }

    fn told(&self, decided: Decided, is_done: bool) -> Result<Arrived, DaemonError> {
        let state = match (decided.is_ahead(), is_done) {
            (true, _) => "ahead",
            (false, true) => "unpacked",
            (false, false) => "planned",
        };
        let mut arrival = self.arrival(state);
        arrival.session_id = self.new_session(decided.fork.as_ref()).to_string();
        if let Some(fork) = &decided.fork {
            fork.id().clone_into(&mut arrival.runtime_session_id);
            arrival.forked_from = Some(self.bundle.manifest.about.session.to_string());
        }
        let steps = decided.steps.iter();
        arrival.files = steps.map(|it| file(&decided.home, it)).collect();
        arrival.plan_files = decided.places.plan.len();
        // Under another id its events have other ids, too.
        let events = decided.events.sessions.into_iter().filter(|_| decided.fork.is_none());
        let ids = |it: papers::SessionEvents| it.ids.iter().map(ToString::to_string).collect();
        let events = events.map(|it| (it.session, ids(it))).collect();
        Ok(Arrived { arrival, events })
    }

    fn arrival(&self, state: &str) -> Arrival {
        let manifest = &self.bundle.manifest;
        let maker = self.bundle.roster.member(&manifest.made_by).map(|it| &it.device);
        Arrival {
            schema_version: SCHEMA_VERSION,
            state: state.to_owned(),
            session_id: manifest.about.session.to_string(),
            runtime_session_id: manifest.about.runtime_session.to_string(),
            agent: manifest.about.agent.to_string(),
            project: self.project.to_string_lossy().into_owned(),
            made_at: manifest.about.made_at.to_string(),
            from: ArrivedFrom {
                id: manifest.made_by.to_string(),
                name: maker.map(|it| it.name.clone()).unwrap_or_default(),
                user: maker.map(|it| it.user.clone()).unwrap_or_default(),
            },
            files: Vec::new(),
            patch_bytes: self.bundle.first(&Kind::Patch).map(|(_, bytes)| bytes),
            patch_applied: self.wish.with.patch && state == "unpacked",
            plan_files: 0,
            plan_put: self.wish.with.plan && state == "unpacked",
            git: self.git(),
            forked_from: None,
            events: None,
            events_missing: None,
        }
    }

    /// How the repository stood there, and how the one here does.
    fn git(&self) -> Option<ArrivedGit> {
        let there = self.bundle.manifest.about.git.as_ref()?;
        let here = checkout(&self.project);
        Some(ArrivedGit {
            remote: there.remote.clone(),
            branch: there.branch.clone(),
            commit: there.commit.clone(),
            commit_here: here.and_then(|it| it.commit),
        })
    }
}

fn file(home: &Path, step: &Step) -> ArrivedFile {
    let path = home.join(&step.path).to_string_lossy().into_owned();
    ArrivedFile { path, action: step.action.as_str().to_owned(), bytes: step.bytes }
}

fn contradicts(why: String) -> TeleportError {
    TeleportError::Contradicts(why)
}
