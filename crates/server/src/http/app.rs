//! The state that every handler needs.

use super::api_error::ApiError;
use super::fanout::{self, Batch, Hub};
use super::web_enter::Web;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use taffrail_context::Error;
use taffrail_context::{Settings, TargetError};
use taffrail_daemon::DaemonError;
use taffrail_daemon::live::Handle;
use taffrail_query::Limits;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast, oneshot, watch};

/// The most streams, websockets and waits at a time.
pub(super) const STREAMS: usize = 2_000;

/// The most threads for approvals at a time.
const APPROVERS: usize = 8;

/// The most threads that answer agents over MCP at a time.
const ANSWERERS: usize = 4;

/// How long a request waits for what hooks have reported, and how often it looks.
const HOOKS: Duration = Duration::from_secs(1);
const LOOK: Duration = Duration::from_millis(5);

/// The state that every handler needs.
#[derive(Debug, Clone)]
pub(super) struct App(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    handle: Handle,
    hub: Hub,
    streams: Arc<Semaphore>,
    approvers: Arc<Semaphore>,
    answerers: Arc<Semaphore>,
    stops: watch::Receiver<bool>,
    counts: Counts,
    web: Web,
    limits: Arc<Mutex<Limits>>,
}

/// Counters for the metrics.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Requests received.
    pub(super) requests: AtomicU64,
    /// Requests refused.
    pub(super) refused: AtomicU64,
    /// Updates from the loop.
    pub(super) told: Arc<AtomicU64>,
    /// Subscribers that fell behind.
    pub(super) lagged: AtomicU64,
}

impl Counts {
    /// Increments a counter.
    pub(super) fn one(count: &AtomicU64) {
        count.fetch_add(1, Ordering::Relaxed);
    }
}

/// A slot among the streams, released when dropped.
#[derive(Debug)]
pub(super) struct Place {
    _permit: OwnedSemaphorePermit,
}

impl App {
    /// Returns the state and the task that forwards the loop's updates.
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
        let answerers = Arc::new(Semaphore::new(ANSWERERS));
        let limits = Arc::default();
        let shared =
            Shared { handle, hub, streams, approvers, answerers, stops, counts, web, limits };
        (Self(Arc::new(shared)), pump)
    }

    pub(super) fn handle(&self) -> &Handle {
        &self.0.handle
    }

    pub(super) fn counts(&self) -> &Counts {
        &self.0.counts
    }

    /// Waits for what hooks have reported: whoever reads after a hook returned sees what it said. A
    /// flood of hooks holds nobody up for long.
    pub(super) async fn before_reading(
        State(app): State<Self>,
        request: Request,
        next: Next,
    ) -> Response {
        let patience = if request.method() == Method::GET { HOOKS } else { Duration::ZERO };
        let end = Instant::now() + patience;
        while app.handle().live().is_behind_hooks() && Instant::now() < end {
            tokio::time::sleep(LOOK).await;
        }
        next.run(request).await
    }

    /// The entry for browsers.
    pub(super) fn web(&self) -> &Web {
        &self.0.web
    }

    /// The limits of accounts, as they were last read.
    pub(super) fn limits(&self) -> Arc<Mutex<Limits>> {
        self.0.limits.clone()
    }

    /// The number of open streams.
    pub(super) fn streams(&self) -> u64 {
        STREAMS.saturating_sub(self.0.streams.available_permits()) as u64
    }

    /// Takes a slot among the streams.
    pub(super) fn place(&self) -> Result<Place, ApiError> {
        let permit = self.0.streams.clone().try_acquire_owned().map_err(|_| ApiError::full())?;
        Ok(Place { _permit: permit })
    }

    /// Waits until the daemon ends.
    pub(super) async fn ends(&self) {
        // A dropped sender means the same.
        self.0.stops.clone().wait_for(|it| *it).await.ok();
    }

    /// Takes a slot among the streams and subscribes.
    pub(super) fn follow(&self) -> Result<(Place, broadcast::Receiver<Batch>), ApiError> {
        let place = self.place()?;
        let feed = self.0.hub.follow().ok_or_else(ApiError::ending)?;
        Ok((place, feed))
    }

    /// Runs a query that reads files, on a thread that may block.
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

    /// Like `ask_apart` with a limit, for an agent that waits: `None` on timeout.
    pub(super) async fn ask_within<T: Send + 'static>(
        &self,
        limit: Duration,
        what: impl FnOnce(&Handle) -> Result<T, DaemonError> + Send + 'static,
    ) -> Result<Option<T>, ApiError> {
        tokio::time::timeout(limit, self.ask_apart(what)).await.ok().transpose()
    }

    /// Like `ask` on a thread of its own, so that busy readers do not block approvals.
    pub(super) async fn ask_apart<T: Send + 'static>(
        &self,
        what: impl FnOnce(&Handle) -> Result<T, DaemonError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let handle = self.handle().clone();
        on_thread("approvals", &self.0.approvers, move || what(&handle))
            .await?
            .map_err(ApiError::from)
    }

    /// Answers an agent on a thread of its own: the answer waits for readers.
    pub(super) async fn ask_for_agent<T: Send + 'static>(
        &self,
        what: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        on_thread("mcp", &self.0.answerers, what).await
    }

    /// Lets the loop do work that writes.
    pub(super) async fn alone<T: Send + 'static>(
        &self,
        what: impl FnOnce(&Settings) -> Result<T, DaemonError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let done = self.handle().live().alone(what).await;
        done.ok_or_else(ApiError::ending)?.map_err(ApiError::from)
    }
}

/// Runs something on a thread of its own, as soon as one of these places is free.
async fn on_thread<T: Send + 'static>(
    name: &str,
    places: &Arc<Semaphore>,
    what: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ApiError> {
    let place = places.clone().acquire_owned().await.map_err(|_| ApiError::ending())?;
    let (runtime, (tell, told)) = (tokio::runtime::Handle::current(), oneshot::channel());
    let thread = std::thread::Builder::new().name(name.to_owned());
    let begun = thread.spawn(move || {
        let (_place, _entered) = (place, runtime.enter());
        // The caller may be gone; then a request that would be held is withdrawn.
        tell.send(what()).ok();
    });
    begun.map_err(|error| broken(&error))?;
    // A panic of the thread is in the log.
    told.await.map_err(|_| ApiError::broken())
}

/// A thread could not be started, or panicked.
fn broken(error: &dyn std::error::Error) -> ApiError {
    tracing::error!(%error, "an answer broke off");
    ApiError::broken()
}

/// During the first reading of history, a session that is not found may not be missing.
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
