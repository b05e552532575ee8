//! Reports every problem in a directory. It repairs nothing, but completes interrupted changes.

use crate::active::Active;
use crate::directory::Directory;
use crate::error::WorkError;
use crate::feature::{State, read_plan};
use crate::folder::Folder;
use crate::history;
use crate::recover::set_aside;
use rustix::fs::FileType;
use taffrail_contracts::Strictness;
use taffrail_contracts::ai_session::{
    ACKNOWLEDGMENT, ACTIVE_FEATURES, ARTIFACTS, ErrorContext, HISTORY, Kind, Operation, PLAN,
    README, STATE, acknowledgments, is_feature_id, validate,
};

/// How many bad lines of one history are reported individually.
const LINES_TOLD: usize = 20;

/// The findings of an audit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Audit {
    /// Every violation of the contract.
    pub errors: Vec<ErrorContext>,
}

struct Auditor<'d> {
    directory: &'d Directory,
    errors: Vec<ErrorContext>,
}

impl Directory {
    /// Checks the whole directory. An acknowledgment is stale unless its checksum is one of these.
    ///
    /// # Errors
    /// An I/O error.
    pub fn check(&self, only: Option<&str>, checksums: &[String]) -> Result<Audit, WorkError> {
        let mut auditor = Auditor { directory: self, errors: Vec::new() };
        let listed = auditor.list()?;
        auditor.acknowledgments(checksums)?;
        for (name, kind) in self.folder.names()? {
            if kind == FileType::Symlink {
                auditor.tell((&name, None), "it is a symbolic link");
            }
        }
        let mut ids = self.folders()?;
        ids.extend(listed.iter().flatten().filter(|it| !self.folder.has(it)).cloned());
        for id in ids.iter().filter(|id| only.is_none_or(|only| only == *id)) {
            if listed.as_ref().is_some_and(|listed| !listed.contains(id)) {
                auditor
                    .tell((ACTIVE_FEATURES, None), &format!("{id} has a folder and is not listed"));
            }
            auditor.feature(id)?;
        }
        Ok(Audit { errors: auditor.errors })
    }
}

impl Auditor<'_> {
    fn tell(&mut self, about: (&str, Option<&str>), details: &str) {
        let context = self.directory.context(Operation::Read, about, details.to_owned());
        self.errors.push(context);
    }

    /// A refused or unreadable file is a finding; an I/O error is returned.
    fn ok_or_note<T>(
        &mut self,
        result: Result<T, WorkError>,
        about: (&str, Option<&str>),
    ) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(WorkError::Unsound(context)) => {
                self.errors.push(*context);
                None
            }
            Err(other) => {
                self.tell(about, &other.to_string());
                None
            }
        }
    }

    /// The ids on the list; empty if the list is invalid.
    fn list(&mut self) -> Result<Option<Vec<String>>, WorkError> {
        let about = (ACTIVE_FEATURES, None);
        let Some(active) = self.ok_or_note(self.directory.active(), about) else { return Ok(None) };
        if active.is_none() && !self.directory.folders()?.is_empty() {
            self.tell(about, "it is missing");
            return Ok(None);
        }
        if !self.directory.folder.has(README) && active.is_some() {
            self.tell((README, None), "it is missing");
        }
        let features = active.unwrap_or_else(Active::empty).features;
        Ok(Some(features.into_iter().map(|it| it.feature_id).collect()))
    }

    fn acknowledgments(&mut self, checksums: &[String]) -> Result<(), WorkError> {
        let about = (ACKNOWLEDGMENT, None);
        let read = self.ok_or_note(self.directory.folder.read(ACKNOWLEDGMENT), about);
        let Some(Some(bytes)) = read else { return Ok(()) };
        for section in acknowledgments(&String::from_utf8_lossy(&bytes)) {
            let agent = section.agent.clone().unwrap_or_else(|| "somebody".to_owned());
            let report = validate(Kind::Acknowledgment, &section.document(), Strictness::default());
            let fault = report.faults.first();
            if let Some(fault) = fault.filter(|it| it.pointer != "/contract_version") {
                self.tell(
                    about,
                    &format!("the section of {agent}: {}: {}", fault.pointer, fault.message),
                );
            } else if !section.is_of(checksums) {
                self.tell(
                    about,
                    &format!("the acknowledgment of {agent} is stale: it is of another contract"),
                );
            }
        }
        Ok(())
    }

    fn feature(&mut self, id: &str) -> Result<(), WorkError> {
        if !is_feature_id(id) {
            return Ok(());
        }
        let folder = match self.ok_or_note(self.directory.folder.sub(id), (id, None)) {
            Some(Some(folder)) => folder,
            Some(None) => {
                self.tell(("", Some(id)), "the feature is listed and has no folder");
                return Ok(());
            }
            None => return Ok(()),
        };
        // Interrupted changes are completed first, so they are not reported.
        let rolled = self.directory.feature(id).ok();
        if rolled.is_none() {
            self.state(&folder, id);
        }
        let tasks = self.plan(&folder, id);
        self.history(&folder, id)?;
        if self
            .ok_or_note(folder.sub(ARTIFACTS), (ARTIFACTS, Some(id)))
            .is_some_and(|it| it.is_none())
        {
            self.tell((ARTIFACTS, Some(id)), "it is missing");
        }
        let active = rolled.and_then(|it| it.state.current.active_task);
        if let (Some(active), Some(tasks)) = (active, tasks)
            && !tasks.contains(&active)
        {
            self.tell((STATE, Some(id)), &format!("active_task {active:?} is not in the plan"));
        }
        Ok(())
    }

    fn state(&mut self, folder: &Folder, id: &str) {
        let about = (STATE, Some(id));
        match self.ok_or_note(folder.read(STATE), about) {
            Some(None) => self.tell(about, "it is missing"),
            Some(Some(bytes)) => {
                let parsed = State::of(&bytes, id).map(|_| ());
                let why = parsed.err().unwrap_or_else(|| "it cannot be rolled forward".to_owned());
                self.tell(about, &why);
            }
            None => {}
        }
    }

    /// The tasks of a valid plan.
    fn plan(&mut self, folder: &Folder, id: &str) -> Option<Vec<String>> {
        let about = (PLAN, Some(id));
        let Some(bytes) = self.ok_or_note(folder.read(PLAN), about)? else {
            self.tell(about, "it is missing");
            return None;
        };
        match read_plan(&bytes, id) {
            Ok((_, document)) => {
                let plan: taffrail_contracts::ai_session::Plan =
                    serde_json::from_value(document).ok()?;
                Some(plan.tasks().map(|it| it.task_id.clone()).collect())
            }
            Err(why) => {
                self.tell(about, &why);
                None
            }
        }
    }

    /// Lines that were set aside are already known.
    fn history(&mut self, folder: &Folder, id: &str) -> Result<(), WorkError> {
        let about = (HISTORY, Some(id));
        let Some(whole) = self.ok_or_note(history::whole(folder), about) else { return Ok(()) };
        let Some(whole) = whole else {
            self.tell(about, "it is missing");
            return Ok(());
        };
        let known = set_aside(folder)?;
        let bad: Vec<_> = whole.bad.iter().filter(|it| !known.contains(&it.mark())).collect();
        for line in bad.iter().take(LINES_TOLD) {
            self.tell(about, &format!("line {}: {}", line.number, line.why));
        }
        if bad.len() > LINES_TOLD {
            self.tell(about, &format!("{} more lines", bad.len() - LINES_TOLD));
        }
        Ok(())
    }
}
