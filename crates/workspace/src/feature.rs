//! One feature: its state, its plan and its place in the list.

use crate::active::Active;
use crate::directory::Directory;
use crate::error::WorkError;
use crate::folder::Folder;
use crate::place::Places;
use crate::yaml::read_bytes;
use serde_json::Value;
use taffrail_contracts::Strictness;
use taffrail_contracts::ai_session::{
    ActiveFeature, Current, HistoryLine, Kind, Operation, Plan, STATE, VERSION, instant, validate,
};
use taffrail_model::Timestamp;

/// `state.yaml`: its text and its meaning.
#[derive(Debug, Clone)]
pub struct State {
    /// The text.
    pub text: String,
    /// The document, with the fields of other tools.
    pub document: Value,
    /// The parsed state.
    pub current: Current,
    /// When it last changed.
    pub last_updated: Timestamp,
}

/// A feature of an open directory.
#[derive(Debug)]
pub struct Feature<'d> {
    pub(crate) directory: &'d Directory,
    pub(crate) folder: Folder,
    pub(crate) places: Places,
    /// Its id.
    pub id: String,
    /// Its state.
    pub state: State,
    /// The latest timestamp written in the feature.
    pub(crate) last: Timestamp,
}

impl State {
    /// Parses a state of our version; the error is a sentence.
    pub(crate) fn of(bytes: &[u8], feature: &str) -> Result<Self, String> {
        let (text, document) = read_bytes(bytes)?;
        if let Some(why) = foreign_version(&document) {
            return Err(why);
        }
        let report = validate(Kind::State, &document, Strictness::default());
        if let Some(fault) = report.faults.first() {
            return Err(format!("{}: {}", fault.pointer, fault.message));
        }
        if document.get("feature_id").and_then(Value::as_str) != Some(feature) {
            return Err("/feature_id: it is the state of another feature".to_owned());
        }
        let inner = document.get("current_state").cloned().unwrap_or(Value::Null);
        let updated = inner.get("last_updated").and_then(Value::as_str).and_then(instant);
        let last_updated = updated.ok_or("/current_state/last_updated: not an instant")?;
        let current = serde_json::from_value(inner).map_err(|error| error.to_string())?;
        Ok(Self { text, document, current, last_updated })
    }
}

/// The error for a version that is not ours; `None` for our version or a missing one.
pub(crate) fn foreign_version(document: &Value) -> Option<String> {
    let text = match document.get("version")? {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    let parts =
        |text: &str| text.split('.').map(|it| it.parse::<u64>().ok()).collect::<Option<Vec<_>>>();
    let (found, ours) = (parts(&text), parts(VERSION));
    match found.cmp(&ours) {
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Greater => {
            Some(format!("version {text} is newer than {VERSION}, which is known here"))
        }
        std::cmp::Ordering::Less if found == parts("1") => None,
        std::cmp::Ordering::Less => Some(format!("version {text:?} is not known")),
    }
}

impl Directory {
    pub(crate) fn state(&self, folder: &Folder, id: &str) -> Result<State, WorkError> {
        let invalid = |details: String| self.unsound(Operation::Read, (STATE, Some(id)), details);
        let bytes = folder.read(STATE)?.ok_or_else(|| invalid("it is missing".to_owned()))?;
        State::of(&bytes, id).map_err(invalid)
    }
}

impl Feature<'_> {
    /// The plan.
    ///
    /// # Errors
    /// The plan is missing or invalid.
    pub fn plan(&self) -> Result<Plan, WorkError> {
        let (_, value) = self.plan_text()?;
        serde_json::from_value(value).map_err(|error| self.plan_unsound(error.to_string()))
    }

    /// The plan as a document, with the fields of other tools.
    ///
    /// # Errors
    /// The plan is missing or invalid.
    pub fn plan_document(&self) -> Result<Value, WorkError> {
        Ok(self.plan_text()?.1)
    }

    pub(crate) fn plan_text(&self) -> Result<(String, Value), WorkError> {
        let missing = || self.plan_unsound("it is missing".to_owned());
        let bytes = self.places.plan.read()?.ok_or_else(missing)?;
        read_plan(&bytes, &self.id).map_err(|why| self.plan_unsound(why))
    }

    fn plan_unsound(&self, details: String) -> WorkError {
        let about = (self.places.plan.path.as_str(), Some(self.id.as_str()));
        let context = self.directory.context_at(Operation::Read, about, details);
        WorkError::Unsound(Box::new(context))
    }

    /// Every line of the history that can be parsed.
    ///
    /// # Errors
    /// An I/O error.
    pub fn history(&self) -> Result<Vec<HistoryLine>, WorkError> {
        Ok(crate::history::whole(&self.places.history)?.unwrap_or_default().lines)
    }

    /// Its entry in the list.
    ///
    /// # Errors
    /// The list is invalid.
    pub fn listed(&self) -> Result<Option<ActiveFeature>, WorkError> {
        let active = self.directory.active()?;
        Ok(active.as_ref().and_then(|it| it.entry(&self.id)).cloned())
    }

    /// The list, which must contain this feature.
    pub(crate) fn list(&self) -> Result<Active, WorkError> {
        let active = self.directory.active()?.unwrap_or_else(Active::empty);
        let details = "the feature is not listed".to_owned();
        let file = taffrail_contracts::ai_session::ACTIVE_FEATURES;
        let invalid = || self.directory.unsound(Operation::Read, (file, None), details);
        active.entry(&self.id).is_some().then_some(active).ok_or_else(invalid)
    }
}

/// Parses a plan; the error is a sentence.
pub(crate) fn read_plan(bytes: &[u8], feature: &str) -> Result<(String, Value), String> {
    let (text, value) = read_bytes(bytes)?;
    let report = validate(Kind::Plan, &value, Strictness::default());
    if let Some(fault) = report.faults.first() {
        return Err(format!("{}: {}", fault.pointer, fault.message));
    }
    if value.pointer("/feature/id").and_then(Value::as_str) != Some(feature) {
        return Err("/feature/id: it is the plan of another feature".to_owned());
    }
    Ok((text, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_version_is_ours_or_refused() {
        let check = |version: Value, expected: Option<&str>| {
            let invalid = foreign_version(&json!({ "version": version }));
            assert_eq!(invalid.as_deref(), expected, "{version}");
        };
        for ours in [json!("1.0"), json!(1.0), json!(1), json!("1")] {
            check(ours, None);
        }
        check(json!("1.1"), Some("version 1.1 is newer than 1.0, which is known here"));
        check(json!("2.0"), Some("version 2.0 is newer than 1.0, which is known here"));
        check(json!("1.10"), Some("version 1.10 is newer than 1.0, which is known here"));
        check(json!("0.9"), Some("version \"0.9\" is not known"));
        check(json!("next"), Some("version \"next\" is not known"));
        assert_eq!(foreign_version(&json!({})), None);
    }
}
