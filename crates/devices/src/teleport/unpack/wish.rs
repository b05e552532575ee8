//! What to do with a bundle, and what came of it.

use std::collections::HashSet;
use std::path::Path;
use taffrail_api::ImportReport;
use taffrail_model::SessionId;

/// What to do with a bundle.
#[derive(Debug)]
pub struct UnpackWish<'a> {
    /// The folder the session goes on in.
    pub project: &'a Path,
    /// Only say what would be done.
    pub dry_run: bool,
    /// What else in it is wanted.
    pub with: Extras,
    /// Take it as a session of its own, because it went on here, too.
    pub fork: bool,
}

/// What a bundle has beside the session.
#[derive(Debug, Clone, Default)]
pub struct Extras {
    /// Take what was not committed, on a branch of its own.
    pub patch: bool,
    /// Apply it to the folder instead.
    pub here: bool,
    /// Paths of it that are taken although they would be left out.
    pub named: Vec<String>,
    /// Put the plan there.
    pub plan: bool,
}

/// What came of a bundle.
#[derive(Debug)]
pub struct Arrived {
    /// What to tell.
    pub arrival: ImportReport,
    /// The events that are to be met once it is indexed.
    pub events: Vec<(SessionId, HashSet<String>)>,
}
