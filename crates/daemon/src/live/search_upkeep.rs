//! Updates the search index beside the loop, so that no line waits for it.

use super::event_loop::Loop;
use super::loop_message::LoopMessage;
use crate::DaemonError;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use taffrail_context::{Error, Part};
use taffrail_ingest::bring_search_up as bring_up;
use tokio::sync::oneshot;

/// The search index is updated after this many bytes or this time, unless requested earlier.
const BYTES: u64 = 16 * 1024 * 1024;
const TIME: Duration = Duration::from_secs(60);

/// What the search index lacks, who waits for it, and the thread that writes it.
#[derive(Debug, Default)]
pub(super) struct Searchable {
    bytes: u64,
    since: Option<Instant>,
    /// Answered when everything that existed at the time of the request is searchable.
    asked: Vec<oneshot::Sender<bool>>,
    under_way: Option<UnderWay>,
}

#[derive(Debug)]
struct UnderWay {
    thread: JoinHandle<bool>,
    asked: Vec<oneshot::Sender<bool>>,
}

impl Searchable {
    /// Adds bytes that were read but are not searchable.
    pub(super) fn lacks(&mut self, bytes: u64) {
        self.bytes += bytes;
        self.since.get_or_insert_with(Instant::now);
    }

    /// When an update is due by time alone.
    pub(super) fn due(&self) -> Option<Instant> {
        self.since.filter(|_| self.under_way.is_none()).map(|since| since + TIME)
    }

    fn is_wanted(&self) -> bool {
        let late = self.since.is_some_and(|since| since.elapsed() >= TIME);
        late || self.bytes >= BYTES || !self.asked.is_empty()
    }

    /// Waits for a running update, and answers its waiters.
    pub(super) fn rest(&mut self) {
        let Some(UnderWay { thread, asked }) = self.under_way.take() else { return };
        // What a panicked thread did not write is written the next time.
        tell(asked, thread.join().unwrap_or(false));
    }
}

impl Loop {
    /// Requests that everything indexed become searchable.
    pub(super) fn ask_search(&mut self, done: oneshot::Sender<bool>) -> Result<(), DaemonError> {
        self.searchable.asked.push(done);
        self.bring_search_up()
    }

    /// Starts an update if one is due and none is running.
    pub(super) fn bring_search_up(&mut self) -> Result<(), DaemonError> {
        if self.searchable.under_way.is_some() || !self.searchable.is_wanted() {
            return Ok(());
        }
        let (settings, wakes) = (self.settings.clone(), self.to_self.clone());
        let work = move || {
            let how = bring_up(&settings);
            let up = how.is_ok();
            // A loop that is gone needs no report.
            wakes.send(LoopMessage::Searched(how)).ok();
            up
        };
        let thread = std::thread::Builder::new().name("search".to_owned()).spawn(work);
        let asked = std::mem::take(&mut self.searchable.asked);
        let thread = thread.map_err(taffrail_store::StoreError::from)?;
        self.searchable.under_way = Some(UnderWay { thread, asked });
        (self.searchable.bytes, self.searchable.since) = (0, None);
        Ok(())
    }

    /// Handles the end of an update. A failed one is tried again when it is next due.
    pub(super) fn searched(&mut self, how: Result<(), Error>) -> Result<(), DaemonError> {
        let done = self.searchable.under_way.take();
        tell(done.map(|it| it.asked).unwrap_or_default(), how.is_ok());
        match how {
            Ok(()) => {
                self.handle.live().resolve_problems(Part::Search);
                self.writer()?.note_searched()?;
            }
            Err(error) => {
                tracing::warn!(%error, "cannot bring search up");
                self.handle.live().note_problem(Part::Search, error.to_string());
                self.searchable.lacks(0);
            }
        }
        self.bring_search_up()
    }
}

fn tell(asked: Vec<oneshot::Sender<bool>>, up: bool) {
    for done in asked {
        // The requester may have gone away.
        done.send(up).ok();
    }
}
