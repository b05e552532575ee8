//! What every answer needs.

use super::fault::Fault;
use super::hub::{self, Batch, Hub};
use super::web_enter::Web;
use crate::live::Handle;
use crate::{DaemonError, Settings};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast, watch};

/// The most streams, websockets and waits at a time.
pub(super) const STREAMS: usize = 2_000;

/// What every answer needs.
#[derive(Debug, Clone)]
pub(super) struct App(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    handle: Handle,
    hub: Hub,
    streams: Arc<Semaphore>,
    stops: watch::Receiver<bool>,
    counts: Counts,
    web: Web,
}

/// What is counted for the metrics.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Requests that came.
    pub(super) requests: AtomicU64,
    /// Requests that were not let in.
    pub(super) refused: AtomicU64,
    /// Messages of the loop.
    pub(super) told: Arc<AtomicU64>,
    /// Followers that fell behind.
    pub(super) lagged: AtomicU64,
}

impl Counts {
    /// One more.
    pub(super) fn one(count: &AtomicU64) {
        count.fetch_add(1, Ordering::Relaxed);
    }
}

/// A place among the streams, given back when it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    _permit: OwnedSemaphorePermit,
}

impl App {
    /// With the task that passes on what the loop tells.
    pub(super) fn new(
        handle: Handle,
        web: Web,
        stops: watch::Receiver<bool>,
    ) -> (Self, impl Future<Output = ()> + Send + 'static) {
        let counts = Counts::default();
        let (hub, pump) = hub::open(handle.follow(), counts.told.clone(), stops.clone());
        let streams = Arc::new(Semaphore::new(STREAMS));
        (Self(Arc::new(Shared { handle, hub, streams, stops, counts, web })), pump)
    }

    pub(super) fn handle(&self) -> &Handle {
        &self.0.handle
    }

    pub(super) fn counts(&self) -> &Counts {
        &self.0.counts
    }

    /// Where browsers come in.
    pub(super) fn web(&self) -> &Web {
        &self.0.web
    }

    /// Streams that are open.
    pub(super) fn streams(&self) -> u64 {
        STREAMS.saturating_sub(self.0.streams.available_permits()) as u64
    }

    /// Takes a place among the streams.
    pub(super) fn place(&self) -> Result<Place, Fault> {
        let permit = self.0.streams.clone().try_acquire_owned().map_err(|_| Fault::full())?;
        Ok(Place { _permit: permit })
    }

    /// Waits until the daemon ends.
    pub(super) async fn ends(&self) {
        // A sender that is gone means the same.
        self.0.stops.clone().wait_for(|it| *it).await.ok();
    }

    /// Takes a place among the streams and listens from now on.
    pub(super) fn follow(&self) -> Result<(Place, broadcast::Receiver<Batch>), Fault> {
        let place = self.place()?;
        let feed = self.0.hub.follow().ok_or_else(Fault::ending)?;
        Ok((place, feed))
    }

    /// Answers a question that reads files, on a thread that may wait.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        what: impl FnOnce(&Handle) -> Result<T, DaemonError> + Send + 'static,
    ) -> Result<T, Fault> {
        let handle = self.handle().clone();
        let asked = tokio::task::spawn_blocking(move || what(&handle)).await;
        asked.map_err(|_| Fault::broken())?.map_err(Fault::from)
    }

    /// Has the loop do something that writes.
    pub(super) async fn alone<T: Send + 'static>(
        &self,
        what: impl FnOnce(&Settings) -> Result<T, DaemonError> + Send + 'static,
    ) -> Result<T, Fault> {
        let done = self.handle().alone(what).await;
        done.ok_or_else(Fault::ending)?.map_err(Fault::from)
    }
}
