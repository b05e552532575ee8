//! What every answer needs.

use super::api_error::ApiError;
use super::fanout::{self, Batch, Hub};
use super::web_enter::Web;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use taffrail_context::Error;
use taffrail_context::{Settings, TargetError};
use taffrail_daemon::DaemonError;
use taffrail_daemon::live::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast, oneshot, watch};

/// The most streams, websockets and waits at a time.
pub(super) const STREAMS: usize = 2_000;

/// The most threads for approvals at a time.
const APPROVERS: usize = 8;

/// What every answer needs.
#[derive(Debug, Clone)]
pub(super) struct App(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    handle: Handle,
    hub: Hub,
    streams: Arc<Semaphore>,
    approvers: Arc<Semaphore>,
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
        let follow = (handle.live().subscribe(), handle.live().follow_progress());
        let (hub, pump) = fanout::open(follow, counts.told.clone(), stops.clone());
        let streams = Arc::new(Semaphore::new(STREAMS));
        let approvers = Arc::new(Semaphore::new(APPROVERS));
        (Self(Arc::new(Shared { handle, hub, streams, approvers, stops, counts, web })), pump)
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
    pub(super) fn place(&self) -> Result<Place, ApiError> {
        let permit = self.0.streams.clone().try_acquire_owned().map_err(|_| ApiError::full())?;
        Ok(Place { _permit: permit })
    }

    /// Waits until the daemon ends.
    pub(super) async fn ends(&self) {
        // A sender that is gone means the same.
        self.0.stops.clone().wait_for(|it| *it).await.ok();
    }

    /// Takes a place among the streams and listens from now on.
    pub(super) fn follow(&self) -> Result<(Place, broadcast::Receiver<Batch>), ApiError> {
        let place = self.place()?;
        let feed = self.0.hub.follow().ok_or_else(ApiError::ending)?;
        Ok((place, feed))
    }

    /// Answers a question that reads files, on a thread that may wait.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        what: impl FnOnce(&Handle) -> Result<T, DaemonError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let handle = self.handle().clone();
        let asked = tokio::task::spawn_blocking(move || {
            what(&handle).map_err(|error| as_read(&handle, error))
        });
        let asked = asked.await;
        asked.map_err(|error| broken(&error))?.map_err(ApiError::from)
    }

    /// The same for an agent that waits: `None` when it takes longer than that.
    pub(super) async fn ask_within<T: Send + 'static>(
        &self,
        limit: Duration,
        what: impl FnOnce(&Handle) -> Result<T, DaemonError> + Send + 'static,
    ) -> Result<Option<T>, ApiError> {
        tokio::time::timeout(limit, self.ask_apart(what)).await.ok().transpose()
    }

    /// The same on a thread of its own: readers that are all busy hold up no approval.
    pub(super) async fn ask_apart<T: Send + 'static>(
        &self,
        what: impl FnOnce(&Handle) -> Result<T, DaemonError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let place =
            self.0.approvers.clone().acquire_owned().await.map_err(|_| ApiError::ending())?;
        let (handle, runtime) = (self.handle().clone(), tokio::runtime::Handle::current());
        let (tell, told) = oneshot::channel();
        let thread = std::thread::Builder::new().name("approvals".to_owned());
        let begun = thread.spawn(move || {
            let (_place, _entered) = (place, runtime.enter());
            // Who asked may be gone; a request that would be held is withdrawn with it.
            tell.send(what(&handle)).ok();
        });
        begun.map_err(|error| broken(&error))?;
        // A thread that panicked is in the log.
        told.await.map_err(|_| ApiError::broken())?.map_err(ApiError::from)
    }

    /// Has the loop do something that writes.
    pub(super) async fn alone<T: Send + 'static>(
        &self,
        what: impl FnOnce(&Settings) -> Result<T, DaemonError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let done = self.handle().live().alone(what).await;
        done.ok_or_else(ApiError::ending)?.map_err(ApiError::from)
    }
}

/// A thread could not be started, or panicked.
fn broken(error: &dyn std::error::Error) -> ApiError {
    tracing::error!(%error, "an answer broke off");
    ApiError::broken()
}

/// While history is read for the first time, what is not found is not known to be missing.
fn as_read(handle: &Handle, error: DaemonError) -> DaemonError {
    match error {
        DaemonError::Question(Error::Target(TargetError::NotFound(word)))
            if handle.live().is_reading() =>
        {
            Error::Reading(word).into()
        }
        other => other,
    }
}
