//! Brings the index up to date before an answer, within a budget.

use crate::filter::add_marks;
use crate::selection::{asks_what_about, is_narrowed};
use crate::unread::add_unread;
use taffrail_api::{ListRequest, Session};
use taffrail_capture::{Plan, discover};
use taffrail_context::{Error, Settings};
use taffrail_ingest::{Bring, Budget, Progress, Scope, bring_up, planned};
use taffrail_store::IndexReader;

/// Data on disk that is not indexed yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Sources with new data.
    pub sources: usize,
    /// The bytes of that data.
    pub bytes: u64,
    /// Another program is writing.
    pub writer_elsewhere: bool,
}

/// The index after catching up, and what is still missing from it.
pub struct CaughtUp {
    /// Sources that could not be read.
    pub problems: Vec<String>,
    pub(crate) reader: Option<IndexReader>,
    left: Plan,
    writer_elsewhere: bool,
}

impl CaughtUp {
    /// The data that is not indexed yet.
    #[must_use]
    pub fn waiting(&self) -> Waiting {
        let (sources, bytes) = (self.left.jobs.len(), self.left.bytes());
        Waiting { sources, bytes, writer_elsewhere: self.writer_elsewhere }
    }

    /// Adds the sessions whose source is on disk and not indexed yet.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn add_unread(
        &self,
        settings: &Settings,
        sessions: &mut Vec<Session>,
        request: &ListRequest,
    ) -> Result<(), Error> {
        if self.left.jobs.is_empty() || is_narrowed(request) || asks_what_about(request) {
            return Ok(());
        }
        add_unread(settings, (sessions, &self.left), request);
        add_marks(settings, sessions)
    }
}

/// Catches up within a budget; while another program writes, the current index must do.
///
/// # Errors
/// When our own files cannot be read.
pub fn caught_up(
    settings: &Settings,
    budget: Budget<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<CaughtUp, Error> {
    let indexed = match bring_up(settings, (&Scope::All, budget), Bring::Never, progress) {
        Ok(indexed) => Some(indexed),
        Err(error) if error.is_busy() => None,
        Err(error) => return Err(error),
    };
    let reader = IndexReader::open(&settings.data)?;
    let left = match &indexed {
        Some(indexed) if indexed.complete => Plan::default(),
        _ => still_unread(settings, reader.as_ref())?,
    };
    let writer_elsewhere = indexed.is_none();
    let problems = indexed.map(|indexed| indexed.problems).unwrap_or_default();
    Ok(CaughtUp { reader, problems, left, writer_elsewhere })
}

fn still_unread(settings: &Settings, reader: Option<&IndexReader>) -> Result<Plan, Error> {
    let known = match reader {
        Some(reader) => reader.sources()?,
        None => Vec::new(),
    };
    Ok(planned(discover(&settings.watched_homes()), known, &Scope::All))
}
