//! The valid transitions of tasks and features, as two tables.

use serde::{Deserialize, Serialize};

/// The status of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Not started.
    Pending,
    /// In progress.
    InProgress,
    /// Done.
    Completed,
    /// Blocked.
    Blocked,
}

/// A transition of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskMove {
    /// Start work.
    Start,
    /// Finish.
    Done,
    /// Block.
    Block,
    /// Unblock.
    Unblock,
}

/// Every valid transition of a task.
const TASKS: [(TaskMove, TaskStatus, TaskStatus); 5] = [
    (TaskMove::Start, TaskStatus::Pending, TaskStatus::InProgress),
    (TaskMove::Done, TaskStatus::InProgress, TaskStatus::Completed),
    (TaskMove::Block, TaskStatus::Pending, TaskStatus::Blocked),
    (TaskMove::Block, TaskStatus::InProgress, TaskStatus::Blocked),
    (TaskMove::Unblock, TaskStatus::Blocked, TaskStatus::Pending),
];

/// The status of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeatureStatus {
    /// Active.
    Active,
    /// Paused.
    Paused,
    /// Completed.
    Completed,
}

/// A transition of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeatureMove {
    /// Pause.
    Pause,
    /// Resume.
    Resume,
    /// Complete.
    Complete,
}

/// Every valid transition of a feature.
const FEATURES: [(FeatureMove, FeatureStatus, FeatureStatus); 4] = [
    (FeatureMove::Pause, FeatureStatus::Active, FeatureStatus::Paused),
    (FeatureMove::Resume, FeatureStatus::Paused, FeatureStatus::Active),
    (FeatureMove::Complete, FeatureStatus::Active, FeatureStatus::Completed),
    (FeatureMove::Complete, FeatureStatus::Paused, FeatureStatus::Completed),
];

impl TaskMove {
    /// The resulting status, if the transition is valid from this one.
    #[must_use]
    pub fn from(self, status: TaskStatus) -> Option<TaskStatus> {
        let row = TASKS.iter().find(|(it, from, _)| (*it, *from) == (self, status));
        row.map(|(_, _, to)| *to)
    }

    /// The verb for messages.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Done => "done",
            Self::Block => "block",
            Self::Unblock => "unblock",
        }
    }
}

impl FeatureMove {
    /// The resulting status, if the transition is valid from this one.
    #[must_use]
    pub fn from(self, status: FeatureStatus) -> Option<FeatureStatus> {
        let row = FEATURES.iter().find(|(it, from, _)| (*it, *from) == (self, status));
        row.map(|(_, _, to)| *to)
    }

    /// The verb for messages.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Complete => "complete",
        }
    }
}

impl TaskStatus {
    /// The word in documents.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Blocked => "blocked",
        }
    }
}

impl FeatureStatus {
    /// The word in documents.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Paused => "paused",
            Self::Completed => "completed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_go_these_ways_and_no_other() {
        use TaskMove::{Block, Done, Start, Unblock};
        use TaskStatus::{Blocked, Completed, InProgress, Pending};
        let ways =
            |made: TaskMove| [Pending, InProgress, Completed, Blocked].map(|it| made.from(it));
        assert_eq!(ways(Start), [Some(InProgress), None, None, None]);
        assert_eq!(ways(Done), [None, Some(Completed), None, None]);
        assert_eq!(ways(Block), [Some(Blocked), Some(Blocked), None, None]);
        assert_eq!(ways(Unblock), [None, None, None, Some(Pending)]);
    }

    #[test]
    fn features_go_these_ways_and_no_other() {
        use FeatureMove::{Complete, Pause, Resume};
        use FeatureStatus::{Active, Completed, Paused};
        let ways = |made: FeatureMove| [Active, Paused, Completed].map(|it| made.from(it));
        assert_eq!(ways(Pause), [Some(Paused), None, None]);
        assert_eq!(ways(Resume), [None, Some(Active), None]);
        assert_eq!(ways(Complete), [Some(Completed), Some(Completed), None]);
    }
}
