//! Repairs a directory: corrupt files are copied aside, missing files are created again, and the
//! state is rebuilt from the history. The history itself is never rewritten.

use crate::active::Active;
use crate::create::{Begun, New, state_document};
use crate::directory::Directory;
use crate::error::WorkError;
use crate::feature::{State, foreign_version, read_plan};
use crate::folder::Folder;
use crate::history::{self, BadLine, Whole};
use crate::invocation::{Invocation, Written};
use crate::place::{Place, Places, salvaged};
use crate::render::document;
use crate::replan::replanned;
use crate::yaml::{conflict, read_bytes};
use serde_json::{Value, json};
use std::collections::HashSet;
use taffrail_contracts::ai_session::{
    ACTIVE_FEATURES, ARTIFACTS, ActiveFeature, Change, Current, FeatureStatus, HistoryLine, Model,
    Operation, Replayed, STATE, What, after, instant, replay,
};

/// The file that bad lines of a history are copied to.
const BAD_LINES: &str = "history.quarantine.jsonl";

/// One repair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// The file, relative to the project.
    pub file: String,
    /// The repair in words.
    pub done: String,
}

/// The result of a recovery.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recovered {
    /// All repairs.
    pub repairs: Vec<Repair>,
}

struct Mender<'d> {
    directory: &'d Directory,
    repairs: Vec<Repair>,
}

impl Directory {
    /// Repairs one feature, or all features and the list.
    ///
    /// # Errors
    /// A version is newer than ours, or an I/O error.
    pub fn recover(&self, only: Option<&str>) -> Result<Recovered, WorkError> {
        let mut mender = Mender { directory: self, repairs: Vec::new() };
        let listed = mender.list()?;
        let mut ids = self.folders()?;
        ids.extend(listed.iter().map(|it| it.feature_id.clone()).filter(|it| !self.folder.has(it)));
        for id in ids.iter().filter(|id| only.is_none_or(|only| only == *id)) {
            let entry = listed.iter().find(|it| it.feature_id == *id);
            mender.feature(id, entry)?;
        }
        mender.relist()?;
        if !self.folder.has(taffrail_contracts::ai_session::README) {
            self.write_readme()?;
            mender.note((taffrail_contracts::ai_session::README, None), "written again");
        }
        Ok(Recovered { repairs: mender.repairs })
    }
}

impl Mender<'_> {
    fn note(&mut self, about: (&str, Option<&str>), done: &str) {
        let file = self.directory.context(Operation::Update, about, String::new()).file;
        self.repairs.push(Repair { file, done: done.to_owned() });
    }

    fn note_at(&mut self, place: &Place, done: &str) {
        let about = (place.path.as_str(), None);
        let file = self.directory.context_at(Operation::Update, about, String::new()).file;
        self.repairs.push(Repair { file, done: done.to_owned() });
    }

    /// Copies bytes beside their original, under an unused name.
    fn quarantine(&mut self, place: &Place, bytes: &[u8]) -> Result<(), WorkError> {
        let day = after(self.directory.now(), None).to_string().replace([':', '-', '.'], "");
        let endings = (0..).map(|it| match it {
            0 => format!(".corrupt-{day}"),
            more => format!(".corrupt-{day}-{more}"),
        });
        let name = place.keep_beside(endings, bytes)?;
        self.note_at(place, &format!("what was there is kept as {name}"));
        Ok(())
    }

    /// The readable part of the list. An unreadable list is set aside, unless it has merge conflicts.
    fn list(&mut self) -> Result<Vec<ActiveFeature>, WorkError> {
        let folder = &self.directory.folder;
        let Some(bytes) = folder.read(ACTIVE_FEATURES)? else { return Ok(Vec::new()) };
        match Active::read(folder)? {
            Some(Ok(active)) => Ok(active.features),
            Some(Err(_)) if conflict(&String::from_utf8_lossy(&bytes)).is_none() => {
                let place = Place::of(folder, ACTIVE_FEATURES, ACTIVE_FEATURES.to_owned())?;
                self.quarantine(&place, &bytes)?;
                folder.remove(ACTIVE_FEATURES)?;
                Ok(Vec::new())
            }
            Some(Err(_)) | None => Ok(Vec::new()),
        }
    }

    /// Adds every feature with a folder to the list.
    fn relist(&mut self) -> Result<(), WorkError> {
        // People resolve merge conflicts; until then the list is not touched.
        let Ok(active) = self.directory.active() else { return Ok(()) };
        let mut active = active.unwrap_or_else(|| Active::new(Vec::new()));
        let unlisted: Vec<_> =
            self.directory.folders()?.into_iter().filter(|id| active.entry(id).is_none()).collect();
        for id in &unlisted {
            let entry = self.entry(id)?;
            active.push(&entry)?;
            self.note((ACTIVE_FEATURES, None), &format!("{id} is listed again"));
        }
        if unlisted.is_empty() { Ok(()) } else { active.write(&self.directory.folder) }
    }

    fn entry(&self, id: &str) -> Result<ActiveFeature, WorkError> {
        let folder = self.directory.folder.make(id)?;
        let history = self.places(&folder, id)?.history;
        let replayed = replay(&history::whole(&history)?.unwrap_or_default().lines);
        let state = self.directory.state(&folder, id)?;
        Ok(ActiveFeature {
            feature_id: id.to_owned(),
            started_at: state.current.started_at,
            last_active: state.last_updated,
            status: replayed.status.unwrap_or(FeatureStatus::Active),
        })
    }

    fn feature(&mut self, id: &str, entry: Option<&ActiveFeature>) -> Result<(), WorkError> {
        let folder = self.directory.folder.make(id)?;
        self.refuse_newer(&folder, id)?;
        if folder.sub(ARTIFACTS)?.is_none() {
            folder.make(ARTIFACTS)?;
            self.note((ARTIFACTS, Some(id)), "made again");
        }
        let places = self.places(&folder, id)?;
        let whole = self.history(&folder, &places.history)?;
        let replayed = replay(&whole.lines);
        let active = self.active_task(&folder, id, &replayed);
        self.plan(&places.plan, id, (&replayed, active.as_deref(), &whole.lines))?;
        self.state((&folder, &places), id, (&replayed, entry, &whole))
    }

    /// The files that a state names. If it is not valid and names a file outside, the usual ones.
    fn places(&self, folder: &Folder, id: &str) -> Result<Places, WorkError> {
        if let Ok(state) = self.directory.state(folder, id) {
            let refused = |why| self.directory.unsound(Operation::Update, (STATE, Some(id)), why);
            return self.directory.places(folder, (id, &state.document))?.map_err(refused);
        }
        let named = Value::Object(salvaged(&folder.read(STATE)?.unwrap_or_default()));
        let places = self.directory.places(folder, (id, &named))?;
        places.or_else(|_| Places::usual(folder, id))
    }

    /// The active task, as the state says, or as it will say once it is restored.
    fn active_task(&self, folder: &Folder, id: &str, replayed: &Replayed) -> Option<String> {
        let state = self.directory.state(folder, id).ok().map(|it| it.current);
        state.or_else(|| replayed.current.clone())?.active_task
    }

    fn refuse_newer(&self, folder: &Folder, id: &str) -> Result<(), WorkError> {
        let bytes = folder.read(STATE)?.unwrap_or_default();
        let document = read_bytes(&bytes).map(|it| it.1).unwrap_or(Value::Null);
        let invalid = |why| self.directory.unsound(Operation::Update, (STATE, Some(id)), why);
        foreign_version(&document).map_or(Ok(()), |why| Err(invalid(why)))
    }

    /// Copies bad lines to a file beside the history, which keeps them.
    fn history(&mut self, folder: &Folder, place: &Place) -> Result<Whole, WorkError> {
        let Some(whole) = history::whole(place)? else {
            place.replace(b"")?;
            self.note_at(place, "made again, empty");
            return Ok(Whole::default());
        };
        let known = set_aside(folder)?;
        let bad: Vec<_> = whole.bad.iter().filter(|it| !known.contains(&it.mark())).collect();
        for line in &bad {
            folder.append(BAD_LINES, self.kept(line).as_bytes())?;
            let done = format!("line {} is kept in {BAD_LINES} and no longer read", line.number);
            self.note_at(place, &done);
        }
        Ok(whole)
    }

    fn kept(&self, line: &BadLine) -> String {
        let kept = json!({
            "line": line.number,
            "sha256": line.mark(),
            "set_aside_at": after(self.directory.now(), None),
            "why": line.why,
            "text": String::from_utf8_lossy(&line.bytes),
        });
        format!("{kept}\n")
    }

    fn plan(
        &mut self,
        place: &Place,
        id: &str,
        (replayed, active, lines): (&Replayed, Option<&str>, &[HistoryLine]),
    ) -> Result<(), WorkError> {
        match place.read()? {
            Some(bytes) if read_plan(&bytes, id).is_ok() => return Ok(()),
            Some(bytes) => self.quarantine(place, &bytes)?,
            None => {}
        }
        let empty = self.begun(id, replayed).plan;
        let made = replanned((replayed.plan.as_ref(), empty), active, lines);
        place.replace(document(&json!(made.plan)).as_bytes())?;
        self.note_at(place, &format!("made again, {}", made.from));
        Ok(())
    }

    fn state(
        &mut self,
        (folder, places): (&Folder, &Places),
        id: &str,
        (replayed, entry, whole): (&Replayed, Option<&ActiveFeature>, &Whole),
    ) -> Result<(), WorkError> {
        let about = (STATE, Some(id));
        let old = folder.read(STATE)?;
        match &old {
            Some(bytes) if State::of(bytes, id).is_ok() => return Ok(()),
            Some(bytes) => self.quarantine(&Place::usual(folder, id, STATE)?, bytes)?,
            None => {}
        }
        let current = replayed.current.clone().unwrap_or_else(|| {
            let begun = self.begun(id, replayed).current;
            Current { started_at: entry.map_or(begun.started_at, |it| it.started_at), ..begun }
        });
        let lines = whole.lines.iter().map(|it| it.timestamp);
        let last = lines.chain([current.started_at]).max();
        let written = self.directory.written(last);
        let line = self.line(&current, written);
        history::append(&places.history, &line)?;
        let mut state = state_document(id, &current, written.timestamp);
        if let (Some(fields), true) = (state.as_object_mut(), places.is_named()) {
            fields.extend(salvaged(&old.unwrap_or_default()));
        }
        folder.replace(STATE, document(&state).as_bytes())?;
        let from = if replayed.current.is_some() { "from the history" } else { "as it begins" };
        self.note(about, &format!("made again, {from}"));
        Ok(())
    }

    /// The line of a state that was restored.
    fn line(&self, current: &Current, at: Written) -> HistoryLine {
        let change = Change { what: What::Observed, state: current.clone() };
        let about = (current.model_in_use, current.active_task.clone());
        let invocation = Invocation::own("work recover", self.directory.opened());
        invocation.succeeded(about, Some(change), at)
    }

    /// The state of a feature of which only the id is left: it begins on the day in the id.
    fn begun(&self, id: &str, replayed: &Replayed) -> Begun {
        let cut = id.len().saturating_sub(11);
        let (name, day) = id.split_at_checked(cut).unwrap_or((id, ""));
        let day = instant(&format!("{}T00:00:00Z", day.trim_start_matches('-')));
        let began = replayed.current.as_ref().map(|it| it.started_at).or(day);
        let new =
            New { name: name.replace('-', " "), description: String::new(), model: Model::Opus };
        Begun::of(id, &new, began.unwrap_or_else(|| self.directory.now()))
    }
}

/// The markers of lines that were already copied.
pub(crate) fn set_aside(folder: &Folder) -> Result<HashSet<String>, WorkError> {
    let bytes = folder.read(BAD_LINES)?.unwrap_or_default();
    let lines = bytes.split(|byte| *byte == b'\n');
    let mark = |line: &[u8]| {
        let value: Value = serde_json::from_slice(line).ok()?;
        Some(value.get("sha256")?.as_str()?.to_owned())
    };
    Ok(lines.filter_map(mark).collect())
}
