//! The enumerations of a session state, which other documents and the derived facts also use.

use crate::serde_helpers::words;

words! {
    /// The mode of work.
    Mode, MODES {
        /// Debugging.
        Debug = "debug",
        /// The default.
        Default = "default",
        /// Optimization.
        Optimize = "optimize",
        /// Release work.
        Release = "release",
    }
}

words! {
    /// The status of the work.
    Status, STATUSES {
        /// In progress.
        InProgress = "in_progress",
        /// Paused; it can be resumed.
        Paused = "paused",
        /// Completed.
        Completed = "completed",
        /// Failed.
        Error = "error",
        /// Aborted.
        Aborted = "aborted",
    }
}

words! {
    /// The status of an agent.
    AgentStatus, AGENT_STATUSES {
        /// Not started.
        Pending = "pending",
        /// Running.
        Running = "running",
        /// Finished.
        Completed = "completed",
        /// Failed.
        Error = "error",
        /// Timed out.
        Timeout = "timeout",
    }
}

words! {
    /// The result of an agent.
    Outcome, OUTCOMES {
        /// It succeeded.
        Success = "success",
        /// It failed.
        Failure = "failure",
        /// It timed out.
        Timeout = "timeout",
        /// It was aborted.
        Aborted = "aborted",
    }
}

words! {
    /// The category of a failure.
    Category, CATEGORIES {
        /// A retry may help.
        Transient = "transient",
        /// A resource is exhausted.
        Resource = "resource",
        /// A configuration error.
        Configuration = "configuration",
        /// The request itself is wrong.
        Logical = "logical",
        /// A retry will not help.
        Permanent = "permanent",
    }
}

words! {
    /// The kind of change to a file.
    FileAction, ACTIONS {
        /// Created.
        Created = "created",
        /// Modified.
        Modified = "modified",
        /// Deleted.
        Deleted = "deleted",
    }
}

words! {
    /// The result of the last synchronization.
    SyncStatus, SYNC_STATUSES {
        /// It succeeded.
        Success = "success",
        /// It is pending.
        Pending = "pending",
        /// It failed.
        Error = "error",
    }
}

words! {
    /// The store for other devices.
    Storage, BACKENDS {
        /// Another program; the word is only passed on.
        ClaudeDesktop = "claude-desktop",
        /// On this device, in a shared directory, or with a live hub.
        Local = "local",
        /// An object store of any kind.
        S3 = "s3",
    }
}
