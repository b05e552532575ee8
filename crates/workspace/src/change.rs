//! Makes a change: first in the history, then in the plan, the list and the state.
//!
//! The state is written last, and its `last_updated` is the line's timestamp. So a state that is older
//! than the last change shows that a change was interrupted, and the whole change is made again.

use crate::active::Active;
use crate::edit::{Edit, Unfit, edited};
use crate::error::WorkError;
use crate::feature::{Feature, State};
use crate::invocation::Invocation;
use crate::{history, plan};
use serde_json::json;
use taffrail_contracts::ai_session::{
    Change, Current, FeatureStatus, HistoryLine, Model, Operation, STATE, What, after,
};
use taffrail_model::Timestamp;

/// The new contents of the files.
pub(crate) struct Next {
    pub(crate) plan: Option<String>,
    pub(crate) list: Option<Active>,
    pub(crate) state: Renewed,
}

/// The new state and the edits that lead to it. If another tool wrote to the file in the meantime, the edits
/// are applied to what that tool wrote.
pub(crate) struct Renewed {
    pub(crate) state: State,
    edits: Vec<Edit>,
}

impl Feature<'_> {
    /// Sets the model in use.
    ///
    /// # Errors
    /// The feature is not active, or the files cannot be changed.
    pub fn use_model(&mut self, model: Model, invocation: &Invocation) -> Result<(), WorkError> {
        self.must_be_active()?;
        let current = Current { model_in_use: model, ..self.state.current.clone() };
        self.commit(What::Model, current, invocation)
    }

    /// Appends a line that changes neither model nor task. We set its timestamp.
    ///
    /// # Errors
    /// An I/O error, or the line is too long.
    pub fn log(&mut self, line: HistoryLine) -> Result<HistoryLine, WorkError> {
        let timestamp = after(self.directory.now(), Some(self.last));
        let line = HistoryLine { timestamp, change: None, ..line };
        history::append(&self.places.history, &line)?;
        self.last = timestamp;
        self.touch(timestamp)?;
        Ok(line)
    }

    /// Updates the last activity in the list. A list that is invalid, lacks the feature or cannot be
    /// changed stays as it is: the check reports it, and the line counts.
    fn touch(&self, at: Timestamp) -> Result<(), WorkError> {
        let Ok(mut list) = self.list() else { return Ok(()) };
        let before = list.text.clone();
        if list.touch(&self.id, at, None).is_err() || list.text == before {
            return Ok(());
        }
        list.write(&self.directory.folder)
    }

    pub(crate) fn must_be_active(&self) -> Result<(), WorkError> {
        match self.list()?.entry(&self.id).map(|it| it.status) {
            Some(FeatureStatus::Active) => Ok(()),
            other => {
                let status = other.map_or("not listed", FeatureStatus::as_str);
                Err(WorkError::refused(format!("the feature {} is {status}, not active", self.id)))
            }
        }
    }

    /// Makes a change. It checks that the files can be changed before it appends to the history.
    pub(crate) fn commit(
        &mut self,
        what: What,
        state: Current,
        invocation: &Invocation,
    ) -> Result<(), WorkError> {
        let line = self.line(Change { what, state }, invocation);
        let next = self.next(&line)?;
        history::append(&self.places.history, &line)?;
        self.write(next, line.timestamp)
    }

    pub(crate) fn line(&self, change: Change, invocation: &Invocation) -> HistoryLine {
        let about = (change.state.model_in_use, task_of(&change));
        invocation.succeeded(about, Some(change), self.directory.written(Some(self.last)))
    }

    /// The new contents of all files after a line.
    fn next(&self, line: &HistoryLine) -> Result<Next, WorkError> {
        let Some(change) = &line.change else { return Err(WorkError::refused("nothing changes")) };
        let mut list = self.list()?;
        list.touch(&self.id, line.timestamp, status_of(&change.what))?;
        Ok(Next {
            plan: self.next_plan(&change.what)?,
            list: Some(list),
            state: self.next_state(&change.state, line.timestamp)?,
        })
    }

    pub(crate) fn next_plan(&self, what: &What) -> Result<Option<String>, WorkError> {
        if !matches!(what, What::TaskAdded { .. } | What::TaskMoved { .. }) {
            return Ok(None);
        }
        let (text, document) = self.plan_text()?;
        let edits = plan::edits(&document, what);
        let path = &self.places.plan.path;
        let refused = |unfit: Unfit| WorkError::refused(format!("{path}: {unfit}"));
        edited(&text, &edits).map(Some).map_err(refused)
    }

    pub(crate) fn next_state(
        &self,
        current: &Current,
        at: Timestamp,
    ) -> Result<Renewed, WorkError> {
        let edits = edits(&self.state.current, current, at);
        Ok(Renewed { state: self.with_edits(&self.state, &edits)?, edits })
    }

    fn with_edits(&self, state: &State, edits: &[Edit]) -> Result<State, WorkError> {
        let refused = |unfit: Unfit| WorkError::refused(format!("{STATE}: {unfit}"));
        let text = edited(&state.text, edits).map_err(refused)?;
        let invalid = |why| self.directory.unsound(Operation::Update, (STATE, Some(&self.id)), why);
        State::of(text.as_bytes(), &self.id).map_err(invalid)
    }

    /// The state to write, based on the file's current content: a tool that takes no lock may have written
    /// since we read it.
    fn over_theirs(&self, next: Renewed) -> Result<State, WorkError> {
        let now = self.directory.state(&self.folder, &self.id)?;
        match now.text == self.state.text {
            true => Ok(next.state),
            false => self.with_edits(&now, &next.edits),
        }
    }

    pub(crate) fn write(&mut self, next: Next, at: Timestamp) -> Result<(), WorkError> {
        if let Some(plan) = &next.plan {
            self.places.plan.replace(plan.as_bytes())?;
        }
        if let Some(list) = &next.list {
            list.write(&self.directory.folder)?;
        }
        let state = self.over_theirs(next.state)?;
        self.folder.replace(STATE, state.text.as_bytes())?;
        self.state = state;
        self.last = self.last.max(at);
        Ok(())
    }
}

/// The edits from one state to another. Only fields that differ are touched.
fn edits(from: &Current, to: &Current, at: Timestamp) -> Vec<Edit> {
    let set = |name: &str, value| Edit::Set(format!("/current_state/{name}"), value);
    let mut out = Vec::new();
    if to.active_task != from.active_task {
        out.push(set("active_task", json!(to.active_task)));
    }
    if to.model_in_use != from.model_in_use {
        out.push(set("model_in_use", json!(to.model_in_use)));
    }
    // An instant that is equal in another notation keeps its notation.
    if to.started_at != from.started_at {
        out.push(set("started_at", json!(to.started_at)));
    }
    out.push(set("last_updated", json!(at)));
    out
}

pub(crate) fn status_of(what: &What) -> Option<FeatureStatus> {
    match what {
        What::FeatureMoved { status } => Some(*status),
        What::Created { .. }
        | What::Model
        | What::TaskAdded { .. }
        | What::TaskMoved { .. }
        | What::Observed => None,
    }
}

/// The task of a line: the one that changed, else the active one.
fn task_of(change: &Change) -> Option<String> {
    match &change.what {
        What::TaskAdded { task, .. } => Some(task.task_id.clone()),
        What::TaskMoved { task_id, .. } => Some(task_id.clone()),
        What::Created { .. } | What::Model | What::FeatureMoved { .. } | What::Observed => {
            change.state.active_task.clone()
        }
    }
}
