//! What to do with a bundle, and the result.

use std::collections::HashSet;
use std::path::Path;
use taffrail_api::ImportReport;
use taffrail_model::SessionId;

/// What to do with a bundle.
#[derive(Debug)]
pub struct UnpackWish<'a> {
    /// The folder to resume the session in.
    pub project: &'a Path,
    /// Only report what would be done.
    pub dry_run: bool,
    /// Which other contents to import.
    pub with: Extras,
    /// Import as a separate session, because it continued here, too.
    pub fork: bool,
}

/// The contents of a bundle besides the session.
#[derive(Debug, Clone, Default)]
pub struct Extras {
    /// Import uncommitted changes on a new branch.
    pub patch: bool,
    /// Apply them to the folder instead.
    pub here: bool,
    /// Paths that are applied although they would be left out.
    pub named: Vec<String>,
    /// Import the plan.
    pub plan: bool,
}

/// The result of unpacking a bundle.
#[derive(Debug)]
pub struct Arrived {
    /// The report for the user.
    pub arrival: ImportReport,
    /// The events to expect once the session is indexed.
    pub events: Vec<(SessionId, HashSet<String>)>,
}
