//! Bringing the index up to date before an answer, within a budget.

use taffrail_capture::{Plan, discover};
use taffrail_context::{Error, Settings};
use taffrail_ingest::{Bring, Budget, Progress, Scope, bring_up, planned};
use taffrail_store::IndexReader;

/// What is on disk and not in the index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Sources with something new.
    pub sources: usize,
    /// Its bytes.
    pub bytes: u64,
    /// Another program is writing.
    pub writer_elsewhere: bool,
}

/// The index after catching up, and what is still missing from it.
pub(crate) struct CaughtUp {
    pub reader: Option<IndexReader>,
    pub problems: Vec<String>,
    pub left: Plan,
    writer_elsewhere: bool,
}

impl CaughtUp {
    /// What waits to be read.
    pub(crate) fn waiting(&self) -> Waiting {
        let (sources, bytes) = (self.left.jobs.len(), self.left.bytes());
        Waiting { sources, bytes, writer_elsewhere: self.writer_elsewhere }
    }
}

/// Catches up within a budget; while another program writes, what is indexed must do.
pub(crate) fn caught_up(
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
