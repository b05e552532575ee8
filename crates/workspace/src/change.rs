//! The way of a change: into the history first, then into the plan, the list and the state.
//!
//! The state is written last, and its `last_updated` is the line's timestamp. So a state that is
//! older than the last change tells that something was broken off, and all of it is done again.

use crate::edit::{Edit, Unfit, edited};
use crate::error::WorkError;
use crate::feature::{Feature, State};
use crate::{history, plan};
use serde_json::json;
use taffrail_contracts::ai_session::{
    Change, Current, FeatureStatus, HistoryLine, Model, Operation, Outcome, PLAN, STATE, What,
    after,
};
use taffrail_model::Timestamp;

/// What was asked for, as the history names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The command.
    pub command: String,
    /// Its arguments.
    pub arguments: String,
    /// Who asked.
    pub by: String,
}

/// The files as they will be.
struct Next {
    plan: Option<String>,
    list: Option<crate::active::Active>,
    state: State,
}

impl Feature<'_> {
    /// Uses another model, or the same.
    ///
    /// # Errors
    /// The feature is not active, or the files cannot be changed.
    pub fn use_model(&mut self, model: Model, asked: &Asked) -> Result<(), WorkError> {
        self.must_be_active()?;
        let current = Current { model_in_use: model, ..self.state.current.clone() };
        self.commit(What::Model, current, asked)
    }

    /// Appends a line that changes neither model nor task. The instant is ours.
    ///
    /// # Errors
    /// The disk says no, or the line is too long.
    pub fn log(&mut self, line: HistoryLine) -> Result<HistoryLine, WorkError> {
        let timestamp = after(self.directory.now(), Some(self.last));
        let line = HistoryLine { timestamp, change: None, ..line };
        history::append(&self.folder, &line)?;
        self.last = timestamp;
        Ok(line)
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

    /// Makes a change. Whether the files can be changed is found out before the history says so.
    pub(crate) fn commit(
        &mut self,
        what: What,
        state: Current,
        asked: &Asked,
    ) -> Result<(), WorkError> {
        let line = self.line(Change { what, state }, asked);
        let next = self.next(&line)?;
        history::append(&self.folder, &line)?;
        self.write(next, line.timestamp)
    }

    fn line(&self, change: Change, asked: &Asked) -> HistoryLine {
        HistoryLine {
            timestamp: after(self.directory.now(), Some(self.last)),
            command: asked.command.clone(),
            arguments: asked.arguments.clone(),
            model: change.state.model_in_use,
            agent: asked.by.clone(),
            task_id: task_of(&change),
            status: Outcome::Success,
            // The line is written before the change is made, so how long it takes is not known.
            duration_ms: 0,
            error: None,
            change: Some(change),
        }
    }

    /// Everything as it will be after a line.
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

    fn next_plan(&self, what: &What) -> Result<Option<String>, WorkError> {
        if !matches!(what, What::TaskAdded { .. } | What::TaskMoved { .. }) {
            return Ok(None);
        }
        let (text, document) = self.plan_text()?;
        let edits = plan::edits(&document, what);
        let refused = |unfit: Unfit| WorkError::refused(format!("{PLAN}: {unfit}"));
        edited(&text, &edits).map(Some).map_err(refused)
    }

    fn next_state(&self, current: &Current, at: Timestamp) -> Result<State, WorkError> {
        let set = |name: &str, value| Edit::Set(format!("/current_state/{name}"), value);
        let edits = [
            set("active_task", json!(current.active_task)),
            set("model_in_use", json!(current.model_in_use)),
            set("started_at", json!(current.started_at)),
            set("last_updated", json!(at)),
        ];
        // An instant that is the same however it is written is left as it is written.
        let is_moved = current.started_at != self.state.current.started_at;
        let edits = edits.into_iter().filter(|it| is_moved || !is_start(it)).collect::<Vec<_>>();
        let refused = |unfit: Unfit| WorkError::refused(format!("{STATE}: {unfit}"));
        let text = edited(&self.state.text, &edits).map_err(refused)?;
        let told = |why| self.directory.unsound(Operation::Update, (STATE, Some(&self.id)), why);
        State::of(text.as_bytes(), &self.id).map_err(told)
    }

    fn write(&mut self, next: Next, at: Timestamp) -> Result<(), WorkError> {
        if let Some(plan) = &next.plan {
            self.folder.replace(PLAN, plan.as_bytes())?;
        }
        if let Some(list) = &next.list {
            list.write(&self.directory.folder)?;
        }
        self.folder.replace(STATE, next.state.text.as_bytes())?;
        self.state = next.state;
        self.last = self.last.max(at);
        Ok(())
    }

    /// Does again what was broken off, and notes what other tools wrote.
    pub(crate) fn roll_forward(&mut self) -> Result<(), WorkError> {
        let before = self.state.last_updated;
        let tail = history::tail(&self.folder, before)?;
        self.last = before.max(tail.last.unwrap_or(before));
        if !self.directory.is_writable() {
            return Ok(());
        }
        let (known, broken_off): (Vec<_>, Vec<_>) =
            tail.changes.iter().partition(|line| line.timestamp <= before);
        if !self.is_left_by_us(known.last().copied(), !broken_off.is_empty()) {
            return self.note_foreign();
        }
        for line in broken_off {
            self.redo(line)?;
        }
        Ok(())
    }

    /// The state is what the last change up to its instant made of it. Where later ones were broken
    /// off the instant is that change's, too: another tool's clock may be behind ours, or count in
    /// seconds, and its write is the last one all the same.
    fn is_left_by_us(&self, known: Option<&HistoryLine>, is_behind: bool) -> bool {
        let Some(line) = known else { return is_behind };
        let is_same = line.change.as_ref().is_some_and(|it| it.state == self.state.current);
        is_same && (!is_behind || line.timestamp == self.state.last_updated)
    }

    /// Makes a change that the history already names. A plan or a list that is not sound is left to
    /// a recovery, which reads the same history.
    fn redo(&mut self, line: &HistoryLine) -> Result<(), WorkError> {
        let Some(change) = &line.change else { return Ok(()) };
        let list = self.list().ok().and_then(|mut list| {
            list.touch(&self.id, line.timestamp, status_of(&change.what)).ok().map(|()| list)
        });
        let plan = self.next_plan(&change.what).ok().flatten();
        let state = self.next_state(&change.state, line.timestamp)?;
        self.write(Next { plan, list, state }, line.timestamp)
    }

    /// The last write wins: what another tool made of the state is appended to the history, so that
    /// a recovery comes to the same.
    fn note_foreign(&mut self) -> Result<(), WorkError> {
        let asked = Asked {
            command: "work observe".to_owned(),
            arguments: String::new(),
            by: "taffrail".to_owned(),
        };
        let change = Change { what: What::Observed, state: self.state.current.clone() };
        let line = self.line(change, &asked);
        let state = self.next_state(&self.state.current, line.timestamp)?;
        history::append(&self.folder, &line)?;
        self.write(Next { plan: None, list: None, state }, line.timestamp)
    }
}

fn is_start(edit: &Edit) -> bool {
    matches!(edit, Edit::Set(path, _) if path == "/current_state/started_at")
}

fn status_of(what: &What) -> Option<FeatureStatus> {
    match what {
        What::FeatureMoved { status } => Some(*status),
        What::Created { .. }
        | What::Model
        | What::TaskAdded { .. }
        | What::TaskMoved { .. }
        | What::Observed => None,
    }
}

/// The task a line is about: the one that changed, else the active one.
fn task_of(change: &Change) -> Option<String> {
    match &change.what {
        What::TaskAdded { task, .. } => Some(task.task_id.clone()),
        What::TaskMoved { task_id, .. } => Some(task_id.clone()),
        What::Created { .. } | What::Model | What::FeatureMoved { .. } | What::Observed => {
            change.state.active_task.clone()
        }
    }
}
