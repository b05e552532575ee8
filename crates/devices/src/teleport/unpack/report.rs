//! Reports the result of unpacking a bundle.

use super::{Arrived, Arriving, Decided};
use crate::error::DevicesError;
use crate::error::TeleportError;
use crate::teleport::metadata;
use crate::teleport::place_files::{Action, Step};
use std::path::Path;
use taffrail_api::{BundleOrigin, GitComparison, ImportReport, ImportedFile, SCHEMA_VERSION};
use taffrail_capture::checkout;
use taffrail_query::contracts::import_state;
use taffrail_sync::bundle::Kind;
use taffrail_team::take_in;

impl Arriving<'_> {
    /// Imports a redacted bundle as a document.
    pub(super) fn read_only(&self) -> Result<Arrived, DevicesError> {
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

    pub(super) fn report(&self, decided: Decided, is_done: bool) -> Result<Arrived, DevicesError> {
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
        arrival.patch_files = decided.patch;
        // Under another id, its events have other ids, too.
        let events = decided.events.sessions.into_iter().filter(|_| decided.fork.is_none());
        let ids = |it: metadata::SessionEvents| it.ids.iter().map(ToString::to_string).collect();
        let events = events.map(|it| (it.session, ids(it))).collect();
        Ok(Arrived { arrival, events })
    }

    fn arrival(&self, state: &str) -> ImportReport {
        let manifest = &self.bundle.manifest;
        let maker = self.bundle.roster.member(&manifest.made_by).map(|it| &it.device);
        ImportReport {
            schema_version: SCHEMA_VERSION,
            state: state.to_owned(),
            session_id: manifest.about.session.to_string(),
            runtime_session_id: manifest.about.runtime_session.to_string(),
            agent: manifest.about.agent.to_string(),
            project: self.project.to_string_lossy().into_owned(),
            made_at: manifest.about.made_at.to_string(),
            from: BundleOrigin {
                id: manifest.made_by.to_string(),
                name: maker.map(|it| it.name.clone()).unwrap_or_default(),
                user: maker.map(|it| it.user.clone()).unwrap_or_default(),
            },
            files: Vec::new(),
            patch_bytes: self.bundle.first(&Kind::Patch).map(|(_, bytes)| bytes),
            patch_applied: self.wish.with.patch && state == "unpacked",
            patch_branch: None,
            patch_files: Vec::new(),
            plan_files: 0,
            plan_put: self.wish.with.plan && state == "unpacked",
            git: self.git(),
            forked_from: None,
            events: None,
            events_missing: None,
        }
    }

    /// Compares the repository there with the one here.
    fn git(&self) -> Option<GitComparison> {
        let there = self.bundle.manifest.about.git.as_ref()?;
        let here = checkout(&self.project);
        Some(GitComparison {
            remote: there.remote.clone(),
            branch: there.branch.clone(),
            commit: there.commit.clone(),
            commit_here: here.and_then(|it| it.commit),
        })
    }
}

fn file(home: &Path, step: &Step) -> ImportedFile {
    let path = home.join(&step.path).to_string_lossy().into_owned();
    let is_aside = matches!(step.action, Action::Rejoin(_));
    let set_aside = is_aside.then(|| step.aside.to_string_lossy().into_owned());
    ImportedFile { path, action: step.action.as_str().to_owned(), bytes: step.bytes, set_aside }
}
