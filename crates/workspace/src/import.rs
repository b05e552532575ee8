//! Creates a feature from a plan that a session state carries, and reads a feature whole.

use crate::create::Begun;
use crate::directory::Directory;
use crate::error::WorkError;
use crate::feature::Feature;
use crate::invocation::{Invocation, Written};
use crate::names::must_be_name;
use serde_json::json;
use std::path::Path;
use taffrail_contracts::Strictness;
use taffrail_contracts::ai_session::{FeatureStatus, HistoryLine, Kind, What, after, validate};
use taffrail_contracts::feature_state::FeatureWork;
use taffrail_model::Timestamp;

impl Directory {
    /// Creates a feature with this plan, state and status, as [`Directory::create`] does.
    ///
    /// # Errors
    /// The plan does not conform, a feature of its id exists, the list is invalid, or an I/O error.
    pub fn import(
        here: &Path,
        work: &FeatureWork,
        invocation: &Invocation,
        now: fn() -> Timestamp,
    ) -> Result<String, WorkError> {
        must_be_name("a name", &work.plan.feature.name)?;
        let report = validate(Kind::Plan, &json!(work.plan), Strictness::Lenient);
        if let Some(fault) = report.faults.first() {
            return Err(WorkError::refused(format!("{}: {}", fault.pointer, fault.message)));
        }
        let at = after(now(), Some(work.last_updated));
        let begun = Begun { plan: work.plan.clone(), current: work.current_state.clone() };
        let directory = Self::open_or_make(here, now)?;
        let written = Written { timestamp: at, now: now() };
        let lines = lines(&begun, work.status, (invocation, written));
        directory.make(&begun, (work.status, at), &lines)?;
        Ok(work.plan.feature.id.clone())
    }
}

/// The history of an imported feature: a recovery makes the same plan from it.
fn lines(begun: &Begun, status: FeatureStatus, by: (&Invocation, Written)) -> Vec<HistoryLine> {
    let mut lines = vec![begun.line(by.0, by.1)];
    for phase in &begun.plan.phases {
        lines.extend(phase.tasks.iter().map(|task| {
            let (phase_id, phase_name) = (phase.phase_id.clone(), phase.name.clone());
            begun.line_of(What::TaskAdded { phase_id, phase_name, task: task.clone() }, by)
        }));
    }
    if status != FeatureStatus::Active {
        lines.push(begun.line_of(What::FeatureMoved { status }, by));
    }
    lines
}

impl Feature<'_> {
    /// Everything that the files of the feature say.
    ///
    /// # Errors
    /// The plan or the list is missing or invalid.
    pub fn work(&self) -> Result<FeatureWork, WorkError> {
        let listed = self.listed()?;
        Ok(FeatureWork {
            plan: self.plan()?,
            current_state: self.state.current.clone(),
            last_updated: self.state.last_updated,
            // A feature that no list has was never paused or completed.
            status: listed.map_or(FeatureStatus::Active, |it| it.status),
        })
    }
}
