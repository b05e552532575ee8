//! The first reading of history: publishes sessions as they become known, latest first, and the
//! progress of the reading.

use super::handle::Handle;
use crate::DaemonError;
use taffrail_api::HistoryProgress;
use taffrail_context::Error;
use taffrail_context::Settings;
use taffrail_context::{Update, UpdateKind};
use taffrail_ingest::Bring;
use taffrail_ingest::{Budget, Listener, Progress, Scope, run};
use taffrail_model::replication::is_locator;
use taffrail_model::status::Thresholds;
use taffrail_model::{SessionId, Timestamp};
use taffrail_query::board::Board;
use taffrail_query::session as listed;
use taffrail_query::status::apply_status;
use taffrail_store::{IndexReader, SessionRow, Touched, Writer};

/// The most sessions published after one batch. The rest come with the list at the end, so that
/// subscribers are not flooded.
const TOLD: usize = 512;

/// The state of the first reading.
pub(super) struct FirstPass<'a> {
    settings: &'a Settings,
    handle: &'a Handle,
    index: Option<IndexReader>,
    /// Recent sessions, so that they are published with their status.
    board: Board,
}

impl<'a> FirstPass<'a> {
    pub(super) fn new(settings: &'a Settings, handle: &'a Handle) -> Self {
        Self { settings, handle, index: None, board: handle.board() }
    }

    /// Reads all history, unless the daemon is stopped.
    pub(super) fn run(mut self, writer: &mut Writer) -> Result<(), DaemonError> {
        let (settings, handle) = (self.settings, self.handle);
        let mut progress = |it: Progress| {
            let progress = HistoryProgress::new(it.bytes, it.of_bytes);
            handle.live().set_progress(Some(progress));
        };
        let mut written = |touched: &[Touched]| self.tell(touched);
        let mut moves_hooks = |moves: bool| handle.live().set_moves_hooks(moves);
        let listener = &mut Listener {
            progress: &mut progress,
            written: &mut written,
            moves_hooks: &mut moves_hooks,
        };
        let unless = Budget::Unless(handle.live().ending());
        tracing::info!("the first pass begins");
        let indexed = run(settings, writer, (&Scope::All, unless, Bring::WhenDue), listener)?;
        if unless.is_over() {
            indexed.log("the first pass was broken off");
            return Err(Error::Ending.into());
        }
        indexed.log("the first pass ended");
        Ok(())
    }

    fn tell(&mut self, touched: &[Touched]) -> Result<(), Error> {
        if self.index.is_none() {
            self.index = IndexReader::open(&self.settings.data)?;
        }
        for touched in touched.iter().take(TOLD) {
            self.tell_one(*touched)?;
        }
        Ok(())
    }

    fn tell_one(&mut self, touched: Touched) -> Result<(), Error> {
        let Some(index) = &self.index else { return Ok(()) };
        let Some(row) = index.session(touched.row)? else { return Ok(()) };
        let now = (self.settings.now)();
        let mut changed = vec![row.id];
        if is_of_late(&row, now) {
            let events = index.changes_after(touched.row, touched.before)?;
            changed.extend(self.board.take(index, &row, &events, now)?);
            changed.dedup();
        }
        changed.into_iter().try_for_each(|it| self.publish(it, &row))
    }

    /// Publishes a session with its status: the one that was read, or one that is related to it.
    fn publish(&self, id: SessionId, read: &SessionRow) -> Result<(), Error> {
        let Some(index) = &self.index else { return Ok(()) };
        let row = match self.board.row(id).filter(|_| id != read.id) {
            Some(row) => index.session(row)?,
            None => Some(read.clone()),
        };
        let Some(row) = row else { return Ok(()) };
        let is_remote = is_locator(&row.source_uri);
        let mut session = listed(&self.settings.devices, row);
        if let Some(card) = self.handle.live().status(id) {
            apply_status(&mut session, &card, (self.settings.now)());
        }
        let what = UpdateKind::Listed { row: Box::new(session) };
        self.handle.live().publish(Update { session: id, is_remote, what });
        Ok(())
    }
}

/// True if the session had an event within a day.
fn is_of_late(row: &SessionRow, now: Timestamp) -> bool {
    let day = Thresholds::default().over;
    row.last_event_at.is_some_and(|at| now.as_second() - at.as_second() < day)
}
