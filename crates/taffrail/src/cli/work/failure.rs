//! A command of `taffrail work` that failed: the error with the context that the contract requires, and a
//! line in the feature's history.

use super::{Action, Work};
use crate::cli::work::task;
use crate::error::CliError;
use crate::output::say;
use serde_json::json;
use taffrail_api::ErrorKind;
use taffrail_contracts::ai_session::{
    ACKNOWLEDGMENT, ACTIVE_FEATURES, ErrorContext, FOLDER, FeatureStatus, HISTORY, Operation, PLAN,
    STATE, feature_id,
};
use taffrail_env as env;
use taffrail_workspace::{WorkError, relative};

/// An error, and what it is about as far as it says.
#[derive(Debug)]
pub(in crate::cli) struct Failure {
    error: CliError,
    operation: Option<Operation>,
    /// Relative to the project, or absolute.
    file: Option<String>,
    feature: Option<String>,
}

impl From<CliError> for Failure {
    fn from(error: CliError) -> Self {
        Self { error, operation: None, file: None, feature: None }
    }
}

impl From<WorkError> for Failure {
    fn from(error: WorkError) -> Self {
        let (operation, file, feature) = error.about();
        Self { error: error.into(), operation, file, feature }
    }
}

impl Work<'_> {
    /// Records a failure in the history, and prints it as a document if one is wanted.
    pub(super) fn failed(&self, failure: Failure) -> CliError {
        if failure.error.message.is_empty() {
            return failure.error;
        }
        let feature = failure.feature.clone().or_else(|| self.feature_meant());
        if let Some(id) = feature.as_deref().filter(|_| self.args.action.is_recorded()) {
            self.record(id, &failure.error);
        }
        if !self.json {
            return failure.error;
        }
        let mut document = json!(failure.error.envelope());
        if let Some(fields) = document.as_object_mut() {
            let context = self.context(&failure, feature);
            fields.insert("error_context".to_owned(), json!(context));
        }
        say(&document.to_string());
        CliError::silent(failure.error.kind)
    }

    /// Best effort: the command has failed already, and its own error is what matters. Nobody waits for a
    /// lock twice.
    fn record(&self, id: &str, error: &CliError) {
        if error.kind == ErrorKind::TimedOut {
            return;
        }
        if let Ok(directory) = self.open_directory() {
            directory.log_failure(id, &self.invocation(), &error.message).ok();
        }
    }

    /// The feature that the command is about, if it is known.
    fn feature_meant(&self) -> Option<String> {
        if let Some(chosen) = self.chosen.borrow().clone() {
            return Some(chosen);
        }
        if let Action::New { name, .. } = &self.args.action {
            return feature_id(name, self.began);
        }
        let wanted = self.args.action.wanted()?;
        let directory = self.look().ok()?;
        directory.choose_id(self.args.feature.as_deref(), wanted).ok()
    }

    fn context(&self, failure: &Failure, feature_id: Option<String>) -> ErrorContext {
        let (operation, file) = self.args.action.about(feature_id.as_deref());
        let file = failure.file.clone().unwrap_or(file);
        ErrorContext {
            operation: failure.operation.unwrap_or(operation),
            file: relative(&file, &self.env.here),
            feature_id,
            timestamp: env::now(),
            details: failure.error.message.clone(),
        }
    }
}

impl Action {
    /// Whether a failure belongs into the history of a feature.
    fn is_recorded(&self) -> bool {
        match self {
            Self::New { .. }
            | Self::Task { .. }
            | Self::Use { .. }
            | Self::Pause
            | Self::Resume
            | Self::Complete
            | Self::Archive => true,
            Self::Log(log) => log.appends(),
            Self::Import { .. }
            | Self::Export
            | Self::Ls { .. }
            | Self::Show { .. }
            | Self::Plan { .. }
            | Self::Ack { .. }
            | Self::Contract
            | Self::Check { .. }
            | Self::Recover { .. }
            | Self::Migrate => false,
        }
    }

    /// The status of the feature that is meant where none is named; `None` if no feature is.
    fn wanted(&self) -> Option<FeatureStatus> {
        match self {
            Self::Task { .. } | Self::Use { .. } | Self::Pause | Self::Complete | Self::Export => {
                Some(FeatureStatus::Active)
            }
            Self::Show { archived } | Self::Plan { archived } => {
                (!archived).then_some(FeatureStatus::Active)
            }
            Self::Log(log) => (!log.archived).then_some(FeatureStatus::Active),
            Self::Resume => Some(FeatureStatus::Paused),
            Self::Archive => Some(FeatureStatus::Completed),
            Self::New { .. }
            | Self::Import { .. }
            | Self::Ls { .. }
            | Self::Ack { .. }
            | Self::Contract
            | Self::Check { .. }
            | Self::Recover { .. }
            | Self::Migrate => None,
        }
    }

    /// The operation, and the file that it is about.
    fn about(&self, feature: Option<&str>) -> (Operation, String) {
        let of = |name: &str| match feature {
            Some(id) => inside(&format!("{id}/{name}")),
            None => FOLDER.to_owned(),
        };
        let whole = || feature.map_or_else(|| FOLDER.to_owned(), inside);
        match self {
            Self::New { .. } | Self::Import { .. } => (Operation::Create, whole()),
            Self::Ls { .. } => (Operation::Read, inside(ACTIVE_FEATURES)),
            Self::Show { .. } | Self::Export => (Operation::Read, of(STATE)),
            Self::Plan { .. } => (Operation::Read, of(PLAN)),
            Self::Task { action: task::Action::Add { .. } } => (Operation::Create, of(PLAN)),
            Self::Task { .. } => (Operation::Update, of(PLAN)),
            Self::Use { .. } => (Operation::Update, of(STATE)),
            Self::Log(log) if log.appends() => (Operation::Create, of(HISTORY)),
            Self::Log(_) => (Operation::Read, of(HISTORY)),
            Self::Pause | Self::Resume | Self::Complete => {
                (Operation::Update, inside(ACTIVE_FEATURES))
            }
            Self::Archive => (Operation::Delete, whole()),
            Self::Ack { .. } => (Operation::Update, inside(ACKNOWLEDGMENT)),
            Self::Contract | Self::Check { .. } => (Operation::Read, whole()),
            Self::Recover { .. } | Self::Migrate => (Operation::Update, whole()),
        }
    }
}

fn inside(path: &str) -> String {
    format!("{FOLDER}/{path}")
}
