//! Reports every problem in a directory. It repairs nothing, but completes interrupted changes.

use crate::active::Active;
use crate::directory::Directory;
use crate::error::WorkError;
use crate::feature::read_plan;
use crate::folder::Folder;
use crate::history;
use crate::place::{Place, Places};
use crate::recover::set_aside;
use rustix::fs::FileType;
use std::collections::BTreeSet;
use taffrail_contracts::Strictness;
use taffrail_contracts::ai_session::{
    ACKNOWLEDGMENT, ACTIVE_FEATURES, ARTIFACTS, ActiveFeature, ErrorContext, FeatureStatus, Kind,
    Operation, Plan, README, STATE, Task, TaskStatus, acknowledgments, is_feature_id, validate,
};

/// How many bad lines of one history are reported individually.
const LINES_TOLD: usize = 20;

/// The findings of an audit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Audit {
    /// Every violation of the contract.
    pub errors: Vec<ErrorContext>,
    /// What a person should look at, although the files conform.
    pub warnings: Vec<ErrorContext>,
}

struct Auditor<'d> {
    directory: &'d Directory,
    found: Audit,
    /// The agents that wrote a line of a history.
    writers: BTreeSet<String>,
}

impl Directory {
    /// Checks the whole directory. An acknowledgment is stale unless its checksum is one of these.
    ///
    /// # Errors
    /// An I/O error.
    pub fn check(&self, only: Option<&str>, checksums: &[String]) -> Result<Audit, WorkError> {
        let mut auditor =
            Auditor { directory: self, found: Audit::default(), writers: BTreeSet::new() };
        let listed = auditor.list()?;
        let acknowledged = auditor.acknowledgments(checksums);
        for (name, kind) in self.folder.names()? {
            if kind == FileType::Symlink {
                auditor.tell((&name, None), "it is a symbolic link");
            }
        }
        let mut ids = self.folders()?;
        let listed_ids = listed.iter().flatten().map(|it| it.feature_id.clone());
        ids.extend(listed_ids.filter(|it| !self.folder.has(it)));
        for id in ids.iter().filter(|id| only.is_none_or(|only| only == *id)) {
            let entry = listed.iter().flatten().find(|it| it.feature_id == *id);
            if listed.is_some() && entry.is_none() {
                auditor
                    .tell((ACTIVE_FEATURES, None), &format!("{id} has a folder and is not listed"));
            }
            auditor.feature(id, entry.map(|it| it.status))?;
        }
        auditor.unacknowledged(&acknowledged);
        Ok(auditor.found)
    }
}

impl Auditor<'_> {
    fn tell(&mut self, about: (&str, Option<&str>), details: &str) {
        let context = self.directory.context(Operation::Read, about, details.to_owned());
        self.found.errors.push(context);
    }

    fn warn(&mut self, about: (&str, Option<&str>), details: String) {
        let context = self.directory.context(Operation::Read, about, details);
        self.found.warnings.push(context);
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
                self.found.errors.push(*context);
                None
            }
            Err(other) => {
                self.tell(about, &other.to_string());
                None
            }
        }
    }

    /// The entries of the list; `None` if the list is missing or invalid.
    fn list(&mut self) -> Result<Option<Vec<ActiveFeature>>, WorkError> {
        let about = (ACTIVE_FEATURES, None);
        let Some(active) = self.ok_or_note(self.directory.active(), about) else { return Ok(None) };
        if active.is_none() && !self.directory.folders()?.is_empty() {
            self.tell(about, "it is missing");
            return Ok(None);
        }
        if !self.directory.folder.has(README) && active.is_some() {
            self.tell((README, None), "it is missing");
        }
        Ok(Some(active.unwrap_or_else(Active::empty).features))
    }

    /// Checks every section; returns the agents that have one.
    fn acknowledgments(&mut self, checksums: &[String]) -> Vec<String> {
        let about = (ACKNOWLEDGMENT, None);
        let read = self.ok_or_note(self.directory.folder.read(ACKNOWLEDGMENT), about);
        let Some(Some(bytes)) = read else { return Vec::new() };
        let mut agents = Vec::new();
        for section in acknowledgments(&String::from_utf8_lossy(&bytes)) {
            agents.extend(section.agent.clone());
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
        agents
    }

    /// An agent that writes must acknowledge the contract. The files conform all the same.
    fn unacknowledged(&mut self, acknowledged: &[String]) {
        for agent in std::mem::take(&mut self.writers) {
            if !acknowledged.contains(&agent) {
                let details = format!("{agent} wrote to a history and has no acknowledgment");
                self.warn((ACKNOWLEDGMENT, None), details);
            }
        }
    }

    fn feature(&mut self, id: &str, status: Option<FeatureStatus>) -> Result<(), WorkError> {
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
        let rolled = self.ok_or_note(self.directory.feature(id), (STATE, Some(id)));
        let usual = Places::usual(&folder, id)?;
        let places = rolled.as_ref().map_or(&usual, |it| &it.places);
        let plan = self.plan(&places.plan, id);
        self.history(&folder, (&places.history, id))?;
        if self
            .ok_or_note(folder.sub(ARTIFACTS), (ARTIFACTS, Some(id)))
            .is_some_and(|it| it.is_none())
        {
            self.tell((ARTIFACTS, Some(id)), "it is missing");
        }
        let active = rolled.and_then(|it| it.state.current.active_task);
        if let Some(plan) = plan {
            self.agreement(id, &plan, (active, status));
        }
        Ok(())
    }

    /// Checks that the state and the list agree with the plan.
    fn agreement(
        &mut self,
        id: &str,
        plan: &Plan,
        (active, status): (Option<String>, Option<FeatureStatus>),
    ) {
        if let Some(active) = active.filter(|it| plan.task(it).is_none()) {
            self.tell((STATE, Some(id)), &format!("active_task {active:?} is not in the plan"));
        }
        let is_open = |it: &&Task| it.status == TaskStatus::InProgress;
        let open = plan.tasks().find(is_open).filter(|_| status == Some(FeatureStatus::Completed));
        if let Some(task) = open {
            let task = &task.task_id;
            let details = format!("{id} is completed, and its task {task} is in progress");
            self.warn((ACTIVE_FEATURES, None), details);
        }
    }

    fn tell_at(&mut self, place: &Place, id: &str, details: &str) {
        let about = (place.path.as_str(), Some(id));
        let context = self.directory.context_at(Operation::Read, about, details.to_owned());
        self.found.errors.push(context);
    }

    /// A valid plan.
    fn plan(&mut self, place: &Place, id: &str) -> Option<Plan> {
        let read = place.read().map_err(|error| error.to_string());
        let present = read.and_then(|it| it.ok_or_else(|| "it is missing".to_owned()));
        match present.and_then(|bytes| read_plan(&bytes, id)) {
            Ok((_, document)) => serde_json::from_value(document).ok(),
            Err(why) => {
                self.tell_at(place, id, &why);
                None
            }
        }
    }

    /// Lines that were set aside are already known.
    fn history(&mut self, folder: &Folder, (place, id): (&Place, &str)) -> Result<(), WorkError> {
        let read = history::whole(place).map_err(|error| error.to_string());
        let whole = match read.and_then(|it| it.ok_or_else(|| "it is missing".to_owned())) {
            Ok(whole) => whole,
            Err(why) => {
                self.tell_at(place, id, &why);
                return Ok(());
            }
        };
        self.writers.extend(whole.lines.iter().map(|it| it.agent.clone()));
        let known = set_aside(folder)?;
        let bad: Vec<_> = whole.bad.iter().filter(|it| !known.contains(&it.mark())).collect();
        for line in bad.iter().take(LINES_TOLD) {
            self.tell_at(place, id, &format!("line {}: {}", line.number, line.why));
        }
        if bad.len() > LINES_TOLD {
            self.tell_at(place, id, &format!("{} more lines", bad.len() - LINES_TOLD));
        }
        Ok(())
    }
}
